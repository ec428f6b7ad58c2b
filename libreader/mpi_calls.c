/* /mpi/calls and /mpi/completions, row by row, with the times of their events. */
#include "mpi.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ANY .least = INT64_MIN, .most = INT64_MAX

struct stored_call {
    int64_t event, sent, received;
    int comm, flags, to, to_tag, from, from_tag, polls;
};
#define CALL(member) offsetof(struct stored_call, member)
#define RANKS        .least = -3, .most = INT32_MAX
#define INTS         .least = INT32_MIN, .most = INT32_MAX
static const struct rd_field call_fields[] = {
    {.name = "events", .kind = RD_I64, .offset = CALL(event), .most = INT64_MAX},
    {.name = "communicators", .kind = RD_INT, .offset = CALL(comm), .least = -1, .most = INT32_MAX},
    {.name = "flags", .kind = RD_INT, .offset = CALL(flags), INTS},
    {.name = "to", .kind = RD_INT, .offset = CALL(to), RANKS, .optional = true, .absent = -1},
    {.name = "to_tags", .kind = RD_INT, .offset = CALL(to_tag), INTS, .optional = true, .absent = -1},
    {.name = "from", .kind = RD_INT, .offset = CALL(from), RANKS, .optional = true, .absent = -1},
    {.name = "from_tags", .kind = RD_INT, .offset = CALL(from_tag), INTS, .optional = true, .absent = -1},
    {.name = "polls", .kind = RD_INT, .offset = CALL(polls), INTS, .optional = true, .absent = 0},
    {.name = "sent", .kind = RD_I64, .offset = CALL(sent), ANY, .optional = true, .absent = -1},
    {.name = "received", .kind = RD_I64, .offset = CALL(received), ANY, .optional = true, .absent = -1},
};

struct stored_completion {
    int64_t event, call;
};
static const struct rd_field completion_fields[] = {
    {.name = "events", .kind = RD_I64, .offset = offsetof(struct stored_completion, event), .most = INT64_MAX},
    {.name = "calls", .kind = RD_I64, .offset = offsetof(struct stored_completion, call), .most = INT64_MAX},
};

#define PART(member) offsetof(struct rd_mpi_part, member)
static const struct rd_field part_fields[] = {
    {.name = "ranks", .kind = RD_U32, .offset = PART(rank), .most = UINT32_MAX},
    {.name = "gaps", .kind = RD_U64, .offset = PART(gaps), .most = INT64_MAX, .optional = true, .absent = 0},
};

#define FIELDS(fields) (fields), sizeof(fields) / sizeof *(fields)

/* ---- a table, block by block ------------------------------------------------------------------------------------- */

struct rows {
    struct rd_table table;
    bool open;
    char *records;   /* RD_BLOCK at the most */
    uint64_t loaded; /* rows up to which they have been read */
    size_t filled, at;
};

static int open_rows(spr_profile *profile, hid_t parent, const char *name, const char *where,
                     const struct rd_field *fields, size_t num_fields, size_t size, struct rows *rows,
                     spr_error *error) {
    *rows = (struct rows){
        .table = {.profile = profile, .where = where, .fields = fields, .num_fields = num_fields, .size = size}};
    const hid_t group = rd_open_group(parent, name);
    if (group < 0) return rd_fail(error, SPR_DAMAGED, profile->path, "%s is not a readable group", where);
    int status = SPR_OK;
    if (rd_has_link(group, fields->name) || fields != completion_fields) { /* no completion: no columns */
        status = rd_table_open(&rows->table, group, false, error);
        rows->open = status == SPR_OK;
    }
    H5Gclose(group);
    const uint64_t count = rows->open ? rows->table.count : 0;
    if (status == SPR_OK) rows->records = calloc((size_t)(count < RD_BLOCK ? count : RD_BLOCK) + 1, size);
    return status == SPR_OK && !rows->records ? rd_no_memory(profile, error) : status;
}

static void close_rows(struct rows *rows) {
    if (rows->open) rd_table_close(&rows->table);
    free(rows->records);
}

