/* Line events from CPython's trace function, up to 3.11. From 3.9 on it is put in place only while a chosen function
 * runs, by a frame evaluation function; 3.8 has none to offer, and everything is traced. A program that traces itself
 * (a debugger, coverage) has the slot to itself: lines are then not counted, and that is said. */
#include "attach.h"
#include "frames.h"
#include "lines.h"
#include "recorder.h"
#include <dlfcn.h>
#include <pthread.h>

#define TLS         __thread __attribute__((tls_model("initial-exec")))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static py_eval_frame next; /* CPython's own, or that of whoever was here before */
static PyInterpreterState *interpreter;

static TLS bool tracing; /* our trace function is in place */
static TLS bool foreign; /* the program's own is, or was */

/* ---- the slot ---------------------------------------------------------------------------------------------------- */

static bool program_traces(void) {
    PyObject *get = py.PySys_GetObject("gettrace");
    PyObject *function = get ? py.PyObject_CallFunction(get, NULL) : NULL;
    bool none = function == dlsym(py.handle, "_Py_NoneStruct");
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
    return f == (void *)1 ? NULL : f;
}

/* With a frame evaluation function, which sees calls begin and end. */
static int on_trace(PyObject *data, PyFrameObject *frame, int what, PyObject *arg) {
    (void)data, (void)arg;
    if (what != PY_TRACE_LINE && what != PY_TRACE_CALL) return 0;
    const char *proper = frame_proper(frame);
    struct lines_function *f = decided(frame_code(proper), frame_globals(proper));
    if (!f) return 0;
    if (what == PY_TRACE_LINE)
        lines_line(f, py.PyFrame_GetLineNumber(frame));
    else if (f->suspends && !frame_is_first_run(proper))
        lines_at(f, py.PyFrame_GetLineNumber(frame));
    return 0;
}

/* Without one. */
static int on_trace_all(PyObject *data, PyFrameObject *frame, int what, PyObject *arg) {
    (void)data, (void)arg;
    if (what == PY_TRACE_EXCEPTION) return 0;
    const char *proper = frame_proper(frame);
    struct lines_function *f = decided(frame_code(proper), frame_globals(proper));
    if (!f) return 0;
    if (what == PY_TRACE_LINE)
        lines_line(f, py.PyFrame_GetLineNumber(frame));
    else if (what == PY_TRACE_RETURN)
        lines_leave(f);
    else
        lines_enter(f);
    if (what == PY_TRACE_CALL && f->suspends && !frame_is_first_run(proper))
        lines_at(f, py.PyFrame_GetLineNumber(frame));
    return 0;
}

/* ---- the frame evaluation function, 3.9 to 3.11 ------------------------------------------------------------------ */

/* Near the end of the C stack, which plain 3.11 does not need for Python calls, the function steps aside. */
static TLS uintptr_t stack_low, stack_reserve; /* reserve 0: not known yet */

static __attribute__((noinline)) void measure_stack(void) {
    pthread_attr_t attributes;
    void *base = NULL;
    size_t size = 0;
    if (py.minor >= 11 && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &base, &size);
        pthread_attr_destroy(&attributes);
    }
    size_t reserve = size / 4;
    if (reserve > 1 << 20) reserve = 1 << 20;
    if (reserve < 64 << 10) reserve = 64 << 10;
    stack_low = (uintptr_t)base;
    stack_reserve = base ? reserve : 1;
}

static inline bool stack_is_short(void) { return (uintptr_t)__builtin_frame_address(0) - stack_low < stack_reserve; }

static PyObject *evaluate(PyThreadState *thread, void *frame, int throw_flag);

static __attribute__((noinline)) PyObject *step_aside(PyThreadState *thread, void *frame, int throw_flag) {
    rec_warn("recursion is deeper than the stack allows to count: the lines down there are not counted");
    py._PyInterpreterState_SetEvalFrameFunc(interpreter, next);
    PyObject *result = next(thread, frame, throw_flag);
    py._PyInterpreterState_SetEvalFrameFunc(interpreter, evaluate);
    return result;
}

/* A function that is not chosen, called by one that is. */
static __attribute__((noinline)) PyObject *untraced(PyThreadState *thread, void *frame, int throw_flag) {
    if (throw_flag) {
        struct py_error error = py_error_save();
        turn(false);
        py_error_restore(error);
    } else {
        turn(false);
    }
    PyObject *result = next(thread, frame, throw_flag);
    turn_after(true, result);
    return result;
}

static __attribute__((noinline)) PyObject *traced(PyThreadState *thread, void *frame, int throw_flag,
                                                  struct lines_function *f) {
    enum frame_entry entry = FRAME_FIRST;
    if (f->suspends) entry = frame_entry(frame, throw_flag);
    if (entry == FRAME_CREATES || !may_trace()) return next(thread, frame, throw_flag);
    const bool was = tracing;
    if (!was) {
        struct py_error error = {0};
        if (throw_flag) error = py_error_save();
        turn(true);
        if (throw_flag) py_error_restore(error);
    }
    lines_enter(f);
    PyObject *result = next(thread, frame, throw_flag);
    lines_leave(f);
    if (!was) turn_after(false, result);
    return result;
}

static __attribute__((hot)) PyObject *evaluate(PyThreadState *thread, void *frame, int throw_flag) {
    if (UNLIKELY(stack_is_short())) return step_aside(thread, frame, throw_flag);
    PyObject *code = frame_code(frame);
    struct lines_function *f;
    if (UNLIKELY(lines_known(code, &f) == LINES_UNKNOWN)) {
        if (stack_reserve == 0) measure_stack();
        f = lines_decide(code, frame_globals(frame), NULL);
        if (!f) f = (void *)1;
    }
    if (f != (void *)1) return traced(thread, frame, throw_flag, f);
    if (UNLIKELY(tracing)) return untraced(thread, frame, throw_flag);
    return next(thread, frame, throw_flag);
}

/* ---- installing -------------------------------------------------------------------------------------------------- */

static struct frames_trial trial;

static PyObject *evaluate_trial(PyThreadState *thread, void *frame, int throw_flag) {
    frames_try(&trial, frame, frame_entry(frame, throw_flag));
    return next(thread, frame, throw_flag);
}
static void trial_on(void) { py._PyInterpreterState_SetEvalFrameFunc(interpreter, evaluate_trial); }
static void trial_off(void) { py._PyInterpreterState_SetEvalFrameFunc(interpreter, next); }

static int install_evalframe(PyInterpreterState *main) {
    if (!py._PyInterpreterState_SetEvalFrameFunc || !py._PyInterpreterState_GetEvalFrameFunc) {
        rec_warn("lines of Python functions are not counted: this Python does not offer a frame evaluation function");
        return -1;
    }
    interpreter = main;
    next = py._PyInterpreterState_GetEvalFrameFunc(main);
    if (!frames_choose() || !frames_run_trial(&trial, trial_on, trial_off)) {
        rec_warn("lines of Python functions are not counted: the frames of this Python are not as expected");
        return -1;
    }
    py._PyInterpreterState_SetEvalFrameFunc(main, evaluate);
    return 1;
}

static void trace_thread(void) {
    attach_quiet();
    py.PyEval_SetTrace(on_trace_all, NULL);
    attach_loud();
}

static int install_settrace(PyInterpreterState *main) {
    (void)main;
    if (!frames_choose()) return -1;
    trace_thread();
    return 1;
}

const struct lines_backend lines_evalframe = {.install = install_evalframe, .event = on_audit};
const struct lines_backend lines_settrace = {.install = install_settrace, .event = on_audit};
