/* The event columns: opening them, and reading the calls of a row block by block. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- columns ---------------------------------------------------------------------------------------------------- */

struct wanted {
    const char *name;
    size_t offset; /* in struct rd_events */
    bool deltas;   /* belongs to the encoding with deltas only, ... */
    bool absolute; /* ... without deltas only */
};

#define COLUMN(member) offsetof(struct rd_events, member)
static const struct wanted wanted_columns[] = {
    {.name = "start_deltas", .offset = COLUMN(start), .deltas = true},
    {.name = "durations", .offset = COLUMN(end), .deltas = true},
    {.name = "start_times", .offset = COLUMN(start), .absolute = true},
    {.name = "end_times", .offset = COLUMN(end), .absolute = true},
    {.name = "call_ids", .offset = COLUMN(call_ids)},
    {.name = "parent_ids", .offset = COLUMN(parent_ids)},
    {.name = "thread_ids", .offset = COLUMN(thread_ids)},
    {.name = "task_ids", .offset = COLUMN(task_ids)},
    {.name = "await_ns", .offset = COLUMN(await_ns)},
    {.name = "gpu_durations", .offset = COLUMN(gpu_durations)},
};
#define NUM_WANTED (sizeof wanted_columns / sizeof *wanted_columns)

static struct rd_column *column_of(struct rd_events *events, const struct wanted *wanted) {
    return (struct rd_column *)(void *)((char *)events + wanted->offset);
}

static int open_wanted(const spr_profile *profile, hid_t group, const char *where, const struct wanted *wanted,
                       struct rd_events *events, spr_error *error) {
    if ((wanted->deltas && !events->deltas) || (wanted->absolute && events->deltas)) return SPR_OK;
    struct rd_column *column = column_of(events, wanted);
    const int status = rd_column_open(profile, group, where, wanted->name, RD_INTEGERS, column, error);
    if (status != SPR_OK) return status;
    if (column->id < 0)
        return wanted->deltas || wanted->absolute
                   ? rd_fail(error, SPR_DAMAGED, profile->path, "dataset %s/%s is missing", where, wanted->name)
                   : SPR_OK;
    if (column == &events->start) events->length = column->length;
    if (column->length != events->length)
        return rd_fail(error, SPR_DAMAGED, profile->path, "dataset %s/%s holds %llu calls instead of %llu", where,
                       wanted->name, (unsigned long long)column->length, (unsigned long long)events->length);
    return SPR_OK;
}

void rd_events_clear(struct rd_events *events) {
    *events = (struct rd_events){0};
    for (size_t i = 0; i < NUM_WANTED; i++) *column_of(events, &wanted_columns[i]) = RD_NO_COLUMN;
}

int rd_events_open(const spr_profile *profile, hid_t group, const char *where, struct rd_events *events,
                   spr_error *error) {
    rd_events_clear(events);
    events->deltas =
        H5Lexists(group, "start_deltas", H5P_DEFAULT) > 0 || H5Lexists(group, "start_times", H5P_DEFAULT) <= 0;
    int status = SPR_OK;
    for (size_t i = 0; status == SPR_OK && i < NUM_WANTED; i++)
        status = open_wanted(profile, group, where, &wanted_columns[i], events, error);
    if (status != SPR_OK) rd_events_close(events);
    return status;
}

void rd_events_close(struct rd_events *events) {
    for (size_t i = 0; i < NUM_WANTED; i++) rd_column_close(column_of(events, &wanted_columns[i]));
}

/* ---- cursor ----------------------------------------------------------------------------------------------------- */

static int open_own(const spr_profile *profile, const char *where, struct rd_events *events, spr_error *error) {
    const hid_t group = H5Gopen2(profile->file, where, H5P_DEFAULT);
    if (group < 0) return rd_fail(error, SPR_DAMAGED, profile->path, "group %s cannot be opened", where);
    const int status = rd_events_open(profile, group, where, events, error);
    H5Gclose(group);
    return status;
}

int rd_cursor_open(const spr_profile *profile, size_t row, struct rd_cursor *cursor, spr_error *error) {
    *cursor = (struct rd_cursor){.row = row, .offset = profile->places[row].offset, .count = profile->rows[row].calls};
    if (!profile->places[row].group) {
        cursor->events = profile->places[row].events ? profile->places[row].events : &profile->events;
        return SPR_OK;
    }
    const int status = open_own(profile, profile->places[row].group, &cursor->own, error);
    if (status != SPR_OK) return status;
    cursor->events = &cursor->own;
    return SPR_OK;
}

