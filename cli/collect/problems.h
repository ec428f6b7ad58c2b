/* problems.h: what did not balance or is missing, as rows for the file and as lines for the user. */
#ifndef COLLECT_PROBLEMS_H
#define COLLECT_PROBLEMS_H

#include "model.h"

struct problem { /* one row of /problem_table */
    uint32_t rank;
    int64_t region; /* -1 none */
    uint32_t kind;  /* 0 end without begin, 1 cut off, 2 overlap, 3 lost */
    uint64_t count;
    int64_t at_exit, open_ns;
};

/* All problems, by rank and region (their indices are set); from malloc. NULL: no memory. */
struct problem *problems_list(const struct collection *c, size_t *count);

/* Why not every call of a process up to its end is in the file; "" when it is. *since_ns: since when, -1 unknown. */
const char *process_problem(const struct collection *c, const struct process *p, char *text, size_t size,
                            int64_t *since_ns);

/* Regions first (summed over ranks), then processes. */
bool problems_note(struct collection *c, size_t num_regions);

#endif
