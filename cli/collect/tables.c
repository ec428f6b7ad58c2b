#include "tables.h"
#include "metadata.h"
#include "problems.h"
#include "times.h"
#include <stdlib.h>
#include <string.h>

#define SCHEMA         3
#define COUNT(array)   (sizeof(array) / sizeof *(array))
#define GET(name)      static void name(const void *item, union cell *cell)
#define FIELD(type, f) (((const type *)item)->f)

size_t tables_number_regions(struct collection *c) {
    size_t count = 0;
    for (size_t i = 0; i < c->num_processes; i++)
        for (size_t k = 0; k < c->processes[i].num_rows; k++) {
            struct row *row = &c->processes[i].rows[k];
            if (!row_calls(row) && !row->unmatched) continue;
            if (!row->name->used) {
                row->name->used = true;
                row->name->index = (uint32_t)count++;
            }
            row->region = row->name->index;
        }
    return count;
}

/* ---- /region_table ---------------------------------------------------------------------------------------------- */

GET(region_name) { cell->text = *(const char *const *)item; }

static bool write_region_table(hid_t file, const struct collection *c, size_t count) {
    static const struct column columns[] = {{"names", COLUMN_TEXT, region_name}};
    const char **names = calloc(count + 1, sizeof *names);
    if (!names) return false;
    for (const struct name *name = c->regions.first; name; name = name->next)
        if (name->used) names[name->index] = name->text;
    bool good = columns_write(file, "region_table", columns, COUNT(columns), names, count, sizeof *names);
    free(names);
    return good;
}

/* ---- /rank_region_index ----------------------------------------------------------------------------------------- */

struct index_row {
    const struct process *process;
    const struct row *row;
};

