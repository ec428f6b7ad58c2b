/* PyEval_SetProfile, every version: a function called at each call and return (and at each C call, which cannot be
 * refused). It is a thread's own, and there is only one: a program that sets one takes ours away. */
#include "activation.h"
#include "attach.h"
#include "frames.h"
#include "hook.h"
#include "recorder.h"
#include "tasks.h"
#include "trace.h"

#define TLS __thread __attribute__((tls_model("initial-exec")))

static PyInterpreterState *interpreter;

static __attribute__((noinline)) void enter_generator(const char *frame, name_word word) {
    int region = name_region(word);
    if (!frame_is_first_run(frame)) {
        region = name_resumed(word);
        if (region == 0) region = names_learn_resumed(frame_code(frame), word);
    }
    activation_begin_generator(word, region);
}

static __attribute__((hot)) int profile(PyObject *data, PyFrameObject *object, int what, PyObject *arg) {
    (void)data, (void)arg;
    if (what != PY_TRACE_CALL && what != PY_TRACE_RETURN) return 0;
    const char *frame = frame_proper(object);
    PyObject *code = frame_code(frame);
    name_word word = name_find(code);
    if (__builtin_expect(!name_known(word), 0)) word = names_learn(code, frame_globals(frame));
    if (word & NAME_SKIPPED) return 0;
    if (__builtin_expect((word & NAME_GENERATOR) != 0, 0)) {
        if (what == PY_TRACE_CALL)
            enter_generator(frame, word);
        else
            activation_end_generator(word);
    } else if (what == PY_TRACE_CALL) {
        activation_begin(name_region(word));
    } else {
        activation_end(name_region(word));
    }
    return 0;
}

/* ---- installing ----------------------------------------------------------------------------------------------------
 */

static void set_for(PyThreadState *state, Py_tracefunc function) {
    PyThreadState *mine = py.PyThreadState_Get();
    if (state == mine) {
        py.PyEval_SetProfile(function, NULL);
    } else if (py._PyEval_SetProfile) {
        py._PyEval_SetProfile(state, function, NULL);
    } else {
        py.PyThreadState_Swap(state);
        py.PyEval_SetProfile(function, NULL);
        py.PyThreadState_Swap(mine);
    }
}

static void set_for_all(Py_tracefunc function) {
    if (py.PyEval_SetProfileAllThreads) {
        py.PyEval_SetProfileAllThreads(function, NULL);
        return;
    }
    for (PyThreadState *t = py.PyInterpreterState_ThreadHead(interpreter); t; t = py.PyThreadState_Next(t))
        set_for(t, function);
}

/* ---- when the program has a profile function of its own -------------------------------------------------------------
 */

/* It wins: there is one place. What this thread then does is not seen, until the program takes its function away. The
 * time is a region of its own in the file. */
static TLS bool taken;
static TLS int64_t taken_since;
static int64_t installed_at;
static int gap_region;
static unsigned gap_serial;

static int milliseconds(int64_t moment) { return (int)((moment - installed_at) / 1000000); }

static PyFrameObject *caller(PyFrameObject *frame) {
    PyFrameObject *back;
    if (py.PyFrame_GetBack)
        back = py.PyFrame_GetBack(frame);
    else if (memcpy(&back, (char *)frame + 24, sizeof back), back) /* 3.8 */
        py.Py_IncRef((PyObject *)back);
    py.Py_DecRef((PyObject *)frame);
    return back;
}

/* The functions that are open end here as far as we can see. */
static void end_open_functions(void) {
    PyFrameObject *frame = py.PyEval_GetFrame();
    if (frame) py.Py_IncRef((PyObject *)frame);
    while (frame && activations.depth > 0) {
        name_word word = name_find(frame_code(frame_proper(frame)));
        if (name_known(word) && !(word & NAME_SKIPPED)) {
            if (word & NAME_GENERATOR)
                activation_end_generator(word);
            else
                activation_end(name_region(word));
        }
        frame = caller(frame);
    }
    py_drop((PyObject *)frame);
    activation_forget();
    task_leave_all();
}

static void lose(void) {
    static const char name[] = "(not recorded: the program's own profile function)";
    taken = true;
    taken_since = rec_clock_ns();
    end_open_functions();
    if (gap_serial != rec_default_serial) gap_region = rec_region_chosen(name, sizeof name - 1, NULL, -1, NULL);
    gap_serial = rec_default_serial;
    rec_begin(gap_region);
}

