/* PyEval_SetProfile, every version: a function called at each call and return (and at each C call, which cannot be
 * refused). It is a thread's own, and there is only one: a program that sets one takes ours away. */
#include "activation.h"
#include "attach.h"
#include "frames.h"
#include "hook.h"
#include "recorder.h"

static PyInterpreterState *interpreter;

static __attribute__((noinline)) void enter_generator(const char *frame, name_word word) {
    int region = name_region(word);
    if (!frame_is_first_run(frame)) {
        region = name_resumed(word);
        if (region == 0) region = names_learn_resumed(frame_code(frame), frame_globals(frame));
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
    set_for_all(profile);
    return NULL;
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

const struct hook hook_setprofile = {
    .name = "setprofile", .first = 8, .install = install, .thread = thread, .forked = activation_forget};
