/* Native traces (.spt): one rank's regions, each with its start and end times, in the byte order of the writer.
 *
 *   char[8] "SCOPEPRF", int32 version (1, 2), int32 rank, int64 regions; then for each region:
 *   int32 length and name; version 2: int32 length and source path, int32 line; int64 calls, int64[] starts, int64[]
 * ends
 */
#include "internal.h"
#include "names.h"

#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES 24
#define NEWEST       2
/* The least that a region takes: a length and a number of calls. */
#define LEAST_REGION 12

struct trace {
    spr_profile *profile;
    spr_error *error;
    struct rd_names names;
    uint64_t at, size;
    int32_t version, rank;
    int64_t regions;
    int64_t earliest; /* start */
    spr_row *rows;
    struct rd_place *places;
    size_t count;
    unsigned char window[4096]; /* bytes of the file from `window_at` on */
    uint64_t window_at, window_size;
};

static int damaged(const struct trace *trace, const char *what) {
    return rd_fail(trace->error, SPR_DAMAGED, trace->profile->path, "%s", what);
}

static int truncated(const struct trace *trace) {
    return damaged(trace, "truncated: the native trace ends within a region");
}

/* ---- pieces ----------------------------------------------------------------------------------------------------- */

static int fetch(struct trace *trace, void *bytes, size_t count) {
    if (count > trace->size - trace->at) return truncated(trace);
    const bool inside = trace->at >= trace->window_at && trace->at - trace->window_at + count <= trace->window_size;
    if (!inside && count <= sizeof trace->window) {
        const uint64_t left = trace->size - trace->at;
        trace->window_at = trace->at;
        trace->window_size = left < sizeof trace->window ? left : sizeof trace->window;
        if (!rd_read_at(trace->profile->store.descriptor, trace->at, trace->window, (size_t)trace->window_size))
            return damaged(trace, errno ? strerror(errno) : "truncated while it was read");
    }
    if (count <= sizeof trace->window)
        memcpy(bytes, trace->window + (trace->at - trace->window_at), count);
    else if (!rd_read_at(trace->profile->store.descriptor, trace->at, bytes, count))
        return damaged(trace, errno ? strerror(errno) : "truncated while it was read");
    trace->at += count;
    return SPR_OK;
}

static int fetch_32(struct trace *trace, int32_t *value) {
    const int status = fetch(trace, value, sizeof *value);
    if (status == SPR_OK && trace->profile->store.swapped) *value = (int32_t)bswap_32((uint32_t)*value);
    return status;
}

static int fetch_64(struct trace *trace, int64_t *value) {
    const int status = fetch(trace, value, sizeof *value);
    if (status == SPR_OK && trace->profile->store.swapped) *value = (int64_t)bswap_64((uint64_t)*value);
    return status;
}

static int fetch_text(struct trace *trace, const char **text) {
    int32_t length = 0;
    int status = fetch_32(trace, &length);
    if (status != SPR_OK) return status;
    if (length < 0) return damaged(trace, "a name of the native trace has a negative length");
    if ((uint64_t)length > trace->size - trace->at) return truncated(trace);
    char *copy = rd_arena_take(&trace->profile->strings, (size_t)length + 1);
    if (!copy) return rd_no_memory(trace->profile, trace->error);
    status = fetch(trace, copy, (size_t)length);
    if (status != SPR_OK) return status;
    copy[length] = '\0';
    if (memchr(copy, '\0', (size_t)length)) return damaged(trace, "a name of the native trace holds a NUL character");
    *text = copy;
    return SPR_OK;
}

/* ---- the trace -------------------------------------------------------------------------------------------------- */

static int read_header(struct trace *trace) {
    struct rd_store *store = &trace->profile->store;
    if (trace->size < HEADER_BYTES) return damaged(trace, "truncated: too short for a native trace");
    trace->at = 8; /* the magic was looked at */
    int status = fetch_32(trace, &trace->version);
    if (status != SPR_OK) return status;
    const int32_t other = (int32_t)bswap_32((uint32_t)trace->version);
    if (trace->version < 1 || trace->version > NEWEST) {
        store->swapped = other >= 1 && other <= NEWEST;
        if (!store->swapped)
            return rd_fail(trace->error, SPR_NEWER, trace->profile->path,
                           "native trace of version %d (or %d in the other byte order), this one reads up to %d",
                           trace->version, other, NEWEST);
        trace->version = other;
    }
    if (status == SPR_OK) status = fetch_32(trace, &trace->rank);
    if (status == SPR_OK) status = fetch_64(trace, &trace->regions);
    if (status != SPR_OK) return status;
    if (trace->rank < 0) return damaged(trace, "the native trace has a negative rank");
    if (trace->regions < 0 || (uint64_t)trace->regions > (trace->size - trace->at) / LEAST_REGION)
        return damaged(trace, "truncated: the native trace claims more regions than the file can hold");
    return SPR_OK;
}

