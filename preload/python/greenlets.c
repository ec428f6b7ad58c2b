#include "greenlets.h"
#include "attach.h"
#include "tasks.h"

static PyObject *main_greenlet;
static int tries; /* left, to find the module that is being imported */

PyObject *greenlets_main(void) { return main_greenlet; }

/* trace(event, (origin, target)), called in the target. */
static PyObject *on_switch(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    (void)self;
    if (count == 2 && py.PyTuple_Size(args[1]) == 2 && main_greenlet)
        task_greenlet(py.PyTuple_GetItem(args[1], 0), py.PyTuple_GetItem(args[1], 1));
    else
        py.PyErr_Clear();
    py.Py_IncRef((PyObject *)py.none);
    return (PyObject *)py.none;
}

static struct py_method method = {"scope_profiler", (void (*)(void))on_switch, PY_METH_FASTCALL, NULL};

/* A program that traces its greenlets itself keeps its own. */
static void listen(PyObject *module) {
    PyObject *function = py.PyCFunction_NewEx(&method, NULL, NULL);
    PyObject *before = function ? py.PyObject_CallMethod(module, "settrace", "O", function) : NULL;
    if (before == py.none)
        main_greenlet = py.PyObject_CallMethod(module, "getcurrent", NULL);
    else if (before)
        py_drop(py.PyObject_CallMethod(module, "settrace", "O", before));
    py.PyErr_Clear();
    py_drop(before);
    py_drop(function);
}

static bool look_up(void) {
    PyObject *modules = py.PySys_GetObject("modules");
    PyObject *module = modules ? py.PyDict_GetItemString(modules, "greenlet._greenlet") : NULL;
    if (module && !main_greenlet) listen(module);
    return module != NULL;
}

static int look_up_soon(void *unused) {
    (void)unused;
    struct py_error error = py_error_save();
    attach_quiet();
    if (tries > 0 && !look_up() && --tries > 0) py.Py_AddPendingCall(look_up_soon, NULL);
    attach_loud();
    py_error_restore(error);
    return 0;
}

void greenlets_up(void) { look_up(); }

/* The event comes twice, and before the module is there: the second one, with its file, just before. A greenlet cannot
 * be made before the main thread comes by a place where pending calls are made. */
void greenlets_event(const char *event, PyObject *args) {
    enum { TRIES = 10000 };
    if (main_greenlet || strcmp(event, "import") != 0 || py.PyTuple_Size(args) < 2) return;
    const char *name = py_text(py.PyTuple_GetItem(args, 0));
    if (!name || !py_text(py.PyTuple_GetItem(args, 1)) || strcmp(name, "greenlet._greenlet") != 0) return;
    tries = TRIES;
    py.Py_AddPendingCall(look_up_soon, NULL);
}

void greenlets_down(void) {
    py_drop(main_greenlet);
    main_greenlet = NULL;
    tries = 0;
}
