#include "rows.h"

#include "base/memory.h"
#include "numbers.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- building ---------------------------------------------------------------------------------------------------- */

static struct row *append(struct rows *rows, const spr_profile *profile, size_t region) {
    if ((rows->count & (rows->count - 1)) == 0)
        rows->items = xgrow(rows->items, rows->count ? 2 * rows->count : 1, sizeof *rows->items);
    struct row *row = &rows->items[rows->count++];
    *row = (struct row){.region = region, .parent_coverage = NAN, .overhead = NAN};
    row->name = text_shown(spr_region_name(profile, region));
    return row;
}

/* From the summary alone it is not known how long a region was open: no longer than its calls lasted together, nor than
 * from the first to the last. Where these contradict each other the region calls itself or runs on several threads. */
static double flat_coverage(const spr_stats *stats) {
    if (!stats->calls || !isnan(stats->coverage)) return stats->calls ? stats->coverage : NAN;
    double span = (stats->last_end - stats->first_start) * stats->ranks;
    double rounding = 1e-6 * span + 1e-6;
    return stats->total > span + rounding ? NAN : stats->total;
}

static int append_flat(spr_profile *profile, const spr_selection *selection, enum spr_depth depth, size_t region,
                       struct rows *rows, spr_error *error) {
    spr_stats stats;
    int status = spr_region_stats(profile, region, selection, depth, &stats, error);
    if (status) return status;
    struct row *row = append(rows, profile, region);
    row->stats = stats;
    row->total = stats.total;
    row->coverage = flat_coverage(&stats);
    return 0;
}

static void append_nodes(const spr_profile *profile, const spr_tree *tree, struct rows *rows, bool *seen) {
    size_t deepest = 0;
    for (size_t i = 0; i < tree->count; i++)
        if (tree->nodes[i].depth > deepest) deepest = tree->nodes[i].depth;
    double *path = xalloc(deepest + 1, sizeof *path); /* coverage of the ancestors */
    for (size_t i = 0; i < tree->count; i++) {
        const spr_node *node = &tree->nodes[i];
        struct row *row = append(rows, profile, node->region);
        row->depth = node->depth;
        row->recursive = node->recursive;
        row->has_children = node->has_children;
        row->stats = node->stats;
        row->coverage = path[node->depth] = node->coverage;
        row->total = node->recursive ? node->outermost : node->stats.total;
        if (node->depth) row->parent_coverage = path[node->depth - 1];
        seen[node->region] = true;
    }
    free(path);
}

/* Builds the tree's rows; without a tree the reason is kept where the reader would not expect it. */
static int build_tree(spr_profile *profile, const spr_selection *selection, enum spr_depth depth, struct rows *rows,
                      bool *seen, spr_error *error) {
    spr_tree tree = {0};
    spr_error why = {0};
    int status = spr_tree_build(profile, selection, depth, &tree, &why);
    if (status == SPR_OK) {
        append_nodes(profile, &tree, rows, seen);
        rows->tree = true;
        spr_tree_free(&tree);
        return 0;
    }
    if (status == SPR_NO_EVENTS) return 0;
    if (status == SPR_NESTING) {
        rows->why_flat = xformat("No call tree, one row a region: %s", why.message);
        return 0;
    }
    if (error) *error = why;
    return status;
}

/* Position in a sort of regions by first start; regions without calls come last. */
static int by_first_start(const void *left, const void *right) {
    const struct row *a = left, *b = right;
    double x = a->stats.calls && !isnan(a->stats.first_start) ? a->stats.first_start : INFINITY;
    double y = b->stats.calls && !isnan(b->stats.first_start) ? b->stats.first_start : INFINITY;
    if (x != y) return x < y ? -1 : 1;
    return a->region < b->region ? -1 : a->region > b->region;
}

