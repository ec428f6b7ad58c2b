#include "json.h"

#include "base/memory.h"
#include "base/path.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *seconds(int64_t ns) { return ns < 0 ? json_null() : json_real((double)ns / 1e9); }
static json_t *integer(int64_t value) { return value < 0 ? json_null() : json_integer(value); }
static json_t *boolean(bool value) { return json_boolean(value); }

static char *base64(const char *text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *in = (const unsigned char *)text;
    size_t length = strlen(text);
    char *encoded = xalloc(length / 3 * 4 + 5, 1), *out = encoded;
    for (size_t i = 0; i < length; i += 3) {
        size_t have = length - i < 3 ? length - i : 3;
        uint32_t bits = (uint32_t)in[i] << 16 | (have > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (have > 2 ? in[i + 2] : 0);
        for (size_t k = 0; k < 4; k++) *out++ = k <= have ? digits[bits >> (18 - 6 * k) & 63] : '=';
    }
    return encoded;
}

static json_t *lossy(const char *text) {
    char *replaced = text_lossy(text);
    json_t *value = json_string(replaced);
    free(replaced);
    return value;
}

static void set_text(json_t *object, const char *key, const char *text) {
    json_t *whole = text ? json_string(text) : json_null();
    if (whole) {
        json_object_set_new(object, key, whole);
        return;
    }
    char *encoded = base64(text), *encoded_key = xformat("%s_base64", key);
    json_object_set_new(object, key, lossy(text));
    json_object_set_new(object, encoded_key, json_string(encoded));
    free(encoded_key);
    free(encoded);
}

/* ---- metadata ---------------------------------------------------------------------------------------------------- */

static void set_value(json_t *object, const char *key, const spr_value *value) {
    switch (value->kind) {
    case SPR_TEXT:
        set_text(object, key, value->text);
        return;
    case SPR_INTEGER:
        json_object_set_new(object, key, json_integer(value->integer));
        return;
    case SPR_REAL:
        json_object_set_new(object, key, json_number(value->real));
        return;
    case SPR_TEXT_LIST:
        break;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < value->count; i++) json_array_append_new(list, lossy(value->items[i]));
    json_object_set_new(object, key, list);
}

static json_t *metadata_object(const spr_profile *profile) {
    json_t *object = json_object();
    for (size_t i = 0; i < spr_metadata_count(profile); i++) {
        const spr_value *value = spr_metadata_at(profile, i);
        char *key = text_lossy(value->key);
        set_value(object, key, value);
        free(key);
    }
    return object;
}

static void set_file_path(json_t *object, const spr_profile *profile) {
    char *absolute = path_absolute(spr_path(profile));
    set_text(object, "file_path", absolute ? absolute : spr_path(profile));
    free(absolute);
}

json_t *json_metadata_entry(const spr_profile *profile) {
    json_t *entry = json_object();
    set_file_path(entry, profile);
    json_object_set_new(entry, "num_ranks", json_integer(spr_num_ranks(profile)));
    json_object_set_new(entry, "metadata", metadata_object(profile));
    return entry;
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

static void set_stats(json_t *object, const spr_stats *s) {
    const struct {
        const char *key;
        double value;
    } reals[] = {
        {"total", s->calls ? s->total : 0},
        {"exclusive", s->exclusive},
        {"average", s->average},
        {"min", s->minimum},
        {"max", s->maximum},
        {"first", s->first},
        {"last", s->last},
        {"std", s->std},
        {"p50", s->p50},
        {"p95", s->p95},
        {"p99", s->p99},
        {"first_start", s->first_start},
        {"last_end", s->last_end},
        {"coverage", s->coverage},
    };
    json_object_set_new(object, "calls", json_integer((json_int_t)s->calls));
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++)
        json_object_set_new(object, reals[i].key, json_number(s->calls || i == 0 ? reals[i].value : NAN));
}

static json_t *tags_of(const spr_profile *profile, size_t first, size_t count) {
    json_t *tags = json_array();
    for (size_t i = 0; i < count; i++) {
        const spr_row *row = spr_row_at(profile, first + i);
        for (size_t t = 0; t < row->num_tags; t++) json_array_append_new(tags, lossy(row->tags[t]));
        if (row->num_tags) break;
    }
    return tags;
}

static json_t *source_of(const spr_profile *profile, size_t first, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const spr_row *row = spr_row_at(profile, first + i);
        if (!row->source_file) continue;
        json_t *source = json_object();
        set_text(source, "file", row->source_file);
        json_object_set_new(source, "line", integer(row->source_line));
        set_text(source, "text", row->source_text);
        return source;
    }
    return json_null();
}

static uint64_t cut_off_calls(const spr_profile *profile, const spr_selection *selection, size_t region) {
    uint64_t calls = 0;
    for (size_t i = 0; i < spr_num_problems(profile); i++) {
        const spr_problem *problem = spr_problem_at(profile, i);
        bool selected = !selection || spr_selects_rank(selection, problem->rank);
        if (selected && problem->region == region && problem->kind == SPR_CUT_OFF) calls += problem->count;
    }
    return calls;
}

