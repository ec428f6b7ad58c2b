#include "walk.h"

#include "feed.h"
#include "lanes.h"

#include <stdlib.h>

/* Calls held of all rows together, and of each at least. */
#define CALLS_HELD ((size_t)1 << 21)
#define LEAST_HELD 512

struct head {
    int64_t start, tie;
    size_t feed;
};

struct walk {
    spr_profile *profile;
    const struct rd_visitor *visitor;
    const size_t *rows;
    size_t count;
    struct rd_feed *feeds; /* one per row */
    struct head *heads;    /* a heap: the feed with the earliest call first */
    size_t num_heads;
    bool by_id;
    struct rd_lanes lanes;
    struct rd_open_calls open;
    spr_error *error;
};

/* ---- the rows merged -------------------------------------------------------------------------------------------- */

/* Equal calls keep the order of the rows: that of their regions. */
static inline bool is_before(const struct head *a, const struct head *b) {
    if (a->start != b->start) return a->start < b->start;
    if (a->tie != b->tie) return a->tie < b->tie;
    return a->feed < b->feed;
}

static void sink(struct head *heads, size_t count, size_t at) {
    const struct head moving = heads[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_before(&heads[child + 1], &heads[child])) child++;
        if (!is_before(&heads[child], &moving)) break;
        heads[at] = heads[child];
    }
    heads[at] = moving;
}

static void set_head(struct head *head, const struct rd_feed *feed) {
    head->start = feed->block.start[feed->at];
    head->tie = rd_feed_tie(feed, feed->at);
}

/* Goes on to the next call of the first feed. */
static int advance(struct walk *walk) {
    struct rd_feed *feed = &walk->feeds[walk->heads[0].feed];
    if (++feed->at == feed->settled) {
        const int status = rd_feed_fill(walk->profile, feed, walk->error);
        if (status != SPR_OK) return status;
        if (feed->at == feed->settled) { /* its last */
            rd_feed_close(feed);
            walk->heads[0] = walk->heads[--walk->num_heads];
            sink(walk->heads, walk->num_heads, 0);
            return SPR_OK;
        }
    }
    set_head(&walk->heads[0], feed);
    sink(walk->heads, walk->num_heads, 0);
    return SPR_OK;
}

/* Of a row that added all its calls up none is kept. */
static bool has_calls(const struct walk *walk, size_t row) { return walk->profile->rows[walk->rows[row]].calls > 0; }

static int start_merge(struct walk *walk) {
    size_t room = CALLS_HELD / walk->count;
    room = room < LEAST_HELD ? LEAST_HELD : room > RD_BLOCK ? RD_BLOCK : room;
    int status = SPR_OK;
    for (size_t i = 0; status == SPR_OK && i < walk->count; i++) {
        if (!has_calls(walk, i)) continue;
        status = rd_feed_open(walk->profile, walk->rows[i], room, walk->by_id, &walk->feeds[i], walk->error);
        if (status == SPR_OK) status = rd_feed_fill(walk->profile, &walk->feeds[i], walk->error);
        if (status != SPR_OK) break;
        walk->heads[walk->num_heads].feed = i;
        set_head(&walk->heads[walk->num_heads++], &walk->feeds[i]);
    }
    for (size_t i = walk->num_heads / 2; i-- > 0;) sink(walk->heads, walk->num_heads, i);
    return status;
}

/* ---- nesting from the times ------------------------------------------------------------------------------------- */

/* A call without length is open at its own moment, so that one more at the same moment is within it. */
static bool is_over(const struct rd_call *call, int64_t now) {
    return call->end < now || (call->end == now && call->start != now);
}

static int overlap(const struct walk *walk, const struct rd_call *outer, const struct rd_call *inner) {
    const spr_profile *profile = walk->profile;
    const spr_row *a = &profile->rows[outer->row], *b = &profile->rows[inner->row];
    return rd_fail(walk->error, SPR_NESTING, profile->path,
                   "calls on rank %u overlap without nesting: call %llu of '%s' [%lld, %lld] ns and call %llu of '%s' "
                   "[%lld, %lld] ns; is an end missing or out of order?",
                   a->rank, (unsigned long long)outer->number, profile->names[a->region], (long long)outer->start,
                   (long long)outer->end, (unsigned long long)inner->number, profile->names[b->region],
                   (long long)inner->start, (long long)inner->end);
}

static int too_deep(const struct walk *walk, const struct rd_call *call) {
    return rd_fail(walk->error, SPR_NO_MEMORY, walk->profile->path, "too many calls are open at once at %lld ns",
                   (long long)call->start);
}

