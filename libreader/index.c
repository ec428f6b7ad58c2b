/* Schema 2 and 3: /region_table and /rank_region_index. */
#include "internal.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

#define INDEX "/rank_region_index"

/* One row of the index, as stored. */
struct index_row {
    uint32_t region, rank;
    uint64_t offset, calls;
    int64_t exclusive, line;
    const char *file, *text, *tags;
    int64_t total, minimum, maximum; /* aggregate */
    uint64_t all_calls;              /* columnar: calls that are kept and those that were added up; 0 not stored */
    int64_t all_exclusive;
};

#define ROW(member) offsetof(struct index_row, member)

static const struct rd_field columnar_fields[] = {
    {.name = "region_ids", .kind = RD_U32, .offset = ROW(region), .most = UINT32_MAX},
    {.name = "ranks", .kind = RD_U32, .offset = ROW(rank), .most = INT32_MAX},
    {.name = "event_offsets", .kind = RD_U64, .offset = ROW(offset), .most = INT64_MAX},
    {.name = "event_counts", .kind = RD_U64, .offset = ROW(calls), .most = INT64_MAX},
    {.name = "exclusive_totals",
     .kind = RD_I64,
     .offset = ROW(exclusive),
     .least = INT64_MIN,
     .most = INT64_MAX,
     .optional = true,
     .absent = -1},
    {.name = "source_lines", .kind = RD_I64, .offset = ROW(line), .least = INT64_MIN, .most = INT64_MAX},
    {.name = "source_files", .kind = RD_STRING, .offset = ROW(file)},
    {.name = "source_texts", .kind = RD_STRING, .offset = ROW(text)},
    {.name = "tags", .kind = RD_STRING, .offset = ROW(tags)},
    {.name = "aggregate_counts", .kind = RD_U64, .offset = ROW(all_calls), .most = INT64_MAX, .optional = true},
    {.name = "aggregate_totals", .kind = RD_I64, .offset = ROW(total), .most = INT64_MAX, .optional = true},
    {.name = "aggregate_minimums", .kind = RD_I64, .offset = ROW(minimum), .most = INT64_MAX, .optional = true},
    {.name = "aggregate_maximums", .kind = RD_I64, .offset = ROW(maximum), .most = INT64_MAX, .optional = true},
    {.name = "aggregate_exclusives",
     .kind = RD_I64,
     .offset = ROW(all_exclusive),
     .least = INT64_MIN,
     .most = INT64_MAX,
     .optional = true},
};

static const struct rd_field aggregate_fields[] = {
    {.name = "region_ids", .kind = RD_U32, .offset = ROW(region), .most = UINT32_MAX},
    {.name = "ranks", .kind = RD_U32, .offset = ROW(rank), .most = INT32_MAX},
    {.name = "aggregate_counts", .kind = RD_U64, .offset = ROW(calls), .most = INT64_MAX},
    {.name = "aggregate_totals", .kind = RD_I64, .offset = ROW(total), .most = INT64_MAX},
    {.name = "aggregate_minimums", .kind = RD_I64, .offset = ROW(minimum), .least = INT64_MIN, .most = INT64_MAX},
    {.name = "aggregate_maximums", .kind = RD_I64, .offset = ROW(maximum), .least = INT64_MIN, .most = INT64_MAX},
    {.name = "aggregate_exclusives", .kind = RD_I64, .offset = ROW(exclusive), .least = INT64_MIN, .most = INT64_MAX},
    {.name = "source_lines",
     .kind = RD_I64,
     .offset = ROW(line),
     .least = INT64_MIN,
     .most = INT64_MAX,
     .optional = true,
     .absent = -1},
    {.name = "source_files", .kind = RD_STRING, .offset = ROW(file), .optional = true},
    {.name = "source_texts", .kind = RD_STRING, .offset = ROW(text), .optional = true},
    {.name = "tags", .kind = RD_STRING, .offset = ROW(tags), .optional = true},
};

