/* open_calls.h: which calls a thread has open in an explicit context, so that tokens can be checked and the latest call
 * be ended by itself. Per thread, without locks; begin and end of the default context do not come here. */
#ifndef SCOPE_PROFILER_MARKERS_OPEN_CALLS_H
#define SCOPE_PROFILER_MARKERS_OPEN_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* `context` is a number that is never used again. All are about the calling thread. At most OPEN_CALLS_MAX calls are
 * remembered a thread and context, then the oldest are forgotten: begins without ends must not eat the memory. */
#define OPEN_CALLS_MAX (1u << 16)

/* The new call's slot, >= 0; -1 without memory (the call is not remembered). */
int64_t open_calls_push(uint64_t context, int region);
/* Removes the innermost call of the region; false when there is none. */
bool open_calls_pop(uint64_t context, int region);
/* The same, if that call is the slot's. */
bool open_calls_pop_slot(uint64_t context, int region, int64_t slot);
/* Region of the innermost call, 0 none (the call stays). */
int open_calls_innermost(uint64_t context);

#endif
