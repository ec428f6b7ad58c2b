/* /rank<N>/line_profile/<k>: hits and times of the lines of Python functions. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RECORDS 1000000

struct reading {
    spr_profile *profile;
    spr_line_profile *lines;
    spr_error *error;
    int status;
    size_t room;
    uint64_t budget;  /* elements and characters that a file of this size may sensibly give */
    int64_t *numbers; /* of the children of one rank */
    size_t num_numbers, numbers_room;
    int64_t *ranks;
    size_t num_ranks, ranks_room;
    char where[64]; /* path of the group being read */
};

static herr_t stop(struct reading *reading, int status) {
    reading->status = status;
    return -1;
}

static bool add_number(int64_t **numbers, size_t *count, size_t *room, int64_t number) {
    if (*count == *room) {
        *room = *room ? *room * 2 : 32;
        int64_t *grown = realloc(*numbers, *room * sizeof *grown);
        if (!grown) return false;
        *numbers = grown;
    }
    (*numbers)[(*count)++] = number;
    return true;
}

static int compare_numbers(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t record_number(const char *name) {
    int64_t number = 0;
    if (!*name) return -1;
    for (; *name; name++) {
        if (*name < '0' || *name > '9') return -1;
        number = number * 10 + (*name - '0');
        if (number > INT32_MAX) return -1;
    }
    return number;
}

static herr_t note_rank(hid_t group, const char *name, const H5L_info_t *info, void *data) {
    (void)group, (void)info;
    struct reading *reading = data;
    const int64_t rank = rd_rank_of_group(name);
    if (rank < 0 || add_number(&reading->ranks, &reading->num_ranks, &reading->ranks_room, rank)) return 0;
    return stop(reading, rd_no_memory(reading->profile, reading->error));
}

static herr_t note_record(hid_t group, const char *name, const H5L_info_t *info, void *data) {
    (void)group, (void)info;
    struct reading *reading = data;
    const int64_t number = record_number(name);
    if (number < 0) return 0;
    if (reading->num_numbers < MOST_RECORDS &&
        add_number(&reading->numbers, &reading->num_numbers, &reading->numbers_room, number))
        return 0;
    return stop(reading, rd_no_memory(reading->profile, reading->error));
}

/* ---- one record --------------------------------------------------------------------------------------------------
 */

static const char *text_of(struct reading *reading, hid_t group, const char *name, const char *absent) {
    spr_value value;
    if (!rd_attribute(reading->profile, group, name, &value) || value.kind != SPR_TEXT) return absent;
    const uint64_t length = strlen(value.text);
    if (length > reading->budget) {
        reading->status = rd_fail(reading->error, SPR_DAMAGED, reading->profile->path,
                                  "%s holds more text than the file can", reading->where);
        return absent;
    }
    reading->budget -= length;
    return value.text;
}

static int64_t integer_of(struct reading *reading, hid_t group, const char *name, int64_t absent) {
    spr_value value;
    if (!rd_attribute(reading->profile, group, name, &value)) return absent;
    return value.kind == SPR_INTEGER ? value.integer : absent;
}

static double real_of(struct reading *reading, hid_t group, const char *name, double absent) {
    spr_value value;
    if (!rd_attribute(reading->profile, group, name, &value)) return absent;
    if (value.kind == SPR_INTEGER) return (double)value.integer;
    return value.kind == SPR_REAL && isfinite(value.real) ? value.real : absent;
}

/* Reads a column of `count` elements of 8 bytes into memory of its own. */
static int read_column(struct reading *reading, hid_t group, const char *name, enum rd_content content, hid_t type,
                       uint64_t *count, void **values) {
    const spr_profile *profile = reading->profile;
    struct rd_column column;
    int status = rd_column_open(profile, group, reading->where, name, content, &column, reading->error);
    if (status != SPR_OK) return status;
    if (column.id < 0)
        return rd_fail(reading->error, SPR_DAMAGED, profile->path, "%s/%s is missing", reading->where, name);
    if (*count == UINT64_MAX) *count = column.length;
    if (column.length != *count) {
        status = rd_fail(reading->error, SPR_DAMAGED, profile->path, "%s/%s has %llu elements, not %llu",
                         reading->where, name, (unsigned long long)column.length, (unsigned long long)*count);
    } else if (column.length > reading->budget) {
        status = rd_fail(reading->error, SPR_DAMAGED, profile->path, "%s holds more lines than the file can",
                         reading->where);
    } else {
        reading->budget -= column.length;
        *values = malloc((size_t)column.length * 8 + 8);
        status = *values ? rd_column_read(profile, &column, type, 0, column.length, *values, reading->error)
                         : rd_no_memory(profile, reading->error);
    }
    rd_column_close(&column);
    return status;
}

static int compare_lines(const void *a, const void *b) {
    const int64_t x = ((const spr_line *)a)->number, y = ((const spr_line *)b)->number;
    return (x > y) - (x < y);
}

static int read_lines(struct reading *reading, hid_t group, spr_line_record *record) {
    uint64_t count = UINT64_MAX;
    void *numbers = NULL, *hits = NULL, *times = NULL;
    int status = read_column(reading, group, "line_numbers", RD_INTEGERS, H5T_NATIVE_INT64, &count, &numbers);
    if (status == SPR_OK) status = read_column(reading, group, "hits", RD_INTEGERS, H5T_NATIVE_INT64, &count, &hits);
    if (status == SPR_OK) status = read_column(reading, group, "times", RD_NUMBERS, H5T_NATIVE_DOUBLE, &count, &times);
    if (status == SPR_OK) {
        record->lines = calloc(count ? (size_t)count : 1, sizeof *record->lines);
        if (!record->lines) status = rd_no_memory(reading->profile, reading->error);
    }
    for (size_t i = 0; status == SPR_OK && i < count; i++) {
        const double time = ((const double *)times)[i], seconds = time * record->unit;
        record->lines[i] = (spr_line){.number = ((const int64_t *)numbers)[i],
                                      .hits = ((const int64_t *)hits)[i],
                                      .time = time,
                                      .seconds = isfinite(seconds) ? seconds : (double)NAN};
        record->num_lines++;
    }
    if (record->num_lines) qsort(record->lines, record->num_lines, sizeof(spr_line), compare_lines);
    free(numbers);
    free(hits);
    free(times);
    return status;
}

static spr_line_record *new_record(struct reading *reading) {
    spr_line_profile *lines = reading->lines;
    if (lines->count == reading->room) {
        reading->room = reading->room ? reading->room * 2 : 16;
        spr_line_record *grown = realloc(lines->records, reading->room * sizeof *grown);
        if (!grown) return NULL;
        lines->records = grown;
    }
    lines->records[lines->count] = (spr_line_record){0};
    return &lines->records[lines->count++];
}

static int read_record(struct reading *reading, hid_t parent, uint32_t rank, int64_t number) {
    char name[24];
    snprintf(name, sizeof name, "%lld", (long long)number);
    snprintf(reading->where, sizeof reading->where, "/rank%u/line_profile/%s", rank, name);
    const hid_t group = rd_open_group(parent, name);
    if (group < 0) return SPR_OK; /* "01", or no group: not ours */
    spr_line_record *record = new_record(reading);
    int status = record ? SPR_OK : rd_no_memory(reading->profile, reading->error);
    if (record) {
        *record = (spr_line_record){.rank = rank,
                                    .region = text_of(reading, group, "region", ""),
                                    .filename = text_of(reading, group, "filename", ""),
                                    .function = text_of(reading, group, "function", ""),
                                    .first_line = integer_of(reading, group, "first_lineno", 0),
                                    .unit = real_of(reading, group, "unit", 1.0),
                                    .source = text_of(reading, group, "source", NULL),
                                    .source_first_line = integer_of(reading, group, "source_first_lineno", 1)};
        status = reading->status;
        if (status == SPR_OK) status = read_lines(reading, group, record);
    }
    H5Gclose(group);
    return status;
}

static int read_rank(struct reading *reading, uint32_t rank) {
    char name[24];
    snprintf(name, sizeof name, "rank%u", rank);
    const hid_t rank_group = rd_open_group(reading->profile->file, name);
    if (rank_group < 0) return SPR_OK;
    const hid_t group = rd_open_group(rank_group, "line_profile");
    H5Gclose(rank_group);
    if (group < 0) return SPR_OK;
    reading->num_numbers = 0;
    const herr_t result = H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, note_record, reading);
    int status = reading->status;
    if (status == SPR_OK && result < 0)
        status = rd_fail(reading->error, SPR_DAMAGED, reading->profile->path, "/%s/line_profile cannot be read", name);
    if (reading->num_numbers) qsort(reading->numbers, reading->num_numbers, sizeof(int64_t), compare_numbers);
    for (size_t i = 0; status == SPR_OK && i < reading->num_numbers; i++)
        status = read_record(reading, group, rank, reading->numbers[i]);
    H5Gclose(group);
    return status;
}

