#include "steps.h"
#include "attach.h"
#include "module.h"
#include "tasks.h"
#include <pthread.h>

bool steps_on;
static unsigned wanted; /* steps_begin() without a steps_end(), and steps_try() */
static bool tried;
static bool made_known; /* nobody else wants to know about tasks */

/* asyncio's class of what loops run, its function that does so, and the one in its place; NULL: not in place. */
static PyObject *handle_type, *run, *ours;
static PyObject *python_task; /* the type; NULL none */
static PyObject *step_type;   /* of what runs a step of a task in C, and has no name; NULL: not seen yet */
static PyObject *callback_name, *self_name, *name_name;

/* ---- whose step it is -------------------------------------------------------------------------------------------- */

static PyObject *get(PyObject *object, PyObject *name) {
    PyObject *value = py.PyObject_GetAttr(object, name);
    if (!value) py.PyErr_Clear();
    return value;
}

/* Tasks have other methods that are called back, such as cancel(). */
static bool is_step(PyObject *callback) {
    static const char *const names[] = {"task_wakeup", "__step", "__wakeup"};
    PyObject *name = get(callback, name_name);
    const char *text = name ? py_text(name) : NULL;
    bool is = !name;
    for (size_t i = 0; text && !is && i < sizeof names / sizeof *names; i++) is = strcmp(text, names[i]) == 0;
    py_drop(name);
    if (is && !text && !step_type) {
        step_type = py_type(callback);
        py.Py_IncRef(step_type);
    }
    return is;
}

static bool is_task(PyObject *object) {
    return task_is(object) || (python_task && py.PyType_IsSubtype(py_type(object), python_task));
}

/* A new reference; NULL: it is none's. */
static PyObject *task_of(PyObject *handle) {
    PyObject *callback = get(handle, callback_name);
    if (!callback || py_type(callback) == (PyObject *)py.function_type) {
        py_drop(callback);
        return NULL;
    }
    PyObject *task = get(callback, self_name);
    if (task && py_type(callback) != step_type && !(is_task(task) && is_step(callback))) {
        py.Py_DecRef(task);
        task = NULL;
    }
    py.Py_DecRef(callback);
    return task;
}

/* Handle._run() */
static PyObject *run_handle(PyObject *self, PyObject *handle) {
    PyObject *task = steps_on ? task_of(handle) : NULL;
    if (!task) return py.PyObject_CallFunctionObjArgs(self, handle, NULL);
    const struct task_step outer = task_step_begin(task);
    PyObject *result = py.PyObject_CallFunctionObjArgs(self, handle, NULL);
    task_step_end(outer);
    if (result) {
        py.Py_DecRef(task);
        return result;
    }
    struct py_error error = py_error_save(); /* a task that goes away may run code */
    py.Py_DecRef(task);
    py_error_restore(error);
    return NULL;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static void drop_all(void) {
    PyObject **const owned[] = {&handle_type, &run,           &ours,      &python_task,
                                &step_type,   &callback_name, &self_name, &name_name};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        PyObject *object = *owned[i];
        *owned[i] = NULL;
        py_drop(object);
    }
}

static bool put_in_place(void) {
    static struct py_method method = MODULE_METHOD("_run", run_handle, PY_METH_O, NULL);
    PyObject *events = py.PyImport_ImportModule("asyncio.events");
    PyObject *tasks = events ? py.PyImport_ImportModule("asyncio.tasks") : NULL;
    handle_type = tasks ? py_attribute(events, "Handle") : NULL;
    run = handle_type ? py_attribute(handle_type, "_run") : NULL;
    python_task = tasks ? py_attribute(tasks, "_PyTask") : NULL;
    callback_name = py.PyUnicode_InternFromString("_callback");
    self_name = py.PyUnicode_InternFromString("__self__");
    name_name = py.PyUnicode_InternFromString("__name__");
    PyObject *function = run ? py.PyCFunction_NewEx(&method, run, NULL) : NULL;
    ours = function ? py.PyInstanceMethod_New(function) : NULL;
    py_drop(function);
    py_drop(tasks);
    py_drop(events);
    return ours && py.PyObject_SetAttrString(handle_type, "_run", ours) == 0;
}

/* Others may have put theirs over ours meanwhile, which stays and does nothing. */
static void take_away(void) {
    PyObject *now = ours ? py_attribute(handle_type, "_run") : NULL;
    PyObject *function = ours ? py_attribute(ours, "__func__") : NULL;
    if (now && now == function && py.PyObject_SetAttrString(handle_type, "_run", run) == 0) drop_all();
    py.PyErr_Clear();
    py_drop(function);
    py_drop(now);
}

static bool begin(void) {
    static bool prepared;
    wanted++;
    if (steps_on) return true;
    if (!prepared && pthread_atfork(NULL, NULL, tasks_forked) == 0) prepared = true;
    attach_quiet();
    made_known = !tasks_known;
    if (prepared && (ours || put_in_place())) {
        if (made_known) tasks_up();
        steps_on = tasks_known;
    }
    py.PyErr_Clear();
    attach_loud();
    if (!steps_on && --wanted == 0) take_away();
    return steps_on;
}

bool steps_begin(void) {
    tasks_of_all++;
    if (begin()) return true;
    tasks_of_all--;
    rec_warn("asyncio's tasks are not told apart: they cannot be seen in this Python");
    return false;
}

static bool asyncio_is_there(void) {
    PyObject *modules = py.PySys_GetObject("modules");
    return modules && py.PyDict_GetItemString(modules, "asyncio.tasks") &&
           py.PyDict_GetItemString(modules, "asyncio.runners"); /* imported after it */
}

void steps_try(void) {
    if (steps_on || tried) return;
    struct py_error error = py_error_save();
    if (asyncio_is_there()) {
        tried = true;
        begin();
    }
    py_error_restore(error);
}

void steps_end(void) {
    tasks_of_all--;
    if (--wanted > 0) return;
    steps_on = false;
    take_away();
    if (made_known) tasks_down();
    made_known = false;
}

void steps_down(void) {
    steps_on = tried = false;
    wanted = tasks_of_all = 0;
    if (made_known) tasks_down();
    made_known = false;
    drop_all();
}