void rd_cursor_close(struct rd_cursor *cursor) {
    if (cursor->events == &cursor->own) rd_events_close(&cursor->own);
    cursor->events = NULL;
}

static int damaged_call(const spr_profile *profile, const struct rd_cursor *cursor, uint64_t call, const char *what,
                        spr_error *error) {
    const spr_row *row = &profile->rows[cursor->row];
    return rd_fail(error, SPR_DAMAGED, profile->path, "call %llu of region '%s' on rank %u %s",
                   (unsigned long long)call, profile->names[row->region], row->rank, what);
}

#define BACKWARDS "ends before it begins"
#define NO_TIME   "has a time beyond 64 bits"

/* Running sums of the start deltas; durations become ends. */
static int decode_deltas(const spr_profile *profile, struct rd_cursor *cursor, uint64_t count, int64_t *start,
                         int64_t *end, spr_error *error) {
    int64_t running = cursor->running;
    for (uint64_t i = 0; i < count; i++) {
        if (end[i] < 0) return damaged_call(profile, cursor, cursor->next + i, BACKWARDS, error);
        if (__builtin_add_overflow(running, start[i], &running) || __builtin_add_overflow(running, end[i], &end[i]))
            return damaged_call(profile, cursor, cursor->next + i, NO_TIME, error);
        start[i] = running;
    }
    cursor->running = running;
    return SPR_OK;
}

static int check_absolute(const spr_profile *profile, const struct rd_cursor *cursor, uint64_t count,
                          const int64_t *start, const int64_t *end, spr_error *error) {
    for (uint64_t i = 0; i < count; i++) {
        int64_t duration;
        if (end[i] < start[i]) return damaged_call(profile, cursor, cursor->next + i, BACKWARDS, error);
        if (__builtin_sub_overflow(end[i], start[i], &duration))
            return damaged_call(profile, cursor, cursor->next + i, NO_TIME, error);
    }
    return SPR_OK;
}

static int read_values(const spr_profile *profile, const struct rd_column *column, bool is_await, uint64_t first,
                       uint64_t count, int64_t *values, spr_error *error) {
    if (!values) return SPR_OK;
    if (rd_column_exists(column)) return rd_column_read(profile, column, H5T_NATIVE_INT64, first, count, values, error);
    memset(values, is_await ? 0 : 0xff, (size_t)count * sizeof *values); /* 0 or -1 */
    return SPR_OK;
}

int rd_cursor_read(const spr_profile *profile, struct rd_cursor *cursor, uint64_t count, const struct rd_block *block,
                   spr_error *error) {
    const struct rd_events *events = cursor->events;
    const uint64_t first = cursor->offset + cursor->next;
    const struct {
        const struct rd_column *column;
        int64_t *values;
    } reads[] = {{&events->start, block->start},           {&events->end, block->end},
                 {&events->call_ids, block->call_ids},     {&events->parent_ids, block->parent_ids},
                 {&events->thread_ids, block->thread_ids}, {&events->task_ids, block->task_ids},
                 {&events->await_ns, block->await_ns},     {&events->gpu_durations, block->gpu_durations}};
    int status = SPR_OK;
    for (size_t i = 0; status == SPR_OK && i < sizeof reads / sizeof *reads; i++)
        status = read_values(profile, reads[i].column, reads[i].column == &events->await_ns, first, count,
                             reads[i].values, error);
    if (status != SPR_OK) return status;
    status = events->deltas ? decode_deltas(profile, cursor, count, block->start, block->end, error)
                            : check_absolute(profile, cursor, count, block->start, block->end, error);
    if (status == SPR_OK) cursor->next += count;
    return status;
}

int rd_cursor_skip(const spr_profile *profile, struct rd_cursor *cursor, uint64_t count, spr_error *error) {
    if (!cursor->events->deltas) {
        cursor->next += count;
        return SPR_OK;
    }
    if (!count) return SPR_OK;
    int64_t *deltas = malloc(RD_BLOCK * sizeof *deltas);
    if (!deltas) return rd_no_memory(profile, error);
    int status = SPR_OK;
    while (status == SPR_OK && count) {
        const uint64_t part = count < RD_BLOCK ? count : RD_BLOCK;
        status = rd_column_read(profile, &cursor->events->start, H5T_NATIVE_INT64, cursor->offset + cursor->next, part,
                                deltas, error);
        for (uint64_t i = 0; status == SPR_OK && i < part; i++)
            if (__builtin_add_overflow(cursor->running, deltas[i], &cursor->running))
                status = damaged_call(profile, cursor, cursor->next + i, NO_TIME, error);
        cursor->next += part;
        count -= part;
    }
    free(deltas);
    return status;
}

