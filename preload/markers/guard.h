/* guard.h: a lock for the room's slow paths, and pages to work in. */
#ifndef SCOPE_PROFILER_MARKERS_GUARD_H
#define SCOPE_PROFILER_MARKERS_GUARD_H

#include "sys.h"
#include <stdatomic.h>

/* Held with all signals blocked, so that no handler of the program's wants it on the thread that has it. It knows the
 * process of its holder: in a child forked while another thread held it, it is free. */
struct guard {
    atomic_int holder; /* pid; 0: free */
};

struct sys_quiet guard_enter(struct guard *guard);
void guard_leave(struct guard *guard, struct sys_quiet quiet);

/* Makes `*items`, an array of elements of `size` bytes in pages of its own, hold at least `need` of them. New ones are
 * zero; `*capacity` counts elements. False without memory; then nothing has changed. */
bool pages_hold(void **items, size_t *capacity, size_t need, size_t size);
void pages_free(void **items, size_t *capacity, size_t size);

#endif
