/* fill.h: the second pass: every call into its slot. */
#ifndef COLLECT_FILL_H
#define COLLECT_FILL_H

#include "events.h"
#include "mpi.h"

/* Merges the lanes of one process by time and writes its calls, and what they carried (mpi: of that process, begun). It
 * is its thread's alone but for where in the file `events` lie. Returns 0, the errno of a write that failed, ENOMEM, or
 * FILL_CHANGED: the process's files are not what they were in the first pass. */
#define FILL_CHANGED (-1)
int fill_process(struct process *process, struct events events, struct mpi_process *mpi);

#endif
