#include "columns.h"

#include "base/memory.h"
#include "numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cell {
    const struct row *row;
    const struct rows *rows;
    bool own, counts_shown;
};

static uint32_t depth_of(const struct cell *cell) { return cell->row->depth + (cell->own ? 1 : 0); }

/* "│ " for every ancestor but the last, then the branch. */
static char *branch(uint32_t depth) {
    if (!depth) return xcopy("");
    char *text = xalloc((size_t)depth * 4 + 8, 1), *at = text;
    for (uint32_t i = 1; i < depth; i++) at = stpcpy(at, "│ ");
    stpcpy(at, "└─ ");
    return text;
}

/* Numbers that belong to the tree stand as far right as their row's branch is long. */
static char *indented(const struct cell *cell, char *number) {
    uint32_t depth = depth_of(cell);
    char *text = xformat("%*s%s", depth ? (int)(2 * depth + 1) : 0, "", number);
    free(number);
    return text;
}

static double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : NAN; }
static double own_or(const struct cell *cell, double value) { return cell->own ? cell->row->stats.exclusive : value; }
static double known(const struct cell *cell, double value) { return cell->row->stats.calls ? value : NAN; }

static char *cell_region(const struct cell *cell) {
    const struct row *row = cell->row;
    char *prefix = branch(depth_of(cell)), *count = number_count(row->stats.calls), *text;
    if (cell->own)
        text = xformat("%s(own)", prefix);
    else if (row->stats.calls == 1 || cell->counts_shown)
        text = xformat("%s%s%s", prefix, row->name, row->recursive ? " ↻" : "");
    else
        text = xformat("%s%s%s (%sx)", prefix, row->name, row->recursive ? " ↻" : "", count);
    free(prefix);
    free(count);
    return text;
}

static char *cell_total(const struct cell *cell) {
    return indented(cell, number_total(known(cell, own_or(cell, cell->row->total))));
}

static char *cell_percent(const struct cell *cell) {
    const struct row *row = cell->row;
    bool is_session = !strcmp(row->name, ROWS_SESSION_REGION);
    double part = own_or(cell, is_session ? row->stats.total : row->coverage);
    return indented(cell, number_percent(percent(known(cell, part), cell->rows->session)));
}

static char *cell_parent_percent(const struct cell *cell) {
    const struct row *row = cell->row;
    double whole = cell->own ? row->coverage : row->parent_coverage;
    return indented(cell, number_percent(percent(known(cell, own_or(cell, row->coverage)), whole)));
}

static char *cell_average(const struct cell *cell) {
    const spr_stats *stats = &cell->row->stats;
    double average = cell->own ? stats->exclusive / (double)stats->calls : stats->average;
    return indented(cell, number_average(known(cell, average)));
}

static char *cell_ranks(const struct cell *cell) { return xformat("%" PRIu32, cell->row->stats.ranks); }
static char *cell_calls(const struct cell *cell) { return number_count(cell->row->stats.calls); }
static char *cell_minimum(const struct cell *cell) { return number_short(known(cell, cell->row->stats.minimum)); }
static char *cell_maximum(const struct cell *cell) { return number_short(known(cell, cell->row->stats.maximum)); }
static char *cell_first(const struct cell *cell) { return number_short(known(cell, cell->row->stats.first)); }
static char *cell_last(const struct cell *cell) { return number_short(known(cell, cell->row->stats.last)); }
static char *cell_std(const struct cell *cell) { return number_short(known(cell, cell->row->stats.std)); }
static char *cell_p50(const struct cell *cell) { return number_short(known(cell, cell->row->stats.p50)); }
static char *cell_p95(const struct cell *cell) { return number_short(known(cell, cell->row->stats.p95)); }
static char *cell_p99(const struct cell *cell) { return number_short(known(cell, cell->row->stats.p99)); }
static char *cell_imbalance(const struct cell *cell) {
    return number_plain(known(cell, cell->row->stats.imbalance_pct));
}

static char *cell_overhead(const struct cell *cell) {
    return indented(cell, number_total(known(cell, cell->row->overhead)));
}
static char *cell_overhead_percent(const struct cell *cell) {
    return indented(cell, number_percent(percent(known(cell, cell->row->overhead), cell->row->stats.total)));
}

enum { COLUMN_REGION, COLUMN_CALLS = 2, COLUMN_TOTAL = 3, COLUMN_PERCENT = 4 };

const char *const columns_keys[] = {"region", "ranks", "calls", "total",     "percent",  "parent_percent",
                                    "avg",    "min",   "max",   "first",     "last",     "std",
                                    "p50",    "p95",   "p99",   "imbalance", "overhead", "overhead_percent"};
const size_t columns_count = sizeof columns_keys / sizeof columns_keys[0];

static const struct {
    const char *header;
    char *(*text)(const struct cell *cell);
    bool own; /* the (own) row has it too */
} looks[] = {
    {"region", cell_region, true},
    {"ranks", cell_ranks, false},
    {"n", cell_calls, false},
    {"total [s]", cell_total, true},
    {"% session", cell_percent, true},
    {"% parent", cell_parent_percent, true},
    {"avg/call [s]", cell_average, true},
    {"min [s]", cell_minimum, false},
    {"max [s]", cell_maximum, false},
    {"first [s]", cell_first, false},
    {"last [s]", cell_last, false},
    {"std [s]", cell_std, false},
    {"p50 [s]", cell_p50, false},
    {"p95 [s]", cell_p95, false},
    {"p99 [s]", cell_p99, false},
    {"imbalance [%]", cell_imbalance, false},
    {"overhead [s]", cell_overhead, false},
    {"% overhead", cell_overhead_percent, false},
};
_Static_assert(sizeof looks / sizeof looks[0] == sizeof columns_keys / sizeof columns_keys[0], "one look a column");

const char *columns_header(size_t column) { return looks[column].header; }

static bool find(const char *name, size_t *column) {
    for (*column = 0; *column < columns_count; ++*column)
        if (!strcmp(columns_keys[*column], name)) return true;
    return false;
}

bool columns_add(struct columns *columns, const char *word, char **unknown) {
    struct columns grown = *columns;
    char *copy = xcopy(word), *rest = copy;
    for (char *name; (name = strsep(&rest, ","));) {
        size_t column;
        if (!find(name, &column) || grown.count == sizeof grown.chosen / sizeof grown.chosen[0]) {
            if (unknown) *unknown = xcopy(name);
            free(copy);
            return false;
        }
        grown.chosen[grown.count++] = column;
    }
    *columns = grown;
    free(copy);
    return true;
}

struct columns columns_default(const struct rows *rows) {
    if (isnan(rows->session)) return (struct columns){{COLUMN_REGION, COLUMN_TOTAL}, 2};
    return (struct columns){{COLUMN_REGION, COLUMN_PERCENT, COLUMN_TOTAL}, 3};
}

bool columns_need_calls(const struct columns *columns) {
    for (size_t i = 0; i < columns->count; i++)
        if (columns_keys[columns->chosen[i]][0] == 'p' && columns_keys[columns->chosen[i]][1] < 'a') return true;
    return false;
}

char *columns_cell(const struct columns *columns, size_t column, const struct row *row, const struct rows *rows,
                   bool own) {
    struct cell cell = {.row = row, .rows = rows, .own = own};
    for (size_t i = 0; i < columns->count; i++) cell.counts_shown |= columns->chosen[i] == COLUMN_CALLS;
    if (own && !looks[column].own) return xcopy("");
    return looks[column].text(&cell);
}