static int64_t narrow(i128 value) {
    return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

GET(index_region) { cell->u32 = FIELD(struct index_row, row)->region; }
GET(index_rank) { cell->u32 = FIELD(struct index_row, process)->rank; }
GET(index_offset) { cell->u64 = FIELD(struct index_row, row)->offset; }
GET(index_count) { cell->u64 = FIELD(struct index_row, row)->calls; }
GET(index_line) { cell->i64 = FIELD(struct index_row, row)->line; }
GET(index_exclusive) {
    const struct index_row *r = item;
    const struct totals *sums = &r->row->sums;
    /* The process that added calls up has seen also those that were not kept, which were within others. */
    i128 own = sums->known && sums->calls == r->row->calls ? (i128)(sums->total - sums->inside) : r->row->exclusive;
    cell->i64 = r->process->overlap ? -1 : narrow(own < r->row->total ? own : r->row->total);
}
GET(index_file) {
    const struct row *row = FIELD(struct index_row, row);
    cell->text = row->file ? row->file->text : "";
}
GET(index_source) {
    const struct row *row = FIELD(struct index_row, row);
    cell->text = row->source ? row->source->text : "";
}
GET(index_tags) {
    const struct row *row = FIELD(struct index_row, row);
    cell->text = row->tags ? row->tags->text : "[]";
}

/* Statistics without single calls. A process that kept its calls beside one that did not has them too. */
static const struct totals *sums_of(const struct row *row) { return row->sums.known ? &row->sums : NULL; }
GET(sums_calls) { cell->u64 = row_calls(FIELD(struct index_row, row)); }
GET(sums_total) {
    const struct row *row = FIELD(struct index_row, row);
    cell->i64 = narrow(sums_of(row) ? (i128)row->sums.total : row->total);
}
GET(sums_minimum) {
    const struct row *row = FIELD(struct index_row, row);
    cell->i64 = sums_of(row) ? (int64_t)row->sums.minimum : row->minimum;
}
GET(sums_maximum) {
    const struct row *row = FIELD(struct index_row, row);
    cell->i64 = sums_of(row) ? (int64_t)row->sums.maximum : row->maximum;
}
GET(sums_exclusive) {
    const struct row *row = FIELD(struct index_row, row);
    cell->i64 = sums_of(row) ? narrow((i128)(row->sums.total - row->sums.inside)) : narrow(row->exclusive);
}

#define SUMS_COLUMNS                                                                                                   \
    {"aggregate_counts", COLUMN_U64, sums_calls}, {"aggregate_totals", COLUMN_I64, sums_total},                        \
        {"aggregate_minimums", COLUMN_I64, sums_minimum}, {"aggregate_maximums", COLUMN_I64, sums_maximum}, {          \
        "aggregate_exclusives", COLUMN_I64, sums_exclusive                                                             \
    }

static const struct column index_columns[] = {
    {"region_ids", COLUMN_U32, index_region},    {"ranks", COLUMN_U32, index_rank},
    {"event_offsets", COLUMN_U64, index_offset}, {"event_counts", COLUMN_U64, index_count},
    {"source_lines", COLUMN_I64, index_line},    {"exclusive_totals", COLUMN_I64, index_exclusive},
    {"source_files", COLUMN_TEXT, index_file},   {"source_texts", COLUMN_TEXT, index_source},
    {"tags", COLUMN_TEXT, index_tags},           SUMS_COLUMNS, /* only where some row has sums */
};
enum { NUM_SUMS_COLUMNS = 5 };

static const struct column aggregate_columns[] = {
    {"region_ids", COLUMN_U32, index_region},
    {"ranks", COLUMN_U32, index_rank},
    {"source_lines", COLUMN_I64, index_line},
    {"source_files", COLUMN_TEXT, index_file},
    {"source_texts", COLUMN_TEXT, index_source},
    {"tags", COLUMN_TEXT, index_tags},
    SUMS_COLUMNS,
};

struct summary {
    int64_t total, minimum, maximum, first, last, start_minimum, end_maximum;
    uint64_t gpu_count;
    int64_t gpu_total;
    double mean, m2;
};

/* The sum of squared deviations from exact integer sums: squares - total^2 / n. */
static double deviations(const struct row *row) {
    u128 total = row->total < 0 ? 0 : (u128)row->total, n = row->calls;
    if (total > UINT64_MAX || !n) return 0;
    u128 square = total * total;
    return (double)(row->squares - square / n) - (double)(square % n) / (double)n;
}

static struct summary summarize(const struct row *row) {
    double m2 = deviations(row);
    return (struct summary){
        .total = narrow(row->total),
        .minimum = row->minimum,
        .maximum = row->maximum,
        .first = row->first,
        .last = row->last,
        .start_minimum = row->first_start,
        .end_maximum = row->last_end,
        .mean = row->calls ? (double)row->total / (double)row->calls : 0,
        .m2 = m2 > 0 ? m2 : 0,
    };
}

static hid_t summary_type(hid_t integer, hid_t natural, hid_t real) {
    const struct {
        const char *name;
        size_t offset;
        hid_t type;
    } members[] = {
        {"total", offsetof(struct summary, total), integer},
        {"minimum", offsetof(struct summary, minimum), integer},
        {"maximum", offsetof(struct summary, maximum), integer},
        {"first", offsetof(struct summary, first), integer},
        {"last", offsetof(struct summary, last), integer},
        {"start_minimum", offsetof(struct summary, start_minimum), integer},
        {"end_maximum", offsetof(struct summary, end_maximum), integer},
        {"gpu_count", offsetof(struct summary, gpu_count), natural},
        {"gpu_total", offsetof(struct summary, gpu_total), integer},
        {"mean", offsetof(struct summary, mean), real},
        {"m2", offsetof(struct summary, m2), real},
    };
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct summary));
    for (size_t i = 0; i < COUNT(members); i++) H5Tinsert(type, members[i].name, members[i].offset, members[i].type);
    return type;
}

static bool write_summaries(hid_t file, const struct index_row *rows, size_t count) {
    struct summary *values = malloc((count + 1) * sizeof *values);
    hid_t group = H5Gopen2(file, "rank_region_index", H5P_DEFAULT);
    hid_t stored = summary_type(H5T_STD_I64LE, H5T_STD_U64LE, H5T_IEEE_F64LE);
    hid_t native = summary_type(H5T_NATIVE_INT64, H5T_NATIVE_UINT64, H5T_NATIVE_DOUBLE);
    for (size_t i = 0; values && i < count; i++) values[i] = summarize(rows[i].row);
    bool good = values && group >= 0 && column_write(group, "summary_statistics", stored, native, values, count);
    H5Tclose(native);
    H5Tclose(stored);
    if (group >= 0) good = H5Gclose(group) >= 0 && good;
    free(values);
    return good;
}

/* Columns that say nothing where there are no calls: readers expect them, with nothing in them. */
static bool write_empty(hid_t file) {
    const hid_t summary = summary_type(H5T_STD_I64LE, H5T_STD_U64LE, H5T_IEEE_F64LE);
    const struct {
        const char *name;
        hid_t type;
    } columns[] = {{"event_offsets", H5T_STD_U64LE},
                   {"event_counts", H5T_STD_U64LE},
                   {"exclusive_totals", H5T_STD_I64LE},
                   {"summary_statistics", summary}};
    hid_t group = H5Gopen2(file, "rank_region_index", H5P_DEFAULT);
    bool good = group >= 0;
    for (size_t i = 0; good && i < COUNT(columns); i++)
        good = column_write(group, columns[i].name, columns[i].type, columns[i].type, columns, 0);
    if (group >= 0) good = H5Gclose(group) >= 0 && good;
    H5Tclose(summary);
    return good;
}

