/* JSON profiles, format version 1: the same content as the HDF5 file, one object per region and rank. */
#include "json_profile.h"
#include "json_text.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORMAT "scope-profiler-profile"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- the region that is being read ------------------------------------------------------------------------------ */

static struct rd_column *column_of(struct rd_json_region *region, const char *key) {
    struct rd_events *events = &region->events;
    const struct {
        const char *key;
        struct rd_column *column;
    } columns[] = {{"start_times_ns", &events->start},
                   {"end_times_ns", &events->end},
                   {"gpu_durations_ns", &events->gpu_durations},
                   {"call_ids", &events->call_ids},
                   {"parent_ids", &events->parent_ids},
                   {"thread_ids", &events->thread_ids},
                   {"task_ids", &events->task_ids},
                   {"await_ns", &events->await_ns}};
    for (size_t i = 0; i < COUNT(columns); i++)
        if (strcmp(columns[i].key, key) == 0) return columns[i].column;
    return NULL;
}

static bool take_column(struct rd_json *json, const char *key, void *context) {
    struct rd_json_document *document = context;
    struct rd_store *store = &document->profile->store;
    const uint64_t at = store->bytes;
    uint64_t count;
    if (!rd_json_integers(json, key, store, &count)) return false;
    *column_of(&document->region, key) = (struct rd_column){.id = -1, .length = count, .store = store, .at = at};
    return true;
}

static bool take_name(struct rd_json *json, const char *key, void *context) {
    struct rd_json_document *document = context;
    return rd_json_get_text(json, key, &document->profile->strings, &document->region.name);
}

static bool take_rank(struct rd_json *json, const char *key, void *context) {
    struct rd_json_document *document = context;
    return rd_json_get_integer(json, key, &document->region.rank);
}

static const char *or_null(const char *text) { return text && *text ? text : NULL; }

static bool take_source(struct rd_json *json, const char *key, void *context) {
    struct rd_json_document *document = context;
    const char *text;
    if (!rd_json_get_text(json, key, &document->profile->strings, &text)) return false;
    *(strcmp(key, "source_file") == 0 ? &document->region.row.source_file : &document->region.row.source_text) =
        or_null(text);
    return true;
}

static bool take_line(struct rd_json *json, const char *key, void *context) {
    struct rd_json_document *document = context;
    int64_t line;
    if (!rd_json_get_integer(json, key, &line)) return false;
    document->region.row.source_line = line < 0 ? -1 : line;
    return true;
}

static bool take_exclusive(struct rd_json *json, const char *key, void *context) {
    struct rd_json_document *document = context;
    int64_t exclusive;
    if (!rd_json_get_integer(json, key, &exclusive)) return false;
    document->region.row.exclusive_ns = exclusive < 0 ? -1 : exclusive;
    return true;
}

static bool take_tag(struct rd_json *json, void *context) { return rd_json_texts_add(json, "tags", context); }

static bool take_tags(struct rd_json *json, const char *key, void *context) {
    struct rd_json_document *document = context;
    struct rd_json_texts texts = {.arena = &document->profile->strings};
    const bool fine = rd_json_array(json, key, take_tag, &texts) && rd_json_texts_keep(json, &texts);
    document->region.row.tags = texts.kept;
    document->region.row.num_tags = texts.count;
    free(texts.items);
    return fine;
}

/* ---- statistics without calls ----------------------------------------------------------------------------------- */

static bool take_statistic(struct rd_json *json, const char *key, void *context) {
    struct rd_json_document *document = context;
    struct rd_json_region *region = &document->region;
    const struct {
        const char *key;
        int64_t *value;
    } integers[] = {{"count", &region->count},
                    {"total", &region->row.total_ns},
                    {"minimum", &region->row.minimum_ns},
                    {"maximum", &region->row.maximum_ns},
                    {"exclusive", &region->row.exclusive_ns},
                    {"first", &region->row.first_ns},
                    {"last", &region->row.last_ns},
                    {"start_minimum", &region->row.start_minimum_ns},
                    {"end_maximum", &region->row.end_maximum_ns}};
    for (size_t i = 0; i < COUNT(integers); i++) {
        if (strcmp(integers[i].key, key) != 0) continue;
        region->known |= 1u << i;
        return rd_json_get_integer(json, key, integers[i].value);
    }
    region->known |= strcmp(key, "mean") == 0 ? 1u << 9 : 1u << 10;
    return rd_json_get_real(json, key, strcmp(key, "mean") == 0 ? &region->row.mean_ns : &region->row.m2_ns2);
}
#define KNOWN_AGGREGATE 0x1fu
#define KNOWN_SUMMARY   0x7ffu

