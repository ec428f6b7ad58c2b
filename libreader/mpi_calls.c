/* /mpi/calls with the times of their events. */
#include "mpi.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ANY .least = INT64_MIN, .most = INT64_MAX

struct stored_call {
    int64_t event, sent, received;
    int comm, flags, to, to_tag, from, from_tag;
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
    {.name = "sent", .kind = RD_I64, .offset = CALL(sent), ANY, .optional = true, .absent = -1},
    {.name = "received", .kind = RD_I64, .offset = CALL(received), ANY, .optional = true, .absent = -1},
};
static const struct rd_field completion_fields[] = {
    {.name = "events", .kind = RD_I64, .offset = offsetof(struct rd_mpi_completion, event), .most = INT64_MAX},
    {.name = "calls", .kind = RD_I64, .offset = offsetof(struct rd_mpi_completion, call), .most = INT64_MAX},
};

#define PART(member) offsetof(struct rd_mpi_part, member)
static const struct rd_field part_fields[] = {
    {.name = "ranks", .kind = RD_U32, .offset = PART(rank), .most = UINT32_MAX},
    {.name = "gaps", .kind = RD_U64, .offset = PART(gaps), .most = INT64_MAX, .optional = true, .absent = 0},
};

static int read_table(spr_profile *profile, const char *name, const char *where, const struct rd_field *fields,
                      size_t num_fields, size_t size, void **records, size_t *count, spr_error *error) {
    *records = NULL;
    *count = 0;
    struct rd_quiet quiet;
    rd_quiet_begin(&quiet);
    const hid_t parent = rd_mpi_open(profile), group = parent >= 0 ? rd_open_group(parent, name) : -1;
    int status = SPR_OK;
    if (group >= 0 && (fields != completion_fields || rd_has_link(group, fields->name))) /* none: nothing to read */
        status = rd_table_read(profile, group, where, fields, num_fields, size, false, records, count, error);
    else if (parent >= 0 && group < 0)
        status = rd_fail(error, SPR_DAMAGED, profile->path, "%s is not a readable group", where);
    if (group >= 0) H5Gclose(group);
    if (parent >= 0) H5Gclose(parent);
    rd_quiet_end(&quiet);
    return status;
}

/* ---- times of events ----------------------------------------------------------------------------------------------
 */

struct span { /* the events of a row */
    uint64_t offset, count;
    size_t row;
    int64_t *start, *end; /* NULL until they are asked for */
};

struct spans {
    spr_profile *profile;
    struct span *items;
    size_t count;
    spr_error *error;
};

static int by_offset(const void *a, const void *b) {
    const struct span *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool open_spans(struct spans *spans, spr_profile *profile, spr_error *error) {
    *spans = (struct spans){.profile = profile, .error = error};
    spans->items = calloc(profile->num_rows + 1, sizeof *spans->items);
    if (!spans->items) return false;
    for (size_t i = 0; i < profile->num_rows; i++)
        spans->items[spans->count++] =
            (struct span){.offset = profile->places[i].offset, .count = profile->rows[i].calls, .row = i};
    qsort(spans->items, spans->count, sizeof *spans->items, by_offset);
    return true;
}

static void close_spans(struct spans *spans) {
    for (size_t i = 0; spans->items && i < spans->count; i++) {
        free(spans->items[i].start);
        free(spans->items[i].end);
    }
    free(spans->items);
}

static int load(struct spans *spans, struct span *span) {
    span->start = malloc((span->count + 1) * sizeof *span->start);
    span->end = malloc((span->count + 1) * sizeof *span->end);
    if (!span->start || !span->end) return rd_no_memory(spans->profile, spans->error);
    return spr_read_calls(spans->profile, span->row, 0, span->count, span->start, span->end, NULL, NULL, spans->error);
}

static int find_times(struct spans *spans, int64_t event, int64_t *start, int64_t *end, int64_t *row) {
    size_t low = 0, high = spans->count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        *(spans->items[middle].offset <= (uint64_t)event ? &low : &high) = middle;
    }
    struct span *span = spans->count ? &spans->items[low] : NULL;
    if (!span || (uint64_t)event < span->offset || (uint64_t)event - span->offset >= span->count)
        return rd_fail(spans->error, SPR_DAMAGED, spans->profile->path, "/mpi names an event that there is not");
    const int status = span->start ? SPR_OK : load(spans, span);
    if (status != SPR_OK) return status;
    *start = span->start[(uint64_t)event - span->offset];
    *end = span->end[(uint64_t)event - span->offset];
    *row = (int64_t)span->row;
    return SPR_OK;
}

static int fill(struct spans *spans, struct rd_mpi_calls *calls, const struct stored_call *stored) {
    int status = SPR_OK;
    for (size_t i = 0; status == SPR_OK && i < calls->num_calls; i++) {
        const struct stored_call *s = &stored[i];
        struct rd_mpi_call *c = &calls->calls[i];
        *c = (struct rd_mpi_call){.event = s->event,
                                  .sent = s->sent,
                                  .received = s->received,
                                  .comm = s->comm,
                                  .flags = s->flags,
                                  .to = s->to,
                                  .to_tag = s->to_tag,
                                  .from = s->from,
                                  .from_tag = s->from_tag};
        status = find_times(spans, s->event, &c->start, &c->end, &c->row);
        if (status == SPR_OK) c->rank = spans->profile->rows[c->row].rank;
    }
    for (size_t i = 0; status == SPR_OK && i < calls->num_completions; i++) {
        struct rd_mpi_completion *c = &calls->completions[i];
        if ((uint64_t)c->call >= calls->num_calls)
            status = rd_fail(spans->error, SPR_DAMAGED, spans->profile->path, "/mpi/completions names no call");
        else
            status = find_times(spans, c->event, &c->start, &c->end, &c->row);
    }
    return status;
}

int rd_mpi_calls_read(spr_profile *profile, struct rd_mpi_calls *calls, spr_error *error) {
    void *stored = NULL, *completions = NULL, *parts = NULL;
    struct spans spans = {0};
    *calls = (struct rd_mpi_calls){0};
    int status = read_table(profile, "calls", "/mpi/calls", call_fields, sizeof call_fields / sizeof *call_fields,
                            sizeof(struct stored_call), &stored, &calls->num_calls, error);
    if (status == SPR_OK)
        status = read_table(profile, "completions", "/mpi/completions", completion_fields,
                            sizeof completion_fields / sizeof *completion_fields, sizeof(struct rd_mpi_completion),
                            &completions, &calls->num_completions, error);
    calls->completions = completions;
    if (status == SPR_OK)
        status = read_table(profile, "ranks", "/mpi/ranks", part_fields, sizeof part_fields / sizeof *part_fields,
                            sizeof(struct rd_mpi_part), &parts, &calls->num_parts, error);
    calls->parts = parts;
    if (status == SPR_OK) {
        calls->calls = calloc(calls->num_calls + 1, sizeof *calls->calls);
        status = calls->calls && open_spans(&spans, profile, error) ? fill(&spans, calls, stored)
                                                                    : rd_no_memory(profile, error);
    }
    close_spans(&spans);
    free(stored);
    if (status != SPR_OK) rd_mpi_calls_free(calls);
    return status;
}

void rd_mpi_calls_free(struct rd_mpi_calls *calls) {
    free(calls->calls);
    free(calls->completions);
    free(calls->parts);
    *calls = (struct rd_mpi_calls){0};
}
