/* The summary_statistics column: what inspect, diff and check read instead of the calls. */
#include "internal.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define WHERE "/rank_region_index"
#define NAME  "summary_statistics"

struct summary {
    int64_t total, minimum, maximum, first, last, start_minimum, end_maximum;
    double mean, m2;
};

struct member {
    const char *name;
    size_t offset;
    bool real;
};

static const struct member members[] = {
    {"total", offsetof(struct summary, total), false},
    {"minimum", offsetof(struct summary, minimum), false},
    {"maximum", offsetof(struct summary, maximum), false},
    {"first", offsetof(struct summary, first), false},
    {"last", offsetof(struct summary, last), false},
    {"start_minimum", offsetof(struct summary, start_minimum), false},
    {"end_maximum", offsetof(struct summary, end_maximum), false},
    {"mean", offsetof(struct summary, mean), true},
    {"m2", offsetof(struct summary, m2), true},
};

/* HDF5 1.10 copies members from wherever the file says that they are. */
static bool members_fit(hid_t type) {
    const int count = H5Tget_nmembers(type);
    const size_t size = H5Tget_size(type);
    size_t end = 0;
    for (int i = 0; i < count; i++) {
        const hid_t member = H5Tget_member_type(type, (unsigned)i);
        const H5T_class_t class = H5Tget_class(member);
        const size_t offset = H5Tget_member_offset(type, (unsigned)i), bytes = H5Tget_size(member);
        H5Tclose(member);
        if ((class != H5T_INTEGER && class != H5T_FLOAT) || bytes > 16 || offset < end || offset > size ||
            bytes > size - offset)
            return false;
        end = offset + bytes;
    }
    return count > 0;
}

static bool has_member(hid_t type, const struct member *member) {
    const int index = H5Tget_member_index(type, member->name);
    return index >= 0 && H5Tget_member_class(type, (unsigned)index) == (member->real ? H5T_FLOAT : H5T_INTEGER);
}

static int check_members(const spr_profile *profile, const struct rd_column *column, spr_error *error) {
    const hid_t type = H5Dget_type(column->id);
    const char *missing = NULL;
    if (type >= 0 && !members_fit(type)) {
        H5Tclose(type);
        return rd_fail(error, SPR_DAMAGED, profile->path, "the members of dataset " WHERE "/" NAME " do not fit in it");
    }
    for (size_t i = 0; !missing && i < sizeof members / sizeof *members; i++)
        if (type < 0 || !has_member(type, &members[i])) missing = members[i].name;
    if (type >= 0) H5Tclose(type);
    return missing ? rd_fail(error, SPR_DAMAGED, profile->path, "dataset " WHERE "/" NAME " lacks member '%s'", missing)
                   : SPR_OK;
}

static hid_t memory_type(void) {
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct summary));
    for (size_t i = 0; type >= 0 && i < sizeof members / sizeof *members; i++)
        H5Tinsert(type, members[i].name, members[i].offset, members[i].real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64);
    return type;
}

bool rd_summary_is_possible(const spr_row *row) {
    const long double total = (long double)row->total_ns, calls = (long double)row->calls;
    const int64_t shortest = row->minimum_ns, longest = row->maximum_ns;
    return shortest >= 0 && shortest <= longest && row->first_ns >= shortest && row->first_ns <= longest &&
           row->last_ns >= shortest && row->last_ns <= longest && row->start_minimum_ns <= row->end_maximum_ns &&
           (long double)row->end_maximum_ns - (long double)row->start_minimum_ns >= (long double)longest &&
           total >= (long double)shortest * calls && total <= (long double)longest * calls &&
           row->exclusive_ns <= row->total_ns && isfinite(row->mean_ns) && isfinite(row->m2_ns2) && row->m2_ns2 >= 0 &&
           fabsl((long double)row->mean_ns * calls - total) <= 1e-6L * total + calls;
}

static int take(const spr_profile *profile, const struct summary *from, size_t number, spr_row *row, spr_error *error) {
    if (!row->calls) return SPR_OK;
    row->has_summary = true;
    row->total_ns = from->total;
    row->minimum_ns = from->minimum;
    row->maximum_ns = from->maximum;
    row->first_ns = from->first;
    row->last_ns = from->last;
    row->start_minimum_ns = from->start_minimum;
    row->end_maximum_ns = from->end_maximum;
    row->mean_ns = from->mean;
    row->m2_ns2 = from->m2;
    if (!rd_summary_is_possible(row))
        return rd_fail(error, SPR_DAMAGED, profile->path, WHERE "/" NAME "[%zu] contradicts itself", number);
    return SPR_OK;
}

static int read_all(const spr_profile *profile, const struct rd_column *column, spr_row *rows, size_t count,
                    spr_error *error) {
    if (column->length != count)
        return rd_fail(error, SPR_DAMAGED, profile->path, "dataset " WHERE "/" NAME " has %llu rows instead of %zu",
                       (unsigned long long)column->length, count);
    int status = check_members(profile, column, error);
    if (status != SPR_OK || !count) return status;
    const hid_t type = memory_type();
    struct summary *summaries = malloc(count * sizeof *summaries);
    status = type < 0 || !summaries ? rd_no_memory(profile, error)
                                    : rd_column_read(profile, column, type, 0, count, summaries, error);
    for (size_t i = 0; status == SPR_OK && i < count; i++) status = take(profile, &summaries[i], i, &rows[i], error);
    free(summaries);
    if (type >= 0) H5Tclose(type);
    return status;
}

int rd_summary_read(const spr_profile *profile, hid_t index, spr_row *rows, size_t count, spr_error *error) {
    struct rd_column column;
    int status = rd_column_open(profile, index, WHERE, NAME, RD_RECORDS, &column, error);
    if (status == SPR_OK && column.id >= 0) status = read_all(profile, &column, rows, count, error);
    rd_column_close(&column);
    return status;
}