static bool take_aggregate(struct rd_json *json, const char *key, void *context) {
    static const char *const keys[] = {"count", "total", "minimum",       "maximum",     "exclusive", "first",
                                       "last",  "mean",  "start_minimum", "end_maximum", "m2"};
    struct rd_json_document *document = context;
    struct rd_json_member members[COUNT(keys)];
    for (size_t i = 0; i < COUNT(keys); i++) members[i] = (struct rd_json_member){keys[i], take_statistic};
    document->region.aggregate = true;
    return rd_json_object(json, key, members, COUNT(members), document);
}

static bool finish_aggregate(struct rd_json *json, struct rd_json_region *region) {
    spr_row *row = &region->row;
    if ((region->known & KNOWN_AGGREGATE) != KNOWN_AGGREGATE || region->count < 0)
        return rd_json_fail(json, SPR_DAMAGED, "the aggregate of region '%s' lacks a number", region->name);
    row->calls = (uint64_t)region->count;
    row->has_summary = region->known == KNOWN_SUMMARY;
    if (row->exclusive_ns < 0) row->exclusive_ns = -1;
    if (row->calls && !(row->has_summary ? rd_summary_is_possible(row) : rd_aggregate_is_possible(row)))
        return rd_json_fail(json, SPR_DAMAGED, "the aggregate of region '%s' contradicts itself", region->name);
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static bool finish_columns(struct rd_json *json, struct rd_json_region *region) {
    static const char *const keys[] = {"start_times_ns", "end_times_ns", "gpu_durations_ns", "call_ids",
                                       "parent_ids",     "thread_ids",   "task_ids",         "await_ns"};
    const uint64_t calls = region->events.start.length;
    for (size_t i = 0; i < COUNT(keys); i++) {
        const struct rd_column *column = column_of(region, keys[i]);
        if (!rd_column_exists(column)) {
            if (i > 1) continue;
            return rd_json_fail(json, SPR_DAMAGED, "region '%s' has no %s", region->name, keys[i]);
        }
        if (column->length != calls)
            return rd_json_fail(json, SPR_DAMAGED, "%s of region '%s' holds %llu calls instead of %llu", keys[i],
                                region->name, (unsigned long long)column->length, (unsigned long long)calls);
    }
    region->events.length = region->row.calls = calls;
    return true;
}

static bool no_memory(struct rd_json *json) { return rd_json_fail(json, SPR_NO_MEMORY, "not enough memory"); }

static bool make_room(struct rd_json_document *document) {
    const size_t count = document->count;
    if (count & (count - 1)) return true; /* room doubles at powers of two */
    const size_t room = count ? 2 * count : 1;
    spr_row *rows = realloc(document->rows, room * sizeof *rows);
    if (rows) document->rows = rows;
    struct rd_place *places = realloc(document->places, room * sizeof *places);
    if (places) document->places = places;
    return rows && places;
}

static bool add_row(struct rd_json *json, struct rd_json_document *document) {
    struct rd_json_region *region = &document->region;
    struct rd_place place = {0};
    if (!region->aggregate) {
        struct rd_events *events = rd_arena_take(&document->profile->strings, sizeof *events);
        if (!events) return no_memory(json);
        *events = region->events;
        place.events = events;
    }
    if (!make_room(document)) return no_memory(json);
    document->rows[document->count] = region->row;
    document->places[document->count++] = place;
    *(region->aggregate ? &document->has_aggregates : &document->has_calls) = true;
    return true;
}

static bool finish_region(struct rd_json *json, struct rd_json_document *document) {
    struct rd_json_region *region = &document->region;
    if (!region->name) return rd_json_fail(json, SPR_DAMAGED, "a region has no name");
    if (region->rank < 0 || region->rank > INT32_MAX)
        return rd_json_fail(json, SPR_DAMAGED, "region '%s' has no rank", region->name);
    region->row.rank = (uint32_t)region->rank;
    if (!(region->aggregate ? finish_aggregate(json, region) : finish_columns(json, region))) return false;
    if (!rd_names_find(&document->names, &document->profile->strings, region->name, &region->row.region))
        return no_memory(json);
    return !region->row.calls || add_row(json, document);
}

static bool take_region(struct rd_json *json, void *context) {
    static const struct rd_json_member members[] = {
        {"name", take_name},
        {"rank", take_rank},
        {"source_file", take_source},
        {"source_text", take_source},
        {"source_lineno", take_line},
        {"tags", take_tags},
        {"start_times_ns", take_column},
        {"end_times_ns", take_column},
        {"gpu_durations_ns", take_column},
        {"call_ids", take_column},
        {"parent_ids", take_column},
        {"thread_ids", take_column},
        {"task_ids", take_column},
        {"await_ns", take_column},
        {"exclusive_total_ns", take_exclusive},
        {"aggregate", take_aggregate},
    };
    struct rd_json_document *document = context;
    document->region = (struct rd_json_region){.rank = -1, .row = {.exclusive_ns = -1, .source_line = -1}};
    rd_events_clear(&document->region.events);
    return rd_json_object(json, "regions[]", members, COUNT(members), document) && finish_region(json, document);
}

static bool take_regions(struct rd_json *json, const char *key, void *context) {
    return rd_json_array(json, key, take_region, context);
}

/* ---- what the document says of itself --------------------------------------------------------------------------- */

static bool take_format(struct rd_json *json, const char *key, void *context) {
    struct rd_json_document *document = context;
    const char *format;
    if (!rd_json_get_text(json, key, &document->profile->strings, &format)) return false;
    document->is_profile = format && strcmp(format, FORMAT) == 0;
    return document->is_profile || rd_json_fail(json, SPR_NOT_PROFILE, "JSON, but not a profile (its format is '%s')",
                                                format ? format : "null");
}

static bool take_version(struct rd_json *json, const char *key, void *context) {
    struct rd_json_document *document = context;
    int64_t version;
    if (!rd_json_get_integer(json, key, &version)) return false;
    if (version < 1) return rd_json_fail(json, SPR_DAMAGED, "format_version %lld is no version", (long long)version);
    if (version > RD_NEWEST_JSON)
        return rd_json_fail(json, SPR_NEWER,
                            "needs a newer scope-profiler: JSON format %lld, this one reads up to %d; upgrade it",
                            (long long)version, RD_NEWEST_JSON);
    document->profile->schema = (int)version;
    return true;
}

static bool take_unit(struct rd_json *json, const char *key, void *context) {
    struct rd_json_document *document = context;
    const char *unit;
    if (!rd_json_get_text(json, key, &document->profile->strings, &unit)) return false;
    return (unit && strcmp(unit, "nanoseconds") == 0) ||
           rd_json_fail(json, SPR_DAMAGED, "its time_unit is '%s', not 'nanoseconds'", unit ? unit : "null");
}

static bool take_num_ranks(struct rd_json *json, const char *key, void *context) {
    struct rd_json_document *document = context;
    return rd_json_get_integer(json, key, &document->num_ranks);
}

static bool take_metadata(struct rd_json *json, const char *key, void *context) {
    return rd_json_each(json, key, rd_json_take_metadata, context);
}

static bool read_document(struct rd_json *json, struct rd_json_document *document) {
    static const struct rd_json_member members[] = {
        {"format", take_format},
        {"format_version", take_version},
        {"time_unit", take_unit},
        {"num_ranks", take_num_ranks},
        {"metadata", take_metadata},
        {"regions", take_regions},
        {"threads", rd_json_take_threads},
        {"tasks", rd_json_take_tasks},
        {"processes", rd_json_take_processes},
        {"problems", rd_json_take_problems},
        {"line_profile", rd_json_take_lines},
    };
    if (!rd_json_object(json, "profile", members, COUNT(members), document) || !rd_json_end(json)) return false;
    if (!document->is_profile || !document->profile->schema)
        return rd_json_fail(json, SPR_NOT_PROFILE, "JSON, but not a profile");
    if (document->has_aggregates && document->has_calls)
        return rd_json_fail(json, SPR_DAMAGED, "has regions with calls beside regions without");
    document->profile->aggregate = document->has_aggregates;
    return rd_json_finish_tables(json, document);
}

/* num_ranks counts ranks that recorded nothing, too. */
static void count_ranks(struct rd_json_document *document) {
    spr_profile *profile = document->profile;
    rd_count_ranks(profile);
    if (profile->num_rows && document->num_ranks > profile->num_ranks && document->num_ranks <= INT32_MAX)
        profile->num_ranks = (uint32_t)document->num_ranks;
}

int rd_json_read(spr_profile *profile, int descriptor, spr_error *error) {
    struct rd_json_document *document = calloc(1, sizeof *document);
    struct rd_json *json = malloc(sizeof *json);
    int status = SPR_NO_MEMORY;
    if (!document || !json) {
        close(descriptor);
        rd_no_memory(profile, error);
    } else {
        document->profile = profile;
        if (rd_json_open(json, profile, descriptor, error)) read_document(json, document);
        status = json->status;
        rd_json_close(json);
    }
    if (document) {
        rd_metadata_sort(profile);
        profile->names = document->names.items;
        profile->num_regions = document->names.count;
        rd_names_close(&document->names);
        if (status == SPR_OK) {
            status = rd_rows_adopt(profile, document->rows, document->places, document->count, error);
            if (status == SPR_OK) count_ranks(document);
        } else {
            free(document->rows);
            free(document->places);
        }
        free(document->problems);
    }
    free(document);
    free(json);
    return status;
}