/* The next row; NULL after the last. */
static int next_row(struct rows *rows, const void **record, spr_error *error) {
    *record = NULL;
    if (rows->at == rows->filled) {
        const uint64_t left = rows->open ? rows->table.count - rows->loaded : 0;
        if (!left) return SPR_OK;
        rows->filled = left < RD_BLOCK ? (size_t)left : RD_BLOCK;
        rows->at = 0;
        const int status = rd_table_records(&rows->table, rows->loaded, rows->filled, rows->records, error);
        if (status != SPR_OK) return status;
        rows->loaded += rows->filled;
    }
    *record = rows->records + rows->at++ * rows->table.size;
    return SPR_OK;
}

static uint64_t number_of_last(const struct rows *rows) { return rows->loaded - rows->filled + rows->at - 1; }

/* ---- the stream -------------------------------------------------------------------------------------------------- */

struct rd_mpi_stream {
    spr_profile *profile;
    struct rd_mpi_times *times;
    struct rows calls, completions;
};

int rd_mpi_stream_open(spr_profile *profile, struct rd_mpi_stream **stream, spr_error *error) {
    struct rd_mpi_stream *s = *stream = calloc(1, sizeof *s);
    if (!s) return rd_no_memory(profile, error);
    s->profile = profile;
    s->times = rd_mpi_times_new(profile);
    if (!s->times) return rd_no_memory(profile, error);
    const hid_t parent = rd_mpi_open(profile);
    if (parent < 0) return SPR_OK;
    int status = open_rows(profile, parent, "calls", "/mpi/calls", FIELDS(call_fields), sizeof(struct stored_call),
                           &s->calls, error);
    if (status == SPR_OK)
        status = open_rows(profile, parent, "completions", "/mpi/completions", FIELDS(completion_fields),
                           sizeof(struct stored_completion), &s->completions, error);
    H5Gclose(parent);
    return status;
}

void rd_mpi_stream_close(struct rd_mpi_stream *stream) {
    if (!stream) return;
    close_rows(&stream->calls);
    close_rows(&stream->completions);
    rd_mpi_times_free(stream->times);
    free(stream);
}

int rd_mpi_next_call(struct rd_mpi_stream *stream, struct rd_mpi_call *call, bool *more, spr_error *error) {
    const void *record;
    int status = next_row(&stream->calls, &record, error);
    *more = record != NULL;
    if (status != SPR_OK || !record) return status;
    const struct stored_call *s = record;
    *call = (struct rd_mpi_call){.number = number_of_last(&stream->calls),
                                 .event = s->event,
                                 .sent = s->sent,
                                 .received = s->received,
                                 .comm = s->comm,
                                 .flags = s->flags,
                                 .to = s->to,
                                 .to_tag = s->to_tag,
                                 .from = s->from,
                                 .from_tag = s->from_tag,
                                 .polls = s->polls};
    status = rd_mpi_times_of(stream->times, s->event, &call->start, &call->end, &call->row, error);
    if (status == SPR_OK) call->rank = stream->profile->rows[call->row].rank;
    return status;
}

int rd_mpi_next_completion(struct rd_mpi_stream *stream, struct rd_mpi_completion *completion, bool *more,
                           spr_error *error) {
    const void *record;
    const int status = next_row(&stream->completions, &record, error);
    *more = record != NULL;
    if (status != SPR_OK || !record) return status;
    const struct stored_completion *s = record;
    *completion = (struct rd_mpi_completion){.event = s->event, .call = s->call};
    if ((uint64_t)s->call >= stream->calls.table.count)
        return rd_fail(error, SPR_DAMAGED, stream->profile->path, "/mpi/completions names no call");
    return rd_mpi_times_of(stream->times, s->event, &completion->start, &completion->end, &completion->row, error);
}

int rd_mpi_parts_read(spr_profile *profile, struct rd_mpi_part **parts, size_t *count, spr_error *error) {
    void *records = NULL;
    *parts = NULL;
    *count = 0;
    const hid_t parent = rd_mpi_open(profile);
    if (parent < 0) return SPR_OK;
    const hid_t group = rd_open_group(parent, "ranks");
    const int status = group >= 0 ? rd_table_read(profile, group, "/mpi/ranks", FIELDS(part_fields),
                                                  sizeof(struct rd_mpi_part), false, &records, count, error)
                                  : rd_fail(error, SPR_DAMAGED, profile->path, "/mpi/ranks is not a readable group");
    if (group >= 0) H5Gclose(group);
    H5Gclose(parent);
    *parts = records;
    return status;
}
