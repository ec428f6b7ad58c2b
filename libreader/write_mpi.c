/* /mpi of several profiles as one: every column is copied, its numbers of ranks, regions, call sites, communicators,
 * events and rows shifted to what they are in the new file. */
#include "hdf5_out.h"
#include "mpi.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK        ((uint64_t)65536) /* elements at a time; of a compressed chunk */
#define COUNT(array) (sizeof(array) / sizeof *(array))

enum shift { PLAIN, RANK /* negative ones stay */, REGION, SITE, COMM, EVENT, CALL, COMPLETION, RUN, TEXT };

struct mpi_column {
    const char *group, *name;
    enum shift shift;
    bool optional;
    int64_t absent;
};

static const struct mpi_column columns[] = {
    {"ranks", "ranks", RANK, false, 0},
    {"ranks", "call_offsets", CALL, false, 0},
    {"ranks", "call_counts", PLAIN, false, 0},
    {"ranks", "completion_offsets", COMPLETION, false, 0},
    {"ranks", "completion_counts", PLAIN, false, 0},
    {"ranks", "gaps", PLAIN, true, 0},
    {"calls", "events", EVENT, false, 0},
    {"calls", "sites", SITE, false, 0},
    {"calls", "communicators", COMM, false, 0},
    {"calls", "flags", PLAIN, false, 0},
    {"calls", "to", RANK, true, -1},
    {"calls", "to_tags", PLAIN, true, -1},
    {"calls", "from", RANK, true, -1},
    {"calls", "from_tags", PLAIN, true, -1},
    {"calls", "sent", PLAIN, true, -1},
    {"calls", "received", PLAIN, true, -1},
    {"calls", "offsets", PLAIN, true, -1},
    {"calls", "polls", PLAIN, true, 0},
    {"calls", "spans", PLAIN, true, 0},
    {"completions", "events", EVENT, true, 0}, /* where nothing was completed there may be no columns */
    {"completions", "calls", CALL, true, 0},
    {"functions", "ranks", RANK, false, 0},
    {"functions", "region_ids", REGION, false, 0},
    {"functions", "sites", SITE, false, 0},
    {"functions", "calls", PLAIN, false, 0},
    {"functions", "polls", PLAIN, false, 0},
    {"functions", "totals", PLAIN, false, 0},
    {"functions", "minima", PLAIN, false, 0},
    {"functions", "maxima", PLAIN, false, 0},
    {"functions", "messages_sent", PLAIN, false, 0},
    {"functions", "bytes_sent", PLAIN, false, 0},
    {"functions", "messages_received", PLAIN, false, 0},
    {"functions", "bytes_received", PLAIN, false, 0},
    {"traffic", "ranks", RANK, false, 0},
    {"traffic", "region_ids", REGION, false, 0},
    {"traffic", "sites", SITE, false, 0},
    {"traffic", "peers", RANK, false, 0},
    {"traffic", "messages_sent", PLAIN, false, 0},
    {"traffic", "bytes_sent", PLAIN, false, 0},
    {"traffic", "messages_received", PLAIN, false, 0},
    {"traffic", "bytes_received", PLAIN, false, 0},
    {"sizes", "ranks", RANK, false, 0},
    {"sizes", "region_ids", REGION, false, 0},
    {"sizes", "buckets", PLAIN, false, 0},
    {"sizes", "messages", PLAIN, false, 0},
    {"sizes", "bytes", PLAIN, false, 0},
    {"communicators", "names", TEXT, false, 0},
    {"communicators", "sizes", PLAIN, false, 0},
    {"communicators", "remote_sizes", PLAIN, false, 0},
    {"communicators", "run_offsets", RUN, false, 0},
    {"communicators", "run_counts", PLAIN, false, 0},
    {"communicators", "remote_run_counts", PLAIN, false, 0},
    {"members", "first", RANK, false, 0},
    {"members", "stride", PLAIN, false, 0},
    {"members", "count", PLAIN, false, 0},
};

struct span { /* the events of a row: from where to where */
    uint64_t from, count, to;
};

struct source { /* one profile */
    spr_profile *profile;
    hid_t group; /* < 0: it has no /mpi */
    uint32_t first_rank;
    spr_mpi mpi;
    size_t *regions; /* its regions in the new file */
    size_t *sites;   /* its call sites there */
    struct span *spans;
    size_t num_spans;
    uint64_t calls, completions, comms, runs; /* where its rows of these groups begin there */
};