static struct rd_column column_at(const struct trace *trace, uint64_t at, uint64_t length) {
    return (struct rd_column){.id = -1, .length = length, .store = &trace->profile->store, .at = at};
}

static bool make_room(struct trace *trace) {
    const size_t count = trace->count;
    if (count & (count - 1)) return true; /* room doubles at powers of two */
    const size_t room = count ? 2 * count : 1;
    spr_row *rows = realloc(trace->rows, room * sizeof *rows);
    if (rows) trace->rows = rows;
    struct rd_place *places = realloc(trace->places, room * sizeof *places);
    if (places) trace->places = places;
    return rows && places;
}

static int add_row(struct trace *trace, spr_row row) {
    struct rd_events *events = rd_arena_take(&trace->profile->strings, sizeof *events);
    if (!events || !make_room(trace)) return rd_no_memory(trace->profile, trace->error);
    rd_events_clear(events);
    events->length = row.calls;
    events->start = column_at(trace, trace->at, row.calls);
    events->end = column_at(trace, trace->at + row.calls * sizeof(int64_t), row.calls);
    int64_t first;
    if (!rd_store_read(&trace->profile->store, trace->at, &first, 1)) return truncated(trace);
    if (!trace->count || first < trace->earliest) trace->earliest = first;
    trace->rows[trace->count] = row;
    trace->places[trace->count++] = (struct rd_place){.events = events};
    trace->at += 2 * row.calls * sizeof(int64_t);
    return SPR_OK;
}

static int read_region(struct trace *trace) {
    const char *name = "", *path = "";
    int32_t line = -1;
    int64_t calls = 0;
    int status = fetch_text(trace, &name);
    if (status == SPR_OK && trace->version >= 2) {
        status = fetch_text(trace, &path);
        if (status == SPR_OK) status = fetch_32(trace, &line);
    }
    if (status == SPR_OK) status = fetch_64(trace, &calls);
    if (status != SPR_OK) return status;
    if (calls < 0) return damaged(trace, "the native trace has a negative number of calls");
    if ((uint64_t)calls > (trace->size - trace->at) / (2 * sizeof(int64_t))) return truncated(trace);
    spr_row row = {.rank = (uint32_t)trace->rank,
                   .calls = (uint64_t)calls,
                   .exclusive_ns = -1,
                   .source_file = *path ? path : NULL,
                   .source_line = line < 0 ? -1 : line};
    if (!rd_names_find(&trace->names, &trace->profile->strings, name, &row.region))
        return rd_no_memory(trace->profile, trace->error);
    return calls ? add_row(trace, row) : SPR_OK;
}

static bool add_metadata(const struct trace *trace) {
    const spr_value values[] = {
        {.key = "source", .kind = SPR_TEXT, .text = "native"},
        {.key = "trace_format_version", .kind = SPR_INTEGER, .integer = trace->version},
        {.key = "mpi_rank", .kind = SPR_INTEGER, .integer = trace->rank},
        {.key = "start_time_ns", .kind = SPR_INTEGER, .integer = trace->earliest},
    };
    bool fine = true;
    for (size_t i = 0; fine && i < sizeof values / sizeof *values; i++)
        if (trace->count || strcmp(values[i].key, "start_time_ns") != 0)
            fine = rd_metadata_add(trace->profile, &values[i]);
    rd_metadata_sort(trace->profile);
    return fine;
}

static int read_trace(struct trace *trace) {
    int status = read_header(trace);
    for (int64_t i = 0; status == SPR_OK && i < trace->regions; i++) status = read_region(trace);
    if (status == SPR_OK && trace->at != trace->size)
        status = rd_fail(trace->error, SPR_DAMAGED, trace->profile->path,
                         "%llu bytes are left after the last region of the native trace",
                         (unsigned long long)(trace->size - trace->at));
    if (status == SPR_OK && !add_metadata(trace)) status = rd_no_memory(trace->profile, trace->error);
    return status;
}

int rd_native_read(spr_profile *profile, int descriptor, spr_error *error) {
    struct trace *trace = calloc(1, sizeof *trace);
    profile->store = (struct rd_store){.descriptor = descriptor, .bytes = (uint64_t)profile->file_bytes};
    if (!trace) return rd_no_memory(profile, error);
    trace->profile = profile;
    trace->error = error;
    trace->size = (uint64_t)profile->file_bytes;
    int status = read_trace(trace);
    profile->schema = trace->version;
    profile->names = trace->names.items;
    profile->num_regions = trace->names.count;
    rd_names_close(&trace->names);
    if (status == SPR_OK) {
        status = rd_rows_adopt(profile, trace->rows, trace->places, trace->count, error);
    } else {
        free(trace->rows);
        free(trace->places);
    }
    free(trace);
    if (status == SPR_OK) rd_count_ranks(profile);
    return status;
}
