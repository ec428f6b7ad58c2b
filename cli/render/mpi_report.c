#include "mpi_report.h"

#include "base/memory.h"
#include "numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS            1e-9
#define WIDEST_MATRIX MPI_REPORT_RANKS /* a bigger one is shown as its greatest pairs */
#define COUNT(array)  (sizeof(array) / sizeof *(array))

/* ---- reading ------------------------------------------------------------------------------------------------------
 */

static bool selected(const struct mpi_report *report, uint32_t rank) {
    return !report->selection || spr_selects_rank(report->selection, rank);
}

static bool calls_mpi(const struct mpi_report *report, uint32_t rank) {
    for (size_t i = 0; i < report->mpi.num_functions; i++)
        if (report->mpi.functions[i].rank == rank) return true;
    return false;
}

/* Time of the ranks that called MPI, from begin to end. */
static double find_run_seconds(const struct mpi_report *report) {
    double sum = 0;
    for (size_t i = 0; i < spr_num_processes(report->profile); i++) {
        const spr_process *p = spr_process_at(report->profile, i);
        if (selected(report, p->rank) && p->end_ns > p->start_ns && (p->mpi_rank >= 0 || calls_mpi(report, p->rank)))
            sum += (double)(p->end_ns - p->start_ns) * NS;
    }
    return sum > 0 ? sum : (double)NAN;
}

int mpi_report_open(struct mpi_report *report, spr_profile *profile, const spr_selection *selection, bool waits,
                    spr_error *error) {
    *report = (struct mpi_report){.profile = profile, .selection = selection};
    int status = spr_mpi_read(profile, &report->mpi, error);
    if (!status && waits) status = spr_mpi_waits_read(profile, &report->mpi, &report->waits, error);
    report->has_waits = !status && waits;
    report->run_seconds = find_run_seconds(report);
    for (size_t i = 0; i < report->mpi.num_functions; i++)
        if (selected(report, report->mpi.functions[i].rank))
            report->mpi_seconds += (double)report->mpi.functions[i].total_ns * NS;
    return status;
}

void mpi_report_close(struct mpi_report *report) {
    spr_mpi_free(&report->mpi);
    spr_mpi_waits_free(&report->waits);
}

/* ---- cells --------------------------------------------------------------------------------------------------------
 */

static char *bytes_cell(uint64_t bytes, bool whole) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (whole) return xformat("%" PRIu64, bytes);
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1024 && unit + 1 < COUNT(units)) value /= 1024, unit++;
    return unit ? xformat("%.1f %s", value, units[unit]) : xformat("%" PRIu64 " B", bytes);
}

static char *count_cell(uint64_t count, bool whole) { return whole ? xformat("%" PRIu64, count) : number_count(count); }

static char *seconds_cell(int64_t ns, bool whole) {
    return whole ? xformat("%.9f", (double)ns * NS) : number_total((double)ns * NS);
}

static char *share_cell(double part, double whole_of, bool whole) {
    if (!(whole_of > 0)) return xcopy("-");
    return whole ? xformat("%.4f", 100 * part / whole_of) : number_percent(100 * part / whole_of);
}

static char *mean_cell(uint64_t bytes, uint64_t messages, bool whole) {
    if (!messages) return xcopy("-");
    if (whole) return xformat("%.3f", (double)bytes / (double)messages);
    return bytes_cell(bytes / messages, false);
}

static char *name_cell(const struct mpi_report *report, size_t region, bool whole) {
    const char *name = spr_region_name(report->profile, region);
    return whole ? xcopy(name) : text_shown(name);
}

static char *site_cell(const struct mpi_report *report, uint32_t number) {
    if (!number) return xcopy("-");
    const spr_mpi_site *site = &report->mpi.sites[number - 1];
    char *text;
    if (site->line > 0)
        text = xformat("%s:%" PRId64 "%s%s", site->file, site->line, site->symbol[0] ? " " : "", site->symbol);
    else if (site->symbol[0])
        text = xformat("%s %s", site->object, site->symbol);
    else
        text = xformat("%s+0x%" PRIx64, site->object, (uint64_t)site->offset);
    char *shown = text_shown(text);
    free(text);
    return shown;
}

/* ---- functions and call sites ---------------------------------------------------------------------------------------
 */

static int by_region_and_site(const void *a, const void *b) {
    const spr_mpi_function *x = a, *y = b;
    if (x->region != y->region) return x->region < y->region ? -1 : 1;
    return (x->site > y->site) - (x->site < y->site);
}