/* ---- records that were read when the profile was opened ---------------------------------------------------------- */

static int compare_records(const void *a, const void *b) {
    const spr_line_record *x = *(const spr_line_record *const *)a, *y = *(const spr_line_record *const *)b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x > y) - (x < y); /* the order of the file */
}

static bool copy_record(const spr_line_record *from, spr_line_profile *lines) {
    spr_line_record *to = &lines->records[lines->count];
    *to = *from;
    to->lines = malloc((from->num_lines ? from->num_lines : 1) * sizeof *to->lines);
    if (!to->lines) return false;
    if (from->num_lines) memcpy(to->lines, from->lines, from->num_lines * sizeof *to->lines);
    lines->count++;
    return true;
}

static int copy_records(const spr_profile *profile, const spr_selection *selection, spr_line_profile *lines,
                        spr_error *error) {
    const size_t count = profile->lines.count;
    if (!count) return SPR_OK;
    const spr_line_record **sorted = malloc(count * sizeof *sorted);
    lines->records = malloc(count * sizeof *lines->records);
    bool fine = sorted && lines->records;
    for (size_t i = 0; fine && i < count; i++) sorted[i] = &profile->lines.records[i];
    if (fine) qsort(sorted, count, sizeof(const spr_line_record *), compare_records);
    for (size_t i = 0; fine && i < count; i++)
        if (spr_selects_rank(selection, sorted[i]->rank)) fine = copy_record(sorted[i], lines);
    free(sorted);
    if (fine) return SPR_OK;
    spr_lines_free(lines);
    return rd_no_memory(profile, error);
}

