/* A plan as an HDF5 file of schema 3: the event columns first, for the rows' summaries come from them. */
#include "hdf5_out.h"
#include "json_out.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK ((hsize_t)65536) /* elements of a compressed column */
#define SLACK UINT64_C(65536)  /* for what HDF5 keeps beside the data */

struct summary {
    int64_t total, minimum, maximum, first, last, start_minimum, end_maximum;
    uint64_t gpu_count;
    int64_t gpu_total;
    double mean, m2;
};

/* A row of the index, as it is written. */
struct index_row {
    uint32_t region, rank;
    uint64_t offset, calls;
    int64_t exclusive, line;
    const char *file, *text, *tags;
    struct summary summary;
    uint64_t all_calls; /* with those that were added up instead of kept, as are the following */
    int64_t all_total, all_minimum, all_maximum, all_exclusive;
};

struct writing {
    struct rd_plan *plan;
    struct rd_out out;
    hid_t start, duration, extra[RD_EXTRAS]; /* columns */
    struct index_row *index;
};

/* ---- events ----------------------------------------------------------------------------------------------------- */

static hid_t create_events_column(const struct writing *writing, hid_t group, const char *name, uint64_t length) {
    const hsize_t count = length, chunk = count < CHUNK ? count : CHUNK;
    const hid_t space = H5Screate_simple(1, &count, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set = -1;
    bool fine = space >= 0 && list >= 0 && H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0;
    if (fine && writing->plan->options->compress > 0 && count)
        fine = H5Pset_chunk(list, 1, &chunk) >= 0 && H5Pset_shuffle(list) >= 0 &&
               H5Pset_deflate(list, (unsigned)writing->plan->options->compress) >= 0;
    if (fine) set = H5Dcreate2(group, name, H5T_STD_I64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (space >= 0) H5Sclose(space);
    if (list >= 0) H5Pclose(list);
    return set;
}

static int create_events(struct writing *writing) {
    const struct rd_plan *plan = writing->plan;
    const uint64_t length = plan->aggregate ? 0 : plan->num_calls;
    const hid_t group = H5Gcreate2(writing->out.file, "events", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return rd_out_failed(&writing->out);
    writing->start = create_events_column(writing, group, "start_deltas", length);
    writing->duration = create_events_column(writing, group, "durations", length);
    bool fine = writing->start >= 0 && writing->duration >= 0;
    for (int extra = 0; extra < RD_EXTRAS; extra++) {
        if (!plan->extras[extra]) continue;
        writing->extra[extra] = create_events_column(writing, group, rd_extra_columns[extra].name, length);
        fine = fine && writing->extra[extra] >= 0;
    }
    const int status = fine ? SPR_OK : rd_out_failed(&writing->out);
    H5Gclose(group);
    return status;
}

static bool write_part(hid_t set, hsize_t first, hsize_t count, const int64_t *values) {
    const hid_t file_space = H5Dget_space(set), memory_space = H5Screate_simple(1, &count, NULL);
    const bool fine = file_space >= 0 && memory_space >= 0 &&
                      H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0 &&
                      H5Dwrite(set, H5T_NATIVE_INT64, memory_space, file_space, H5P_DEFAULT, values) >= 0;
    if (file_space >= 0) H5Sclose(file_space);
    if (memory_space >= 0) H5Sclose(memory_space);
    return fine;
}

static bool write_block(const struct writing *writing, uint64_t first, size_t count, const struct rd_block *block) {
    errno = 0;
    if (!write_part(writing->start, first, count, block->start) ||
        !write_part(writing->duration, first, count, block->end))
        return false;
    for (int extra = 0; extra < RD_EXTRAS; extra++)
        if (writing->plan->extras[extra] &&
            !write_part(writing->extra[extra], first, count, rd_plan_extra(block, (enum rd_extra)extra)))
            return false;
    return true;
}

/* Starts become distances, ends durations. */
static int encode(struct writing *writing, struct index_row *index, struct rd_tally *tally, int64_t *before,
                  struct rd_block *block, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const int64_t start = block->start[i], end = block->end[i];
        int64_t delta;
        if (!rd_tally_add(tally, start, end) || __builtin_sub_overflow(start, *before, &delta))
            return rd_plan_fail(writing->plan, SPR_DAMAGED, "has times too far apart to be written");
        block->start[i] = delta;
        block->end[i] = end - start;
        *before = start;
    }
    for (size_t i = 0; block->gpu_durations && i < count; i++) {
        if (block->gpu_durations[i] < 0) continue;
        index->summary.gpu_count++;
        if (__builtin_add_overflow(index->summary.gpu_total, block->gpu_durations[i], &index->summary.gpu_total))
            return rd_plan_fail(writing->plan, SPR_DAMAGED, "has device times that add up beyond 64 bits");
    }
    return SPR_OK;
}

static void summarise(struct index_row *index, const struct rd_tally *tally) {
    struct summary *summary = &index->summary;
    summary->total = tally->total;
    summary->minimum = tally->minimum;
    summary->maximum = tally->maximum;
    summary->first = tally->first;
    summary->last = tally->last;
    summary->start_minimum = tally->start_minimum;
    summary->end_maximum = tally->end_maximum;
    summary->mean = tally->calls ? (double)tally->total / (double)tally->calls : 0;
    summary->m2 = tally->m2;
}

static int write_calls(struct writing *writing, const struct rd_plan_row *row, struct index_row *index) {
    struct rd_plan *plan = writing->plan;
    struct rd_plan_calls calls;
    struct rd_tally tally = {0};
    int64_t before = 0;
    uint64_t at = index->offset;
    int status = rd_plan_open(plan, row, &calls);
    while (status == SPR_OK) {
        size_t count;
        status = rd_plan_read(plan, row, &calls, &count);
        if (status != SPR_OK || !count) break;
        status = encode(writing, index, &tally, &before, &calls.block, count);
        if (status == SPR_OK && plan->options->compress > 0)
            status = rd_out_reserve(&writing->out, count * sizeof(int64_t) * (2 + RD_EXTRAS) + SLACK);
        if (status == SPR_OK && !write_block(writing, at, count, &calls.block)) status = rd_out_failed(&writing->out);
        at += count;
    }
    rd_plan_close(&calls);
    summarise(index, &tally);
    return status;
}

/* ---- the index -------------------------------------------------------------------------------------------------- */

static const char *or_empty(const char *text) { return text ? text : ""; }

/* Bytes that are no UTF-8 are replaced: parsers of JSON need not take them. */
static char *put_tag(char *to, const char *tag) {
    size_t length;
    *to++ = '"';
    for (const unsigned char *from = (const unsigned char *)tag; *from; from += length ? length : 1) {
        length = rd_json_out_character(from);
        if (!length)
            to = stpcpy(to, "\\ufffd");
        else if (*from < 0x20)
            to += sprintf(to, "\\u%04x", *from);
        else if (*from == '"' || *from == '\\')
            *to++ = '\\', *to++ = (char)*from;
        else
            to = mempcpy(to, from, length);
    }
    *to++ = '"';
    return to;
}

/* Tags as a JSON array of strings. */
static const char *encode_tags(struct rd_plan *plan, const spr_row *row) {
    if (!row->num_tags) return "[]";
    size_t length = 3;
    for (size_t i = 0; i < row->num_tags; i++) length += strlen(row->tags[i]) * 6 + 4;
    char *text = rd_arena_take(&plan->arena, length), *to = text;
    if (!text) return NULL;
    *to++ = '[';
    for (size_t i = 0; i < row->num_tags; i++) {
        if (i) to = stpcpy(to, ", ");
        to = put_tag(to, row->tags[i]);
    }
    strcpy(to, "]");
    return text;
}

/* Of an aggregate file, and of one of which some rows are partial. */
static void set_sums(struct index_row *index, const spr_row *source) {
    const struct summary *summary = &index->summary;
    index->all_calls = source->partial ? source->all_calls : index->calls;
    index->all_total = source->partial ? source->all_total_ns : summary->total;
    index->all_minimum = source->partial ? source->all_minimum_ns : summary->minimum;
    index->all_maximum = source->partial ? source->all_maximum_ns : summary->maximum;
    index->all_exclusive = source->partial ? source->all_exclusive_ns : index->exclusive;
}

/* A profile whose statistics were not stored may say of itself what no calls can have. */
static int check_own_time(struct rd_plan *plan, const struct rd_plan_row *row, const struct index_row *index) {
    const spr_profile *profile = plan->profiles[row->from];
    if (!index->calls || index->exclusive <= index->summary.total) return SPR_OK;
    return rd_fail(plan->error, SPR_DAMAGED, profile->path,
                   "region '%s' on rank %u claims more time of its own than its calls lasted",
                   profile->names[rd_plan_source(plan, row)->region], profile->rows[row->row].rank);
}

static int write_rows(struct writing *writing) {
    struct rd_plan *plan = writing->plan;
    uint64_t offset = 0;
    int status = SPR_OK;
    writing->index = calloc(plan->num_rows ? plan->num_rows : 1, sizeof *writing->index);
    if (!writing->index) return rd_plan_fail(plan, SPR_NO_MEMORY, "not enough memory");
    for (size_t i = 0; status == SPR_OK && i < plan->num_rows; i++) {
        const struct rd_plan_row *row = &plan->rows[i];
        const spr_row *source = rd_plan_source(plan, row);
        struct index_row *index = &writing->index[i];
        *index = (struct index_row){
            .region = (uint32_t)row->region,
            .rank = row->rank,
            .offset = offset,
            .calls = source->calls,
            .line = source->source_line,
            .file = or_empty(source->source_file),
            .text = or_empty(source->source_text),
            .tags = encode_tags(plan, source),
            .summary = {.total = source->total_ns, .minimum = source->minimum_ns, .maximum = source->maximum_ns}};
        if (!index->tags) return rd_plan_fail(plan, SPR_NO_MEMORY, "not enough memory");
        status = rd_plan_exclusive(plan, row, &index->exclusive);
        if (status == SPR_OK && !plan->aggregate) status = write_calls(writing, row, index);
        if (status == SPR_OK) status = check_own_time(plan, row, index);
        set_sums(index, source);
        offset += source->calls;
    }
    return status;
}

static hid_t summary_type(void) {
    static const struct {
        const char *name;
        size_t offset;
        int kind; /* 0 signed, 1 unsigned, 2 real */
    } members[] = {{"total", offsetof(struct summary, total), 0},
                   {"minimum", offsetof(struct summary, minimum), 0},
                   {"maximum", offsetof(struct summary, maximum), 0},
                   {"first", offsetof(struct summary, first), 0},
                   {"last", offsetof(struct summary, last), 0},
                   {"start_minimum", offsetof(struct summary, start_minimum), 0},
                   {"end_maximum", offsetof(struct summary, end_maximum), 0},
                   {"gpu_count", offsetof(struct summary, gpu_count), 1},
                   {"gpu_total", offsetof(struct summary, gpu_total), 0},
                   {"mean", offsetof(struct summary, mean), 2},
                   {"m2", offsetof(struct summary, m2), 2}};
    const hid_t types[] = {H5T_STD_I64LE, H5T_STD_U64LE, H5T_IEEE_F64LE};
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct summary));
    for (size_t i = 0; type >= 0 && i < sizeof members / sizeof *members; i++)
        H5Tinsert(type, members[i].name, members[i].offset, types[members[i].kind]);
    return type;
}

