/* lane.h: the words of one lane, as one stream: those flushed to the file, then those in the window. */
#ifndef COLLECT_LANE_H
#define COLLECT_LANE_H

#include "model.h"

/* Reads the head of `<id>-<number>.lane` and counts its words. False: no such lane or not one of ours;
 * `process->damaged` is set where it holds less than it says. */
bool lane_open(struct process *process, uint32_t number, struct lane *lane);

/* Up to `count` words from the `from`th on; 0: there are no more. Holds no descriptor between calls. */
size_t lane_read(const struct process *process, const struct lane *lane, uint64_t from, uint64_t *into, size_t count);

#endif