static json_t *region_object(spr_profile *profile, const spr_selection *selection, size_t region, spr_error *error) {
    spr_stats stats;
    size_t first, count;
    if (spr_region_stats(profile, region, selection, SPR_FULL, &stats, error)) return NULL;
    spr_region_rows(profile, region, &first, &count);
    json_t *object = json_object(), *ranks = json_array(), *per_rank = json_object();
    set_text(object, "name", spr_region_name(profile, region));
    set_stats(object, &stats);
    json_object_set_new(object, "imbalance", json_number(stats.calls ? stats.imbalance_pct : NAN));
    json_object_set_new(object, "rank_imbalance", json_number(stats.calls ? stats.imbalance : NAN));
    for (size_t i = 0; i < count; i++) {
        uint32_t rank = spr_row_at(profile, first + i)->rank;
        if (selection && !spr_selects_rank(selection, rank)) continue;
        if (spr_row_stats(profile, first + i, SPR_FULL, &stats, error)) {
            json_decref(object), json_decref(ranks), json_decref(per_rank);
            return NULL;
        }
        char key[16];
        json_t *one = json_object();
        snprintf(key, sizeof key, "%" PRIu32, rank);
        set_stats(one, &stats);
        json_object_set_new(per_rank, key, one);
        json_array_append_new(ranks, json_integer(rank));
    }
    json_object_set_new(object, "ranks", ranks);
    json_object_set_new(object, "per_rank", per_rank);
    json_object_set_new(object, "tags", tags_of(profile, first, count));
    json_object_set_new(object, "source", source_of(profile, first, count));
    json_object_set_new(object, "cut_off", json_integer((json_int_t)cut_off_calls(profile, selection, region)));
    return object;
}

static json_t *regions_array(spr_profile *profile, const spr_selection *selection, spr_error *error) {
    json_t *array = json_array();
    for (size_t region = 0; region < spr_num_regions(profile); region++) {
        if (selection && !spr_selects_region(selection, region)) continue;
        json_t *object = region_object(profile, selection, region, error);
        if (!object) {
            json_decref(array);
            return NULL;
        }
        json_array_append_new(array, object);
    }
    return array;
}

/* ---- tree -------------------------------------------------------------------------------------------------------- */

/* In pre-order, each with the index of its parent: nested objects would be too deep for many parsers. */
static json_t *tree_array(const spr_profile *profile, const struct rows *rows) {
    json_t *nodes = json_array();
    uint32_t deepest = 0;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].depth > deepest) deepest = rows->items[i].depth;
    size_t *path = xalloc((size_t)deepest + 1, sizeof *path);
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        if (!row->stats.calls) continue;
        json_t *node = json_object();
        path[row->depth] = json_array_size(nodes);
        set_text(node, "name", spr_region_name(profile, row->region));
        json_object_set_new(node, "depth", json_integer(row->depth));
        json_object_set_new(node, "parent", row->depth ? json_integer((json_int_t)path[row->depth - 1]) : json_null());
        json_object_set_new(node, "recursive", boolean(row->recursive));
        json_object_set_new(node, "num_ranks", json_integer(row->stats.ranks));
        set_stats(node, &row->stats);
        json_object_set_new(node, "imbalance", json_number(row->stats.imbalance_pct));
        json_object_set_new(node, "outermost", json_number(row->total));
        json_array_append_new(nodes, node);
    }
    free(path);
    return nodes;
}