#define ROW(member) offsetof(struct index_row, member)

static int write_index(const struct writing *writing) {
    static const struct rd_out_field both[] = {{"region_ids", RD_OUT_U32, ROW(region)},
                                               {"ranks", RD_OUT_U32, ROW(rank)}};
    static const struct rd_out_field columnar[] = {{"event_offsets", RD_OUT_U64, ROW(offset)},
                                                   {"event_counts", RD_OUT_U64, ROW(calls)},
                                                   {"source_lines", RD_OUT_I64, ROW(line)},
                                                   {"exclusive_totals", RD_OUT_I64, ROW(exclusive)},
                                                   {"source_files", RD_OUT_TEXT, ROW(file)},
                                                   {"source_texts", RD_OUT_TEXT, ROW(text)},
                                                   {"tags", RD_OUT_TEXT, ROW(tags)}};
    static const struct rd_out_field aggregate[] = {{"aggregate_counts", RD_OUT_U64, ROW(all_calls)},
                                                    {"aggregate_totals", RD_OUT_I64, ROW(all_total)},
                                                    {"aggregate_minimums", RD_OUT_I64, ROW(all_minimum)},
                                                    {"aggregate_maximums", RD_OUT_I64, ROW(all_maximum)},
                                                    {"aggregate_exclusives", RD_OUT_I64, ROW(all_exclusive)}};
    const size_t count = writing->plan->num_rows, rows = writing->plan->aggregate ? 0 : count;
    const hid_t group = H5Gcreate2(writing->out.file, "rank_region_index", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = group >= 0;
    for (size_t i = 0; fine && i < sizeof both / sizeof *both; i++)
        fine = rd_out_field(&writing->out, group, &both[i], writing->index, count, sizeof *writing->index);
    for (size_t i = 0; fine && i < sizeof columnar / sizeof *columnar; i++)
        fine = rd_out_field(&writing->out, group, &columnar[i], writing->index, rows, sizeof *writing->index);
    for (size_t i = 0;
         fine && (writing->plan->aggregate || writing->plan->partial) && i < sizeof aggregate / sizeof *aggregate; i++)
        fine = rd_out_field(&writing->out, group, &aggregate[i], writing->index, count, sizeof *writing->index);
    const hid_t type = summary_type();
    struct summary *summaries = malloc((rows + 1) * sizeof *summaries);
    for (size_t i = 0; summaries && i < rows; i++) summaries[i] = writing->index[i].summary;
    fine = fine && type >= 0 && summaries && rd_out_column(group, "summary_statistics", type, type, rows, summaries);
    const int status = fine ? SPR_OK : rd_out_failed(&writing->out);
    free(summaries);
    if (type >= 0) H5Tclose(type);
    if (group >= 0) H5Gclose(group);
    return status;
}

/* ---- the rest --------------------------------------------------------------------------------------------------- */

/* The name of an attribute and all else of it share the 64 KiB of a message. */
#define MOST_KEY_BYTES 60000

/* A key that HDF5 cannot have, of JSON, is left out. */
static bool write_value(const struct writing *writing, hid_t group, const spr_value *value) {
    const hsize_t length = value->count;
    if (!*value->key || strlen(value->key) > MOST_KEY_BYTES) return true;
    switch (value->kind) {
    case SPR_TEXT:
        return rd_out_text(&writing->out, group, value->key, value->text);
    case SPR_INTEGER:
        return rd_out_integer(group, value->key, value->integer);
    case SPR_REAL:
        return rd_out_real(group, value->key, value->real);
    case SPR_TEXT_LIST:
        break;
    }
    return rd_out_attribute(group, value->key, writing->out.text, writing->out.text, &length,
                            length ? value->items : NULL);
}

static int write_head(const struct writing *writing) {
    const struct rd_plan *plan = writing->plan;
    const hid_t group = H5Gcreate2(writing->out.file, "metadata", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool fine =
        group >= 0 && rd_out_integer(writing->out.file, "scope_profiler_schema", RD_NEWEST_SCHEMA) &&
        rd_out_text(&writing->out, writing->out.file, "storage_layout", plan->aggregate ? "aggregate" : "columnar");
    for (size_t i = 0; fine && i < plan->num_metadata; i++) fine = write_value(writing, group, &plan->metadata[i]);
    int status = fine ? SPR_OK : rd_out_failed(&writing->out);
    if (group >= 0) H5Gclose(group);
    static const struct rd_out_field names = {"names", RD_OUT_TEXT, 0};
    if (status == SPR_OK)
        status = rd_out_table(&writing->out, "region_table", &names, 1, plan->names.items, plan->names.count,
                              sizeof *plan->names.items);
    return status;
}

static int write_all(struct writing *writing) {
    int status = write_head(writing);
    if (status == SPR_OK) status = create_events(writing);
    if (status == SPR_OK) status = write_rows(writing);
    if (status == SPR_OK) status = write_index(writing);
    if (status == SPR_OK) status = rd_write_tables(&writing->out);
    if (status == SPR_OK && !writing->plan->aggregate) status = rd_write_mpi(&writing->out);
    return status;
}

static uint64_t text_bytes(const char *text) { return (text ? strlen(text) : 0) + 64; }

/* Bytes that the file will need at the most; packed columns are reserved as they are written. */
static uint64_t estimate(struct rd_plan *plan) {
    uint64_t bytes = 16 * SLACK, columns = 2;
    for (int extra = 0; extra < RD_EXTRAS; extra++) columns += plan->extras[extra];
    if (!plan->aggregate && plan->options->compress <= 0) bytes += plan->num_calls * columns * sizeof(int64_t);
    for (size_t i = 0; i < plan->num_rows; i++) {
        const spr_row *row = rd_plan_source(plan, &plan->rows[i]);
        bytes += sizeof(struct index_row) + text_bytes(row->source_file) + text_bytes(row->source_text) + 64;
        for (size_t k = 0; k < row->num_tags; k++) bytes += 6 * text_bytes(row->tags[k]);
    }
    for (size_t i = 0; i < plan->names.count; i++) bytes += text_bytes(plan->names.items[i]);
    for (size_t i = 0; i < plan->num_metadata; i++) {
        const spr_value *value = &plan->metadata[i];
        bytes += 256 + text_bytes(value->key) + (value->kind == SPR_TEXT ? text_bytes(value->text) : 0);
        for (size_t k = 0; value->kind == SPR_TEXT_LIST && k < value->count; k++) bytes += text_bytes(value->items[k]);
    }
    return bytes + rd_tables_estimate(plan) + rd_mpi_estimate(plan);
}

static void close_columns(struct writing *writing) {
    if (writing->start >= 0) H5Dclose(writing->start);
    if (writing->duration >= 0) H5Dclose(writing->duration);
    for (int extra = 0; extra < RD_EXTRAS; extra++)
        if (writing->extra[extra] >= 0) H5Dclose(writing->extra[extra]);
}

int rd_write_hdf5(struct rd_plan *plan, const char *temporary) {
    struct writing writing = {.plan = plan, .out = {.plan = plan}, .start = -1, .duration = -1};
    for (int extra = 0; extra < RD_EXTRAS; extra++) writing.extra[extra] = -1;
    int status = rd_out_open(&writing.out, temporary, estimate(plan));
    if (status == SPR_OK) status = write_all(&writing);
    close_columns(&writing);
    free(writing.index);
    return rd_out_close(&writing.out, status);
}