static int enter_by_time(struct walk *walk, const struct rd_call *call, int64_t name) {
    struct rd_lane *lane = rd_lane_find(&walk->lanes, name);
    if (!lane) return rd_no_memory(walk->profile, walk->error);
    while (lane->depth && is_over(&lane->calls[lane->depth - 1], call->start)) lane->depth--;
    if (lane->depth && call->end > lane->calls[lane->depth - 1].end)
        return overlap(walk, &lane->calls[lane->depth - 1], call);
    struct rd_call *pushed = rd_lane_push(lane, call);
    if (!pushed) return too_deep(walk, call);
    return walk->visitor->enter(walk->visitor->context, pushed, lane->depth > 1 ? pushed - 1 : NULL, walk->error);
}

/* ---- nesting as recorded ---------------------------------------------------------------------------------------- */

static int distrust_ids(struct walk *walk) {
    for (size_t i = 0; i < walk->count; i++) walk->profile->traits[walk->rows[i]] |= RD_NO_IDS;
    return RD_AGAIN;
}

static int enter_by_id(struct walk *walk, struct rd_call *call, int64_t id, int64_t parent) {
    const struct rd_call *around = rd_open_find(&walk->open, parent);
    if (id < 0 || (parent >= 0 && !around)) return distrust_ids(walk);
    const int status = walk->visitor->enter(walk->visitor->context, call, around, walk->error);
    if (status != SPR_OK) return status;
    return rd_open_add(&walk->open, id, call) ? SPR_OK : too_deep(walk, call);
}

/* True when the first call of each row has an id: the others are looked at on the way. */
static int look_for_ids(struct walk *walk) {
    walk->by_id = true;
    int status = SPR_OK;
    for (size_t i = 0; status == SPR_OK && walk->by_id && i < walk->count; i++) {
        if (!has_calls(walk, i)) continue;
        if (walk->profile->traits[walk->rows[i]] & RD_NO_IDS) walk->by_id = false;
        struct rd_cursor cursor;
        status = rd_cursor_open(walk->profile, walk->rows[i], &cursor, walk->error);
        if (status != SPR_OK) break;
        const struct rd_column *ids = &cursor.events->call_ids;
        int64_t id = -1;
        if (rd_column_exists(ids) && rd_column_exists(&cursor.events->parent_ids))
            status = rd_column_read(walk->profile, ids, H5T_NATIVE_INT64, cursor.offset, 1, &id, walk->error);
        walk->by_id = walk->by_id && id >= 0;
        rd_cursor_close(&cursor);
    }
    return status;
}

/* ---- all calls -------------------------------------------------------------------------------------------------- */

static int enter(struct walk *walk) {
    const size_t number = walk->heads[0].feed;
    const struct rd_feed *feed = &walk->feeds[number];
    const size_t at = feed->at;
    struct rd_call call = {.start = feed->block.start[at],
                           .end = feed->block.end[at],
                           .number = feed->number + at,
                           .row = walk->rows[number]};
    if (walk->by_id) return enter_by_id(walk, &call, feed->block.call_ids[at], feed->block.parent_ids[at]);
    return enter_by_time(walk, &call, feed->block.thread_ids ? feed->block.thread_ids[at] : -1);
}

static int walk_calls(struct walk *walk) {
    int status = look_for_ids(walk);
    if (status == SPR_OK) status = start_merge(walk);
    while (status == SPR_OK && walk->num_heads) {
        status = enter(walk);
        if (status == SPR_OK) status = advance(walk);
    }
    return status;
}

int rd_walk_rank(spr_profile *profile, const size_t *rows, size_t count, const struct rd_visitor *visitor,
                 spr_error *error) {
    struct walk walk = {.profile = profile,
                        .visitor = visitor,
                        .rows = rows,
                        .count = count,
                        .feeds = calloc(count, sizeof *walk.feeds),
                        .heads = calloc(count, sizeof *walk.heads),
                        .error = error};
    const int status = walk.feeds && walk.heads ? walk_calls(&walk) : rd_no_memory(profile, error);
    for (size_t i = 0; walk.feeds && i < count; i++) rd_feed_close(&walk.feeds[i]);
    free(walk.feeds);
    free(walk.heads);
    rd_lanes_free(&walk.lanes);
    rd_open_free(&walk.open);
    return status;
}

size_t rd_rank_rows(const spr_profile *profile, size_t first) {
    const uint32_t rank = profile->rows[profile->by_rank[first]].rank;
    size_t end = first;
    while (end < profile->num_rows && profile->rows[profile->by_rank[end]].rank == rank) end++;
    return end - first;
}
