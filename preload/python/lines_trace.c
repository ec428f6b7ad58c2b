/* Line events from CPython's trace function, up to 3.11: a frame evaluation function puts it in place while a chosen
 * function runs, and takes it away for what that calls. A program that traces itself (a debugger, coverage) has the
 * slot to itself: lines are then not counted, and that is said. */
#include "attach.h"
#include "evaluator.h"
#include "frames.h"
#include "lines.h"
#include "recorder.h"

#define TLS         __thread __attribute__((tls_model("initial-exec")))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static struct evaluators next; /* CPython's own, or that of whoever was here before */

static TLS bool tracing; /* our trace function is in place */
static TLS bool foreign; /* the program's own is, or was */
static TLS bool leaving; /* a scope has ended in what a traced function calls, which must not put it back */

/* ---- the slot ---------------------------------------------------------------------------------------------------- */

static bool program_traces(void) {
    PyObject *get = py.PySys_GetObject("gettrace");
    PyObject *function = get ? py.PyObject_CallFunction(get, NULL) : NULL;
    bool none = function == (PyObject *)py.none;
    if (!function) py.PyErr_Clear();
    py_drop(function);
    return !none;
}

static int on_trace(PyObject *data, PyFrameObject *frame, int what, PyObject *arg);

static void turn(bool on) {
    attach_quiet();
    py.PyEval_SetTrace(on ? on_trace : NULL, NULL);
    attach_loud();
    tracing = on;
}

/* After a call: its exception is kept. */
static void turn_after(bool on, const PyObject *result) {
    if (foreign) return;
    if (result) {
        turn(on);
        return;
    }
    struct py_error error = py_error_save();
    turn(on);
    py_error_restore(error);
}

/* Raised before sys.settrace() does its work; ours are quiet. */
static void on_audit(const char *event) {
    if (event[0] != 's' || strcmp(event, "sys.settrace") != 0) return;
    foreign = true;
    tracing = false;
    rec_warn("the program traces itself with sys.settrace: while it does, its lines are not counted");
}

static bool may_trace(void) {
    if (UNLIKELY(foreign)) {
        attach_quiet();
        foreign = program_traces();
        attach_loud();
    }
    return !foreign;
}

/* ---- line events ------------------------------------------------------------------------------------------------- */

static struct lines_function *decided(PyObject *code, PyObject *globals) {
    struct lines_function *f;
    if (UNLIKELY(lines_known(code, &f) == LINES_UNKNOWN)) return lines_decide(code, globals, NULL);
    return f == LINES_NOT_COUNTED ? NULL : f;
}

static int on_trace(PyObject *data, PyFrameObject *frame, int what, PyObject *arg) {
    (void)data, (void)arg;
    if (what != PY_TRACE_LINE && what != PY_TRACE_CALL) return 0;
    const char *proper = frame_proper(frame);
    struct lines_function *f = decided(frame_code(proper), frame_globals(proper));
    if (!f) return 0;
    if (what == PY_TRACE_LINE)
        lines_line(f, py.PyFrame_GetLineNumber(frame));
    else if (f->suspends && !frame_is_first_run(proper))
        lines_at(f, py.PyFrame_GetLineNumber(frame), false);
    return 0;
}

/* ---- the frame evaluation function ------------------------------------------------------------------------------- */

static inline PyObject *go_on(bool old, PyThreadState *thread, void *frame, int throw_flag) {
    return evaluator_call(&next, old, thread, frame, throw_flag);
}

static PyObject *evaluate(PyThreadState *thread, void *frame, int throw_flag);
static PyObject *evaluate_old(void *frame, int throw_flag);
static const struct evaluators ours = {evaluate, evaluate_old};

static __attribute__((noinline)) PyObject *short_stack(bool old, PyThreadState *thread, void *frame, int throw_flag) {
    if (evaluator_measure_stack()) return old ? evaluate_old(frame, throw_flag) : evaluate(thread, frame, throw_flag);
    rec_warn("recursion is deeper than the stack allows to count: the lines down there are not counted");
    evaluator_put(next);
    PyObject *result = go_on(old, thread, frame, throw_flag);
    evaluator_put(ours);
    return result;
}

/* A function that is not chosen, called by one that is. */
static __attribute__((noinline)) PyObject *untraced(bool old, PyThreadState *thread, void *frame, int throw_flag) {
    if (throw_flag) {
        struct py_error error = py_error_save();
        turn(false);
        py_error_restore(error);
    } else {
        turn(false);
    }
    PyObject *result = go_on(old, thread, frame, throw_flag);
    if (UNLIKELY(leaving))
        leaving = false;
    else
        turn_after(true, result);
    return result;
}

static __attribute__((noinline)) PyObject *traced(bool old, PyThreadState *thread, void *frame, int throw_flag,
                                                  struct lines_function *f) {
    enum frame_entry entry = FRAME_FIRST;
    if (f->suspends) entry = frame_entry(frame, throw_flag);
    if (entry == FRAME_CREATES || !may_trace()) return go_on(old, thread, frame, throw_flag);
    const bool was = tracing;
    if (!was) {
        struct py_error error = {0};
        if (throw_flag) error = py_error_save();
        turn(true);
        if (throw_flag) py_error_restore(error);
    }
    lines_enter(f);
    PyObject *result = go_on(old, thread, frame, throw_flag);
    lines_leave(f);
    if (!was) turn_after(false, result);
    return result;
}

static __attribute__((noinline)) PyObject *decide(bool old, PyThreadState *thread, void *frame, int throw_flag) {
    PyObject *code = frame_code(frame);
    struct lines_function *f;
    if (UNLIKELY(lines_known(code, &f) == LINES_UNKNOWN)) {
        f = lines_decide(code, frame_globals(frame), NULL);
        if (!f) f = LINES_NOT_COUNTED;
    }
    if (f != LINES_NOT_COUNTED && lines_any_counts(f)) return traced(old, thread, frame, throw_flag, f);
    if (UNLIKELY(tracing)) return untraced(old, thread, frame, throw_flag);
    return go_on(old, thread, frame, throw_flag);
}

/* Functions that are not chosen pass as quickly as they can: nothing is called on their way, so nothing need be saved.
 */
static inline __attribute__((always_inline)) PyObject *run(bool old, PyThreadState *thread, void *frame,
                                                           int throw_flag) {
    if (UNLIKELY(evaluator_stack_is_short())) return short_stack(old, thread, frame, throw_flag);
    const void *known = extra_peek(frame_code(frame), lines_extra);
    if (!tracing && (known == LINES_NOT_COUNTED || (known == LINES_NOT_GIVEN && !lines_of_all)))
        return go_on(old, thread, frame, throw_flag);
    return decide(old, thread, frame, throw_flag);
}

static __attribute__((hot)) PyObject *evaluate(PyThreadState *thread, void *frame, int throw_flag) {
    return run(false, thread, frame, throw_flag);
}
static PyObject *evaluate_old(void *frame, int throw_flag) { return run(true, NULL, frame, throw_flag); }

static int install(PyInterpreterState *main) {
    const char *problem = evaluator_prepare(main, &next);
    if (problem) {
        rec_warn("lines of Python functions are not counted: %s", problem);
        return -1;
    }
    evaluator_put(ours);
    return 1;
}

static bool here(bool on) {
    if (on && (tracing || !may_trace())) return false;
    if (on || tracing)
        turn(on);
    else
        leaving = !foreign;
    return on;
}

const struct lines_backend lines_trace = {.install = install, .event = on_audit, .here = here};
