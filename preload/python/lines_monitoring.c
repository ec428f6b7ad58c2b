#include "lines.h"
#include "recorder.h"

/* sys.monitoring: line events come from the chosen functions alone, and every other function is refused for good at its
 * first call. */

static PyObject *monitoring, *none, *disable;
static long tool, local_events;

static struct lines_function *counted(PyObject *code) {
    struct lines_function *f;
    return lines_known(code, &f) == LINES_YES ? f : NULL;
}

/* Callbacks get (code, ...). `none` and `disable` are immortal or owned for ever, but for the reference that goes with
 * the result. */
static PyObject *give(PyObject *result) {
    py.Py_IncRef(result);
    return result;
}

static PyObject *on_start(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    (void)self, (void)count;
    struct lines_function *f;
    enum lines_answer answer = lines_known(args[0], &f);
    if (answer == LINES_UNKNOWN) {
        f = lines_decide(args[0], py.PyEval_GetGlobals(), NULL);
        answer = f ? LINES_YES : LINES_NO;
    }
    if (answer == LINES_NO) return give(disable);
    lines_enter(f);
    return give(none);
}

static void resumed(PyObject *code, PyObject *offset) {
    struct lines_function *f = counted(code);
    if (!f) return;
    lines_enter(f);
    lines_at(f, py.PyCode_Addr2Line(code, (int)py.PyLong_AsLong(offset)), true);
}

static PyObject *on_resume(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    (void)self, (void)count;
    resumed(args[0], args[1]);
    return give(none);
}

static PyObject *on_leave(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    (void)self, (void)count;
    struct lines_function *f = counted(args[0]);
    if (f) lines_leave(f);
    return give(none);
}

static PyObject *on_line(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    (void)self, (void)count;
    struct lines_function *f = counted(args[0]);
    if (f) lines_line(f, (int)py.PyLong_AsLong(args[1]));
    return give(none);
}

#define METHOD(name, function)                                                                                         \
    { name, (void (*)(void))(function), PY_METH_FASTCALL, NULL }
enum { LOCAL = 1, GLOBAL = 2 };
static struct {
    const char *event;
    struct py_method method;
    int where; /* PY_UNWIND and PY_THROW cannot be had for single functions */
} callbacks[] = {
    {"PY_START", METHOD("start", on_start), LOCAL | GLOBAL},
    {"PY_RESUME", METHOD("resume", on_resume), LOCAL},
    {"PY_THROW", METHOD("throw", on_resume), GLOBAL},
    {"PY_RETURN", METHOD("return", on_leave), LOCAL},
    {"PY_YIELD", METHOD("yield", on_leave), LOCAL},
    {"PY_UNWIND", METHOD("unwind", on_leave), GLOBAL},
    {"LINE", METHOD("line", on_line), LOCAL},
};

static bool call(const char *method, const char *format, long a, PyObject *b, long c) {
    PyObject *result = b ? py.PyObject_CallMethod(monitoring, method, format, a, b, c)
                         : py.PyObject_CallMethod(monitoring, method, format, a, c);
    if (!result) py.PyErr_Clear();
    py_drop(result);
    return result != NULL;
}

static void chosen(PyObject *code) {
    if (!call("set_local_events", "lOl", tool, code, local_events))
        rec_warn("lines of a Python function are not counted: its events cannot be had");
}

static void again(void) {
    PyObject *result = py.PyObject_CallMethod(monitoring, "restart_events", NULL);
    if (!result) py.PyErr_Clear();
    py_drop(result);
}

static bool take_tool(void) {
    static const long numbers[] = {3, 4};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        PyObject *result = py.PyObject_CallMethod(monitoring, "use_tool_id", "ls", numbers[i], "scope-profiler lines");
        if (result) {
            none = result;
            tool = numbers[i];
            return true;
        }
        py.PyErr_Clear();
    }
    return false;
}

static bool register_callbacks(PyObject *events, long *global_events) {
    for (size_t i = 0; i < sizeof callbacks / sizeof *callbacks; i++) {
        long event = py_attribute_long(events, callbacks[i].event, 0);
        PyObject *function = py.PyCFunction_NewEx(&callbacks[i].method, NULL, NULL);
        PyObject *before =
            function ? py.PyObject_CallMethod(monitoring, "register_callback", "llO", tool, event, function) : NULL;
        py_drop(function);
        if (!before || !event) {
            py.PyErr_Clear();
            return false;
        }
        py_drop(before);
        if (callbacks[i].where & GLOBAL) *global_events |= event;
        if (callbacks[i].where & LOCAL) local_events |= event;
    }
    return true;
}

static int install(PyInterpreterState *interpreter) {
    (void)interpreter;
    long global_events = 0;
    local_events = 0;
    monitoring = py.PySys_GetObject("monitoring");
    if (!monitoring) return 0; /* the interpreter is still being made */
    PyObject *events = py_attribute(monitoring, "events");
    disable = py_attribute(monitoring, "DISABLE");
    if (!events || !disable || !take_tool()) {
        rec_warn("lines of Python functions are not counted: other tools have taken sys.monitoring");
        py_drop(events);
        return -1;
    }
    bool good = register_callbacks(events, &global_events) && call("set_events", "ll", tool, NULL, global_events);
    py_drop(events);
    if (!good) rec_warn("lines of Python functions are not counted: sys.monitoring refuses");
    return good ? 1 : -1;
}

const struct lines_backend lines_monitoring = {.install = install, .chosen = chosen, .again = again};