static bool write_aggregate(hid_t file, const struct index_row *rows, size_t count) {
    return columns_write(file, "rank_region_index", aggregate_columns, COUNT(aggregate_columns), rows, count,
                         sizeof *rows) &&
           write_empty(file);
}

static bool write_columnar(hid_t file, const struct index_row *rows, size_t count) {
    bool sums = false;
    for (size_t i = 0; i < count; i++) sums |= rows[i].row->sums.known;
    return columns_write(file, "rank_region_index", index_columns, COUNT(index_columns) - (sums ? 0 : NUM_SUMS_COLUMNS),
                         rows, count, sizeof *rows) &&
           write_summaries(file, rows, count);
}

static bool write_index(hid_t file, const struct collection *c) {
    size_t count = 0, capacity = 1;
    for (size_t i = 0; i < c->num_processes; i++) capacity += c->processes[i].num_rows;
    struct index_row *rows = malloc(capacity * sizeof *rows);
    if (!rows) return false;
    for (size_t i = 0; i < c->num_processes; i++)
        for (size_t k = 0; k < c->processes[i].num_rows; k++)
            if (row_calls(&c->processes[i].rows[k]))
                rows[count++] = (struct index_row){&c->processes[i], &c->processes[i].rows[k]};
    bool good = (c->aggregate ? write_aggregate : write_columnar)(file, rows, count);
    free(rows);
    return good;
}

/* ---- /thread_table ---------------------------------------------------------------------------------------------- */

struct thread_row {
    const struct process *process;
    const struct thread *thread;
};

static int64_t thread_time(const struct thread_row *r, uint64_t ticks) { return clock_ns(&r->process->clock, ticks); }

GET(thread_rank) { cell->u32 = FIELD(struct thread_row, process)->rank; }
GET(thread_index) { cell->i64 = FIELD(struct thread_row, thread)->index; }
GET(thread_ident) { cell->i64 = FIELD(struct thread_row, thread)->ident; }
GET(thread_native) { cell->i64 = FIELD(struct thread_row, thread)->native_id; }
GET(thread_daemon) {
    (void)item;
    cell->i8 = 0;
}
GET(thread_start) {
    const struct thread_row *r = item;
    cell->i64 = r->thread->begin_tick ? thread_time(r, r->thread->begin_tick) : -1;
}
GET(thread_end) {
    const struct thread_row *r = item;
    bool ended = r->thread->end_tick && r->thread->end_tick >= r->thread->last_begin_tick;
    cell->i64 = ended ? thread_time(r, r->thread->end_tick) : -1;
}
GET(thread_cpu) { cell->i64 = FIELD(struct thread_row, thread)->cpu_ns; }
GET(thread_name) { cell->text = FIELD(struct thread_row, thread)->name; }

static const struct column thread_columns[] = {
    {"ranks", COLUMN_U32, thread_rank},   {"index", COLUMN_I64, thread_index},
    {"ident", COLUMN_I64, thread_ident},  {"native_id", COLUMN_I64, thread_native},
    {"daemon", COLUMN_I8, thread_daemon}, {"start_ns", COLUMN_I64, thread_start},
    {"end_ns", COLUMN_I64, thread_end},   {"cpu_ns", COLUMN_I64, thread_cpu},
    {"name", COLUMN_TEXT, thread_name},
};

static bool write_threads(hid_t file, const struct collection *c) {
    size_t count = 0, capacity = 1;
    if (!c->threads_column) return true;
    for (size_t i = 0; i < c->num_processes; i++) capacity += c->processes[i].num_threads;
    struct thread_row *rows = malloc(capacity * sizeof *rows);
    if (!rows) return false;
    for (size_t i = 0; i < c->num_processes; i++)
        for (const struct thread *t = c->processes[i].threads; t && t->calls; t = t->hh.next)
            rows[count++] = (struct thread_row){&c->processes[i], t};
    bool good = columns_write(file, "thread_table", thread_columns, COUNT(thread_columns), rows, count, sizeof *rows);
    free(rows);
    return good;
}

/* ---- /task_table ------------------------------------------------------------------------------------------------ */

