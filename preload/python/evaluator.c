#include "evaluator.h"
#include "frames.h"
#include "unseen.h"
#include <pthread.h>

#define TLS __thread __attribute__((tls_model("initial-exec")))

static PyInterpreterState *interpreter;
static void **place;             /* 3.8 */
static size_t offset_of_place;   /* in the interpreter's state; 0: not known */
static struct evaluators behind; /* while something is tried out */

void evaluator_put(struct evaluators evaluators) {
    if (place)
        memcpy(place, &evaluators.without, sizeof *place);
    else
        py._PyInterpreterState_SetEvalFrameFunc(interpreter, evaluators.with_thread);
}

struct evaluators evaluator_present(void) {
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
    for (size_t i = 0; own && !offset_of_place && i < 2048 / sizeof *words; i++) {
        if (words[i] != own) continue;
        for (size_t k = i + 1; k < 2048 / sizeof *words; k++)
            if (words[k] == own) return false;
        offset_of_place = i;
    }
    place = offset_of_place ? &words[offset_of_place] : NULL;
    return place != NULL;
}

/* ---- trying it out -------------------------------------------------------------------------------------------------
 */

static struct frames_trial trial;
static int counted;

static PyObject *try_frame(PyThreadState *thread, void *frame, int throw_flag) {
    frames_try(&trial, frame, frame_entry(frame, throw_flag));
    return evaluator_call(&behind, false, thread, frame, throw_flag);
}
static PyObject *try_frame_old(void *frame, int throw_flag) {
    frames_try(&trial, frame, frame_entry(frame, throw_flag));
    return evaluator_call(&behind, true, NULL, frame, throw_flag);
}
static void trial_on(void) { evaluator_put((struct evaluators){try_frame, try_frame_old}); }
static void trial_off(void) { evaluator_put(behind); }

static PyObject *count_frame(PyThreadState *thread, void *frame, int throw_flag) {
    counted++;
    return evaluator_call(&behind, false, thread, frame, throw_flag);
}

/* 3.11 */
static bool sees_every_call(void) {
    int expected;
    counted = 0;
    evaluator_put((struct evaluators){count_frame, NULL});
    bool ran = unseen_try(&expected);
    evaluator_put(behind);
    return ran && counted == expected;
}

const char *evaluator_prepare(PyInterpreterState *main, struct evaluators *next) {
    interpreter = main;
    bool has_place = py.minor == 8 ? find_place()
                                   : py._PyInterpreterState_SetEvalFrameFunc && py._PyInterpreterState_GetEvalFrameFunc;
    if (!has_place) return "this Python does not offer it";
    *next = behind = evaluator_present();
    if (!frames_choose() || !frames_run_trial(&trial, trial_on, trial_off))
        return "the frames of this Python are not as expected";
    if (py.minor == 11 && !sees_every_call() && !(unseen_prevent() && sees_every_call()))
        return "this Python does not show it every call of __getitem__";
    return NULL;
}

/* ---- the stack -----------------------------------------------------------------------------------------------------
 */

TLS uintptr_t evaluator_stack_low;
TLS uintptr_t evaluator_stack_reserve = UINTPTR_MAX; /* not measured yet: always short */

bool evaluator_measure_stack(void) {
    if (evaluator_stack_reserve != UINTPTR_MAX) return false;
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
    evaluator_stack_low = (uintptr_t)base;
    evaluator_stack_reserve = base ? reserve : 1;
    return true;
}
