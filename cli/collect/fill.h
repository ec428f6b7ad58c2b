/* fill.h: the second pass: every call into its slot. */
#ifndef COLLECT_FILL_H
#define COLLECT_FILL_H

#include "events.h"
#include "mpi.h"

/* Merges the lanes of one process by time and writes its calls, and what they carried. False: no memory. */
bool fill_process(struct process *process, struct events *events, struct mpi *mpi);

#endif
