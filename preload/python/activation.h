/* activation.h: entering and leaving Python functions, for hooks that see a begin and an end but have nothing of their
 * own to keep between the two. Per thread. */
#ifndef SCOPE_PROFILER_ACTIVATION_H
#define SCOPE_PROFILER_ACTIVATION_H

#include "names.h"

enum { ACTIVATION_NEAR = 32 };

struct open_generator {
    int32_t call;     /* region of its function's calls: says whose it is */
    int32_t recorded; /* what was begun: that, or the region of resumptions */
    uint32_t before;  /* of task_enter() */
    uint32_t task;    /* of task_present() */
};

struct activations {
    /* Functions that were entered in this process while it was recorded. Ends beyond that belong to frames that were
     * there before: a parent's in a forked child, or those under which recording began. */
    uint64_t depth;
    uint32_t num_generators, capacity;
    struct open_generator *far; /* when `near` is too small */
    struct open_generator near[ACTIVATION_NEAR];
};
extern __thread struct activations activations __attribute__((tls_model("initial-exec")));

static inline void activation_begin(int region) {
    activations.depth++;
    rec_begin(region);
}
static inline void activation_end(int region) {
    if (__builtin_expect(activations.depth == 0, 0)) return;
    activations.depth--;
    rec_end(region);
}

/* The same for generators: an end must be told whether a call or a resumption ends. */
void activation_begin_generator(name_word word, int region);
void activation_end_generator(name_word word);

/* This thread's open functions are no longer its own. */
void activation_forget(void);

#endif
