/* /mpi: its tables. */
#include "columns.h"
#include "mpi_internal.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define GET(name)    static void name(const void *item, union cell *cell)
#define OF(type, f)  (((const type *)item)->f)

/* ---- tables -------------------------------------------------------------------------------------------------------
 */

GET(part_rank) { cell->u32 = OF(struct mpi_part, rank); }
GET(part_calls_from) { cell->u64 = OF(struct mpi_part, calls_from); }
GET(part_calls) { cell->u64 = OF(struct mpi_part, calls); }
GET(part_done_from) { cell->u64 = OF(struct mpi_part, completions_from); }
GET(part_done) { cell->u64 = OF(struct mpi_part, completions); }
GET(part_gaps) { cell->u64 = OF(struct mpi_part, gaps); }
static const struct column part_columns[] = {
    {"ranks", COLUMN_U32, part_rank},
    {"call_offsets", COLUMN_U64, part_calls_from},
    {"call_counts", COLUMN_U64, part_calls},
    {"completion_offsets", COLUMN_U64, part_done_from},
    {"completion_counts", COLUMN_U64, part_done},
    {"gaps", COLUMN_U64, part_gaps},
};

GET(function_rank) { cell->u32 = OF(struct mpi_function, key.rank); }
GET(function_region) { cell->u32 = OF(struct mpi_function, key.row)->region; }
GET(function_site) { cell->u32 = OF(struct mpi_function, key.site); }
GET(function_calls) { cell->u64 = OF(struct mpi_function, calls); }
GET(function_polls) { cell->u64 = OF(struct mpi_function, polls); }
GET(function_total) { cell->u64 = OF(struct mpi_function, total); }
GET(function_minimum) { cell->i64 = OF(struct mpi_function, minimum); }
GET(function_maximum) { cell->i64 = OF(struct mpi_function, maximum); }
GET(function_sends) { cell->u64 = OF(struct mpi_function, messages_sent); }
GET(function_sent) { cell->u64 = OF(struct mpi_function, sent); }
GET(function_receives) { cell->u64 = OF(struct mpi_function, messages_received); }
GET(function_received) { cell->u64 = OF(struct mpi_function, received); }
static const struct column function_columns[] = {
    {"ranks", COLUMN_U32, function_rank},
    {"region_ids", COLUMN_U32, function_region},
    {"sites", COLUMN_U32, function_site},
    {"calls", COLUMN_U64, function_calls},
    {"polls", COLUMN_U64, function_polls},
    {"totals", COLUMN_U64, function_total},
    {"minima", COLUMN_I64, function_minimum},
    {"maxima", COLUMN_I64, function_maximum},
    {"messages_sent", COLUMN_U64, function_sends},
    {"bytes_sent", COLUMN_U64, function_sent},
    {"messages_received", COLUMN_U64, function_receives},
    {"bytes_received", COLUMN_U64, function_received},
};

GET(traffic_rank) { cell->u32 = OF(struct mpi_traffic, key.rank); }
GET(traffic_region) { cell->u32 = OF(struct mpi_traffic, key.row)->region; }
GET(traffic_site) { cell->u32 = OF(struct mpi_traffic, key.site); }
GET(traffic_peer) { cell->i64 = OF(struct mpi_traffic, key.peer); }
GET(traffic_sends) { cell->u64 = OF(struct mpi_traffic, messages_sent); }
GET(traffic_sent) { cell->u64 = OF(struct mpi_traffic, sent); }
GET(traffic_receives) { cell->u64 = OF(struct mpi_traffic, messages_received); }
GET(traffic_received) { cell->u64 = OF(struct mpi_traffic, received); }
static const struct column traffic_columns[] = {
    {"ranks", COLUMN_U32, traffic_rank},
    {"region_ids", COLUMN_U32, traffic_region},
    {"sites", COLUMN_U32, traffic_site},
    {"peers", COLUMN_I64, traffic_peer},
    {"messages_sent", COLUMN_U64, traffic_sends},
    {"bytes_sent", COLUMN_U64, traffic_sent},
    {"messages_received", COLUMN_U64, traffic_receives},
    {"bytes_received", COLUMN_U64, traffic_received},
};