/* ---- the public question ---------------------------------------------------------------------------------------- */

static int64_t find_thread(const spr_profile *profile, uint32_t rank, int64_t index) {
    for (size_t i = 0; i < profile->num_threads; i++)
        if (profile->threads[i].rank == rank && profile->threads[i].index == index) return (int64_t)i;
    return -1;
}

/* The file counts threads per rank; the caller asks spr_thread_at(). Calls of one thread come in long runs. */
static void number_threads(const spr_profile *profile, uint32_t rank, int64_t *threads, uint64_t count) {
    int64_t known = -1, known_as = -1;
    for (uint64_t i = 0; i < count; i++) {
        if (threads[i] != known) {
            known = threads[i];
            known_as = known < 0 ? -1 : find_thread(profile, rank, known);
        }
        threads[i] = known_as;
    }
}

/* Goes on where the last question stopped, or starts anew. */
static int seek(spr_profile *profile, size_t row, uint64_t offset, spr_error *error) {
    struct rd_cursor *cursor = &profile->resume;
    if (profile->can_resume && (cursor->row != row || cursor->next > offset)) {
        rd_cursor_close(cursor);
        profile->can_resume = false;
    }
    if (!profile->can_resume) {
        const int status = rd_cursor_open(profile, row, cursor, error);
        if (status != SPR_OK) return status;
        profile->can_resume = true;
    }
    return rd_cursor_skip(profile, cursor, offset - cursor->next, error);
}

/* Times that the caller did not ask for go here, in parts. */
static int read_part(spr_profile *profile, uint64_t count, const struct rd_block *block, int64_t *spare,
                     spr_error *error) {
    struct rd_block whole = *block;
    if (!whole.start) whole.start = spare;
    if (!whole.end) whole.end = spare + RD_BLOCK;
    return rd_cursor_read(profile, &profile->resume, count, &whole, error);
}

static int64_t *behind(int64_t *values, uint64_t count) { return values ? values + count : NULL; }

static int read_parts(spr_profile *profile, uint64_t count, const struct rd_block *block, spr_error *error) {
    if (block->start && block->end) return rd_cursor_read(profile, &profile->resume, count, block, error);
    int64_t *spare = malloc(2 * RD_BLOCK * sizeof *spare);
    if (!spare) return rd_no_memory(profile, error);
    int status = SPR_OK;
    for (uint64_t done = 0; status == SPR_OK && done < count;) {
        const uint64_t part = count - done < RD_BLOCK ? count - done : RD_BLOCK;
        const struct rd_block rest = {.start = behind(block->start, done),
                                      .end = behind(block->end, done),
                                      .thread_ids = behind(block->thread_ids, done),
                                      .task_ids = behind(block->task_ids, done)};
        status = read_part(profile, part, &rest, spare, error);
        done += part;
    }
    free(spare);
    return status;
}

static int read_calls(spr_profile *profile, size_t row, uint64_t offset, uint64_t count, const struct rd_block *block,
                      spr_error *error) {
    int status = seek(profile, row, offset, error);
    if (status == SPR_OK) status = read_parts(profile, count, block, error);
    if (status == SPR_OK && block->thread_ids)
        number_threads(profile, profile->rows[row].rank, block->thread_ids, count);
    if (status != SPR_OK && profile->can_resume) {
        rd_cursor_close(&profile->resume);
        profile->can_resume = false;
    }
    return status;
}

int spr_read_calls(spr_profile *profile, size_t row, uint64_t offset, uint64_t count, int64_t *start_ns,
                   int64_t *end_ns, int64_t *thread, int64_t *task, spr_error *error) {
    if (profile->aggregate)
        return rd_fail(error, SPR_NO_EVENTS, profile->path, "recorded in aggregation mode: there are no single calls");
    if (row >= profile->num_rows || offset > profile->rows[row].calls || count > profile->rows[row].calls - offset)
        return rd_fail(error, -1, profile->path, "no such calls: row %zu, %llu from %llu", row,
                       (unsigned long long)count, (unsigned long long)offset);
    if (!count) return SPR_OK;
    struct rd_quiet quiet;
    rd_quiet_begin(&quiet);
    const struct rd_block block = {.start = start_ns, .end = end_ns, .thread_ids = thread, .task_ids = task};
    const int status = read_calls(profile, row, offset, count, &block, error);
    rd_quiet_end(&quiet);
    return status;
}
