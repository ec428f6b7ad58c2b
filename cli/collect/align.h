/* align.h: machines of a session on one time line, that of the session's machine. */
#ifndef COLLECT_ALIGN_H
#define COLLECT_ALIGN_H

#include "model.h"

/* Sets `align` of every process: as MPI's ranks have measured it, else by the calendar; and clock_error_ns. */
void align_machines(struct collection *c);

/* Both have the same CLOCK_MONOTONIC: one boot of one machine, one time namespace. */
bool align_same(const struct process *p, const struct process *q);
bool align_is_session(const struct session *session, const struct process *p);

/* The part of `align` that changes with time, at `ns` of the process's CLOCK_MONOTONIC. */
int64_t align_drift(const struct process *p, int64_t ns);

#endif