struct mpi_writing {
    const struct rd_out *out;
    struct rd_plan *plan;
    struct source *sources;
    hid_t group;
    struct rd_names sites; /* by what tells two of them apart */
    spr_mpi_site *site_rows;
};

static int no_memory(const struct mpi_writing *w) { return rd_plan_fail(w->plan, SPR_NO_MEMORY, "not enough memory"); }

/* ---- what the numbers of a profile become -------------------------------------------------------------------------
 */

static int by_from(const void *a, const void *b) {
    const struct span *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Rows of the new file have their events one after the other. */
static bool find_spans(struct mpi_writing *w) {
    uint64_t to = 0;
    for (size_t i = 0; i < w->plan->num_rows; i++) {
        const struct rd_plan_row *row = &w->plan->rows[i];
        struct source *source = &w->sources[row->from];
        if (source->group >= 0 && !source->spans)
            source->spans = calloc(source->profile->num_rows + 1, sizeof *source->spans);
        if (source->group >= 0 && !source->spans) return false;
        const uint64_t count = rd_plan_source(w->plan, row)->calls;
        if (source->group >= 0)
            source->spans[source->num_spans++] = (struct span){source->profile->places[row->row].offset, count, to};
        to += count;
    }
    for (size_t i = 0; i < w->plan->num_profiles; i++)
        if (w->sources[i].num_spans)
            qsort(w->sources[i].spans, w->sources[i].num_spans, sizeof *w->sources[i].spans, by_from);
    return true;
}

static bool find_regions(const struct mpi_writing *w, struct source *source) {
    const spr_profile *profile = source->profile;
    source->regions = malloc((profile->num_regions + 1) * sizeof *source->regions);
    for (size_t i = 0; source->regions && i < profile->num_regions; i++)
        if (!rd_names_find(&w->plan->names, &w->plan->arena, profile->names[i], &source->regions[i])) return false;
    return source->regions != NULL;
}

/* The same place of the same object is one call site, whichever profile has it. */
static bool find_sites(struct mpi_writing *w, struct source *source) {
    const spr_mpi *mpi = &source->mpi;
    source->sites = malloc((mpi->num_sites + 1) * sizeof *source->sites);
    spr_mpi_site *rows = realloc(w->site_rows, (w->sites.count + mpi->num_sites + 1) * sizeof *rows);
    if (rows) w->site_rows = rows;
    bool good = source->sites && rows;
    for (size_t i = 0; good && i < mpi->num_sites; i++) {
        const spr_mpi_site *site = &mpi->sites[i];
        const size_t before = w->sites.count;
        char *key = NULL;
        good = asprintf(&key, "%s\n%s\n%s\n%lld\n%lld", site->object, site->symbol, site->file, (long long)site->line,
                        (long long)site->offset) >= 0 &&
               rd_names_find(&w->sites, &w->plan->arena, key, &source->sites[i]);
        free(key);
        if (good && w->sites.count > before) w->site_rows[before] = *site;
    }
    return good;
}

static int open_column(const struct source *source, const struct mpi_column *column, struct rd_column *opened,
                       spr_error *error) {
    char where[64];
    snprintf(where, sizeof where, "/mpi/%s", column->group);
    *opened = (struct rd_column){.id = -1};
    const hid_t group = source->group < 0 ? -1 : rd_open_group(source->group, column->group);
    if (group < 0) return SPR_OK;
    const bool there = rd_has_link(group, column->name);
    int status = SPR_OK;
    if (there || !column->optional)
        status = rd_column_open(source->profile, group, where, column->name,
                                column->shift == TEXT ? RD_TEXT : RD_INTEGERS, opened, error);
    H5Gclose(group);
    return status;
}

/* The first column of a group says how many rows it has. */
static int rows_of(const struct source *source, const char *group, uint64_t *rows, spr_error *error) {
    size_t i = 0;
    struct rd_column column;
    while (strcmp(columns[i].group, group) != 0) i++;
    const int status = open_column(source, &columns[i], &column, error);
    *rows = column.id >= 0 ? column.length : 0;
    rd_column_close(&column);
    return status;
}

static int place(struct mpi_writing *w, const char *group, size_t offset) {
    uint64_t next = 0, rows;
    int status = SPR_OK;
    for (size_t i = 0; status == SPR_OK && i < w->plan->num_profiles; i++) {
        *(uint64_t *)(void *)((char *)&w->sources[i] + offset) = next;
        status = rows_of(&w->sources[i], group, &rows, w->plan->error);
        next += rows;
    }
    return status;
}

static int prepare(struct mpi_writing *w) {
    int status = SPR_OK;
    if (!find_spans(w)) return no_memory(w);
    for (size_t i = 0; status == SPR_OK && i < w->plan->num_profiles; i++) {
        struct source *source = &w->sources[i];
        if (source->group < 0) continue;
        status = spr_mpi_read(source->profile, &source->mpi, w->plan->error);
        if (status == SPR_OK && !(find_regions(w, source) && find_sites(w, source))) status = no_memory(w);
    }
    if (status == SPR_OK) status = place(w, "calls", offsetof(struct source, calls));
    if (status == SPR_OK) status = place(w, "completions", offsetof(struct source, completions));
    if (status == SPR_OK) status = place(w, "communicators", offsetof(struct source, comms));
    if (status == SPR_OK) status = place(w, "members", offsetof(struct source, runs));
    return status;
}

static bool move_event(const struct source *source, int64_t *event) {
    size_t low = 0, high = source->num_spans;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        *(source->spans[middle].from <= (uint64_t)*event ? &low : &high) = middle;
    }
    const struct span *span = source->num_spans ? &source->spans[low] : NULL;
    if (!span || *event < 0 || (uint64_t)*event < span->from || (uint64_t)*event - span->from >= span->count)
        return false;
    *event = (int64_t)(span->to + ((uint64_t)*event - span->from));
    return true;
}