static int by_time(const void *a, const void *b) {
    const spr_mpi_function *x = a, *y = b;
    return (x->total_ns < y->total_ns) - (x->total_ns > y->total_ns);
}

static void add_function(spr_mpi_function *sum, const spr_mpi_function *one) {
    sum->calls += one->calls;
    sum->polls += one->polls;
    sum->total_ns += one->total_ns;
    if (one->minimum_ns < sum->minimum_ns) sum->minimum_ns = one->minimum_ns;
    if (one->maximum_ns > sum->maximum_ns) sum->maximum_ns = one->maximum_ns;
    sum->messages_sent += one->messages_sent;
    sum->bytes_sent += one->bytes_sent;
    sum->messages_received += one->messages_received;
    sum->bytes_received += one->bytes_received;
}

/* Over the selected ranks, longest first; free() them. */
static spr_mpi_function *sum_functions(const struct mpi_report *report, bool by_site, size_t *count) {
    const spr_mpi *mpi = &report->mpi;
    spr_mpi_function *sums = xalloc(mpi->num_functions + 1, sizeof *sums);
    size_t all = 0, kept = 0;
    for (size_t i = 0; i < mpi->num_functions; i++) {
        if (!selected(report, mpi->functions[i].rank)) continue;
        sums[all] = mpi->functions[i];
        if (!by_site) sums[all].site = 0;
        all++;
    }
    qsort(sums, all, sizeof *sums, by_region_and_site);
    for (size_t i = 0; i < all; i++) {
        const spr_mpi_function one = sums[i];
        if (kept && !by_region_and_site(&sums[kept - 1], &one))
            add_function(&sums[kept - 1], &one);
        else
            sums[kept++] = one;
    }
    qsort(sums, kept, sizeof *sums, by_time);
    *count = kept;
    return sums;
}

struct table mpi_report_functions(const struct mpi_report *report, bool by_site, bool whole) {
    static const char *const shown[] = {"function", "call site", "calls",    "time [s]",    "% MPI",
                                        "% run",    "sent",      "received", "mean message"};
    static const char *const plain[] = {"function",     "call_site",      "calls",
                                        "time_seconds", "mpi_percent",    "run_percent",
                                        "bytes_sent",   "bytes_received", "mean_message_bytes"};
    static const char *shown_functions[COUNT(shown) - 1], *plain_functions[COUNT(plain) - 1];
    for (size_t i = 0, k = 0; i < COUNT(shown); i++)
        if (i != 1) shown_functions[k] = shown[i], plain_functions[k++] = plain[i];
    const char *const *headers = by_site ? (whole ? plain : shown) : (whole ? plain_functions : shown_functions);
    struct table table = table_make(headers, COUNT(shown) - !by_site);
    size_t count;
    spr_mpi_function *sums = sum_functions(report, by_site, &count);
    for (size_t i = 0; i < count; i++) {
        const spr_mpi_function *f = &sums[i];
        const double seconds = (double)f->total_ns * NS;
        char *cells[COUNT(shown)];
        size_t at = 0;
        cells[at++] = name_cell(report, f->region, whole);
        if (by_site) cells[at++] = site_cell(report, f->site);
        cells[at++] = count_cell(f->calls, whole);
        cells[at++] = seconds_cell(f->total_ns, whole);
        cells[at++] = share_cell(seconds, report->mpi_seconds, whole);
        cells[at++] = share_cell(seconds, report->run_seconds, whole);
        cells[at++] = f->messages_sent ? bytes_cell(f->bytes_sent, whole) : xcopy("-");
        cells[at++] = f->messages_received ? bytes_cell(f->bytes_received, whole) : xcopy("-");
        cells[at++] = f->messages_sent ? mean_cell(f->bytes_sent, f->messages_sent, whole)
                                       : mean_cell(f->bytes_received, f->messages_received, whole);
        table_row(&table, cells);
    }
    free(sums);
    return table;
}

/* ---- sizes --------------------------------------------------------------------------------------------------------
 */

static int by_region_and_bucket(const void *a, const void *b) {
    const spr_mpi_size *x = a, *y = b;
    if (x->region != y->region) return x->region < y->region ? -1 : 1;
    return (x->bucket > y->bucket) - (x->bucket < y->bucket);
}

