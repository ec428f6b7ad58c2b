/* count.h: the first pass: how many calls each region has, which threads, what does not balance. */
#ifndef COLLECT_COUNT_H
#define COLLECT_COUNT_H

#include "model.h"

/* Reads the lanes of one process whose regions are known. False: no memory. */
bool count_process(struct process *process);

#endif
