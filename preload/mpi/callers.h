/* callers.h: who called MPI's language bindings: on the stack, above the return address that a wrapper sees. */
#ifndef SCOPE_PROFILER_MPI_CALLERS_H
#define SCOPE_PROFILER_MPI_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

/* slot: where this thread's stack has the return address `address`. Where that lies in a library of MPI: how many bytes
 * further up the stack has the return address of the function that it lies in. 0: elsewhere, or not known. Slow:
 * unwinds the stack. The answer holds for every call that returns to `address`, since such functions have frames of one
 * size; that is looked at, and 0 is the answer for those that have not. */
int32_t callers_step(uintptr_t address, const uintptr_t *slot);

/* Whether a call may return to `address`: the code before it is one. Quick. */
bool callers_may_return_to(uintptr_t address);

#endif
