/* A plan as JSON, format version 1. */
#include "json_out.h"
#include "json_profile.h"
#include "write.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- regions ---------------------------------------------------------------------------------------------------- */

enum column { START, END, EXTRA };

/* One column of the row's calls; arrays stand one after the other, so that the row is read once for each. */
static int write_column(struct rd_plan *plan, const struct rd_plan_row *row, struct rd_json_out *out, const char *key,
                        enum column column, int extra) {
    struct rd_plan_calls calls;
    int status = rd_plan_open(plan, row, &calls);
    rd_json_out_integers_begin(out, key);
    while (status == SPR_OK) {
        size_t count;
        status = rd_plan_read(plan, row, &calls, &count);
        if (status != SPR_OK || !count) break;
        const int64_t *values = column == START ? calls.block.start
                                : column == END ? calls.block.end
                                                : rd_plan_extra(&calls.block, (enum rd_extra)extra);
        rd_json_out_integers(out, values, count);
    }
    rd_plan_close(&calls);
    rd_json_out_integers_end(out);
    return status;
}

static int write_calls(struct rd_plan *plan, const struct rd_plan_row *row, struct rd_json_out *out) {
    int status = write_column(plan, row, out, "start_times_ns", START, 0);
    if (status == SPR_OK) status = write_column(plan, row, out, "end_times_ns", END, 0);
    for (int extra = 0; status == SPR_OK && extra < RD_EXTRAS; extra++)
        if (plan->extras[extra]) status = write_column(plan, row, out, rd_extra_columns[extra].json_name, EXTRA, extra);
    int64_t exclusive;
    if (status == SPR_OK) status = rd_plan_exclusive(plan, row, &exclusive);
    if (status == SPR_OK && exclusive >= 0) rd_json_out_integer(out, "exclusive_total_ns", exclusive);
    return status;
}

static void write_aggregate(const spr_row *row, struct rd_json_out *out) {
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {{"count", (int64_t)row->calls},
                   {"total", row->total_ns},
                   {"minimum", row->minimum_ns},
                   {"maximum", row->maximum_ns},
                   {"exclusive", row->exclusive_ns},
                   {"first", row->first_ns},
                   {"last", row->last_ns},
                   {"start_minimum", row->start_minimum_ns},
                   {"end_maximum", row->end_maximum_ns},
                   {"gpu_count", 0},
                   {"gpu_total", 0}};
    const size_t count = row->has_summary ? sizeof numbers / sizeof *numbers : 5;
    rd_json_out_begin(out, "aggregate", '{');
    for (size_t i = 0; i < count; i++) rd_json_out_integer(out, numbers[i].key, numbers[i].value);
    if (row->has_summary) {
        rd_json_out_real(out, "mean", row->mean_ns);
        rd_json_out_real(out, "m2", row->m2_ns2);
    }
    rd_json_out_end(out, '}');
    if (row->has_summary) rd_json_out_bool(out, "event_data_available", false);
}

static int write_region(struct rd_plan *plan, const struct rd_plan_row *row, struct rd_json_out *out) {
    const spr_row *source = rd_plan_source(plan, row);
    int status = SPR_OK;
    rd_json_out_begin(out, NULL, '{');
    rd_json_out_text(out, "name", plan->names.items[row->region]);
    rd_json_out_integer(out, "rank", row->rank);
    if (source->source_file) rd_json_out_text(out, "source_file", source->source_file);
    if (source->source_line >= 0) rd_json_out_integer(out, "source_lineno", source->source_line);
    if (source->source_text) rd_json_out_text(out, "source_text", source->source_text);
    if (source->num_tags) {
        rd_json_out_begin(out, "tags", '[');
        for (size_t i = 0; i < source->num_tags; i++) rd_json_out_text(out, NULL, source->tags[i]);
        rd_json_out_end(out, ']');
    }
    if (plan->aggregate)
        write_aggregate(source, out);
    else
        status = write_calls(plan, row, out);
    rd_json_out_end(out, '}');
    return status;
}

static int compare_places(const void *a, const void *b) {
    const struct rd_plan_row *const *x = a, *const *y = b;
    if ((*x)->region != (*y)->region) return (*x)->region < (*y)->region ? -1 : 1;
    return (*x > *y) - (*x < *y); /* by rank */
}

/* Regions in the order of their names, each with its ranks ascending. */
static int write_regions(struct rd_plan *plan, struct rd_json_out *out) {
    const struct rd_plan_row **order = malloc((plan->num_rows + 1) * sizeof *order);
    if (!order) return rd_plan_fail(plan, SPR_NO_MEMORY, "not enough memory");
    for (size_t i = 0; i < plan->num_rows; i++) order[i] = &plan->rows[i];
    if (plan->num_rows) qsort(order, plan->num_rows, sizeof(const struct rd_plan_row *), compare_places);
    int status = SPR_OK;
    rd_json_out_begin(out, "regions", '[');
    for (size_t i = 0; status == SPR_OK && i < plan->num_rows; i++) status = write_region(plan, order[i], out);
    rd_json_out_end(out, ']');
    free(order);
    return status;
}

