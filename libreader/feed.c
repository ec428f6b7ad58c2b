#include "feed.h"
#include "sort.h"

#include <stdlib.h>
#include <string.h>

/* Calls may stand this much too late in their row, as those of several threads do, and equal starts of coarse clocks.
 */
#define REACH 64
/* A row that is worse is sorted: in memory up to this many calls, on the disk beyond. */
#define MOST_SORTED 16384

static bool make_room(struct rd_feed *feed, size_t room, bool lanes) {
    const bool needed[RD_COLUMNS] = {true, true, feed->by_id, feed->by_id, lanes, lanes};
    int64_t **arrays[RD_COLUMNS];
    rd_block_columns(&feed->block, arrays);
    for (size_t i = 0; i < RD_COLUMNS; i++) {
        if (!needed[i]) continue;
        *arrays[i] = malloc(room * sizeof(int64_t));
        if (!*arrays[i]) return false;
    }
    feed->room = room;
    return true;
}

/* ---- order ------------------------------------------------------------------------------------------------------ */

/* Call i stands after call j but belongs before it. */
static bool too_late(const struct rd_feed *feed, size_t j, size_t i) {
    const int64_t *start = feed->block.start;
    if (start[j] != start[i]) return start[j] > start[i];
    return rd_feed_tie(feed, j) > rd_feed_tie(feed, i);
}

static void move_back(struct rd_feed *feed, size_t from, size_t to) {
    int64_t **arrays[RD_COLUMNS];
    rd_block_columns(&feed->block, arrays);
    for (size_t i = 0; i < RD_COLUMNS; i++) {
        int64_t *values = *arrays[i];
        if (!values) continue;
        const int64_t moved = values[from];
        memmove(values + to + 1, values + to, (from - to) * sizeof *values);
        values[to] = moved;
    }
}

/* Puts calls [first, filled) where they belong; false when one belongs too far back. */
static bool put_in_order(struct rd_feed *feed, size_t first) {
    for (size_t i = first ? first : 1; i < feed->filled; i++) {
        if (!too_late(feed, i - 1, i)) continue;
        size_t to = i - 1;
        while (to > feed->at && i - to <= REACH && too_late(feed, to - 1, i)) to--;
        if (i - to > REACH || (to == feed->at && (feed->at || feed->number))) return false;
        move_back(feed, i, to);
    }
    return true;
}

static bool is_unordered(spr_profile *profile, struct rd_feed *feed, spr_error *error, int *status) {
    int64_t start = INT64_MIN, tie = INT64_MIN;
    while (*status == SPR_OK && feed->cursor.next < feed->cursor.count) {
        const uint64_t left = feed->cursor.count - feed->cursor.next;
        const size_t part = left < feed->room ? (size_t)left : feed->room;
        *status = rd_cursor_read(profile, &feed->cursor, part, &feed->block, error);
        for (size_t i = 0; *status == SPR_OK && i < part; i++) {
            const int64_t next = feed->block.start[i], next_tie = rd_feed_tie(feed, i);
            if (next < start || (next == start && next_tie < tie)) return true;
            start = next;
            tie = next_tie;
        }
    }
    return false;
}

/* One row that is not in order is seldom alone. */
static int mark_unordered(spr_profile *profile, const struct rd_feed *culprit, spr_error *error) {
    profile->traits[culprit->cursor.row] |= RD_UNORDERED;
    int status = SPR_OK;
    for (size_t row = 0; status == SPR_OK && row < profile->num_rows; row++) {
        if (profile->traits[row] & RD_UNORDERED) continue;
        struct rd_feed feed = {.by_id = culprit->by_id};
        status = rd_cursor_open(profile, row, &feed.cursor, error);
        if (status == SPR_OK && !make_room(&feed, RD_BLOCK, false)) status = rd_no_memory(profile, error);
        if (status == SPR_OK && is_unordered(profile, &feed, error, &status)) profile->traits[row] |= RD_UNORDERED;
        rd_feed_close(&feed);
    }
    return status == SPR_OK ? RD_AGAIN : status;
}

/* ---- filling ---------------------------------------------------------------------------------------------------- */

/* Calls are read from a sorted copy on the disk. */
static int use_sorted(spr_profile *profile, struct rd_feed *feed, spr_error *error) {
    const struct rd_events *sorted;
    const int status = rd_sorted_events(profile, feed->cursor.row, feed->by_id, &sorted, error);
    if (status != SPR_OK) return status;
    rd_cursor_close(&feed->cursor);
    feed->cursor.events = sorted;
    feed->cursor.offset = 0;
    return SPR_OK;
}