static bool wants_tree(const spr_profile *profile, enum spr_depth depth, enum rows_tree tree, struct rows *rows) {
    if (tree == ROWS_TREE_NEVER || spr_is_aggregate(profile)) return false;
    if (spr_is_partial(profile)) {
        rows->why_flat = xcopy("No call tree, one row a region: of some regions not every call was kept");
        return false;
    }
    if (tree == ROWS_TREE_ALWAYS || spr_num_calls(profile) <= ROWS_TREE_LIMIT) return true;
    char *count = number_count(spr_num_calls(profile));
    rows->why_flat = xformat("%s calls: one row a region, %s; --tree reads %s", count,
                             depth == SPR_FULL ? "percentiles from every call" : "from the stored summary",
                             depth == SPR_FULL ? "them for the call tree as well" : "every call");
    free(count);
    return false;
}

int rows_build(spr_profile *profile, const spr_selection *selection, enum spr_depth depth, enum rows_tree tree,
               struct rows *rows, spr_error *error) {
    *rows = (struct rows){.session = NAN};
    size_t regions = spr_num_regions(profile);
    bool *seen = xalloc(regions, sizeof *seen);
    int status = 0;
    if (wants_tree(profile, depth, tree, rows)) status = build_tree(profile, selection, depth, rows, seen, error);
    size_t flat = rows->count;
    for (size_t region = 0; region < regions && !status; region++)
        if (!seen[region] && (!selection || spr_selects_region(selection, region)))
            status = append_flat(profile, selection, depth, region, rows, error);
    free(seen);
    if (status) {
        rows_free(rows);
        return status;
    }
    if (rows->count > flat) qsort(rows->items + flat, rows->count - flat, sizeof *rows->items, by_first_start);
    for (size_t i = 0; i < rows->count && isnan(rows->session); i++)
        if (rows->items[i].stats.calls && !strcmp(rows->items[i].name, ROWS_SESSION_REGION))
            rows->session = rows->items[i].stats.total;
    for (size_t i = 0; i < rows->count; i++) {
        struct row *row = &rows->items[i];
        if (isnan(row->stats.coverage) && row->coverage > rows->session) row->coverage = NAN; /* it calls itself */
    }
    return 0;
}

void rows_free(struct rows *rows) {
    for (size_t i = 0; i < rows->count; i++) free(rows->items[i].name);
    free(rows->items);
    free(rows->why_flat);
    *rows = (struct rows){0};
}

/* ---- sorting ----------------------------------------------------------------------------------------------------- */

const char *const rows_sort_keys[] = {"start", "name", "total", "calls", "avg", "min", "max",
                                      "first", "last", "std",   "p50",   "p95", "p99", "imbalance"};
const size_t rows_num_sort_keys = sizeof rows_sort_keys / sizeof rows_sort_keys[0];
enum { KEY_START, KEY_NAME, KEY_TOTAL, KEY_CALLS, KEY_AVG, KEY_MIN, KEY_MAX, KEY_FIRST, KEY_LAST, KEY_STD, KEY_P50 };

static double sort_value(const struct row *row, size_t key) {
    const spr_stats *s = &row->stats;
    const double values[] = {0,        0,       row->total, (double)s->calls, s->average, s->minimum, s->maximum,
                             s->first, s->last, s->std,     s->p50,           s->p95,     s->p99,     s->imbalance_pct};
    return s->calls || key == KEY_CALLS ? values[key] : NAN;
}

static int by_key(const void *left, const void *right, void *argument) {
    const struct row *a = left, *b = right;
    size_t key = *(const size_t *)argument;
    if (key != KEY_NAME) {
        double x = sort_value(a, key), y = sort_value(b, key);
        if (isnan(x) != isnan(y)) return isnan(x) ? 1 : -1;
        if (x != y && !isnan(x)) return x > y ? -1 : 1;
    }
    int order = strcmp(a->name, b->name);
    if (order) return order;
    if (a->depth != b->depth) return a->depth < b->depth ? -1 : 1;
    return a->region < b->region ? -1 : a->region > b->region;
}

void rows_sort(struct rows *rows, size_t key) {
    if (key != KEY_START) qsort_r(rows->items, rows->count, sizeof *rows->items, by_key, &key);
}

bool rows_sort_needs_calls(size_t key) { return key >= KEY_P50 && key < KEY_P50 + 3; }
