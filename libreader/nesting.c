/* The calls of one rank with their nesting, and the columns that not every file has. */
#include "feed.h"
#include "walk.h"
#include "write.h"

#include <stdlib.h>

/* ---- columns ---------------------------------------------------------------------------------------------------- */

static const struct rd_column *find_column(const struct rd_events *events, enum spr_column column) {
    return (const struct rd_column *)(const void *)((const char *)events + rd_extra_columns[column].in_events);
}

bool spr_has_column(spr_profile *profile, size_t row, enum spr_column column) {
    if (row >= profile->num_rows || (unsigned)column >= RD_EXTRAS || profile->aggregate) return false;
    struct rd_quiet quiet;
    struct rd_cursor cursor;
    rd_quiet_begin(&quiet);
    bool exists = false;
    if (rd_cursor_open(profile, row, &cursor, NULL) == SPR_OK) {
        exists = rd_column_exists(find_column(cursor.events, column));
        rd_cursor_close(&cursor);
    }
    rd_quiet_end(&quiet);
    return exists;
}

static int read_column(const spr_profile *profile, size_t row, enum spr_column column, uint64_t offset, uint64_t count,
                       int64_t *values, spr_error *error) {
    struct rd_cursor cursor;
    int status = rd_cursor_open(profile, row, &cursor, error);
    if (status != SPR_OK) return status;
    const struct rd_column *found = find_column(cursor.events, column);
    if (rd_column_exists(found))
        status = rd_column_read(profile, found, H5T_NATIVE_INT64, cursor.offset + offset, count, values, error);
    else
        for (uint64_t i = 0; i < count; i++) values[i] = rd_extra_columns[column].missing;
    rd_cursor_close(&cursor);
    return status;
}

int spr_read_column(spr_profile *profile, size_t row, enum spr_column column, uint64_t offset, uint64_t count,
                    int64_t *values, spr_error *error) {
    if (row >= profile->num_rows || (unsigned)column >= RD_EXTRAS || profile->aggregate ||
        offset > profile->rows[row].calls || count > profile->rows[row].calls - offset)
        return rd_fail(error, -1, profile->path, "no such calls: column %u of row %zu, %llu from %llu",
                       (unsigned)column, row, (unsigned long long)count, (unsigned long long)offset);
    if (!count) return SPR_OK;
    struct rd_quiet quiet;
    rd_quiet_begin(&quiet);
    const int status = read_column(profile, row, column, offset, count, values, error);
    rd_quiet_end(&quiet);
    return status;
}

/* ---- nesting ---------------------------------------------------------------------------------------------------- */

/* Calls that are not shown have their children's place in `node`, and this where there is none. */
#define NOWHERE UINT32_MAX

struct nesting {
    spr_profile *profile;
    const spr_selection *selection;
    const spr_calls *calls;
    uint64_t count, room;
    uint64_t *places; /* of the calls, one region after the other; NULL: not needed yet */
    uint64_t *ends;   /* by region: of its part of `places` */
};