struct task_row {
    const struct process *process;
    const struct task *task;
};

GET(task_rank) { cell->u32 = FIELD(struct task_row, process)->rank; }
GET(task_index) { cell->i64 = FIELD(struct task_row, task)->index; }
GET(task_thread) { cell->i64 = FIELD(struct task_row, task)->thread->index; }
GET(task_created) { cell->i64 = FIELD(struct task_row, task)->first_ns; }
GET(task_done) {
    const struct task *task = FIELD(struct task_row, task);
    cell->i64 = task->done ? task->last_ns : -1;
}
GET(task_steps) { cell->i64 = (int64_t)FIELD(struct task_row, task)->steps; }
GET(task_running) { cell->i64 = FIELD(struct task_row, task)->running_ns; }
GET(task_suspended) { cell->i64 = FIELD(struct task_row, task)->suspended_ns; }
GET(task_kind) {
    static const char *const kinds[] = {[SPOOL_TASK_ASYNCIO] = "asyncio", [SPOOL_TASK_GREENLET] = "greenlet"};
    const unsigned kind = FIELD(struct task_row, task)->kind;
    cell->text = kind < COUNT(kinds) && kinds[kind] ? kinds[kind] : "";
}
GET(task_name) {
    const struct task *task = FIELD(struct task_row, task);
    cell->text = task->name ? task->name : "";
}
GET(task_coro) {
    const struct task *task = FIELD(struct task_row, task);
    cell->text = task->coro ? task->coro : "";
}

static const struct column task_columns[] = {
    {"ranks", COLUMN_U32, task_rank},          {"index", COLUMN_I64, task_index},
    {"thread_index", COLUMN_I64, task_thread}, {"created_ns", COLUMN_I64, task_created},
    {"done_ns", COLUMN_I64, task_done},        {"steps", COLUMN_I64, task_steps},
    {"running_ns", COLUMN_I64, task_running},  {"suspended_ns", COLUMN_I64, task_suspended},
    {"kind", COLUMN_TEXT, task_kind},          {"name", COLUMN_TEXT, task_name},
    {"coro_name", COLUMN_TEXT, task_coro},
};

static bool write_tasks(hid_t file, const struct collection *c) {
    size_t count = 0, capacity = 1;
    if (!c->tasks_columns) return true;
    for (size_t i = 0; i < c->num_processes; i++) capacity += c->processes[i].num_tasks;
    struct task_row *rows = malloc(capacity * sizeof *rows);
    if (!rows) return false;
    for (size_t i = 0; i < c->num_processes; i++)
        for (const struct task *t = c->processes[i].tasks; t && t->calls; t = t->hh.next)
            rows[count++] = (struct task_row){&c->processes[i], t};
    bool good = columns_write(file, "task_table", task_columns, COUNT(task_columns), rows, count, sizeof *rows);
    free(rows);
    return good;
}

/* ---- /process_table --------------------------------------------------------------------------------------------- */

struct process_row {
    const struct process *process;
    int64_t start_ns, end_ns, incomplete_since_ns;
    const char *command, *ended;
    char ended_text[32], problem[256];
};

GET(process_rank) { cell->u32 = FIELD(struct process_row, process)->rank; }
GET(process_pid) { cell->i64 = FIELD(struct process_row, process)->info.pid; }
GET(process_parent) { cell->i64 = FIELD(struct process_row, process)->info.ppid; }
GET(process_mpi_rank) {
    const struct spool_process *info = &FIELD(struct process_row, process)->info;
    cell->i64 = info->mpi_initialized ? info->mpi_rank : -1;
}
GET(process_node) { cell->i64 = FIELD(struct process_row, process)->node; }
GET(process_start) { cell->i64 = FIELD(struct process_row, start_ns); }
GET(process_end) { cell->i64 = FIELD(struct process_row, end_ns); }
GET(process_since) { cell->i64 = FIELD(struct process_row, incomplete_since_ns); }
GET(process_complete) { cell->i8 = FIELD(struct process_row, problem)[0] == '\0'; }
GET(process_command) { cell->text = FIELD(struct process_row, command); }
GET(process_ended_as) { cell->text = FIELD(struct process_row, ended); }
GET(process_problem_text) { cell->text = FIELD(struct process_row, problem); }

