/* When events began and ended. Starts are stored as differences: where each window of them begins is kept, so that
 * going back is cheap as well. */
#include "mpi.h"

#include <stdlib.h>

#define WINDOW       UINT64_C(4096) /* events */
#define MOST_WINDOWS 512            /* in memory, of all rows together */

struct span { /* the events of a row */
    uint64_t offset, count;
    size_t row;
    int64_t *running; /* by window: the start before its first event; NULL until the row is asked for */
    uint64_t known;   /* elements of `running` that are */
    int64_t *start, *end;
    uint64_t window; /* that start and end hold */
};

struct rd_mpi_times {
    spr_profile *profile;
    struct span *spans; /* by offset */
    size_t num_spans, num_windows;
};

static int by_offset(const void *a, const void *b) {
    const struct span *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

struct rd_mpi_times *rd_mpi_times_new(spr_profile *profile) {
    struct rd_mpi_times *times = calloc(1, sizeof *times);
    if (!times) return NULL;
    times->profile = profile;
    times->spans = calloc(profile->num_rows + 1, sizeof *times->spans);
    if (!times->spans) {
        free(times);
        return NULL;
    }
    for (size_t i = 0; i < profile->num_rows; i++)
        if (profile->rows[i].calls)
            times->spans[times->num_spans++] =
                (struct span){.offset = profile->places[i].offset, .count = profile->rows[i].calls, .row = i};
    qsort(times->spans, times->num_spans, sizeof *times->spans, by_offset);
    return times;
}

static void drop_windows(struct rd_mpi_times *times) {
    for (size_t i = 0; i < times->num_spans; i++) {
        free(times->spans[i].start);
        times->spans[i].start = times->spans[i].end = NULL;
    }
    times->num_windows = 0;
}

void rd_mpi_times_free(struct rd_mpi_times *times) {
    if (!times) return;
    drop_windows(times);
    for (size_t i = 0; i < times->num_spans; i++) free(times->spans[i].running);
    free(times->spans);
    free(times);
}

static bool make_window(struct rd_mpi_times *times, struct span *span) {
    const uint64_t room = span->count < WINDOW ? span->count : WINDOW;
    if (!span->running) span->running = calloc((size_t)(span->count / WINDOW) + 2, sizeof *span->running);
    if (!span->running) return false;
    if (!span->known) span->known = 1;
    if (span->start) return true;
    if (times->num_windows == MOST_WINDOWS) drop_windows(times);
    span->start = malloc(2 * (size_t)room * sizeof *span->start);
    if (!span->start) return false;
    span->end = span->start + room;
    span->window = UINT64_MAX;
    times->num_windows++;
    return true;
}

/* Reads window `wanted`, and those before it whose beginning is not known yet. */
static int load(struct rd_mpi_times *times, struct span *span, uint64_t wanted, spr_error *error) {
    struct rd_cursor cursor;
    if (!make_window(times, span)) return rd_no_memory(times->profile, error);
    int status = rd_cursor_open(times->profile, span->row, &cursor, error);
    if (status != SPR_OK) return status;
    uint64_t at = wanted < span->known || !cursor.events->deltas ? wanted : span->known - 1;
    if (cursor.events->deltas) cursor.running = span->running[at];
    cursor.next = at * WINDOW;
    for (; status == SPR_OK && at <= wanted; at++) {
        const uint64_t left = span->count - cursor.next;
        const struct rd_block block = {.start = span->start, .end = span->end};
        status = rd_cursor_read(times->profile, &cursor, left < WINDOW ? left : WINDOW, &block, error);
        if (status != SPR_OK || !cursor.events->deltas || at + 1 < span->known) continue;
        span->running[at + 1] = cursor.running;
        span->known = at + 2;
    }
    span->window = status == SPR_OK ? wanted : UINT64_MAX;
    rd_cursor_close(&cursor);
    return status;
}

int rd_mpi_times_of(struct rd_mpi_times *times, int64_t event, int64_t *start, int64_t *end, int64_t *row,
                    spr_error *error) {
    size_t low = 0, high = times->num_spans;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        *(times->spans[middle].offset <= (uint64_t)event ? &low : &high) = middle;
    }
    struct span *span = times->num_spans ? &times->spans[low] : NULL;
    if (!span || (uint64_t)event < span->offset || (uint64_t)event - span->offset >= span->count)
        return rd_fail(error, SPR_DAMAGED, times->profile->path, "/mpi names an event that there is not");
    const uint64_t call = (uint64_t)event - span->offset;
    const int status = span->start && span->window == call / WINDOW ? SPR_OK : load(times, span, call / WINDOW, error);
    if (status != SPR_OK) return status;
    *start = span->start[call % WINDOW];
    *end = span->end[call % WINDOW];
    *row = (int64_t)span->row;
    return SPR_OK;
}
