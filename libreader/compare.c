/* The same regions (or call paths) of several files, side by side. */
#include "internal.h"
#include "scope_gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Between the names of a path while it is a key: a name may hold " > " itself. */
#define JOINT '\x1f'

/* Paths of a tree that is nested ever deeper take memory with the square of its depth. */
#define MOST_PATH_BYTES ((size_t)256 << 20)

bool spr_metric_needs_calls(enum spr_metric metric) {
    return metric == SPR_BY_P50 || metric == SPR_BY_P95 || metric == SPR_BY_P99;
}

static double value_of(const spr_stats *stats, enum spr_metric metric) {
    switch (metric) {
    case SPR_BY_TOTAL:
        return stats->total;
    case SPR_BY_AVERAGE:
        return stats->average;
    case SPR_BY_MINIMUM:
        return stats->minimum;
    case SPR_BY_MAXIMUM:
        return stats->maximum;
    case SPR_BY_P50:
        return stats->p50;
    case SPR_BY_P95:
        return stats->p95;
    case SPR_BY_P99:
        return stats->p99;
    case SPR_BY_IMBALANCE:
        return stats->imbalance_pct;
    case SPR_BY_CALLS:
        return (double)stats->calls;
    }
    return (double)NAN;
}

/* ---- what the files hold ----------------------------------------------------------------------------------------- */

struct entry {
    const char *key;
    size_t file;
    double value;
};

struct gathering {
    struct rd_arena arena;
    struct entry *entries;
    size_t count, room;
    size_t path_bytes;
    enum spr_metric metric;
    spr_error *error;
};

static int add(struct gathering *all, const spr_profile *profile, const char *key, size_t file,
               const spr_stats *stats) {
    if (all->count == all->room) {
        const size_t room = all->room ? 2 * all->room : 64;
        struct entry *grown = realloc(all->entries, room * sizeof *grown);
        if (!grown) return rd_no_memory(profile, all->error);
        all->entries = grown;
        all->room = room;
    }
    all->entries[all->count++] = (struct entry){key, file, value_of(stats, all->metric)};
    return SPR_OK;
}

static enum spr_depth depth_for(enum spr_metric metric) {
    return spr_metric_needs_calls(metric) ? SPR_FULL : SPR_SUMMARY;
}

static int gather_regions(struct gathering *all, spr_profile *profile, const spr_selection *selection, size_t file) {
    int status = SPR_OK;
    for (size_t region = 0; status == SPR_OK && region < spr_num_regions(profile); region++) {
        spr_stats stats;
        if (!spr_selects_region(selection, region)) continue;
        status = spr_region_stats(profile, region, selection, depth_for(all->metric), &stats, all->error);
        if (status != SPR_OK || !stats.calls) continue;
        const char *name = spr_region_name(profile, region);
        const char *key = rd_arena_copy(&all->arena, name, strlen(name));
        status = key ? add(all, profile, key, file, &stats) : rd_no_memory(profile, all->error);
    }
    return status;
}

/* The key of a node below the one with key `above` ("" for a root). */
static const char *path_key(struct gathering *all, const char *above, const char *name) {
    const size_t length = strlen(above), more = strlen(name);
    all->path_bytes += length + more + 2;
    if (all->path_bytes > MOST_PATH_BYTES) return NULL;
    char *key = rd_arena_take(&all->arena, length + more + 2);
    if (!key) return NULL;
    memcpy(key, above, length);
    if (length) key[length] = JOINT;
    memcpy(key + length + (length > 0), name, more + 1);
    return key;
}

static int gather_nodes(struct gathering *all, const spr_profile *profile, const spr_tree *tree, size_t file) {
    int status = SPR_OK;
    const char **above = malloc((tree->count + 1) * sizeof *above); /* the path so far, by depth */
    if (!above) return rd_no_memory(profile, all->error);
    above[0] = "";
    for (size_t i = 0; status == SPR_OK && i < tree->count; i++) {
        const spr_node *node = &tree->nodes[i];
        const char *key = path_key(all, above[node->depth], spr_region_name(profile, node->region));
        if (!key) {
            status = rd_fail(all->error, SPR_NO_MEMORY, spr_path(profile), "its call paths are too long to compare");
            break;
        }
        above[node->depth + 1] = key;
        status = add(all, profile, key, file, &node->stats);
    }
    free(above);
    return status;
}