static const struct column process_columns[] = {
    {"ranks", COLUMN_U32, process_rank},        {"pid", COLUMN_I64, process_pid},
    {"parent_pid", COLUMN_I64, process_parent}, {"mpi_rank", COLUMN_I64, process_mpi_rank},
    {"node", COLUMN_I64, process_node},         {"start_ns", COLUMN_I64, process_start},
    {"end_ns", COLUMN_I64, process_end},        {"incomplete_since_ns", COLUMN_I64, process_since},
    {"complete", COLUMN_I8, process_complete},  {"command", COLUMN_TEXT, process_command},
    {"ended", COLUMN_TEXT, process_ended_as},   {"problem", COLUMN_TEXT, process_problem_text},
};

static void describe(struct process_row *row, const struct collection *c, const struct process *p) {
    const char *slash = strrchr(p->info.program, '/');
    row->process = p;
    row->start_ns = process_start_ns(p);
    row->end_ns = p->running ? -1 : process_end_ns(c, p);
    row->command = slash ? slash + 1 : p->info.program;
    row->ended = process_ended(c, p, row->ended_text);
    process_problem(c, p, row->problem, sizeof row->problem, &row->incomplete_since_ns);
}

static bool write_processes(hid_t file, const struct collection *c) {
    size_t count = c->num_processes;
    struct process_row *rows = calloc(count + 1, sizeof *rows);
    if (!rows) return false;
    for (size_t i = 0; i < count; i++) describe(&rows[i], c, &c->processes[i]);
    bool good =
        columns_write(file, "process_table", process_columns, COUNT(process_columns), rows, count, sizeof *rows);
    free(rows);
    return good;
}

/* ---- /problem_table --------------------------------------------------------------------------------------------- */

GET(problem_rank) { cell->u32 = FIELD(struct problem, rank); }
GET(problem_region) { cell->i64 = FIELD(struct problem, region); }
GET(problem_kind) { cell->u32 = FIELD(struct problem, kind); }
GET(problem_count) { cell->u64 = FIELD(struct problem, count); }
GET(problem_at_exit) { cell->i64 = FIELD(struct problem, at_exit); }
GET(problem_open) { cell->i64 = FIELD(struct problem, open_ns); }

static const struct column problem_columns[] = {
    {"ranks", COLUMN_U32, problem_rank},      {"region_ids", COLUMN_I64, problem_region},
    {"kinds", COLUMN_U32, problem_kind},      {"counts", COLUMN_U64, problem_count},
    {"at_exit", COLUMN_I64, problem_at_exit}, {"open_ns", COLUMN_I64, problem_open},
};

static bool write_problems(hid_t file, const struct collection *c) {
    size_t count;
    struct problem *problems = problems_list(c, &count);
    bool good = problems != NULL;
    if (good && count)
        good = columns_write(file, "problem_table", problem_columns, COUNT(problem_columns), problems, count,
                             sizeof *problems);
    free(problems);
    return good;
}

/* ---- attributes ------------------------------------------------------------------------------------------------- */

static bool write_metadata(hid_t file, const struct collection *c) {
    struct metadata m;
    hid_t group = H5Gcreate2(file, "metadata", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = metadata_make(&m, c) && group >= 0;
    for (size_t i = 0; good && i < m.count; i++) {
        const struct attribute *a = &m.attributes[i];
        good = a->texts     ? attribute_write_texts(group, a->key, (const char *const *)a->texts, a->num_texts)
               : a->text    ? attribute_write_text(group, a->key, a->text)
               : a->is_real ? attribute_write_real(group, a->key, a->real)
                            : attribute_write_integer(group, a->key, a->integer);
    }
    if (group >= 0) good = H5Gclose(group) >= 0 && good;
    metadata_free(&m);
    return good;
}

bool tables_write(hid_t file, struct collection *c, size_t num_regions) {
    return attribute_write_integer(file, "scope_profiler_schema", SCHEMA) &&
           attribute_write_text(file, "storage_layout", c->aggregate ? "aggregate" : "columnar") &&
           write_metadata(file, c) && write_region_table(file, c, num_regions) && write_index(file, c) &&
           write_threads(file, c) && write_tasks(file, c) && write_processes(file, c) && write_problems(file, c);
}

uint64_t tables_estimate(const struct collection *c) {
    uint64_t bytes = (256u << 10) + 2 * (c->regions.bytes + c->texts.bytes);
    const char *environment = c->session.full_metadata ? c->processes[0].environment : NULL;
    for (; environment && *environment; environment += strlen(environment) + 1) bytes += 3 * strlen(environment) + 256;
    for (size_t i = 0; i < c->num_processes; i++)
        bytes += 2048 + c->processes[i].num_rows * 1024 + c->processes[i].num_threads * 256 +
                 c->processes[i].num_tasks * 512;
    return bytes;
}