static int set_tree(json_t *object, spr_profile *profile, const spr_selection *selection, enum rows_tree wish,
                    spr_error *error) {
    struct rows rows;
    if (wish == ROWS_TREE_AUTO && spr_num_calls(profile) > ROWS_TREE_LIMIT) wish = ROWS_TREE_NEVER;
    int status = wish == ROWS_TREE_NEVER ? 0 : rows_build(profile, selection, SPR_FULL, wish, &rows, error);
    if (status) return status;
    bool tree = wish != ROWS_TREE_NEVER && rows.tree;
    json_object_set_new(object, "tree", tree ? tree_array(profile, &rows) : json_null());
    const char *why = tree                        ? NULL
                      : wish == ROWS_TREE_NEVER   ? "too many calls; --tree reads them all"
                      : spr_is_aggregate(profile) ? "the profile holds no single calls"
                                                  : rows.why_flat;
    set_text(object, "no_tree", why);
    if (wish != ROWS_TREE_NEVER) rows_free(&rows);
    return 0;
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

static json_t *threads_array(const spr_profile *profile, const spr_selection *selection) {
    json_t *array = json_array();
    for (size_t i = 0; i < spr_num_threads(profile); i++) {
        const spr_thread *thread = spr_thread_at(profile, i);
        if (selection && !spr_selects_rank(selection, thread->rank)) continue;
        json_t *object = json_object();
        json_object_set_new(object, "rank", json_integer(thread->rank));
        json_object_set_new(object, "thread", integer(thread->index));
        set_text(object, "name", thread->name);
        json_object_set_new(object, "native_id", integer(thread->native_id));
        json_object_set_new(object, "start", seconds(thread->start_ns));
        json_object_set_new(object, "end", seconds(thread->end_ns));
        json_object_set_new(object, "cpu", seconds(thread->cpu_ns));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *processes_array(const spr_profile *profile, const spr_selection *selection) {
    json_t *array = json_array();
    for (size_t i = 0; i < spr_num_processes(profile); i++) {
        const spr_process *process = spr_process_at(profile, i);
        if (selection && !spr_selects_rank(selection, process->rank)) continue;
        json_t *object = json_object();
        json_object_set_new(object, "rank", json_integer(process->rank));
        json_object_set_new(object, "mpi_rank", integer(process->mpi_rank));
        json_object_set_new(object, "pid", integer(process->pid));
        json_object_set_new(object, "parent_pid", integer(process->parent_pid));
        json_object_set_new(object, "node", integer(process->node));
        set_text(object, "command", process->command);
        set_text(object, "ended", process->ended);
        json_object_set_new(object, "start", seconds(process->start_ns));
        json_object_set_new(object, "end", seconds(process->end_ns));
        json_object_set_new(object, "complete", boolean(process->complete));
        json_object_set_new(object, "incomplete_since", seconds(process->incomplete_since_ns));
        set_text(object, "problem", process->problem);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *problems_array(const spr_profile *profile, const spr_selection *selection) {
    static const char *const kinds[] = {"end_without_begin", "cut_off", "overlap", "lost"};
    json_t *array = json_array();
    for (size_t i = 0; i < spr_num_problems(profile); i++) {
        const spr_problem *problem = spr_problem_at(profile, i);
        bool named = problem->region < spr_num_regions(profile);
        if (selection && !spr_selects_rank(selection, problem->rank)) continue;
        if (selection && named && !spr_selects_region(selection, problem->region)) continue;
        json_t *object = json_object();
        json_object_set_new(object, "rank", json_integer(problem->rank));
        set_text(object, "region", named ? spr_region_name(profile, problem->region) : NULL);
        json_object_set_new(object, "kind", json_string(kinds[problem->kind]));
        json_object_set_new(object, "count", json_integer((json_int_t)problem->count));
        if (problem->kind == SPR_CUT_OFF) {
            json_object_set_new(object, "at_exit", json_integer(problem->at_exit));
            json_object_set_new(object, "open", seconds(problem->open_ns));
        }
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *run_object(spr_profile *profile) {
    spr_run_times run;
    if (spr_run(profile, &run, NULL)) return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "start", json_number(run.start));
    json_object_set_new(object, "origin", json_number(run.origin));
    json_object_set_new(object, "startup", json_number(run.startup));
    json_object_set_new(object, "span", json_number(run.span));
    json_object_set_new(object, "total", json_number(run.total));
    return object;
}

json_t *json_document(void) {
    json_t *document = json_object(), *units = json_object();
    json_object_set_new(units, "durations", json_string("seconds"));
    json_object_set_new(units, "imbalance", json_string("percent"));
    json_object_set_new(document, "format", json_string("scope-profiler-inspect"));
    json_object_set_new(document, "format_version", json_integer(1));
    json_object_set_new(document, "units", units);
    json_object_set_new(document, "files", json_array());
    return document;
}

json_t *json_profile(spr_profile *profile, const spr_selection *selection, enum rows_tree tree, spr_error *error) {
    json_t *regions = regions_array(profile, selection, error);
    if (!regions) return NULL;
    json_t *object = json_object();
    set_text(object, "file", spr_path(profile));
    set_file_path(object, profile);
    json_object_set_new(object, "schema", json_integer(spr_schema(profile)));
    json_object_set_new(object, "aggregate", boolean(spr_is_aggregate(profile)));
    json_object_set_new(object, "calls_read", boolean(!spr_is_aggregate(profile)));
    json_object_set_new(object, "bytes", json_integer(spr_file_bytes(profile)));
    json_object_set_new(object, "num_ranks", json_integer(spr_num_ranks(profile)));
    json_object_set_new(object, "num_calls", json_integer((json_int_t)spr_num_calls(profile)));
    json_object_set_new(object, "run", run_object(profile));
    json_object_set_new(object, "metadata", metadata_object(profile));
    json_object_set_new(object, "regions", regions);
    if (set_tree(object, profile, selection, tree, error)) {
        json_decref(object);
        return NULL;
    }
    json_object_set_new(object, "processes", processes_array(profile, selection));
    json_object_set_new(object, "threads", threads_array(profile, selection));
    json_object_set_new(object, "problems", problems_array(profile, selection));
    return object;
}

json_t *json_number(double value) { return isfinite(value) ? json_real(value + 0.0) : json_null(); }

json_t *json_text_lossy(const char *text) {
    char *lossy = text ? text_lossy(text) : NULL;
    json_t *string = lossy ? json_string(lossy) : json_null();
    free(lossy);
    return string;
}

int json_print(const json_t *document, FILE *out) {
    int status = json_dumpf(document, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    return status || fputc('\n', out) == EOF;
}