struct table mpi_report_sizes(const struct mpi_report *report, bool whole) {
    static const char *const shown[] = {"function", "message size", "messages", "bytes"};
    static const char *const plain[] = {"function", "from_bytes", "messages", "bytes"};
    struct table table = table_make(whole ? plain : shown, COUNT(shown));
    const spr_mpi *mpi = &report->mpi;
    spr_mpi_size *sums = xalloc(mpi->num_sizes + 1, sizeof *sums);
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < mpi->num_sizes; i++)
        if (selected(report, mpi->sizes[i].rank)) sums[count++] = mpi->sizes[i];
    qsort(sums, count, sizeof *sums, by_region_and_bucket);
    for (size_t i = 0; i < count; i++) {
        const spr_mpi_size one = sums[i];
        if (kept && !by_region_and_bucket(&sums[kept - 1], &one)) {
            sums[kept - 1].messages += one.messages;
            sums[kept - 1].bytes += one.bytes;
        } else {
            sums[kept++] = one;
        }
    }
    for (size_t i = 0; i < kept; i++) {
        const uint64_t from = sums[i].bucket ? UINT64_C(1) << (sums[i].bucket - 1) : 0;
        char *low = bytes_cell(from, whole), *high = bytes_cell(from ? 2 * from - 1 : 0, false);
        char *range = whole || sums[i].bucket < 2 ? xcopy(low) : xformat("%s - %s", low, high);
        char *cells[] = {name_cell(report, sums[i].region, whole), range, count_cell(sums[i].messages, whole),
                         bytes_cell(sums[i].bytes, whole)};
        table_row(&table, cells);
        free(low);
        free(high);
    }
    free(sums);
    return table;
}

/* ---- the matrix ---------------------------------------------------------------------------------------------------
 */

static int by_pair(const void *a, const void *b) {
    const spr_mpi_traffic *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->peer > y->peer) - (x->peer < y->peer);
}

static int by_bytes(const void *a, const void *b) {
    const spr_mpi_traffic *x = a, *y = b;
    return (x->bytes_sent < y->bytes_sent) - (x->bytes_sent > y->bytes_sent);
}

/* What was sent, by sender and receiver; free() it. */
static spr_mpi_traffic *sum_pairs(const struct mpi_report *report, size_t *count) {
    const spr_mpi *mpi = &report->mpi;
    spr_mpi_traffic *pairs = xalloc(mpi->num_traffic + 1, sizeof *pairs);
    size_t all = 0, kept = 0;
    for (size_t i = 0; i < mpi->num_traffic; i++)
        if (selected(report, mpi->traffic[i].rank) && mpi->traffic[i].messages_sent) pairs[all++] = mpi->traffic[i];
    qsort(pairs, all, sizeof *pairs, by_pair);
    for (size_t i = 0; i < all; i++) {
        const spr_mpi_traffic one = pairs[i];
        if (kept && !by_pair(&pairs[kept - 1], &one)) {
            pairs[kept - 1].bytes_sent += one.bytes_sent;
            pairs[kept - 1].messages_sent += one.messages_sent;
        } else {
            pairs[kept++] = one;
        }
    }
    *count = kept;
    return pairs;
}

static char *rank_cell(int64_t rank) { return rank < 0 ? xcopy("unknown") : xformat("%" PRId64, rank); }

static struct table list_pairs(const spr_mpi_traffic *pairs, size_t count, bool whole) {
    static const char *const shown[] = {"from rank", "to rank", "messages", "bytes"};
    static const char *const plain[] = {"from_rank", "to_rank", "messages", "bytes"};
    struct table table = table_make(whole ? plain : shown, COUNT(shown));
    for (size_t i = 0; i < count; i++) {
        char *cells[] = {rank_cell(pairs[i].rank), rank_cell(pairs[i].peer), count_cell(pairs[i].messages_sent, whole),
                         bytes_cell(pairs[i].bytes_sent, whole)};
        table_row(&table, cells);
    }
    return table;
}

/* Rows: the selected ranks. Columns: all ranks, and where something went to none of them, that. */
static struct table make_square(const struct mpi_report *report, const spr_mpi_traffic *pairs, size_t count) {
    static char names[WIDEST_MATRIX][8];
    static const char *headers[WIDEST_MATRIX + 2] = {"from \\ to"};
    const uint32_t ranks = spr_num_ranks(report->profile);
    bool unknown = false;
    for (size_t i = 0; i < count; i++) unknown = unknown || pairs[i].peer < 0;
    for (size_t i = 0; i < ranks; i++) {
        snprintf(names[i], sizeof names[i], "%zu", i);
        headers[i + 1] = names[i];
    }
    headers[ranks + 1] = "unknown";
    const size_t columns = ranks + 1 + unknown;
    struct table table = table_make(headers, columns);
    size_t at = 0;
    for (uint32_t from = 0; from < ranks; from++) {
        if (!selected(report, from)) continue;
        char *cells[WIDEST_MATRIX + 2];
        cells[0] = xformat("%" PRIu32, from);
        uint64_t elsewhere = 0;
        for (size_t to = 1; to < columns; to++) cells[to] = NULL;
        for (; at < count && pairs[at].rank == from; at++) {
            if (pairs[at].peer < 0)
                elsewhere += pairs[at].bytes_sent;
            else if (pairs[at].peer < (int64_t)ranks)
                cells[pairs[at].peer + 1] = bytes_cell(pairs[at].bytes_sent, false);
        }
        if (elsewhere) cells[ranks + 1] = bytes_cell(elsewhere, false);
        for (size_t to = 1; to < columns; to++)
            if (!cells[to]) cells[to] = xcopy("");
        table_row(&table, cells);
    }
    return table;
}

