/* The frame evaluation function (PEP 523), 3.9 to 3.11: one call of ours around each frame. Private API, but of frozen
 * branches. Not for 3.12 and later: there every frame that goes through it counts against the C recursion limit. */
#include "activation.h"
#include "attach.h"
#include "frames.h"
#include "hook.h"
#include "recorder.h"
#include "unseen.h"
#include <pthread.h>

#define TLS __thread __attribute__((tls_model("initial-exec")))

static py_eval_frame next; /* CPython's own, or that of whoever was here before */
static PyInterpreterState *interpreter;
static unsigned process; /* changes in a forked child: its parent's frames are not ended there */

/* The code's way through an evaluation function takes C stack, which plain 3.11 does not need: a program that recurses
 * deeper than its stack allows would crash. Near the stack's end the function steps aside. */
static TLS uintptr_t stack_low;
static TLS uintptr_t stack_reserve = UINTPTR_MAX; /* not measured yet: always short */

static void measure_stack(void) {
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

/* Also false on a stack that is not the thread's own. */
static inline bool stack_is_short(void) { return (uintptr_t)__builtin_frame_address(0) - stack_low < stack_reserve; }

static PyObject *evaluate(PyThreadState *thread, void *frame, int throw_flag);

static __attribute__((noinline)) PyObject *short_stack(PyThreadState *thread, void *frame, int throw_flag) {
    if (stack_reserve == UINTPTR_MAX) {
        measure_stack();
        return evaluate(thread, frame, throw_flag);
    }
    rec_warn("recursion is deeper than the stack allows to record: the calls down there are not recorded");
    py._PyInterpreterState_SetEvalFrameFunc(interpreter, next);
    PyObject *result = next(thread, frame, throw_flag);
    py._PyInterpreterState_SetEvalFrameFunc(interpreter, evaluate);
    return result;
}

static __attribute__((noinline)) PyObject *evaluate_generator(PyThreadState *thread, void *frame, int throw_flag,
                                                              name_word word) {
    enum frame_entry entry = frame_entry(frame, throw_flag);
    if (entry == FRAME_CREATES) return next(thread, frame, throw_flag);
    int region = name_region(word);
    if (entry == FRAME_RESUMED) {
        region = name_resumed(word);
        if (region == 0) region = names_learn_resumed(frame_code(frame), frame_globals(frame));
    }
    unsigned here = process;
    rec_begin(region);
    PyObject *result = next(thread, frame, throw_flag);
    if (here == process) rec_end(region);
    return result;
}

static __attribute__((hot)) PyObject *evaluate(PyThreadState *thread, void *frame, int throw_flag) {
    if (__builtin_expect(stack_is_short(), 0)) return short_stack(thread, frame, throw_flag);
    PyObject *code = frame_code(frame);
    name_word word = name_find(code);
    if (__builtin_expect(!name_known(word), 0)) word = names_learn(code, frame_globals(frame));
    if (word & NAME_SKIPPED) return next(thread, frame, throw_flag);
    if (__builtin_expect((word & NAME_GENERATOR) != 0, 0)) return evaluate_generator(thread, frame, throw_flag, word);
    unsigned here = process;
    rec_begin(name_region(word));
    PyObject *result = next(thread, frame, throw_flag);
    if (__builtin_expect(here == process, 1)) rec_end(name_region(word));
    return result;
}

/* ---- installing ----------------------------------------------------------------------------------------------------
 */

static struct frames_trial trial;

static PyObject *evaluate_trial(PyThreadState *thread, void *frame, int throw_flag) {
    frames_try(&trial, frame, frame_entry(frame, throw_flag));
    return next(thread, frame, throw_flag);
}
static void trial_on(void) { py._PyInterpreterState_SetEvalFrameFunc(interpreter, evaluate_trial); }
static void trial_off(void) { py._PyInterpreterState_SetEvalFrameFunc(interpreter, next); }

static int counted;

static PyObject *evaluate_counting(PyThreadState *thread, void *frame, int throw_flag) {
    counted++;
    return next(thread, frame, throw_flag);
}

static bool sees_every_call(void) {
    int expected;
    counted = 0;
    py._PyInterpreterState_SetEvalFrameFunc(interpreter, evaluate_counting);
    bool ran = unseen_try(&expected);
    trial_off();
    return ran && counted == expected;
}

static const char *install(PyInterpreterState *main) {
    if (!py._PyInterpreterState_SetEvalFrameFunc || !py._PyInterpreterState_GetEvalFrameFunc)
        return "this Python does not offer it";
    interpreter = main;
    next = py._PyInterpreterState_GetEvalFrameFunc(main);
    if (!frames_choose() || !frames_run_trial(&trial, trial_on, trial_off))
        return "the frames of this Python are not as expected";
    if (py.minor == 11 && !sees_every_call() && !(unseen_prevent() && sees_every_call()))
        return "this Python does not show it every call of __getitem__";
    py._PyInterpreterState_SetEvalFrameFunc(main, evaluate);
    return NULL;
}

static void forked(void) { process++; }

static void down(void) {
    if (py._PyInterpreterState_GetEvalFrameFunc(interpreter) != evaluate)
        rec_warn("the program put a frame evaluation function of its own in place: calls may be missing from then on");
}

const struct hook hook_evalframe = {
    .name = "evalframe", .first = 9, .last = 11, .install = install, .forked = forked, .down = down};
