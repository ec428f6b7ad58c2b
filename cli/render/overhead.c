/* How much of the rows' time is the recording's own: the numbers of calls times what a call of their kind costs. */
#include "base/memory.h"
#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cost {
    double whole, inside; /* s a call; NAN unknown */
};

enum kind { REGION, MPI, PYTHON, KINDS };

static double seconds(const spr_profile *profile, const char *key) {
    const spr_value *value = spr_metadata(profile, key);
    if (!value || (value->kind != SPR_REAL && value->kind != SPR_INTEGER)) return NAN;
    const double ns = value->kind == SPR_REAL ? value->real : (double)value->integer;
    return ns >= 0 ? ns / 1e9 : NAN;
}

static bool read_costs(const spr_profile *profile, struct cost costs[KINDS]) {
    static const char *const keys[KINDS][2] = {{"cost_region_ns", "cost_region_inside_ns"},
                                               {"cost_mpi_ns", "cost_mpi_inside_ns"},
                                               {"cost_python_ns", "cost_python_inside_ns"}};
    for (int kind = 0; kind < KINDS; kind++)
        costs[kind] = (struct cost){seconds(profile, keys[kind][0]), seconds(profile, keys[kind][1])};
    for (int kind = REGION + 1; kind < KINDS; kind++) /* at least what every call costs */
        if (isnan(costs[kind].whole) || isnan(costs[kind].inside)) costs[kind] = costs[REGION];
    return !isnan(costs[REGION].whole) && !isnan(costs[REGION].inside);
}

static bool ends_in(const char *text, const char *end) {
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && !strcmp(text + length - tail, end);
}

static enum kind kind_of(const spr_profile *profile, size_t region) {
    size_t first, count;
    spr_region_rows(profile, region, &first, &count);
    if (!count) return REGION;
    const spr_row *row = spr_row_at(profile, first);
    for (size_t i = 0; i < row->num_tags; i++)
        if (!strcmp(row->tags[i], "mpi")) return MPI;
    /* Regions of Python code that is marked are told from functions by the dot of module.function alone. */
    const bool python = row->source_file && ends_in(row->source_file, ".py");
    return python && strchr(spr_region_name(profile, region), '.') ? PYTHON : REGION;
}

/* From the last row to the first, so that what lies below a row is known when it is met. */
bool rows_estimate_overhead(const spr_profile *profile, struct rows *rows) {
    struct cost costs[KINDS];
    uint32_t deepest = 0;
    if (!read_costs(profile, costs)) return false;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].depth > deepest) deepest = rows->items[i].depth;
    double *below = xalloc((size_t)deepest + 2, sizeof *below); /* by depth: of the rows since the last shallower one */
    for (size_t i = rows->count; i-- > 0;) {
        struct row *row = &rows->items[i];
        const struct cost *cost = &costs[kind_of(profile, row->region)];
        const double within = below[row->depth + 1], calls = (double)row->stats.calls;
        row->overhead = calls * cost->inside + within;
        below[row->depth] += calls * cost->whole + within;
        below[row->depth + 1] = 0;
    }
    free(below);
    return true;
}
