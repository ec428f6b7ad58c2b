/* evaluator.h: the interpreter's frame evaluation function (PEP 523), 3.8 to 3.11: putting one of ours in its place.
 * Private API, but of frozen branches. Several may stand one behind the other: each calls what it found. */
#ifndef SCOPE_PROFILER_EVALUATOR_H
#define SCOPE_PROFILER_EVALUATOR_H

#include "pyapi.h"

/* 3.8 calls it without the thread, and has the place but no function to set it. */
struct evaluators {
    py_eval_frame with_thread;
    PyObject *(*without)(void *frame, int throw_flag);
};

/* Finds the place and tries out that frames look as expected and that every call comes by. NULL, or why it does not;
 * `next` is then what is in the place: CPython's own, or that of whoever came before. */
const char *evaluator_prepare(PyInterpreterState *main, struct evaluators *next);

void evaluator_put(struct evaluators evaluators);
struct evaluators evaluator_present(void);

/* old: 3.8's kind. */
static inline PyObject *evaluator_call(const struct evaluators *next, bool old, PyThreadState *thread, void *frame,
                                       int throw_flag) {
    return old ? next->without(frame, throw_flag) : next->with_thread(thread, frame, throw_flag);
}

/* ---- the stack -----------------------------------------------------------------------------------------------------
 */

/* The way through an evaluation function takes C stack, which plain 3.11 does not need: a program that recurses deeper
 * than its stack allows would crash. Near the stack's end a function steps aside. */
extern __thread uintptr_t evaluator_stack_low __attribute__((tls_model("initial-exec")));
extern __thread uintptr_t evaluator_stack_reserve __attribute__((tls_model("initial-exec")));

/* Also true before the first evaluator_measure_stack(); false on a stack that is not the thread's own. */
static inline __attribute__((always_inline)) bool evaluator_stack_is_short(void) {
    return (uintptr_t)__builtin_frame_address(0) - evaluator_stack_low < evaluator_stack_reserve;
}

/* False: it had been measured, and the stack is short indeed. */
bool evaluator_measure_stack(void);

#endif
