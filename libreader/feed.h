/* feed.h: the calls of one row in order of time, a bounded part of them in memory. */
#ifndef SCOPE_READER_FEED_H
#define SCOPE_READER_FEED_H

#include "internal.h"

/* Not an error: what was found out about the rows makes it necessary to begin again (see profile->traits). */
#define RD_AGAIN 1000

struct rd_feed {
    struct rd_cursor cursor;
    struct rd_block block;            /* thread_ids becomes the lanes */
    size_t room, filled, settled, at; /* calls [at, settled) are in order and ready */
    uint64_t number;                  /* of the call at 0 */
    bool whole;                       /* all calls are held at once, and sorted */
    bool by_id;                       /* ties go by call id, else longer calls first */
};

/* `room`: how many calls to hold. A small row that is not in order is held, and sorted, as a whole. */
int rd_feed_open(spr_profile *profile, size_t row, size_t room, bool by_id, struct rd_feed *feed, spr_error *error);
void rd_feed_close(struct rd_feed *feed);
/* Makes the next call ready: feed->at < feed->settled afterwards, unless there is none. RD_AGAIN when the row turns out
 * not to be in order: every such row is then marked. */
int rd_feed_fill(spr_profile *profile, struct rd_feed *feed, spr_error *error);

/* Calls go by start, and with equal starts by this. */
static inline int64_t rd_feed_tie(const struct rd_feed *feed, size_t at) {
    return feed->by_id ? feed->block.call_ids[at] : ~feed->block.end[at];
}

#endif