static void win_back(void) {
    taken = false;
    rec_end(gap_region);
    py.PyEval_SetProfile(profile, NULL);
    int64_t now = rec_clock_ns();
    if (now - taken_since >= 1000000)
        rec_warn(
            "from %d ms to %d ms a thread's Python calls were not recorded: the program used a profile function of "
            "its own",
            milliseconds(taken_since), milliseconds(now));
}

/* Ours shows no object, any other does. */
static void look_again(void) {
    if (!taken) return;
    struct py_error error = py_error_save();
    attach_quiet();
    PyObject *get = py.PySys_GetObject("getprofile");
    PyObject *present = get ? py.PyObject_CallFunction(get, NULL) : NULL;
    PyObject *type = present ? py.PyObject_Type(present) : NULL;
    PyObject *name = type ? py_attribute(type, "__name__") : NULL;
    const char *text = py_text(name);
    if (text && strcmp(text, "NoneType") == 0) win_back();
    py_drop(name);
    py_drop(type);
    py_drop(present);
    attach_loud();
    py_error_restore(error);
}

static int look_again_soon(void *unused) {
    (void)unused;
    look_again();
    return 0;
}

/* The event comes before the change: the program sets a function, or takes one away. */
static void event(const char *name, PyObject *args) {
    (void)args;
    bool changes = strcmp(name, "sys.setprofile") == 0;
    if (taken) look_again();
    if (!changes || py.interpreter() != interpreter) return;
    if (!taken) lose();
    py.Py_AddPendingCall(look_again_soon, NULL); /* at once, in the main thread; others look at their next event */
}

static void down(void) {
    if (!taken) return;
    rec_end(gap_region);
    rec_warn("from %d ms on Python calls were not recorded: the program used a profile function of its own",
             milliseconds(taken_since));
}

/* ---- installing ----------------------------------------------------------------------------------------------------
 */

static struct frames_trial trial;

static int profile_trial(PyObject *data, PyFrameObject *object, int what, PyObject *arg) {
    (void)data, (void)arg;
    if (what != PY_TRACE_CALL) return 0;
    const char *frame = frame_proper(object);
    frames_try(&trial, frame, frame_is_first_run(frame) ? FRAME_FIRST : FRAME_RESUMED);
    return 0;
}
static void trial_on(void) { py.PyEval_SetProfile(profile_trial, NULL); }
static void trial_off(void) { py.PyEval_SetProfile(NULL, NULL); }

static const char *install(PyInterpreterState *main) {
    interpreter = main;
    if (!frames_choose() || !frames_run_trial(&trial, trial_on, trial_off))
        return "the frames of this Python are not as expected";
    installed_at = rec_clock_ns();
    set_for_all(profile);
    return NULL;
}

/* ---- around a call that the program chooses ------------------------------------------------------------------------
 */

/* What the functions of the others are called by is looked up once. */
static bool ready(void) {
    static enum { UNKNOWN, YES, NO } answer;
    if (answer == UNKNOWN) {
        attach_quiet();
        if (names_index < 0) {
            names_configure(true, NULL, NULL);
            names_up();
        }
        answer = names_index >= 0 && frames_choose() && frames_run_trial(&trial, trial_on, trial_off) ? YES : NO;
        attach_loud();
        if (answer == NO) rec_warn("recursive: the frames of this Python are not as expected: nothing is traced");
    }
    return answer == YES;
}

bool hook_setprofile_ready(void) { return !trace_interpreter() && ready(); }

bool hook_setprofile_here(bool on) {
    if (!hook_setprofile_ready()) return false; /* there is nothing that is not recorded anyway */
    attach_quiet();
    py.PyEval_SetProfile(on ? profile : NULL, NULL);
    attach_loud();
    return true;
}

/* Called by the thread that makes the new one: it holds the GIL, and the new state is there already. */
static void thread(PyThreadState *state) {
    attach_quiet();
    if (py.PyEval_SetProfileAllThreads)
        py.PyEval_SetProfileAllThreads(profile, NULL);
    else
        set_for(state, profile);
    attach_loud();
}

const struct hook hook_setprofile = {.name = "setprofile",
                                     .first = 8,
                                     .install = install,
                                     .thread = thread,
                                     .event = event,
                                     .forked = activation_forget,
                                     .down = down};