struct table mpi_report_matrix(const struct mpi_report *report, bool whole) {
    size_t count;
    spr_mpi_traffic *pairs = sum_pairs(report, &count);
    struct table table;
    if (whole || spr_num_ranks(report->profile) > WIDEST_MATRIX) {
        if (!whole) qsort(pairs, count, sizeof *pairs, by_bytes);
        table = list_pairs(pairs, count, whole);
    } else {
        table = make_square(report, pairs, count);
    }
    free(pairs);
    return table;
}

/* ---- waits --------------------------------------------------------------------------------------------------------
 */

static int64_t all_waits(const spr_mpi_wait *w) {
    int64_t sum = 0;
    for (int k = 0; k < SPR_MPI_WAIT_KINDS; k++) sum += w->wait_ns[k];
    return sum;
}

static int by_wait(const void *a, const void *b) {
    const spr_mpi_wait *const *x = a, *const *y = b;
    const int64_t p = all_waits(*x), q = all_waits(*y);
    return p != q ? (p < q ? 1 : -1) : (*x > *y) - (*x < *y);
}

static int by_cause(const void *a, const void *b) {
    const spr_mpi_cause *const *x = a, *const *y = b;
    return (*x)->wait_ns != (*y)->wait_ns ? ((*x)->wait_ns < (*y)->wait_ns ? 1 : -1) : (*x > *y) - (*x < *y);
}

/* The rows of the selected ranks; free() them. */
#define SELECT(type, rows, num_rows, count)                                                                            \
    __extension__({                                                                                                    \
        const type **chosen = xalloc((num_rows) + 1, sizeof *chosen);                                                  \
        *(count) = 0;                                                                                                  \
        for (size_t i = 0; i < (num_rows); i++)                                                                        \
            if (selected(report, (rows)[i].rank)) chosen[(*(count))++] = &(rows)[i];                                   \
        chosen;                                                                                                        \
    })

struct table mpi_report_waits(const struct mpi_report *report, bool whole) {
    static const char *const shown[] = {"rank",        "function",    "calls",         "waiting [s]",
                                        "last member", "late sender", "late receiver", "moving [s]"};
    static const char *const plain[] = {"rank",
                                        "function",
                                        "calls",
                                        "wait_seconds",
                                        "collective_wait_seconds",
                                        "late_sender_seconds",
                                        "late_receiver_seconds",
                                        "moving_seconds"};
    struct table table = table_make(whole ? plain : shown, COUNT(shown));
    size_t count;
    const spr_mpi_wait **rows = SELECT(spr_mpi_wait, report->waits.rows, report->waits.num_rows, &count);
    if (!whole && spr_num_ranks(report->profile) > MPI_REPORT_RANKS) qsort(rows, count, sizeof *rows, by_wait);
    for (size_t i = 0; i < count; i++) {
        const spr_mpi_wait *w = rows[i];
        char *cells[] = {rank_cell(w->rank),
                         name_cell(report, w->region, whole),
                         count_cell(w->calls, whole),
                         seconds_cell(all_waits(w), whole),
                         seconds_cell(w->wait_ns[SPR_MPI_COLLECTIVE], whole),
                         seconds_cell(w->wait_ns[SPR_MPI_LATE_SENDER], whole),
                         seconds_cell(w->wait_ns[SPR_MPI_LATE_RECEIVER], whole),
                         seconds_cell(w->matched_ns - all_waits(w), whole)};
        table_row(&table, cells);
    }
    free(rows);
    return table;
}

/* A rank that others waited for. */
struct blame {
    uint32_t rank, waiting; /* waiting: how many did */
    int64_t wait_ns;
};