GET(size_rank) { cell->u32 = OF(struct mpi_size, key.rank); }
GET(size_region) { cell->u32 = OF(struct mpi_size, key.row)->region; }
GET(size_bucket) { cell->u32 = OF(struct mpi_size, key.bucket); }
GET(size_messages) { cell->u64 = OF(struct mpi_size, messages); }
GET(size_bytes) { cell->u64 = OF(struct mpi_size, bytes); }
static const struct column size_columns[] = {
    {"ranks", COLUMN_U32, size_rank},     {"region_ids", COLUMN_U32, size_region},
    {"buckets", COLUMN_U32, size_bucket}, {"messages", COLUMN_U64, size_messages},
    {"bytes", COLUMN_U64, size_bytes},
};

GET(site_object) { cell->text = OF(struct mpi_site, object); }
GET(site_symbol) { cell->text = OF(struct mpi_site, symbol); }
GET(site_file) { cell->text = OF(struct mpi_site, file) ? OF(struct mpi_site, file) : ""; }
GET(site_line) { cell->i64 = OF(struct mpi_site, line); }
GET(site_offset) { cell->u64 = OF(struct mpi_site, offset); }
static const struct column site_columns[] = {
    {"objects", COLUMN_TEXT, site_object}, {"symbols", COLUMN_TEXT, site_symbol}, {"files", COLUMN_TEXT, site_file},
    {"lines", COLUMN_I64, site_line},      {"offsets", COLUMN_U64, site_offset},
};

/* ---- communicators and their members ------------------------------------------------------------------------------
 */

struct comm_row {
    const struct mpi_comm *comm;
    uint64_t runs_from;
};
struct run_row {
    struct spool_mpi_run run;
};

GET(comm_name) { cell->text = OF(struct comm_row, comm)->name ? OF(struct comm_row, comm)->name->text : ""; }
GET(comm_size) { cell->i64 = OF(struct comm_row, comm)->local.size; }
GET(comm_remote) { cell->i64 = OF(struct comm_row, comm)->remote.size; }
GET(comm_runs_from) { cell->u64 = OF(struct comm_row, runs_from); }
GET(comm_runs) { cell->u32 = OF(struct comm_row, comm)->local.num_runs; }
GET(comm_remote_runs) { cell->u32 = OF(struct comm_row, comm)->remote.num_runs; }
static const struct column comm_columns[] = {
    {"names", COLUMN_TEXT, comm_name},         {"sizes", COLUMN_I64, comm_size},
    {"remote_sizes", COLUMN_I64, comm_remote}, {"run_offsets", COLUMN_U64, comm_runs_from},
    {"run_counts", COLUMN_U32, comm_runs},     {"remote_run_counts", COLUMN_U32, comm_remote_runs},
};
GET(run_first) { cell->i64 = OF(struct run_row, run).first; }
GET(run_stride) { cell->i64 = OF(struct run_row, run).stride; }
GET(run_count) { cell->i64 = OF(struct run_row, run).count; }
static const struct column run_columns[] = {
    {"first", COLUMN_I64, run_first}, {"stride", COLUMN_I64, run_stride}, {"count", COLUMN_I64, run_count}};

static void put_runs(struct run_row *rows, uint64_t *at, const struct members *members) {
    for (uint32_t i = 0; i < members->num_runs; i++) rows[(*at)++].run = members->runs[i];
}

static bool write_comms(hid_t group, const struct mpi_comms *comms) {
    uint64_t runs = 0, at = 0, count = 0;
    for (const struct mpi_comm *c = comms->table; c; c = c->hh.next) runs += c->local.num_runs + c->remote.num_runs;
    struct comm_row *rows = calloc(comms->count + 1, sizeof *rows);
    struct run_row *run_rows = calloc(runs + 1, sizeof *run_rows);
    for (const struct mpi_comm *c = comms->table; rows && run_rows && c; c = c->hh.next) {
        rows[count++] = (struct comm_row){c, at};
        put_runs(run_rows, &at, &c->local);
        put_runs(run_rows, &at, &c->remote);
    }
    const bool good =
        rows && run_rows &&
        columns_write(group, "communicators", comm_columns, COUNT(comm_columns), rows, comms->count, sizeof *rows) &&
        columns_write(group, "members", run_columns, COUNT(run_columns), run_rows, runs, sizeof *run_rows);
    free(rows);
    free(run_rows);
    return good;
}