/* False: the number is none that the profile has. */
static bool move(const struct source *source, enum shift shift, int64_t *value) {
    const spr_mpi *mpi = &source->mpi;
    uint64_t add = 0;
    switch (shift) {
    case RANK:
        if (*value < 0) return true;
        add = source->first_rank;
        break;
    case REGION:
        if (*value < 0 || (uint64_t)*value >= source->profile->num_regions) return false;
        *value = (int64_t)source->regions[*value];
        return true;
    case SITE:
        if (*value < 0 || (uint64_t)*value > mpi->num_sites) return false;
        if (*value) *value = (int64_t)source->sites[*value - 1] + 1;
        return true;
    case EVENT:
        return move_event(source, value);
    case COMM:
        if (*value < 0) return true;
        add = source->comms;
        break;
    case CALL:
        add = source->calls;
        break;
    case COMPLETION:
        add = source->completions;
        break;
    case RUN:
        add = source->runs;
        break;
    case PLAIN:
    case TEXT:
        return true;
    }
    return !__builtin_add_overflow(*value, (int64_t)add, value);
}

/* ---- columns ------------------------------------------------------------------------------------------------------
 */

static hid_t create(const struct mpi_writing *w, hid_t group, const struct mpi_column *column, hid_t type,
                    uint64_t length) {
    const bool list = strcmp(column->group, "calls") == 0 || strcmp(column->group, "completions") == 0;
    const hsize_t count = length, chunk = count < BLOCK ? count : BLOCK;
    const hid_t space = H5Screate_simple(1, &count, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    bool fine = space >= 0 && plist >= 0;
    if (fine && column->shift != TEXT) fine = H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER) >= 0;
    if (fine && list && w->plan->options->compress > 0 && count)
        fine = H5Pset_chunk(plist, 1, &chunk) >= 0 && H5Pset_shuffle(plist) >= 0 &&
               H5Pset_deflate(plist, (unsigned)w->plan->options->compress) >= 0;
    const hid_t set = fine ? H5Dcreate2(group, column->name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT) : -1;
    if (space >= 0) H5Sclose(space);
    if (plist >= 0) H5Pclose(plist);
    return set;
}

static bool write_part(hid_t set, hid_t type, hsize_t first, hsize_t count, const void *values) {
    const hid_t file_space = H5Dget_space(set), space = H5Screate_simple(1, &count, NULL);
    const bool fine = file_space >= 0 && space >= 0 &&
                      H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0 &&
                      H5Dwrite(set, type, space, file_space, H5P_DEFAULT, values) >= 0;
    if (file_space >= 0) H5Sclose(file_space);
    if (space >= 0) H5Sclose(space);
    return fine;
}

