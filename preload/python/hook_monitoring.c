/* sys.monitoring (PEP 669), 3.12 and later: C functions as callbacks; code that is not recorded is switched off where
 * it stands and costs nothing from then on. */
#include "activation.h"
#include "attach.h"
#include "hook.h"
#include "recorder.h"

static PyObject *none, *disable; /* None is immortal here; `disable` is ours for ever */

static inline name_word look_up(PyObject *code) {
    name_word word = name_find(code);
    if (__builtin_expect(!name_known(word), 0)) word = names_learn(code, py.PyEval_GetGlobals());
    return word;
}

static inline PyObject *switch_off(void) {
    py.Py_IncRef(disable);
    return disable;
}

static PyObject *on_start(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    (void)self, (void)count;
    name_word word = look_up(args[0]);
    if (__builtin_expect((word & (NAME_SKIPPED | NAME_GENERATOR)) != 0, 0)) {
        if (word & NAME_SKIPPED) return switch_off();
        activation_begin_generator(word, name_region(word));
        return none;
    }
    activation_begin(name_region(word));
    return none;
}

static PyObject *resume(PyObject *code, PyObject *skipped) {
    name_word word = look_up(code);
    if (word & NAME_SKIPPED) return skipped;
    int region = name_resumed(word);
    if (region == 0) region = names_learn_resumed(code, word);
    activation_begin_generator(word, region);
    return none;
}

static inline PyObject *leave(PyObject *code, PyObject *skipped) {
    name_word word = look_up(code);
    if (__builtin_expect((word & (NAME_SKIPPED | NAME_GENERATOR)) != 0, 0)) {
        if (word & NAME_SKIPPED) return skipped;
        activation_end_generator(word);
        return none;
    }
    activation_end(name_region(word));
    return none;
}

/* What is returned to be switched off is a new reference. Throwing and unwinding cannot be switched off for one place.
 */
static inline PyObject *counted(PyObject *result) { return result == disable ? switch_off() : result; }

static PyObject *on_resume(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    (void)self, (void)count;
    return counted(resume(args[0], disable));
}
static PyObject *on_throw(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    (void)self, (void)count;
    return resume(args[0], none);
}
static PyObject *on_leave(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    (void)self, (void)count;
    return counted(leave(args[0], disable));
}
static PyObject *on_unwind(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    (void)self, (void)count;
    return leave(args[0], none);
}

#define CALLBACK(event, function)                                                                                      \
    { event, (void (*)(void))function, PY_METH_FASTCALL, NULL }
static struct py_method callbacks[] = {
    CALLBACK("PY_START", on_start),  CALLBACK("PY_RESUME", on_resume), CALLBACK("PY_THROW", on_throw),
    CALLBACK("PY_RETURN", on_leave), CALLBACK("PY_YIELD", on_leave),   CALLBACK("PY_UNWIND", on_unwind),
};

/* ---- installing ----------------------------------------------------------------------------------------------------
 */

/* 0 debuggers, 1 coverage, 2 profilers (cProfile itself), 5 the optimizer: those are others'. */
static const int tools[] = {4, 3};

static int take_tool(PyObject *monitoring) {
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        PyObject *taken = py.PyObject_CallMethod(monitoring, "use_tool_id", "is", tools[i], "scope-profiler");
        if (taken) {
            none = taken; /* the function returns None */
            return tools[i];
        }
        py.PyErr_Clear();
    }
    return -1;
}

static bool listen(PyObject *monitoring, PyObject *events, int tool) {
    long all = 0;
    bool ok = true;
    for (size_t i = 0; i < sizeof callbacks / sizeof *callbacks && ok; i++) {
        long event = py_attribute_long(events, callbacks[i].name, 0);
        PyObject *function = py.PyCFunction_NewEx(&callbacks[i], NULL, NULL);
        PyObject *before =
            function ? py.PyObject_CallMethod(monitoring, "register_callback", "ilO", tool, event, function) : NULL;
        ok = event && before;
        all |= event;
        py_drop(before);
        py_drop(function);
    }
    PyObject *set = ok ? py.PyObject_CallMethod(monitoring, "set_events", "il", tool, all) : NULL;
    py_drop(set);
    py.PyErr_Clear();
    return set != NULL;
}

static const char *install(PyInterpreterState *interpreter) {
    (void)interpreter;
    PyObject *monitoring = py.PySys_GetObject("monitoring");
    PyObject *events = monitoring ? py_attribute(monitoring, "events") : NULL;
    disable = monitoring ? py_attribute(monitoring, "DISABLE") : NULL;
    const char *problem = "this Python has no sys.monitoring";
    if (events && disable) {
        int tool = take_tool(monitoring);
        problem = tool < 0 ? "no tool number of sys.monitoring is free"
                           : (listen(monitoring, events, tool) ? NULL : "sys.monitoring refused it");
    }
    py_drop(events);
    return problem;
}

const struct hook hook_monitoring = {
    .name = "monitoring", .first = 12, .install = install, .forked = activation_forget};