/* ---- metadata --------------------------------------------------------------------------------------------------- */

static void write_value(struct rd_json_out *out, const spr_value *value) {
    switch (value->kind) {
    case SPR_TEXT:
        rd_json_out_text(out, value->key, value->text);
        return;
    case SPR_INTEGER:
        rd_json_out_integer(out, value->key, value->integer);
        return;
    case SPR_REAL:
        rd_json_out_real(out, value->key, value->real);
        return;
    case SPR_TEXT_LIST:
        break;
    }
    rd_json_out_begin(out, value->key, '[');
    for (size_t i = 0; i < value->count; i++) rd_json_out_text(out, NULL, value->items[i]);
    rd_json_out_end(out, ']');
}

/* ---- tables: {"0": [records of rank 0], ...} -------------------------------------------------------------------- */

struct entry {
    uint32_t rank;
    size_t at;
};

static int compare_entries(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

struct table {
    const char *key;
    const void *records;
    size_t count, size, rank_offset;
    void (*write)(struct rd_json_out *out, const struct rd_plan *plan, const void *record);
};

static bool write_table(const struct rd_plan *plan, struct rd_json_out *out, const struct table *table) {
    if (!table->count) return true;
    struct entry *entries = malloc(table->count * sizeof *entries);
    if (!entries) return false;
    const char *records = table->records;
    for (size_t i = 0; i < table->count; i++)
        entries[i] =
            (struct entry){*(const uint32_t *)(const void *)(records + i * table->size + table->rank_offset), i};
    qsort(entries, table->count, sizeof *entries, compare_entries);
    rd_json_out_begin(out, table->key, '{');
    for (size_t i = 0; i < table->count; i++) {
        const bool first = i == 0 || entries[i].rank != entries[i - 1].rank;
        const bool last = i + 1 == table->count || entries[i].rank != entries[i + 1].rank;
        char rank[16];
        snprintf(rank, sizeof rank, "%u", entries[i].rank);
        if (first) rd_json_out_begin(out, rank, '[');
        rd_json_out_begin(out, NULL, '{');
        table->write(out, plan, records + entries[i].at * table->size);
        rd_json_out_end(out, '}');
        if (last) rd_json_out_end(out, ']');
    }
    rd_json_out_end(out, '}');
    free(entries);
    return true;
}

static void write_thread(struct rd_json_out *out, const struct rd_plan *plan, const void *record) {
    const spr_thread *thread = record;
    (void)plan;
    rd_json_out_integer(out, "index", thread->index);
    rd_json_out_text(out, "name", thread->name);
    rd_json_out_integer(out, "ident", thread->ident);
    rd_json_out_integer(out, "native_id", thread->native_id);
    rd_json_out_bool(out, "daemon", thread->daemon > 0);
    rd_json_out_integer(out, "start_ns", thread->start_ns);
    rd_json_out_integer(out, "end_ns", thread->end_ns);
    rd_json_out_integer(out, "cpu_ns", thread->cpu_ns);
}

static void write_task(struct rd_json_out *out, const struct rd_plan *plan, const void *record) {
    const spr_task *task = record;
    (void)plan;
    rd_json_out_integer(out, "index", task->index);
    rd_json_out_text(out, "kind", task->kind);
    rd_json_out_text(out, "name", task->name);
    rd_json_out_text(out, "coro_name", task->coro_name);
    rd_json_out_integer(out, "thread_index", task->thread_index);
    rd_json_out_integer(out, "created_ns", task->created_ns);
    rd_json_out_integer(out, "done_ns", task->done_ns);
    rd_json_out_integer(out, "steps", task->steps);
    rd_json_out_integer(out, "running_ns", task->running_ns);
    rd_json_out_integer(out, "suspended_ns", task->suspended_ns);
}

static void write_process(struct rd_json_out *out, const struct rd_plan *plan, const void *record) {
    const spr_process *process = record;
    (void)plan;
    rd_json_out_integer(out, "pid", process->pid);
    rd_json_out_integer(out, "parent_pid", process->parent_pid);
    rd_json_out_integer(out, "mpi_rank", process->mpi_rank);
    rd_json_out_integer(out, "node", process->node);
    rd_json_out_text(out, "command", process->command);
    rd_json_out_integer(out, "start_ns", process->start_ns);
    rd_json_out_integer(out, "end_ns", process->end_ns);
    rd_json_out_text(out, "ended", process->ended);
    rd_json_out_bool(out, "complete", process->complete);
    rd_json_out_integer(out, "incomplete_since_ns", process->incomplete_since_ns);
    rd_json_out_text(out, "problem", process->problem);
}

static void write_problem(struct rd_json_out *out, const struct rd_plan *plan, const void *record) {
    const struct rd_plan_problem *problem = record;
    if (problem->region >= 0) rd_json_out_text(out, "region", plan->names.items[problem->region]);
    rd_json_out_integer(out, "kind", problem->kind);
    rd_json_out_integer(out, "count", (int64_t)problem->count);
    rd_json_out_integer(out, "at_exit", problem->at_exit);
    rd_json_out_integer(out, "open_ns", problem->open_ns);
}

static void write_lines(struct rd_json_out *out, const struct rd_plan *plan, const void *record) {
    const spr_line_record *lines = record;
    (void)plan;
    rd_json_out_text(out, "region", lines->region);
    rd_json_out_text(out, "filename", lines->filename);
    rd_json_out_text(out, "function", lines->function);
    rd_json_out_integer(out, "first_lineno", lines->first_line);
    if (lines->source) {
        rd_json_out_text(out, "source", lines->source);
        rd_json_out_integer(out, "source_first_lineno", lines->source_first_line);
    }
    rd_json_out_integers_begin(out, "line_numbers");
    for (size_t i = 0; i < lines->num_lines; i++) rd_json_out_integers(out, &lines->lines[i].number, 1);
    rd_json_out_integers_end(out);
    rd_json_out_integers_begin(out, "hits");
    for (size_t i = 0; i < lines->num_lines; i++) rd_json_out_integers(out, &lines->lines[i].hits, 1);
    rd_json_out_integers_end(out);
    rd_json_out_begin(out, "times", '[');
    for (size_t i = 0; i < lines->num_lines; i++) rd_json_out_real(out, NULL, lines->lines[i].time);
    rd_json_out_end(out, ']');
    rd_json_out_real(out, "unit", lines->unit);
}

static int write_tables(const struct rd_plan *plan, struct rd_json_out *out) {
#define TABLE(key, records, count, type, write)                                                                        \
    { key, records, count, sizeof(type), offsetof(type, rank), write }
    const struct table tables[] = {
        TABLE("threads", plan->threads, plan->num_threads, spr_thread, write_thread),
        TABLE("tasks", plan->tasks, plan->num_tasks, spr_task, write_task),
        TABLE("line_profile", plan->lines, plan->num_lines, spr_line_record, write_lines),
        TABLE("processes", plan->processes, plan->num_processes, spr_process, write_process),
        TABLE("problems", plan->problems, plan->num_problems, struct rd_plan_problem, write_problem),
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (!write_table(plan, out, &tables[i])) return rd_plan_fail(plan, SPR_NO_MEMORY, "not enough memory");
    return SPR_OK;
}

/* ----------------------------------------------------------------------------------------------------------------- */

static int write_document(struct rd_plan *plan, struct rd_json_out *out) {
    rd_json_out_begin(out, NULL, '{');
    rd_json_out_text(out, "format", "scope-profiler-profile");
    rd_json_out_integer(out, "format_version", RD_NEWEST_JSON);
    rd_json_out_text(out, "exporter", "scope-profiler@" SCOPE_PROFILER_VERSION);
    rd_json_out_text(out, "time_unit", "nanoseconds");
    rd_json_out_integer(out, "num_ranks", plan->num_ranks);
    rd_json_out_bool(out, "event_data_available", !plan->aggregate);
    rd_json_out_begin(out, "metadata", '{');
    for (size_t i = 0; i < plan->num_metadata; i++) write_value(out, &plan->metadata[i]);
    rd_json_out_end(out, '}');
    int status = write_regions(plan, out);
    if (status == SPR_OK) status = write_tables(plan, out);
    rd_json_out_end(out, '}');
    return status;
}

int rd_write_json(struct rd_plan *plan, const char *temporary) {
    struct rd_json_out *out = malloc(sizeof *out);
    const size_t length = strlen(plan->path);
    const bool compress = length > 3 && strcasecmp(plan->path + length - 3, ".gz") == 0;
    if (!out) return rd_plan_fail(plan, SPR_NO_MEMORY, "not enough memory");
    if (plan->partial) {
        free(out);
        return rd_plan_fail(plan, SPR_CONFLICT, "JSON has no place for regions of which not every call was kept");
    }
    int status = SPR_OK;
    if (rd_json_out_open(out, temporary, compress, plan->options->indent)) {
        status = write_document(plan, out);
        const int error = rd_json_out_close(out);
        if (status == SPR_OK && error)
            status = rd_fail(plan->error, SPR_CANNOT_WRITE, plan->path, "cannot be written: %s", strerror(error));
    } else {
        status = rd_fail(plan->error, SPR_CANNOT_WRITE, plan->path, "cannot be written: %s", strerror(errno));
    }
    free(out);
    return status;
}