/* `count` elements of a source from its `first` on, moved. */
static int read_block(const struct source *source, const struct mpi_column *column, const struct rd_column *from,
                      uint64_t first, uint64_t count, int64_t *values, spr_error *error) {
    for (uint64_t i = 0; from->id < 0 && i < count; i++) values[i] = column->absent;
    if (from->id < 0) return SPR_OK;
    const int status = rd_column_read(source->profile, from, H5T_NATIVE_INT64, first, count, values, error);
    for (uint64_t i = 0; status == SPR_OK && i < count; i++)
        if (!move(source, column->shift, &values[i]))
            return rd_fail(error, SPR_DAMAGED, source->profile->path, "/mpi/%s/%s[%llu] names nothing that is there",
                           column->group, column->name, (unsigned long long)(first + i));
    return status;
}

static int copy_numbers(const struct mpi_writing *w, const struct source *source, const struct mpi_column *column,
                        const struct rd_column *from, hid_t set, uint64_t at, uint64_t rows) {
    int64_t *values = malloc(BLOCK * sizeof *values);
    int status = values ? SPR_OK : no_memory(w);
    for (uint64_t first = 0; status == SPR_OK && first < rows; first += BLOCK) {
        const uint64_t count = rows - first < BLOCK ? rows - first : BLOCK;
        status = read_block(source, column, from, first, count, values, w->plan->error);
        if (status == SPR_OK && w->plan->options->compress > 0)
            status = rd_out_reserve(w->out, count * sizeof *values + BLOCK);
        errno = 0;
        if (status == SPR_OK && !write_part(set, H5T_NATIVE_INT64, at + first, count, values))
            status = rd_out_failed(w->out);
    }
    free(values);
    return status;
}

static int copy_texts(const struct mpi_writing *w, const struct source *source, const struct rd_column *from, hid_t set,
                      uint64_t at, uint64_t rows) {
    const char **texts = malloc((rows + 1) * sizeof *texts);
    int status = texts ? SPR_OK : no_memory(w);
    source->profile->text_left = (uint64_t)source->profile->file_bytes;
    if (status == SPR_OK) status = rd_column_read_text(source->profile, from, texts, w->plan->error);
    errno = 0;
    if (status == SPR_OK && rows && !write_part(set, w->out->text, at, rows, texts)) status = rd_out_failed(w->out);
    rd_heap_free(&source->profile->heap);
    free(texts);
    return status;
}

static int copy_source(const struct mpi_writing *w, size_t i, const struct mpi_column *column, hid_t set,
                       uint64_t *at) {
    const struct source *source = &w->sources[i];
    struct rd_column from;
    uint64_t rows;
    int status = rows_of(source, column->group, &rows, w->plan->error);
    if (status != SPR_OK) return status;
    status = open_column(source, column, &from, w->plan->error);
    if (status == SPR_OK && from.id >= 0 && from.length != rows)
        status = rd_fail(w->plan->error, SPR_DAMAGED, source->profile->path,
                         "/mpi/%s/%s has another length than its group", column->group, column->name);
    if (status == SPR_OK && rows)
        status = column->shift == TEXT ? copy_texts(w, source, &from, set, *at, rows)
                                       : copy_numbers(w, source, column, &from, set, *at, rows);
    rd_column_close(&from);
    *at += rows;
    return status;
}

/* The type of the column in the first profile that has it; -1: none has. */
static hid_t type_of(const struct mpi_writing *w, const struct mpi_column *column) {
    hid_t type = -1;
    for (size_t i = 0; type < 0 && i < w->plan->num_profiles; i++) {
        struct rd_column from;
        if (open_column(&w->sources[i], column, &from, NULL) == SPR_OK && from.id >= 0) type = H5Dget_type(from.id);
        rd_column_close(&from);
    }
    return type;
}

static int copy_column(const struct mpi_writing *w, hid_t group, const struct mpi_column *column) {
    uint64_t total = 0, rows, at = 0;
    int status = SPR_OK;
    for (size_t i = 0; status == SPR_OK && i < w->plan->num_profiles; i++, total += rows)
        status = rows_of(&w->sources[i], column->group, &rows, w->plan->error);
    const hid_t type = status == SPR_OK ? type_of(w, column) : -1;
    if (type < 0) return status;
    errno = 0;
    const hid_t set = create(w, group, column, column->shift == TEXT ? w->out->text : type, total);
    if (set < 0) status = rd_out_failed(w->out);
    for (size_t i = 0; status == SPR_OK && i < w->plan->num_profiles; i++) status = copy_source(w, i, column, set, &at);
    if (set >= 0) H5Dclose(set);
    H5Tclose(type);
    return status;
}