/* One row a process that made calls. */
static bool write_parts(hid_t group, const struct mpi *m) {
    struct mpi_part *parts = calloc(m->c->num_processes + 1, sizeof *parts);
    size_t count = 0;
    for (size_t i = 0; parts && i < m->c->num_processes; i++) {
        const struct mpi_process *of = &m->processes[i];
        if (!of->calls.count) continue; /* what has no call has no completion */
        parts[count++] = (struct mpi_part){.rank = of->process->rank,
                                           .calls_from = of->calls.from,
                                           .calls = of->calls.count,
                                           .completions_from = of->completions.from,
                                           .completions = of->completions.count,
                                           .gaps = of->gaps};
    }
    const bool good =
        parts && columns_write(group, "ranks", part_columns, COUNT(part_columns), parts, count, sizeof *parts);
    free(parts);
    return good;
}

/* The items of the processes' hash tables, process after process, as one table of the file. */
#define WRITE_SUMS(group, name, m, table, type, columns)                                                               \
    ({                                                                                                                 \
        size_t count = 0;                                                                                              \
        for (size_t i = 0; i < (m)->c->num_processes; i++) count += HASH_COUNT((m)->processes[i].sums.table);          \
        type *rows = malloc((count + 1) * sizeof *rows), *next = rows;                                                 \
        for (size_t i = 0; rows && i < (m)->c->num_processes; i++)                                                     \
            for (const type *item = (m)->processes[i].sums.table; item; item = item->hh.next) *next++ = *item;         \
        bool written = rows && columns_write(group, name, columns, COUNT(columns), rows, count, sizeof *rows);         \
        free(rows);                                                                                                    \
        written;                                                                                                       \
    })

static bool write_sums(hid_t group, const struct mpi *m) {
    return __extension__ WRITE_SUMS(group, "functions", m, functions, struct mpi_function, function_columns) &&
           __extension__ WRITE_SUMS(group, "traffic", m, traffic, struct mpi_traffic, traffic_columns) &&
           __extension__ WRITE_SUMS(group, "sizes", m, sizes, struct mpi_size, size_columns);
}

static bool write_sites(hid_t group, const struct mpi_sites *sites) {
    struct mpi_site *rows = malloc((sites->count + 1) * sizeof *rows), *next = rows;
    for (const struct mpi_site *site = sites->table; rows && site; site = site->hh.next) *next++ = *site;
    const bool good =
        rows && columns_write(group, "sites", site_columns, COUNT(site_columns), rows, sites->count, sizeof *rows);
    free(rows);
    return good;
}

uint64_t mpi_bytes(const struct mpi *m) {
    uint64_t rows = m->sites.count + m->comms.count, bytes = 0;
    if (mpi_lists_empty(m)) return 0;
    for (const struct mpi_comm *c = m->comms.table; c; c = c->hh.next) rows += c->local.num_runs + c->remote.num_runs;
    for (size_t i = 0; i < m->c->num_processes; i++) {
        const struct mpi_process *of = &m->processes[i];
        rows += HASH_COUNT(of->sums.functions) + HASH_COUNT(of->sums.traffic) + HASH_COUNT(of->sums.sizes);
        bytes += of->calls.count * sizeof(struct mpi_row) + of->completions.count * sizeof(struct mpi_completion);
    }
    return bytes + rows * 256 + (256u << 10);
}

bool mpi_write(struct mpi *m, hid_t file, int compress, int fd) {
    if (mpi_lists_empty(m)) return true;
    mpi_lines_find(&m->sites);
    hid_t group = H5Gcreate2(file, "mpi", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = group >= 0 && mpi_lists_write(m, group, compress, fd) && write_parts(group, m) &&
                write_sums(group, m) && write_sites(group, &m->sites) && write_comms(group, &m->comms);
    if (group >= 0) good = H5Gclose(group) >= 0 && good;
    return good;
}
