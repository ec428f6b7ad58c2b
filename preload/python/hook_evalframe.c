/* The frame evaluation function (PEP 523), 3.8 to 3.11: one call of ours around each frame. Private API, but of frozen
 * branches. Not for 3.12 and later: there every frame that goes through it counts against the C recursion limit. */
#include "activation.h"
#include "attach.h"
#include "evaluator.h"
#include "frames.h"
#include "hook.h"
#include "recorder.h"
#include "tasks.h"

static unsigned process;       /* changes in a forked child: its parent's frames are not ended there */
static struct evaluators next; /* CPython's own, or that of whoever was here before */

static inline PyObject *go_on(bool old, PyThreadState *thread, void *frame, int throw_flag) {
    return evaluator_call(&next, old, thread, frame, throw_flag);
}

/* ---- the function --------------------------------------------------------------------------------------------------
 */

static PyObject *evaluate(PyThreadState *thread, void *frame, int throw_flag);
static PyObject *evaluate_old(void *frame, int throw_flag);
static const struct evaluators ours = {evaluate, evaluate_old};

static __attribute__((noinline)) PyObject *short_stack(bool old, PyThreadState *thread, void *frame, int throw_flag) {
    if (evaluator_measure_stack()) return old ? evaluate_old(frame, throw_flag) : evaluate(thread, frame, throw_flag);
    rec_warn("recursion is deeper than the stack allows to record: the calls down there are not recorded");
    evaluator_put(next);
    PyObject *result = go_on(old, thread, frame, throw_flag);
    evaluator_put(ours);
    return result;
}

static __attribute__((noinline)) PyObject *run_generator(bool old, PyThreadState *thread, void *frame, int throw_flag,
                                                         name_word word) {
    enum frame_entry entry = frame_entry(frame, throw_flag);
    if (entry == FRAME_CREATES) return go_on(old, thread, frame, throw_flag);
    int region = name_region(word);
    if (entry == FRAME_RESUMED) {
        region = name_resumed(word);
        if (region == 0) region = names_learn_resumed(frame_code(frame), word);
    }
    unsigned here = process;
    const uint32_t before = task_enter(word);
    rec_begin(region);
    PyObject *result = go_on(old, thread, frame, throw_flag);
    if (here != process) return result;
    rec_end(region);
    task_leave(before);
    return result;
}

static inline __attribute__((always_inline)) PyObject *run(bool old, PyThreadState *thread, void *frame,
                                                           int throw_flag) {
    if (__builtin_expect(evaluator_stack_is_short(), 0)) return short_stack(old, thread, frame, throw_flag);
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

static const char *install(PyInterpreterState *main) {
    const char *problem = evaluator_prepare(main, &next);
    if (!problem) evaluator_put(ours);
    return problem;
}

static void forked(void) { process++; }

static void down(void) {
    struct evaluators now = evaluator_present();
    if (now.with_thread != ours.with_thread && now.without != ours.without)
        rec_warn("the program put a frame evaluation function of its own in place: calls may be missing from then on");
}

const struct hook hook_evalframe = {
    .name = "evalframe", .first = 8, .last = 11, .install = install, .forked = forked, .down = down};