static int copy_group(const struct mpi_writing *w, size_t *next) {
    const char *name = columns[*next].group;
    errno = 0;
    const hid_t group = H5Gcreate2(w->group, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int status = group >= 0 ? SPR_OK : rd_out_failed(w->out);
    for (; *next < COUNT(columns) && strcmp(columns[*next].group, name) == 0; (*next)++)
        if (status == SPR_OK) status = copy_column(w, group, &columns[*next]);
    if (group >= 0) H5Gclose(group);
    return status;
}

#define SITE_FIELD(member) offsetof(spr_mpi_site, member)

static int write_sites(const struct mpi_writing *w) {
    static const struct rd_out_field fields[] = {{"objects", RD_OUT_TEXT, SITE_FIELD(object)},
                                                 {"symbols", RD_OUT_TEXT, SITE_FIELD(symbol)},
                                                 {"files", RD_OUT_TEXT, SITE_FIELD(file)},
                                                 {"lines", RD_OUT_I64, SITE_FIELD(line)},
                                                 {"offsets", RD_OUT_I64, SITE_FIELD(offset)}};
    return rd_out_table(w->out, "mpi/sites", fields, COUNT(fields), w->site_rows, w->sites.count, sizeof *w->site_rows);
}

/* ---- all of it ----------------------------------------------------------------------------------------------------
 */

static bool open_sources(struct mpi_writing *w) {
    bool any = false;
    for (size_t i = 0; i < w->plan->num_profiles; i++) {
        struct source *source = &w->sources[i];
        source->profile = w->plan->profiles[i];
        source->first_rank = w->plan->first_rank[i];
        source->group = rd_mpi_open(source->profile);
        any = any || source->group >= 0;
    }
    return any;
}

static void close_sources(struct mpi_writing *w) {
    for (size_t i = 0; i < w->plan->num_profiles; i++) {
        struct source *source = &w->sources[i];
        if (source->group >= 0) H5Gclose(source->group);
        spr_mpi_free(&source->mpi);
        free(source->regions);
        free(source->sites);
        free(source->spans);
    }
    rd_names_close(&w->sites);
    free(w->sites.items);
    free(w->site_rows);
    free(w->sources);
}

uint64_t rd_mpi_estimate(struct rd_plan *plan) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < plan->num_profiles; i++) {
        const struct source source = {.profile = plan->profiles[i], .group = rd_mpi_open(plan->profiles[i])};
        if (source.group < 0) continue;
        bytes += UINT64_C(1) << 20;
        for (size_t k = 0; k < COUNT(columns); k++) {
            struct rd_column column;
            const bool list = strcmp(columns[k].group, "calls") == 0 || strcmp(columns[k].group, "completions") == 0;
            if (open_column(&source, &columns[k], &column, NULL) == SPR_OK && column.id >= 0 &&
                !(list && plan->options->compress > 0))
                bytes += column.length * (columns[k].shift == TEXT ? 640 : sizeof(int64_t));
            rd_column_close(&column);
        }
        H5Gclose(source.group);
    }
    return bytes;
}

int rd_write_mpi(const struct rd_out *out) {
    struct mpi_writing w = {.out = out, .plan = out->plan, .group = -1};
    w.sources = calloc(w.plan->num_profiles + 1, sizeof *w.sources);
    if (!w.sources) return no_memory(&w);
    int status = SPR_OK;
    if (open_sources(&w)) {
        status = prepare(&w);
        errno = 0;
        if (status == SPR_OK) w.group = H5Gcreate2(out->file, "mpi", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (status == SPR_OK && w.group < 0) status = rd_out_failed(out);
        for (size_t next = 0; status == SPR_OK && next < COUNT(columns);) status = copy_group(&w, &next);
        if (status == SPR_OK) status = write_sites(&w);
        if (w.group >= 0) H5Gclose(w.group);
    }
    close_sources(&w);
    return status;
}
