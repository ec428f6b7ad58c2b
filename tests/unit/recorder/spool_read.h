/* spool_read.h: the plainest possible reading of a spool, for tests: whole files in memory, assertions inside. */
#ifndef SPOOL_READ_H
#define SPOOL_READ_H

#include "spool.h"
#include <stdbool.h>
#include <stddef.h>

struct event {
    uint64_t ticks;  /* absolute; of groups: 0 */
    uint32_t region; /* 0: a group */
    bool end;
    unsigned group; /* enum spool_group */
    uint64_t payload[8];
};

struct lane_events {
    struct event *events;
    size_t count, zeros; /* zeros: words lost among the flushed ones */
    uint64_t flushed;
};

struct process_read {
    struct spool_process head;
    char **names; /* by id - 1 */
    size_t *name_lengths;
    char **files;
    size_t num_names, num_calibrations;
    struct lane_events *lanes;
    size_t num_lanes;
};

/* Every process of the spool, in the order of their pids. */
struct process_read *spool_read(const char *directory, size_t *count);
void spool_free(struct process_read *processes, size_t count);

size_t count_events(const struct process_read *process, const char *name, bool end);

#endif
