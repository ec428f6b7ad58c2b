/* sums.h: processes that added their calls up instead of keeping them. */
#ifndef COLLECT_SUMS_H
#define COLLECT_SUMS_H

#include "model.h"

/* Reads the sums of a process whose regions and threads are known, into its rows. False: no memory. */
bool sums_count(struct process *process);

/* Once the clock is known: ticks become nanoseconds, and calls that were open are added as ended when their process, or
 * a call around them, did. */
void sums_convert(struct process *process);

#endif