static const size_t num_columnar = sizeof columnar_fields / sizeof *columnar_fields;
static const size_t num_aggregate = sizeof aggregate_fields / sizeof *aggregate_fields;

static int read_names(spr_profile *profile, spr_error *error) {
    const hid_t group = rd_open_group(profile->file, "region_table");
    if (group < 0) return rd_fail(error, SPR_DAMAGED, profile->path, "group /region_table is missing");
    static const struct rd_field field = {.name = "names", .kind = RD_STRING};
    void *names = NULL;
    const int status = rd_table_read(profile, group, "/region_table", &field, 1, sizeof(const char *), false, &names,
                                     &profile->num_regions, error);
    H5Gclose(group);
    if (status == SPR_OK) profile->names = names;
    return status;
}

/* ---- the rows against each other and against the events ---------------------------------------------------------- */

static int compare_offsets(const void *a, const void *b) {
    const struct index_row *x = *(const struct index_row *const *)a, *y = *(const struct index_row *const *)b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static int check_overlap(const spr_profile *profile, const struct index_row *rows, size_t count, spr_error *error) {
    const struct index_row **sorted = malloc((count ? count : 1) * sizeof *sorted);
    if (!sorted) return rd_no_memory(profile, error);
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (rows[i].calls) sorted[used++] = &rows[i];
    if (used) qsort(sorted, used, sizeof(struct index_row *), compare_offsets);
    int status = SPR_OK;
    for (size_t i = 1; status == SPR_OK && i < used; i++)
        if (sorted[i]->offset - sorted[i - 1]->offset < sorted[i - 1]->calls)
            status = rd_fail(error, SPR_DAMAGED, profile->path, "rows %zu and %zu of " INDEX " overlap",
                             (size_t)(sorted[i - 1] - rows), (size_t)(sorted[i] - rows));
    free(sorted);
    return status;
}

static int check_bounds(const spr_profile *profile, const struct index_row *rows, size_t count, spr_error *error) {
    for (size_t i = 0; i < count; i++) {
        uint64_t end;
        if (__builtin_add_overflow(rows[i].offset, rows[i].calls, &end) || end > profile->events.length)
            return rd_fail(error, SPR_DAMAGED, profile->path,
                           "row %zu of " INDEX " claims more calls than the file holds (truncated?)", i);
    }
    return check_overlap(profile, rows, count, error);
}

bool rd_aggregate_is_possible(const spr_row *row) {
    return row->minimum_ns >= 0 && row->minimum_ns <= row->maximum_ns && row->maximum_ns <= row->total_ns &&
           row->exclusive_ns <= row->total_ns;
}

/* Rows of which more is known than their kept calls tell. */
static int take_sums(spr_profile *profile, const struct index_row *from, size_t number, spr_row *row,
                     spr_error *error) {
    row->all_calls = from->calls;
    if (profile->aggregate || from->all_calls <= from->calls) return SPR_OK;
    const bool possible = from->minimum <= from->maximum && from->maximum <= from->total && from->all_exclusive >= 0 &&
                          from->all_exclusive <= from->total;
    if (!possible)
        return rd_fail(error, SPR_DAMAGED, profile->path, "row %zu of " INDEX " contradicts itself (aggregate_*)",
                       number);
    row->partial = profile->partial = true;
    row->all_calls = from->all_calls;
    row->all_total_ns = from->total;
    row->all_minimum_ns = from->minimum;
    row->all_maximum_ns = from->maximum;
    row->all_exclusive_ns = from->all_exclusive;
    return SPR_OK;
}

static const char *or_null(const char *text) { return text && *text ? text : NULL; }

static int convert(spr_profile *profile, const struct index_row *from, size_t number, spr_row *row, spr_error *error) {
    if (from->region >= profile->num_regions)
        return rd_fail(error, SPR_DAMAGED, profile->path, INDEX "/region_ids[%zu] is %u, but there are %zu regions",
                       number, from->region, profile->num_regions);
    *row = (spr_row){.region = from->region,
                     .rank = from->rank,
                     .calls = from->calls,
                     .exclusive_ns = from->exclusive < 0 ? -1 : from->exclusive,
                     .source_file = or_null(from->file),
                     .source_line = from->line < 0 ? -1 : from->line,
                     .source_text = or_null(from->text)};
    if (profile->aggregate) {
        row->total_ns = from->total;
        row->minimum_ns = from->minimum;
        row->maximum_ns = from->maximum;
        if (row->calls && !rd_aggregate_is_possible(row))
            return rd_fail(error, SPR_DAMAGED, profile->path, "row %zu of " INDEX " contradicts itself (aggregate_*)",
                           number);
    }
    const int status = take_sums(profile, from, number, row, error);
    return status == SPR_OK ? rd_tags_parse(profile, from->tags, row, error) : status;
}

/* Rows without calls are not rows; the others go to the profile. */
static int adopt(spr_profile *profile, spr_row *rows, const struct index_row *from, size_t count, spr_error *error) {
    struct rd_place *places = calloc(count ? count : 1, sizeof *places);
    if (!places) {
        free(rows);
        return rd_no_memory(profile, error);
    }
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].all_calls) continue;
        places[used].offset = from[i].offset;
        rows[used++] = rows[i];
    }
    return rd_rows_adopt(profile, rows, places, used, error);
}

