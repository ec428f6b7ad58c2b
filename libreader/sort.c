#include "sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Calls that are sorted at once in memory, and calls of all such runs that are held while they are merged. */
#define RUN    ((size_t)1 << 18)
#define MERGED ((size_t)1 << 19)
#define LEAST  64

void rd_block_columns(struct rd_block *block, int64_t **columns[RD_COLUMNS]) {
    int64_t **const all[RD_COLUMNS] = {&block->start,      &block->end,        &block->call_ids,
                                       &block->parent_ids, &block->thread_ids, &block->task_ids};
    memcpy(columns, all, sizeof all);
}

/* ---- in memory -------------------------------------------------------------------------------------------------- */

struct key {
    int64_t start, tie;
    size_t at;
};

static int compare_keys(const void *a, const void *b) {
    const struct key *x = a, *y = b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    if (x->tie != y->tie) return x->tie < y->tie ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static int64_t tie_of(const struct rd_block *block, size_t at, bool by_id) {
    return by_id ? block->call_ids[at] : ~block->end[at];
}

static bool permute(struct rd_block *block, const struct key *keys, size_t count) {
    int64_t *sorted = malloc(count * sizeof *sorted), **columns[RD_COLUMNS];
    if (!sorted) return false;
    rd_block_columns(block, columns);
    for (size_t i = 0; i < RD_COLUMNS; i++) {
        int64_t *values = *columns[i];
        if (!values) continue;
        for (size_t k = 0; k < count; k++) sorted[k] = values[keys[k].at];
        memcpy(values, sorted, count * sizeof *sorted);
    }
    free(sorted);
    return true;
}

bool rd_block_sort(struct rd_block *block, size_t count, bool by_id) {
    if (!count) return true;
    struct key *keys = malloc(count * sizeof *keys);
    if (!keys) return false;
    for (size_t i = 0; i < count; i++) keys[i] = (struct key){block->start[i], tie_of(block, i, by_id), i};
    qsort(keys, count, sizeof *keys, compare_keys);
    const bool done = permute(block, keys, count);
    free(keys);
    return done;
}

/* ---- a row ------------------------------------------------------------------------------------------------------ */

/* Of a sorted run on the disk, the part that is in memory. */
struct run {
    uint64_t first, count, next; /* calls of the row; `next`: to be read, from `first` on */
    size_t filled, at;           /* in the window */
    struct rd_block window;
};

struct sorting {
    spr_profile *profile;
    size_t row;
    bool by_id;
    bool has[RD_COLUMNS];
    uint64_t count;
    int runs_file; /* column after column, each of `count` integers */
    uint64_t out_at;
    struct run *runs;
    size_t num_runs, room; /* room: of each window */
    size_t *heap, heap_size;
    struct rd_block memory;
    spr_error *error;
};

static int disk_failed(const struct sorting *sorting) {
    return rd_fail(sorting->error, SPR_NO_MEMORY, sorting->profile->path,
                   "its calls cannot be put in order in a temporary file (%s)",
                   errno ? strerror(errno) : "it became shorter");
}

static bool make_block(const struct sorting *sorting, struct rd_block *block, size_t room) {
    int64_t **columns[RD_COLUMNS];
    rd_block_columns(block, columns);
    for (size_t i = 0; i < RD_COLUMNS; i++) {
        if (!sorting->has[i]) continue;
        *columns[i] = malloc(room * sizeof(int64_t));
        if (!*columns[i]) return false;
    }
    return true;
}

static void free_block(struct rd_block *block) {
    int64_t **columns[RD_COLUMNS];
    rd_block_columns(block, columns);
    for (size_t i = 0; i < RD_COLUMNS; i++) free(*columns[i]);
    *block = (struct rd_block){0};
}

/* Moves `count` calls between a block and column after column of a file. */
static bool move(const struct sorting *sorting, struct rd_block *block, int file, uint64_t base, uint64_t first,
                 size_t count, bool write) {
    int64_t **columns[RD_COLUMNS];
    uint64_t column = base;
    rd_block_columns(block, columns);
    for (size_t i = 0; i < RD_COLUMNS; i++) {
        if (!sorting->has[i]) continue;
        const uint64_t at = column + first * sizeof(int64_t);
        const size_t bytes = count * sizeof(int64_t);
        if (!(write ? rd_write_at(file, at, *columns[i], bytes) : rd_read_at(file, at, *columns[i], bytes)))
            return false;
        column += sorting->count * sizeof(int64_t);
    }
    return true;
}

static int make_runs(struct sorting *sorting, struct rd_cursor *cursor) {
    const size_t most = sorting->count < RUN ? (size_t)sorting->count : RUN;
    sorting->num_runs = (size_t)((sorting->count + RUN - 1) / RUN);
    sorting->runs = calloc(sorting->num_runs, sizeof *sorting->runs);
    sorting->heap = calloc(sorting->num_runs, sizeof *sorting->heap);
    if (!sorting->runs || !sorting->heap || !make_block(sorting, &sorting->memory, most))
        return rd_no_memory(sorting->profile, sorting->error);
    for (size_t i = 0; i < sorting->num_runs; i++) {
        const uint64_t first = (uint64_t)i * RUN, left = sorting->count - first;
        const size_t count = left < RUN ? (size_t)left : RUN;
        const int status = rd_cursor_read(sorting->profile, cursor, count, &sorting->memory, sorting->error);
        if (status != SPR_OK) return status;
        if (!rd_block_sort(&sorting->memory, count, sorting->by_id))
            return rd_no_memory(sorting->profile, sorting->error);
        if (!move(sorting, &sorting->memory, sorting->runs_file, 0, first, count, true)) return disk_failed(sorting);
        sorting->runs[i] = (struct run){.first = first, .count = count};
    }
    return SPR_OK;
}

/* ---- merging ---------------------------------------------------------------------------------------------------- */

static bool comes_first(const struct sorting *sorting, size_t a, size_t b) {
    const struct run *x = &sorting->runs[a], *y = &sorting->runs[b];
    const int64_t start_x = x->window.start[x->at], start_y = y->window.start[y->at];
    if (start_x != start_y) return start_x < start_y;
    const int64_t tie_x = tie_of(&x->window, x->at, sorting->by_id), tie_y = tie_of(&y->window, y->at, sorting->by_id);
    return tie_x != tie_y ? tie_x < tie_y : a < b;
}

static void sink(struct sorting *sorting, size_t at) {
    size_t *heap = sorting->heap;
    const size_t moving = heap[at];
    for (size_t child; (child = 2 * at + 1) < sorting->heap_size; at = child) {
        if (child + 1 < sorting->heap_size && comes_first(sorting, heap[child + 1], heap[child])) child++;
        if (!comes_first(sorting, heap[child], moving)) break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

static bool refill(struct sorting *sorting, struct run *run) {
    const uint64_t left = run->count - run->next;
    run->filled = left < sorting->room ? (size_t)left : sorting->room;
    run->at = 0;
    if (!move(sorting, &run->window, sorting->runs_file, 0, run->first + run->next, run->filled, false)) return false;
    run->next += run->filled;
    return true;
}

static int start_merge(struct sorting *sorting) {
    sorting->room = MERGED / sorting->num_runs;
    if (sorting->room < LEAST) sorting->room = LEAST;
    for (size_t i = 0; i < sorting->num_runs; i++) {
        if (!make_block(sorting, &sorting->runs[i].window, sorting->room))
            return rd_no_memory(sorting->profile, sorting->error);
        if (!refill(sorting, &sorting->runs[i])) return disk_failed(sorting);
        sorting->heap[i] = i;
    }
    sorting->heap_size = sorting->num_runs;
    for (size_t i = sorting->heap_size / 2; i-- > 0;) sink(sorting, i);
    return SPR_OK;
}

static void take_call(struct sorting *sorting, const struct run *run, size_t to) {
    struct rd_block window = run->window;
    int64_t **from[RD_COLUMNS], **into[RD_COLUMNS];
    rd_block_columns(&window, from);
    rd_block_columns(&sorting->memory, into);
    for (size_t i = 0; i < RD_COLUMNS; i++)
        if (sorting->has[i]) (*into[i])[to] = (*from[i])[run->at];
}

static int merge(struct sorting *sorting) {
    int status = start_merge(sorting);
    const size_t most = sorting->count < RUN ? (size_t)sorting->count : RUN; /* the room of sorting->memory */
    for (uint64_t done = 0; status == SPR_OK && done < sorting->count;) {
        size_t filled = 0;
        while (filled < most && sorting->heap_size) {
            struct run *run = &sorting->runs[sorting->heap[0]];
            take_call(sorting, run, filled++);
            if (++run->at == run->filled) {
                if (run->next == run->count)
                    sorting->heap[0] = sorting->heap[--sorting->heap_size];
                else if (!refill(sorting, run))
                    return disk_failed(sorting);
            }
            if (sorting->heap_size) sink(sorting, 0);
        }
        if (!move(sorting, &sorting->memory, sorting->profile->sorted_store.descriptor, sorting->out_at, done, filled,
                  true))
            return disk_failed(sorting);
        done += filled;
    }
    return status;
}

/* ---- the answer ------------------------------------------------------------------------------------------------- */

static int sort_row(struct sorting *sorting) {
    struct rd_cursor cursor;
    int status = rd_cursor_open(sorting->profile, sorting->row, &cursor, sorting->error);
    if (status != SPR_OK) return status;
    const struct rd_events *events = cursor.events;
    const bool has[RD_COLUMNS] = {true,
                                  true,
                                  rd_column_exists(&events->call_ids),
                                  rd_column_exists(&events->parent_ids),
                                  rd_column_exists(&events->thread_ids),
                                  rd_column_exists(&events->task_ids)};
    memcpy(sorting->has, has, sizeof has);
    sorting->count = cursor.count;
    sorting->runs_file = rd_unnamed_file();
    status = sorting->runs_file < 0 ? disk_failed(sorting) : make_runs(sorting, &cursor);
    rd_cursor_close(&cursor);
    return status == SPR_OK ? merge(sorting) : status;
}

static void describe(const struct sorting *sorting, struct rd_events *events) {
    struct rd_column *const columns[RD_COLUMNS] = {&events->start,      &events->end,        &events->call_ids,
                                                   &events->parent_ids, &events->thread_ids, &events->task_ids};
    uint64_t at = sorting->out_at;
    rd_events_clear(events);
    events->length = sorting->count;
    for (size_t i = 0; i < RD_COLUMNS; i++) {
        if (!sorting->has[i]) continue;
        *columns[i] =
            (struct rd_column){.id = -1, .length = sorting->count, .store = &sorting->profile->sorted_store, .at = at};
        at += sorting->count * sizeof(int64_t);
    }
    sorting->profile->sorted_store.bytes = at;
}

static bool prepare(spr_profile *profile) {
    if (!profile->sorted) profile->sorted = calloc(2 * profile->num_rows, sizeof *profile->sorted);
    if (profile->sorted && profile->sorted_store.descriptor < 0) profile->sorted_store.descriptor = rd_unnamed_file();
    return profile->sorted && profile->sorted_store.descriptor >= 0;
}

int rd_sorted_events(spr_profile *profile, size_t row, bool by_id, const struct rd_events **events, spr_error *error) {
    struct sorting sorting = {.profile = profile, .row = row, .by_id = by_id, .runs_file = -1, .error = error};
    if (!prepare(profile)) return disk_failed(&sorting);
    const struct rd_events **kept = &profile->sorted[2 * row + by_id];
    *events = *kept;
    if (*kept) return SPR_OK;
    struct rd_events *made = rd_arena_take(&profile->strings, sizeof *made);
    if (!made) return rd_no_memory(profile, error);
    sorting.out_at = profile->sorted_store.bytes;
    const int status = sort_row(&sorting);
    for (size_t i = 0; sorting.runs && i < sorting.num_runs; i++) free_block(&sorting.runs[i].window);
    free_block(&sorting.memory);
    free(sorting.runs);
    free(sorting.heap);
    if (sorting.runs_file >= 0) close(sorting.runs_file);
    if (status != SPR_OK) return status;
    describe(&sorting, made);
    *events = *kept = made;
    return SPR_OK;
}

void rd_sorted_free(spr_profile *profile) {
    rd_store_close(&profile->sorted_store);
    free(profile->sorted);
}
