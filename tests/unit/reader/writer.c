#include "writer.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const w_few_names[W_FEW] = {"a", "b", "longer name"};
static const struct w_call a0[] = {{.start = 100, .end = 200, .id = 0, .parent = -1, .thread = 0, .task = -1},
                                   {.start = 300, .end = 350, .id = 2, .parent = -1, .thread = 0, .task = 2}};
static const struct w_call b0[] = {{.start = 110, .end = 120, .id = 1, .parent = 0, .thread = 0, .task = -1}};
const struct w_row w_few_rows[W_FEW] = {{0, 0, a0, 2, 140, 3, "a.c", "text", "[\"x\", \"y\"]"},
                                        {1, 0, b0, 1, 10, 4, "b.c", "", "[]"},
                                        {2, 1, b0, 1, 5, 3, "a.c", "", ""}};

void w_check(bool fine, const char *what) {
    if (fine) return;
    fprintf(stderr, "the test could not write its file: %s\n", what);
    exit(99);
}

/* ---- the directory ---------------------------------------------------------------------------------------------- */

static char directory[64];
static pid_t owner;

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *at) {
    (void)about, (void)kind, (void)at;
    return remove(path);
}

static void remove_directory(void) {
    if (getpid() == owner) nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *w_path(const char *name) {
    static char path[256];
    if (!directory[0]) {
        strcpy(directory, "/tmp/scope-reader-XXXXXX");
        w_check(mkdtemp(directory) != NULL, "a directory");
        owner = getpid();
        atexit(remove_directory);
    }
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

/* ---- pieces ----------------------------------------------------------------------------------------------------- */

static const struct w_file *current; /* whose chunking new datasets take */

static hid_t create_list(void) {
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    if (current && current->chunk) {
        H5Pset_chunk(list, 1, &current->chunk);
        if (current->gzip) {
            H5Pset_shuffle(list);
            H5Pset_deflate(list, (unsigned)current->gzip);
        }
    }
    return list;
}

static void put(hid_t group, const char *name, hid_t file_type, hid_t memory_type, const void *values, hsize_t count) {
    const hsize_t most = current && current->chunk ? H5S_UNLIMITED : count;
    const hid_t space = H5Screate_simple(1, &count, &most), list = create_list();
    const hid_t dataset = H5Dcreate2(group, name, file_type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    w_check(dataset >= 0, name);
    if (count) w_check(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, name);
    H5Dclose(dataset);
    H5Pclose(list);
    H5Sclose(space);
}

void w_integers(hid_t group, const char *name, hid_t type, const int64_t *values, hsize_t count) {
    put(group, name, type, H5T_NATIVE_INT64, values, count);
}

static hid_t text_type(size_t size) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    if (size != H5T_VARIABLE) H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

void w_texts(hid_t group, const char *name, const char *const *texts, hsize_t count, bool fixed) {
    if (!fixed) {
        const hid_t type = text_type(H5T_VARIABLE);
        put(group, name, type, type, texts, count);
        H5Tclose(type);
        return;
    }
    size_t size = 1;
    for (hsize_t i = 0; i < count; i++)
        if (strlen(texts[i]) > size) size = strlen(texts[i]);
    char *packed = calloc(count ? count : 1, size);
    for (hsize_t i = 0; i < count; i++) memcpy(packed + i * size, texts[i], strlen(texts[i]));
    const hid_t type = text_type(size);
    put(group, name, type, type, packed, count);
    H5Tclose(type);
    free(packed);
}

static void attribute(hid_t object, const char *name, hid_t file_type, hid_t memory_type, hid_t space,
                      const void *value) {
    const hid_t id = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    w_check(id >= 0 && H5Awrite(id, memory_type, value) >= 0, name);
    H5Aclose(id);
    H5Sclose(space);
}

void w_attribute_integer(hid_t object, const char *name, int64_t value) {
    attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, H5Screate(H5S_SCALAR), &value);
}

void w_attribute_text(hid_t object, const char *name, const char *text) {
    const hid_t type = text_type(H5T_VARIABLE);
    attribute(object, name, type, type, H5Screate(H5S_SCALAR), &text);
    H5Tclose(type);
}

void w_attribute_texts(hid_t object, const char *name, const char *const *texts, hsize_t count) {
    const hid_t type = text_type(H5T_VARIABLE);
    attribute(object, name, type, type, H5Screate_simple(1, &count, NULL), texts);
    H5Tclose(type);
}

static hid_t make_group(hid_t parent, const char *name) {
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    const hid_t group = H5Gcreate2(parent, name, links, H5P_DEFAULT, H5P_DEFAULT);
    w_check(group >= 0, name);
    H5Pclose(links);
    return group;
}

hid_t w_open(const char *path) {
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    w_check(file >= 0, path);
    return file;
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

struct columns {
    int64_t *start, *end, *ids, *parents, *threads, *tasks;
    size_t count;
};

static void put_events(hid_t group, const struct w_file *file, const struct w_row *rows, size_t num_rows, bool deltas) {
    size_t count = 0, at = 0;
    for (size_t i = 0; i < num_rows; i++) count += rows[i].count;
    int64_t *columns[6];
    for (size_t i = 0; i < 6; i++) columns[i] = calloc(count ? count : 1, sizeof(int64_t));
    for (size_t i = 0; i < num_rows; i++) {
        int64_t before = 0;
        for (size_t k = 0; k < rows[i].count; k++, at++) {
            const struct w_call *call = &rows[i].calls[k];
            const int64_t values[6] = {deltas ? call->start - before : call->start,
                                       deltas ? call->end - call->start : call->end,
                                       call->id,
                                       call->parent,
                                       call->thread,
                                       call->task};
            for (size_t c = 0; c < 6; c++) columns[c][at] = values[c];
            before = call->start;
        }
    }
    const struct {
        const char *name;
        bool wanted;
    } names[6] = {{deltas ? "start_deltas" : "start_times", true},
                  {deltas ? "durations" : "end_times", true},
                  {"call_ids", file->ids},
                  {"parent_ids", file->ids},
                  {"thread_ids", file->threads},
                  {"task_ids", file->tasks}};
    for (size_t c = 0; c < 6; c++) {
        if (names[c].wanted) w_integers(group, names[c].name, H5T_STD_I64LE, columns[c], count);
        free(columns[c]);
    }
}

/* ---- the index -------------------------------------------------------------------------------------------------- */

struct summary {
    int64_t total, minimum, maximum, first, last, start_minimum, end_maximum;
    uint64_t gpu_count;
    int64_t gpu_total;
    double mean, m2;
};

static struct summary summarize(const struct w_row *row) {
    struct summary s = {0};
    for (size_t i = 0; i < row->count; i++) {
        const int64_t start = row->calls[i].start, end = row->calls[i].end, d = end - start;
        s.total += d;
        if (i == 0) s.first = s.minimum = d, s.start_minimum = start, s.end_maximum = end;
        if (d < s.minimum) s.minimum = d;
        if (d > s.maximum) s.maximum = d;
        if (start < s.start_minimum) s.start_minimum = start;
        if (end > s.end_maximum) s.end_maximum = end;
        s.last = d;
    }
    if (row->count) s.mean = (double)s.total / (double)row->count;
    for (size_t i = 0; i < row->count; i++) s.m2 += pow((double)(row->calls[i].end - row->calls[i].start) - s.mean, 2);
    return s;
}

static hid_t summary_type(void) {
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct summary));
    static const struct {
        const char *name;
        size_t offset;
    } members[] = {{"total", offsetof(struct summary, total)},
                   {"minimum", offsetof(struct summary, minimum)},
                   {"maximum", offsetof(struct summary, maximum)},
                   {"first", offsetof(struct summary, first)},
                   {"last", offsetof(struct summary, last)},
                   {"start_minimum", offsetof(struct summary, start_minimum)},
                   {"end_maximum", offsetof(struct summary, end_maximum)},
                   {"gpu_count", offsetof(struct summary, gpu_count)},
                   {"gpu_total", offsetof(struct summary, gpu_total)},
                   {"mean", offsetof(struct summary, mean)},
                   {"m2", offsetof(struct summary, m2)}};
    for (size_t i = 0; i < W_COUNT(members); i++)
        H5Tinsert(type, members[i].name, members[i].offset,
                  i >= 9   ? H5T_NATIVE_DOUBLE
                  : i == 7 ? H5T_NATIVE_UINT64
                           : H5T_NATIVE_INT64);
    return type;
}

static void put_summaries(hid_t group, const struct w_file *file) {
    struct summary *summaries = calloc(file->num_rows + 1, sizeof *summaries);
    for (size_t i = 0; i < file->num_rows; i++) summaries[i] = summarize(&file->rows[i]);
    const hid_t type = summary_type();
    put(group, "summary_statistics", type, type, summaries, file->num_rows);
    H5Tclose(type);
    free(summaries);
}

static const char *or_else(const char *text, const char *otherwise) { return text ? text : otherwise; }

static void put_index(hid_t group, const struct w_file *file) {
    enum { REGION, RANK, OFFSET, COUNT, LINE, EXCLUSIVE, TOTAL, MINIMUM, MAXIMUM, NUMBERS };
    int64_t *numbers[NUMBERS];
    const char **texts[3];
    const hsize_t rows = file->num_rows, others = file->aggregate ? 0 : rows;
    for (size_t i = 0; i < NUMBERS; i++) numbers[i] = calloc(rows + 1, sizeof(int64_t));
    for (size_t i = 0; i < 3; i++) texts[i] = calloc(rows + 1, sizeof(char *));
    int64_t offset = 0;
    for (size_t i = 0; i < rows; i++) {
        const struct w_row *row = &file->rows[i];
        const struct summary s = summarize(row);
        const int64_t values[NUMBERS] = {row->region, row->rank,      offset,  (int64_t)row->count,
                                         row->line,   row->exclusive, s.total, s.minimum,
                                         s.maximum};
        for (size_t c = 0; c < NUMBERS; c++) numbers[c][i] = values[c];
        texts[0][i] = or_else(row->file, "");
        texts[1][i] = or_else(row->text, "");
        texts[2][i] = or_else(row->tags, "[]");
        offset += (int64_t)row->count;
    }
    w_integers(group, "region_ids", H5T_STD_U32LE, numbers[REGION], rows);
    w_integers(group, "ranks", H5T_STD_U32LE, numbers[RANK], rows);
    w_integers(group, "event_offsets", H5T_STD_U64LE, numbers[OFFSET], others);
    w_integers(group, "event_counts", H5T_STD_U64LE, numbers[COUNT], others);
    w_integers(group, "source_lines", H5T_STD_I64LE, numbers[LINE], others);
    w_integers(group, "exclusive_totals", H5T_STD_I64LE, numbers[EXCLUSIVE], others);
    w_texts(group, "source_files", texts[0], others, file->fixed_strings);
    w_texts(group, "source_texts", texts[1], others, file->fixed_strings);
    w_texts(group, "tags", texts[2], others, file->fixed_strings);
    if (file->summary) put_summaries(group, file);
    if (file->aggregate) {
        w_integers(group, "aggregate_counts", H5T_STD_U64LE, numbers[COUNT], rows);
        w_integers(group, "aggregate_totals", H5T_STD_I64LE, numbers[TOTAL], rows);
        w_integers(group, "aggregate_minimums", H5T_STD_I64LE, numbers[MINIMUM], rows);
        w_integers(group, "aggregate_maximums", H5T_STD_I64LE, numbers[MAXIMUM], rows);
        w_integers(group, "aggregate_exclusives", H5T_STD_I64LE, numbers[EXCLUSIVE], rows);
    }
    for (size_t i = 0; i < NUMBERS; i++) free(numbers[i]);
    for (size_t i = 0; i < 3; i++) free(texts[i]);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static void put_rows_of_schema_1(hid_t file_id, const struct w_file *file) {
    for (size_t i = 0; i < file->num_rows; i++) {
        const struct w_row *row = &file->rows[i];
        char path[512];
        snprintf(path, sizeof path, "rank%u/regions/%s", row->rank, file->names[row->region]);
        const hid_t group = make_group(file_id, path);
        put_events(group, file, row, 1, false);
        if (row->file) w_attribute_text(group, "source_file", row->file);
        if (row->line > 0) w_attribute_integer(group, "source_lineno", row->line);
        if (row->tags) w_attribute_texts(group, "tags", &row->tags, 1);
        H5Gclose(group);
    }
}

static void put_columns(hid_t file_id, const struct w_file *file) {
    w_attribute_integer(file_id, "scope_profiler_schema", file->schema);
    w_attribute_text(file_id, "storage_layout", file->aggregate ? "aggregate" : "columnar");
    hid_t group = make_group(file_id, "region_table");
    w_texts(group, "names", file->names, file->num_names, file->fixed_strings);
    H5Gclose(group);
    group = make_group(file_id, "rank_region_index");
    put_index(group, file);
    H5Gclose(group);
    group = make_group(file_id, "events");
    put_events(group, file, file->rows, file->aggregate ? 0 : file->num_rows, file->schema == 3);
    H5Gclose(group);
}

static void put_many_attributes(hid_t object) {
    for (int i = 0; i < 12; i++) {
        char name[16];
        snprintf(name, sizeof name, "number %d", i);
        w_attribute_integer(object, name, i);
    }
}

static hid_t create(const char *path, bool latest) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (latest) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    const hid_t id = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    w_check(id >= 0, path);
    H5Pclose(access);
    return id;
}

void w_write(const char *path, const struct w_file *file) {
    current = file;
    const hid_t id = create(path, file->latest);
    if (file->mpi_size) {
        const hid_t metadata = make_group(id, "metadata");
        w_attribute_integer(metadata, "mpi_size", file->mpi_size);
        if (file->latest) put_many_attributes(metadata);
        if (file->start_time_ns) {
            w_attribute_integer(metadata, "start_time_ns", file->start_time_ns);
            w_attribute_integer(metadata, "finalize_time_ns", file->start_time_ns + INT64_C(10000000000));
        }
        H5Gclose(metadata);
    }
    if (file->schema == 1)
        put_rows_of_schema_1(id, file);
    else
        put_columns(id, file);
    w_check(H5Fclose(id) >= 0, "close");
    current = NULL;
}