static int gather_paths(struct gathering *all, spr_profile *profile, const spr_selection *selection, size_t file) {
    spr_tree tree;
    int status = spr_tree_build(profile, selection, depth_for(all->metric), &tree, all->error);
    if (status != SPR_OK) return status;
    status = gather_nodes(all, profile, &tree, file);
    spr_tree_free(&tree);
    return status;
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */

static int compare_entries(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    const int order = strcmp(x->key, y->key);
    return order ? order : (x->file > y->file) - (x->file < y->file);
}

static char *shown_name(struct rd_arena *arena, const char *key) {
    size_t joints = 0;
    for (const char *at = key; *at; at++) joints += *at == JOINT;
    char *name = rd_arena_take(arena, strlen(key) + 2 * joints + 1), *out = name;
    for (const char *at = key; name && *at; at++) {
        if (*at == JOINT)
            out = stpcpy(out, " > ");
        else
            *out++ = *at;
    }
    if (name) *out = '\0';
    return name;
}

static bool begin_row(struct gathering *all, spr_comparison *comparison, const struct entry *entry, bool by_path) {
    const size_t files = comparison->files;
    bool *present = rd_arena_take(&all->arena, files * sizeof *present);
    double *values = rd_arena_take(&all->arena, files * sizeof *values);
    const char *name = by_path ? shown_name(&all->arena, entry->key) : entry->key;
    if (!present || !values || !name) return false;
    for (size_t i = 0; i < files; i++) present[i] = false, values[i] = (double)NAN;
    comparison->rows[comparison->count++] = (spr_compared){name, present, values};
    return true;
}

static bool make_rows(struct gathering *all, spr_comparison *comparison, bool by_path) {
    comparison->rows = rd_arena_take(&all->arena, (all->count + 1) * sizeof *comparison->rows);
    if (!comparison->rows) return false;
    if (all->count) qsort(all->entries, all->count, sizeof *all->entries, compare_entries);
    for (size_t i = 0; i < all->count; i++) {
        const struct entry *entry = &all->entries[i];
        const bool same = i > 0 && !strcmp(entry->key, all->entries[i - 1].key);
        if (!same && !begin_row(all, comparison, entry, by_path)) return false;
        const spr_compared *row = &comparison->rows[comparison->count - 1];
        ((bool *)row->present)[entry->file] = true;
        ((double *)row->values)[entry->file] = entry->value;
    }
    return true;
}

int spr_compare(spr_profile *const *profiles, spr_selection *const *selections, size_t count, enum spr_metric metric,
                bool by_path, spr_comparison *comparison, spr_error *error) {
    struct gathering all = {.metric = metric, .error = error};
    int status = count ? SPR_OK : rd_fail(error, -1, NULL, "no file to compare");
    *comparison = (spr_comparison){.files = count};
    for (size_t file = 0; status == SPR_OK && file < count; file++) {
        const spr_selection *selection = selections ? selections[file] : NULL;
        status = by_path ? gather_paths(&all, profiles[file], selection, file)
                         : gather_regions(&all, profiles[file], selection, file);
    }
    if (status == SPR_OK && !make_rows(&all, comparison, by_path)) status = rd_no_memory(profiles[0], error);
    free(all.entries);
    struct rd_arena *kept = status == SPR_OK ? malloc(sizeof *kept) : NULL;
    if (status == SPR_OK && !kept) status = rd_no_memory(profiles[0], error);
    if (status == SPR_OK) {
        *kept = all.arena;
        comparison->memory = kept;
    } else {
        rd_arena_free(&all.arena);
        *comparison = (spr_comparison){0};
    }
    return status;
}

void spr_comparison_free(spr_comparison *comparison) {
    if (comparison->memory) rd_arena_free(comparison->memory);
    free(comparison->memory);
    *comparison = (spr_comparison){0};
}

double spr_delta(const spr_compared *row, size_t from, size_t to) {
    const double before = row->present[from] ? row->values[from] : 0, after = row->present[to] ? row->values[to] : 0;
    return after - before;
}

double spr_percent(const spr_compared *row, size_t from, size_t to) {
    if (!row->present[from] || row->values[from] == 0) return (double)NAN;
    return spr_delta(row, from, to) / row->values[from] * 100;
}