struct table mpi_report_causes(const struct mpi_report *report, bool whole) {
    static const char *const shown[] = {"rank", "waits for rank", "time [s]"};
    static const char *const plain[] = {"rank", "cause_rank", "wait_seconds"};
    struct table table = table_make(whole ? plain : shown, COUNT(shown));
    size_t count;
    const spr_mpi_cause **causes = SELECT(spr_mpi_cause, report->waits.causes, report->waits.num_causes, &count);
    if (!whole) qsort(causes, count, sizeof *causes, by_cause);
    for (size_t i = 0; i < count; i++) {
        const spr_mpi_cause *c = causes[i];
        char *cells[] = {rank_cell(c->rank), rank_cell(c->cause), seconds_cell(c->wait_ns, whole)};
        table_row(&table, cells);
    }
    free(causes);
    return table;
}

static int by_blame(const void *a, const void *b) {
    const struct blame *x = a, *y = b;
    return x->wait_ns != y->wait_ns ? (x->wait_ns < y->wait_ns ? 1 : -1) : (x->rank > y->rank) - (x->rank < y->rank);
}

struct table mpi_report_blamed(const struct mpi_report *report, bool whole) {
    static const char *const shown[] = {"rank", "waited for [s]", "by ranks"};
    static const char *const plain[] = {"rank", "wait_seconds", "waiting_ranks"};
    struct table table = table_make(whole ? plain : shown, COUNT(shown));
    const uint32_t ranks = spr_num_ranks(report->profile);
    struct blame *blames = xalloc((size_t)ranks + 1, sizeof *blames);
    for (uint32_t i = 0; i < ranks; i++) blames[i] = (struct blame){.rank = i};
    for (size_t i = 0; i < report->waits.num_causes; i++) {
        const spr_mpi_cause *c = &report->waits.causes[i];
        if (!selected(report, c->rank) || c->cause >= ranks) continue;
        blames[c->cause].wait_ns += c->wait_ns;
        blames[c->cause].waiting++;
    }
    qsort(blames, ranks, sizeof *blames, by_blame);
    for (uint32_t i = 0; i < ranks && blames[i].waiting; i++) {
        char *cells[] = {rank_cell(blames[i].rank), seconds_cell(blames[i].wait_ns, whole),
                         count_cell(blames[i].waiting, whole)};
        table_row(&table, cells);
    }
    free(blames);
    return table;
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------
 */

static json_t *cell_json(const char *cell) {
    char *end;
    if (!strcmp(cell, "-")) return json_null();
    const long long integer = strtoll(cell, &end, 10);
    if (*cell && !*end) return json_integer(integer);
    const double real = strtod(cell, &end);
    if (*cell && !*end && isfinite(real)) return json_real(real);
    char *lossy = text_lossy(cell);
    json_t *text = json_string(lossy);
    free(lossy);
    return text;
}

/* Rows as objects, under the names that the columns of CSV have. */
static json_t *table_json(struct table table) {
    json_t *rows = json_array();
    for (size_t r = 0; r < table.rows; r++) {
        json_t *row = json_object();
        for (size_t c = 0; c < table.columns; c++)
            json_object_set_new(row, table.headers[c], cell_json(table.cells[r * table.columns + c]));
        json_array_append_new(rows, row);
    }
    table_free(&table);
    return rows;
}

json_t *mpi_report_json(const struct mpi_report *report) {
    char *shown = text_lossy(spr_path(report->profile));
    json_t *object =
        json_pack("{s:s, s:i, s:s, s:s, s:f, s:o}", "format", "scope-profiler-mpi", "format_version", 1, "units",
                  "seconds, bytes", "file", shown, "mpi_seconds", report->mpi_seconds, "run_seconds",
                  isfinite(report->run_seconds) ? json_real(report->run_seconds) : json_null());
    free(shown);
    json_object_set_new(object, "functions", table_json(mpi_report_functions(report, false, true)));
    json_object_set_new(object, "call_sites", table_json(mpi_report_functions(report, true, true)));
    json_object_set_new(object, "sizes", table_json(mpi_report_sizes(report, true)));
    json_object_set_new(object, "matrix", table_json(mpi_report_matrix(report, true)));
    if (!report->has_waits) return object;
    json_object_set_new(object, "waits", table_json(mpi_report_waits(report, true)));
    json_object_set_new(object, "unmatched_calls", json_integer((json_int_t)report->waits.unmatched));
    json_object_set_new(object, "causes", table_json(mpi_report_causes(report, true)));
    json_object_set_new(object, "waited_for", table_json(mpi_report_blamed(report, true)));
    return object;
}