int rd_feed_open(spr_profile *profile, size_t row, size_t room, bool by_id, struct rd_feed *feed, spr_error *error) {
    *feed = (struct rd_feed){.by_id = by_id};
    int status = rd_cursor_open(profile, row, &feed->cursor, error);
    if (status != SPR_OK) return status;
    const uint64_t calls = feed->cursor.count;
    if (profile->traits[row] & RD_UNORDERED) {
        feed->whole = calls <= MOST_SORTED;
        if (feed->whole)
            room = (size_t)calls;
        else
            status = use_sorted(profile, feed, error);
        if (status != SPR_OK) return status;
    }
    const struct rd_events *events = feed->cursor.events;
    const bool lanes = !by_id && (rd_column_exists(&events->thread_ids) || rd_column_exists(&events->task_ids));
    if (!make_room(feed, calls < room ? (size_t)calls : room, lanes)) return rd_no_memory(profile, error);
    return SPR_OK;
}

void rd_feed_close(struct rd_feed *feed) {
    rd_cursor_close(&feed->cursor);
    int64_t **arrays[RD_COLUMNS];
    rd_block_columns(&feed->block, arrays);
    for (size_t i = 0; i < RD_COLUMNS; i++) free(*arrays[i]);
    feed->block = (struct rd_block){0};
}

static void keep_rest(struct rd_feed *feed) {
    int64_t **arrays[RD_COLUMNS];
    rd_block_columns(&feed->block, arrays);
    const size_t rest = feed->filled - feed->at;
    for (size_t i = 0; i < RD_COLUMNS; i++)
        if (*arrays[i]) memmove(*arrays[i], *arrays[i] + feed->at, rest * sizeof(int64_t));
    feed->number += feed->at;
    feed->filled = rest;
    feed->at = 0;
}

/* Reads up to the end of a chunk rather than into one, so that a packed chunk is unpacked once. */
static size_t next_part(const struct rd_feed *feed) {
    const uint64_t left = feed->cursor.count - feed->cursor.next, free_room = feed->room - feed->filled;
    const uint64_t part = left < free_room ? left : free_room;
    const uint64_t chunk = feed->cursor.events->start.chunk;
    const uint64_t over = chunk ? (feed->cursor.offset + feed->cursor.next + part) % chunk : 0;
    return (size_t)(over < part / 2 && part < left ? part - over : part);
}

static struct rd_block block_from(const struct rd_block *block, size_t at) {
    struct rd_block rest = *block;
    int64_t **arrays[RD_COLUMNS];
    rd_block_columns(&rest, arrays);
    for (size_t i = 0; i < RD_COLUMNS; i++)
        if (*arrays[i]) *arrays[i] += at;
    return rest;
}

/* A task is a lane of its own, a thread is one for what it does outside tasks. */
static void name_lanes(struct rd_block *block, size_t first, size_t end) {
    for (size_t i = first; block->thread_ids && i < end; i++) {
        const int64_t thread = block->thread_ids[i], task = block->task_ids[i];
        block->thread_ids[i] = task >= 0 ? task : thread >= 0 ? -2 - thread : -1;
    }
}

int rd_feed_fill(spr_profile *profile, struct rd_feed *feed, spr_error *error) {
    if (feed->at < feed->settled || (feed->cursor.next == feed->cursor.count && feed->at == feed->filled))
        return SPR_OK;
    keep_rest(feed);
    const size_t first = feed->filled, part = next_part(feed);
    const struct rd_block rest = block_from(&feed->block, first);
    const int status = rd_cursor_read(profile, &feed->cursor, part, &rest, error);
    if (status != SPR_OK) return status;
    feed->filled += part;
    name_lanes(&feed->block, first, feed->filled);

    const bool whole = feed->cursor.next == feed->cursor.count;
    if (feed->whole) {
        if (!rd_block_sort(&feed->block, feed->filled, feed->by_id)) return rd_no_memory(profile, error);
    } else if (!put_in_order(feed, first)) {
        return mark_unordered(profile, feed, error);
    }
    /* What comes next may belong before the last ones. */
    feed->settled = whole ? feed->filled : feed->filled - REACH;
    return SPR_OK;
}
