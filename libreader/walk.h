/* walk.h: the calls of one rank in order of time, each with the call around it. */
#ifndef SCOPE_READER_WALK_H
#define SCOPE_READER_WALK_H

#include "internal.h"

struct rd_call {
    int64_t start, end;
    uint64_t number; /* in its row, in order of time */
    size_t row;
    uint32_t node; /* the visitor's */
    bool hidden;   /* the visitor's */
};

/* What is done at each call. `around`: the call around it, NULL at a root. May set call->node and call->hidden, which
 * it finds again in `around` of the calls within. */
struct rd_visitor {
    int (*enter)(void *context, struct rd_call *call, const struct rd_call *around, spr_error *error);
    void *context;
};

/* `rows`: those of one rank, `count` of them, in order of region.
 *
 * Where the file has an id for every call of the rank, the recorded parents are taken; otherwise nesting is found from
 * the times, for each lane (task or thread) by itself: SPR_NESTING when calls overlap. RD_AGAIN (feed.h): forget all
 * ranks and begin again. */
int rd_walk_rank(spr_profile *profile, const size_t *rows, size_t count, const struct rd_visitor *visitor,
                 spr_error *error);
/* The rows of the rank at `first` of profile->by_rank. */
size_t rd_rank_rows(const spr_profile *profile, size_t first);

#endif