int spr_lines_read(spr_profile *profile, const spr_selection *selection, spr_line_profile *lines, spr_error *error) {
    *lines = (spr_line_profile){0};
    if (profile->file < 0) return copy_records(profile, selection, lines, error);
    struct reading reading = {.profile = profile,
                              .lines = lines,
                              .error = error,
                              .budget = (uint64_t)profile->file_bytes * 8 + (UINT64_C(1) << 20)};
    struct rd_quiet quiet;
    rd_quiet_begin(&quiet);
    profile->text_left = (uint64_t)profile->file_bytes;
    const herr_t result = H5Literate(profile->file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, note_rank, &reading);
    int status = reading.status;
    if (status == SPR_OK && result < 0) status = rd_fail(error, SPR_DAMAGED, profile->path, "/ cannot be read");
    if (reading.num_ranks) qsort(reading.ranks, reading.num_ranks, sizeof(int64_t), compare_numbers);
    for (size_t i = 0; status == SPR_OK && i < reading.num_ranks; i++)
        if (spr_selects_rank(selection, (uint32_t)reading.ranks[i]))
            status = read_rank(&reading, (uint32_t)reading.ranks[i]);
    rd_heap_free(&profile->heap);
    rd_quiet_end(&quiet);
    free(reading.numbers);
    free(reading.ranks);
    if (status != SPR_OK) spr_lines_free(lines);
    return status;
}

void spr_lines_free(spr_line_profile *lines) {
    for (size_t i = 0; i < lines->count; i++) free(lines->records[i].lines);
    free(lines->records);
    *lines = (spr_line_profile){0};
}
