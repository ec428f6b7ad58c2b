/* The frame evaluation function (PEP 523), 3.8 to 3.11: one call of ours around each frame. Private API, but of frozen
 * branches. Not for 3.12 and later: there every frame that goes through it counts against the C recursion limit. */
#include "activation.h"
#include "attach.h"
#include "frames.h"
#include "hook.h"
#include "recorder.h"
#include "unseen.h"
#include <pthread.h>

#define TLS __thread __attribute__((tls_model("initial-exec")))

static PyInterpreterState *interpreter;
static unsigned process; /* changes in a forked child: its parent's frames are not ended there */

/* ---- the interpreter's place for the function ----------------------------------------------------------------------
 */

/* 3.8 calls it without the thread, and has the place but no function to set it. */
struct evaluators {
    py_eval_frame with_thread;
    PyObject *(*without)(void *frame, int throw_flag);
};
static struct evaluators next; /* CPython's own, or that of whoever was here before */
static void **place;           /* 3.8 */

static void put(struct evaluators evaluators) {
    if (place)
        memcpy(place, &evaluators.without, sizeof *place);
    else
        py._PyInterpreterState_SetEvalFrameFunc(interpreter, evaluators.with_thread);
}

static struct evaluators present(void) {
    struct evaluators now = {NULL, NULL};
    if (place)
        memcpy(&now.without, place, sizeof *place);
    else
        now.with_thread = py._PyInterpreterState_GetEvalFrameFunc(interpreter);
    return now;
}

/* It is the only pointer to CPython's function in the interpreter's state, which is 2720 bytes long in 3.8. */
static bool find_place(void) {
    void *own, **words = (void **)interpreter;
    memcpy(&own, &py._PyEval_EvalFrameDefault, sizeof own);
    place = NULL;
    for (size_t i = 0; own && i < 2048 / sizeof *words; i++) {
        if (words[i] != own) continue;
        if (place) return false;
        place = &words[i];
    }
    return place != NULL;
}

static inline PyObject *go_on(bool old, PyThreadState *thread, void *frame, int throw_flag) {
    return old ? next.without(frame, throw_flag) : next.with_thread(thread, frame, throw_flag);
}

/* ---- the stack -----------------------------------------------------------------------------------------------------
 */

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
static PyObject *evaluate_old(void *frame, int throw_flag);
static const struct evaluators ours = {evaluate, evaluate_old};

static __attribute__((noinline)) PyObject *short_stack(bool old, PyThreadState *thread, void *frame, int throw_flag) {
    if (stack_reserve == UINTPTR_MAX) {
        measure_stack();
        return old ? evaluate_old(frame, throw_flag) : evaluate(thread, frame, throw_flag);
    }
    rec_warn("recursion is deeper than the stack allows to record: the calls down there are not recorded");
    put(next);
    PyObject *result = go_on(old, thread, frame, throw_flag);
    put(ours);
    return result;
}

/* ---- the function --------------------------------------------------------------------------------------------------
 */

static __attribute__((noinline)) PyObject *run_generator(bool old, PyThreadState *thread, void *frame, int throw_flag,
                                                         name_word word) {
    enum frame_entry entry = frame_entry(frame, throw_flag);
    if (entry == FRAME_CREATES) return go_on(old, thread, frame, throw_flag);
    int region = name_region(word);
    if (entry == FRAME_RESUMED) {
        region = name_resumed(word);
        if (region == 0) region = names_learn_resumed(frame_code(frame), frame_globals(frame));
    }
    unsigned here = process;
    rec_begin(region);
    PyObject *result = go_on(old, thread, frame, throw_flag);
    if (here == process) rec_end(region);
    return result;
}

static inline __attribute__((always_inline)) PyObject *run(bool old, PyThreadState *thread, void *frame,
                                                           int throw_flag) {
    if (__builtin_expect(stack_is_short(), 0)) return short_stack(old, thread, frame, throw_flag);
    PyObject *code = frame_code(frame);
    name_word word = name_find(code);
    if (__builtin_expect(!name_known(word), 0)) word = names_learn(code, frame_globals(frame));
    if (word & NAME_SKIPPED) return go_on(old, thread, frame, throw_flag);
    if (__builtin_expect((word & NAME_GENERATOR) != 0, 0)) return run_generator(old, thread, frame, throw_flag, word);
    unsigned here = process;
    rec_begin(name_region(word));
    PyObject *result = go_on(old, thread, frame, throw_flag);
    if (__builtin_expect(here == process, 1)) rec_end(name_region(word));
    return result;
}

static __attribute__((hot)) PyObject *evaluate(PyThreadState *thread, void *frame, int throw_flag) {
    return run(false, thread, frame, throw_flag);
}
static PyObject *evaluate_old(void *frame, int throw_flag) { return run(true, NULL, frame, throw_flag); }

/* ---- installing ----------------------------------------------------------------------------------------------------
 */

static struct frames_trial trial;
static int counted;

static PyObject *try_frame(PyThreadState *thread, void *frame, int throw_flag) {
    frames_try(&trial, frame, frame_entry(frame, throw_flag));
    return go_on(false, thread, frame, throw_flag);
}
static PyObject *try_frame_old(void *frame, int throw_flag) {
    frames_try(&trial, frame, frame_entry(frame, throw_flag));
    return go_on(true, NULL, frame, throw_flag);
}
static void trial_on(void) { put((struct evaluators){try_frame, try_frame_old}); }
static void trial_off(void) { put(next); }

static PyObject *count_frame(PyThreadState *thread, void *frame, int throw_flag) {
    counted++;
    return go_on(false, thread, frame, throw_flag);
}

/* 3.11 */
static bool sees_every_call(void) {
    int expected;
    counted = 0;
    put((struct evaluators){count_frame, NULL});
    bool ran = unseen_try(&expected);
    put(next);
    return ran && counted == expected;
}

static const char *install(PyInterpreterState *main) {
    interpreter = main;
    bool has_place = py.minor == 8 ? find_place()
                                   : py._PyInterpreterState_SetEvalFrameFunc && py._PyInterpreterState_GetEvalFrameFunc;
    if (!has_place) return "this Python does not offer it";
    next = present();
    if (!frames_choose() || !frames_run_trial(&trial, trial_on, trial_off))
        return "the frames of this Python are not as expected";
    if (py.minor == 11 && !sees_every_call() && !(unseen_prevent() && sees_every_call()))
        return "this Python does not show it every call of __getitem__";
    put(ours);
    return NULL;
}

static void forked(void) { process++; }

static void down(void) {
    struct evaluators now = present();
    if (now.with_thread != ours.with_thread && now.without != ours.without)
        rec_warn("the program put a frame evaluation function of its own in place: calls may be missing from then on");
}

const struct hook hook_evalframe = {
    .name = "evalframe", .first = 8, .last = 11, .install = install, .forked = forked, .down = down};