static int enter(void *context, struct rd_call *call, const struct rd_call *around, spr_error *error) {
    struct nesting *nesting = context;
    const spr_calls *calls = nesting->calls;
    const size_t region = nesting->profile->rows[call->row].region;
    const uint32_t parent = around ? around->node : NOWHERE;
    if (around && !around->hidden) {
        /* Recorded parents may end before their children. */
        const int64_t end = call->end < around->end ? call->end : around->end;
        if (end > call->start) calls->own_ns[around->node] -= end - call->start;
    }
    call->hidden = !spr_selects_region(nesting->selection, region);
    call->node = parent;
    if (call->hidden) return SPR_OK;
    if (nesting->count == nesting->room)
        return rd_fail(error, SPR_DAMAGED, nesting->profile->path, "changed while it was read");

    const uint64_t at = nesting->count++;
    call->node = (uint32_t)at;
    calls->start_ns[at] = call->start;
    calls->end_ns[at] = call->end;
    calls->own_ns[at] = call->end - call->start;
    calls->parent[at] = parent == NOWHERE ? -1 : (int64_t)parent;
    calls->depth[at] = parent == NOWHERE ? 0 : calls->depth[parent] + 1;
    calls->region[at] = (uint32_t)region;
    calls->number[at] = call->number;
    return SPR_OK;
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* The walk numbers the calls of a row in order of time. Where the row has another order, both are sorted by their times
 * and give each other their places. */
struct stamp {
    int64_t start, end;
    uint64_t at;
};

static int compare_stamps(const void *a, const void *b) {
    const struct stamp *x = a, *y = b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* The row's calls as they are stored; *ordered: each begins after the one before, so that no other order is possible.
 * NULL with *status. */
static struct stamp *read_stamps(const spr_profile *profile, size_t row, bool *ordered, int *status, spr_error *error) {
    const uint64_t count = profile->rows[row].calls;
    struct stamp *stamps = malloc((size_t)count * sizeof *stamps);
    int64_t *times = malloc(2 * RD_BLOCK * sizeof *times);
    const struct rd_block block = {.start = times, .end = times + RD_BLOCK};
    struct rd_cursor cursor = {0};
    *ordered = true;
    *status = stamps && times ? rd_cursor_open(profile, row, &cursor, error) : rd_no_memory(profile, error);
    for (uint64_t done = 0; *status == SPR_OK && done < count;) {
        const uint64_t part = count - done < RD_BLOCK ? count - done : RD_BLOCK;
        *status = rd_cursor_read(profile, &cursor, part, &block, error);
        for (uint64_t i = 0; *status == SPR_OK && i < part; i++, done++) {
            stamps[done] = (struct stamp){block.start[i], block.end[i], done};
            *ordered = *ordered && (!done || stamps[done - 1].start < block.start[i]);
        }
    }
    if (cursor.events) rd_cursor_close(&cursor);
    free(times);
    if (*status == SPR_OK) return stamps;
    free(stamps);
    return NULL;
}

static bool group_by_region(struct nesting *nesting) {
    if (nesting->places) return true;
    const size_t regions = nesting->profile->num_regions;
    const uint32_t *region = nesting->calls->region;
    nesting->places = malloc((size_t)nesting->count * sizeof *nesting->places);
    nesting->ends = calloc(regions + 1, sizeof *nesting->ends);
    if (!nesting->places || !nesting->ends) return false;
    for (uint64_t i = 0; i < nesting->count; i++) nesting->ends[region[i] + 1]++;
    for (size_t i = 1; i <= regions; i++) nesting->ends[i] += nesting->ends[i - 1];
    for (uint64_t i = 0; i < nesting->count; i++) nesting->places[nesting->ends[region[i]]++] = i;
    return true;
}

/* `stored`: the calls of a row, which the arrays have in order of time. */
static int exchange(struct nesting *nesting, size_t region, struct stamp *stored, uint64_t count, spr_error *error) {
    const spr_calls *calls = nesting->calls;
    struct stamp *found = malloc((size_t)count * sizeof *found);
    if (!found || !group_by_region(nesting)) {
        free(found);
        return rd_no_memory(nesting->profile, error);
    }
    const uint64_t *places = nesting->places + nesting->ends[region] - count;
    for (uint64_t i = 0; i < count; i++)
        found[i] = (struct stamp){calls->start_ns[places[i]], calls->end_ns[places[i]], places[i]};
    qsort(found, (size_t)count, sizeof *found, compare_stamps);
    qsort(stored, (size_t)count, sizeof *stored, compare_stamps);
    for (uint64_t i = 0; i < count; i++) calls->number[found[i].at] = stored[i].at;
    free(found);
    return SPR_OK;
}

static int number_row(struct nesting *nesting, size_t row, spr_error *error) {
    const spr_row *about = &nesting->profile->rows[row];
    bool ordered;
    int status;
    struct stamp *stored = read_stamps(nesting->profile, row, &ordered, &status, error);
    if (stored && !ordered) status = exchange(nesting, about->region, stored, about->calls, error);
    free(stored);
    return status;
}

/* ---- the public questions --------------------------------------------------------------------------------------- */

static bool is_wanted(const spr_profile *profile, size_t row, const spr_selection *selection) {
    return profile->rows[row].calls && spr_selects_region(selection, profile->rows[row].region);
}

/* The rows of the rank in profile->by_rank; *count 0 where it has none. */
static const size_t *rows_of_rank(const spr_profile *profile, uint32_t rank, size_t *count) {
    size_t first = 0;
    for (; first < profile->num_rows; first += *count) {
        *count = rd_rank_rows(profile, first);
        if (profile->rows[profile->by_rank[first]].rank == rank) return profile->by_rank + first;
    }
    *count = 0;
    return NULL;
}

uint64_t spr_rank_calls(const spr_profile *profile, uint32_t rank, const spr_selection *selection) {
    uint64_t calls = 0;
    size_t count;
    const size_t *rows = rows_of_rank(profile, rank, &count);
    for (size_t i = 0; i < count && !profile->aggregate; i++)
        if (is_wanted(profile, rows[i], selection)) calls += profile->rows[rows[i]].calls;
    return calls;
}

static int read_nesting(struct nesting *nesting, const size_t *rows, size_t count, spr_error *error) {
    const struct rd_visitor visitor = {enter, nesting};
    int status;
    do {
        nesting->count = 0;
        status = rd_walk_rank(nesting->profile, rows, count, &visitor, error);
    } while (status == RD_AGAIN);
    for (size_t i = 0; status == SPR_OK && i < count; i++)
        if (is_wanted(nesting->profile, rows[i], nesting->selection)) status = number_row(nesting, rows[i], error);
    return status;
}

int spr_read_nesting(spr_profile *profile, uint32_t rank, const spr_selection *selection, const spr_calls *calls,
                     spr_error *error) {
    if (profile->aggregate)
        return rd_fail(error, SPR_NO_EVENTS, profile->path,
                       "recorded in aggregation mode: there are no single calls, so no call tree");
    struct nesting nesting = {
        .profile = profile, .selection = selection, .calls = calls, .room = spr_rank_calls(profile, rank, selection)};
    if (!nesting.room) return SPR_OK;
    if (nesting.room >= NOWHERE)
        return rd_fail(error, SPR_NO_MEMORY, profile->path, "too many calls on rank %u to be held at once", rank);
    size_t count;
    const size_t *rows = rows_of_rank(profile, rank, &count);
    struct rd_quiet quiet;
    rd_quiet_begin(&quiet);
    const int status = read_nesting(&nesting, rows, count, error);
    rd_quiet_end(&quiet);
    free(nesting.places);
    free(nesting.ends);
    return status;
}
