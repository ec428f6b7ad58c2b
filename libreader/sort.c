#include "sort.h"
#include "order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* A call as a record: start, tie and number, by which it comes, then its columns. */
enum { WORD_START, WORD_TIE, WORD_NUMBER, KEYS, WORD_COLUMNS = KEYS };

struct sorting {
    spr_profile *profile;
    size_t row;
    bool by_id;
    bool has[RD_COLUMNS];
    uint64_t count;
    struct rd_order *order;
    struct rd_block block; /* RD_BLOCK calls */
    uint64_t out_at;       /* byte of the store where the first column goes; each has `count` integers */
    spr_error *error;
};

static int disk_failed(const struct sorting *sorting) {
    return rd_fail(sorting->error, SPR_NO_MEMORY, sorting->profile->path,
                   "its calls cannot be put in order in a temporary file (%s)", strerror(errno));
}

static bool make_block(struct sorting *sorting) {
    int64_t **columns[RD_COLUMNS];
    rd_block_columns(&sorting->block, columns);
    for (size_t i = 0; i < RD_COLUMNS; i++) {
        if (!sorting->has[i]) continue;
        *columns[i] = malloc(RD_BLOCK * sizeof(int64_t));
        if (!*columns[i]) return false;
    }
    return true;
}

static void free_block(struct rd_block *block) {
    int64_t **columns[RD_COLUMNS];
    rd_block_columns(block, columns);
    for (size_t i = 0; i < RD_COLUMNS; i++) free(*columns[i]);
}

static size_t count_columns(const struct sorting *sorting) {
    size_t count = 0;
    for (size_t i = 0; i < RD_COLUMNS; i++) count += sorting->has[i];
    return count;
}

static int add_call(struct sorting *sorting, size_t at, uint64_t number) {
    uint64_t record[WORD_COLUMNS + RD_COLUMNS] = {
        [WORD_START] = rd_order_word(sorting->block.start[at]),
        [WORD_TIE] = rd_order_word(tie_of(&sorting->block, at, sorting->by_id)),
        [WORD_NUMBER] = number,
    };
    int64_t **columns[RD_COLUMNS];
    size_t word = WORD_COLUMNS;
    rd_block_columns(&sorting->block, columns);
    for (size_t i = 0; i < RD_COLUMNS; i++)
        if (sorting->has[i]) record[word++] = (uint64_t)(*columns[i])[at];
    return rd_order_add(sorting->order, record, sorting->error);
}

static int add_calls(struct sorting *sorting, struct rd_cursor *cursor) {
    int status = SPR_OK;
    for (uint64_t done = 0; status == SPR_OK && done < sorting->count;) {
        const uint64_t left = sorting->count - done, count = left < RD_BLOCK ? left : RD_BLOCK;
        status = rd_cursor_read(sorting->profile, cursor, count, &sorting->block, sorting->error);
        for (size_t i = 0; status == SPR_OK && i < count; i++) status = add_call(sorting, i, done + i);
        done += count;
    }
    return status == SPR_OK ? rd_order_close(sorting->order, sorting->error) : status;
}

static int write_block(struct sorting *sorting, uint64_t first, size_t count) {
    const int file = sorting->profile->sorted_store.descriptor;
    int64_t **columns[RD_COLUMNS];
    uint64_t column = sorting->out_at;
    rd_block_columns(&sorting->block, columns);
    for (size_t i = 0; i < RD_COLUMNS; i++) {
        if (!sorting->has[i]) continue;
        if (!rd_write_at(file, column + first * sizeof(int64_t), *columns[i], count * sizeof(int64_t)))
            return disk_failed(sorting);
        column += sorting->count * sizeof(int64_t);
    }
    return SPR_OK;
}

static int take_calls(struct sorting *sorting, struct rd_order_reader *reader) {
    int64_t **columns[RD_COLUMNS];
    const uint64_t *record;
    rd_block_columns(&sorting->block, columns);
    for (uint64_t done = 0; done < sorting->count;) {
        const uint64_t left = sorting->count - done;
        const size_t count = left < RD_BLOCK ? (size_t)left : RD_BLOCK;
        for (size_t at = 0; at < count; at++) {
            int status = rd_order_next(reader, &record, sorting->error);
            if (status != SPR_OK) return status;
            size_t word = WORD_COLUMNS;
            for (size_t i = 0; i < RD_COLUMNS; i++)
                if (sorting->has[i]) (*columns[i])[at] = (int64_t)record[word++];
        }
        const int status = write_block(sorting, done, count);
        if (status != SPR_OK) return status;
        done += count;
    }
    return SPR_OK;
}

/* ---- the answer ------------------------------------------------------------------------------------------------- */

static int sort_through(struct sorting *sorting, struct rd_cursor *cursor) {
    sorting->order = rd_order_new(sorting->profile->path, WORD_COLUMNS + count_columns(sorting), KEYS);
    if (!sorting->order || !make_block(sorting)) return rd_no_memory(sorting->profile, sorting->error);
    int status = add_calls(sorting, cursor);
    if (status != SPR_OK) return status;
    struct rd_order_reader *reader = rd_order_read(sorting->order, sorting->error);
    status = reader ? take_calls(sorting, reader) : SPR_NO_MEMORY;
    rd_order_reader_free(reader);
    return status;
}

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
    status = sort_through(sorting, &cursor);
    rd_cursor_close(&cursor);
    rd_order_free(sorting->order);
    free_block(&sorting->block);
    return status;
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
    struct sorting sorting = {.profile = profile, .row = row, .by_id = by_id, .error = error};
    if (!prepare(profile)) return disk_failed(&sorting);
    const struct rd_events **kept = &profile->sorted[2 * row + by_id];
    *events = *kept;
    if (*kept) return SPR_OK;
    struct rd_events *made = rd_arena_take(&profile->strings, sizeof *made);
    if (!made) return rd_no_memory(profile, error);
    sorting.out_at = profile->sorted_store.bytes;
    const int status = sort_row(&sorting);
    if (status != SPR_OK) return status;
    describe(&sorting, made);
    *events = *kept = made;
    return SPR_OK;
}

void rd_sorted_free(spr_profile *profile) {
    rd_store_close(&profile->sorted_store);
    free(profile->sorted);
}