static int take_rows(spr_profile *profile, hid_t group, const struct index_row *from, size_t count, spr_error *error) {
    spr_row *rows = calloc(count ? count : 1, sizeof *rows);
    if (!rows) return rd_no_memory(profile, error);
    int status = SPR_OK;
    for (size_t i = 0; status == SPR_OK && i < count; i++) status = convert(profile, &from[i], i, &rows[i], error);
    if (status == SPR_OK && !profile->aggregate) status = rd_summary_read(profile, group, rows, count, error);
    if (status == SPR_OK) return adopt(profile, rows, from, count, error);
    free(rows);
    return status;
}

static int open_events(spr_profile *profile, spr_error *error) {
    const hid_t group = rd_open_group(profile->file, "events");
    if (group < 0) return rd_fail(error, SPR_DAMAGED, profile->path, "group /events is missing");
    const int status = rd_events_open(profile, group, "/events", &profile->events, error);
    H5Gclose(group);
    return status;
}

void rd_count_ranks(spr_profile *profile) {
    if (!profile->num_rows) return;
    const spr_value *size = spr_metadata(profile, "mpi_size");
    profile->num_ranks = profile->rows[profile->by_rank[profile->num_rows - 1]].rank + 1;
    if (size && size->kind == SPR_INTEGER && size->integer > profile->num_ranks && size->integer <= INT32_MAX)
        profile->num_ranks = (uint32_t)size->integer;
}

int rd_index_read(spr_profile *profile, spr_error *error) {
    int status = read_names(profile, error);
    if (status != SPR_OK) return status;
    const hid_t group = rd_open_group(profile->file, "rank_region_index");
    if (group < 0) return rd_fail(error, SPR_DAMAGED, profile->path, "group " INDEX " is missing");

    void *records = NULL;
    size_t count = 0;
    status = rd_table_read(profile, group, INDEX, profile->aggregate ? aggregate_fields : columnar_fields,
                           profile->aggregate ? num_aggregate : num_columnar, sizeof(struct index_row),
                           profile->aggregate, &records, &count, error);
    if (status == SPR_OK && !profile->aggregate) status = open_events(profile, error);
    if (status == SPR_OK && !profile->aggregate) status = check_bounds(profile, records, count, error);
    if (status == SPR_OK) status = take_rows(profile, group, records, count, error);
    free(records);
    H5Gclose(group);
    if (status == SPR_OK) rd_count_ranks(profile);
    return status;
}
