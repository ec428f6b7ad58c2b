/* Who waits for whom: instances of collective calls and messages, matched after the run.
 *
 * The n-th collective call on a communicator is the same instance on all its members; the n-th message with a
 * communicator, sender, receiver and tag is the n-th receive of such. Both are rules of MPI. Where calls of a rank were
 * left out (a pause), that counts only if all sides have equally many. */
#include "mpi.h"

#include <stdlib.h>
#include <string.h>

struct waiting {
    spr_profile *profile;
    struct rd_mpi_calls all;
    const struct rd_mpi_completion **completed_by; /* by call; NULL: not by another call */
    struct event_wait *events;                     /* of completing calls: the longest wait of each */
    spr_mpi_waits *result;
    spr_error *error;
    size_t rows_room, causes_room;
};

/* ---- results ------------------------------------------------------------------------------------------------------
 */

static int compare_rows(const void *a, const void *b) {
    const spr_mpi_wait *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->region > y->region) - (x->region < y->region);
}

static int compare_causes(const void *a, const void *b) {
    const spr_mpi_cause *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->cause > y->cause) - (x->cause < y->cause);
}

/* One matched call; the tables are gathered at the end. */
static int add(struct waiting *w, int64_t row, uint32_t cause, enum spr_mpi_wait_kind kind, int64_t wait_ns,
               int64_t lasted) {
    spr_mpi_waits *r = w->result;
    if (r->num_rows == w->rows_room) {
        w->rows_room = w->rows_room ? 2 * w->rows_room : 256;
        spr_mpi_wait *rows = realloc(r->rows, w->rows_room * sizeof *rows);
        if (rows) r->rows = rows;
        spr_mpi_cause *causes = rows ? realloc(r->causes, w->rows_room * sizeof *causes) : NULL;
        if (causes) r->causes = causes;
        if (!causes) return rd_no_memory(w->profile, w->error);
    }
    const spr_row *of = &w->profile->rows[row];
    spr_mpi_wait *one = &r->rows[r->num_rows];
    *one = (spr_mpi_wait){.rank = of->rank, .region = of->region, .calls = 1, .matched_ns = lasted};
    one->wait_ns[kind] = wait_ns;
    r->causes[r->num_rows++] = (spr_mpi_cause){.rank = of->rank, .cause = cause, .wait_ns = wait_ns, .kind = kind};
    return SPR_OK;
}

static void gather(spr_mpi_waits *r) {
    size_t rows = 0, causes = 0;
    if (r->num_rows) {
        qsort(r->rows, r->num_rows, sizeof *r->rows, compare_rows);
        qsort(r->causes, r->num_rows, sizeof *r->causes, compare_causes);
    }
    for (size_t i = 0; i < r->num_rows; i++) {
        const spr_mpi_wait one = r->rows[i];
        if (!rows || compare_rows(&r->rows[rows - 1], &one)) {
            r->rows[rows++] = one;
            continue;
        }
        spr_mpi_wait *sum = &r->rows[rows - 1];
        sum->calls++;
        sum->matched_ns += one.matched_ns;
        for (int k = 0; k < SPR_MPI_WAIT_KINDS; k++) sum->wait_ns[k] += one.wait_ns[k];
    }
    for (size_t i = 0; i < r->num_rows; i++) {
        const spr_mpi_cause one = r->causes[i];
        if (!one.wait_ns || one.cause == one.rank) continue;
        if (causes && !compare_causes(&r->causes[causes - 1], &one))
            r->causes[causes - 1].wait_ns += one.wait_ns;
        else
            r->causes[causes++] = one;
    }
    r->num_rows = rows;
    r->num_causes = causes;
}

static int64_t clamp(int64_t value, int64_t most) { return value < 0 ? 0 : value > most ? most : value; }

/* ---- collective calls ---------------------------------------------------------------------------------------------
 */

struct entered {
    const struct rd_mpi_call *call;
    uint64_t instance;
};

static int by_rank_and_time(const void *a, const void *b) {
    const struct rd_mpi_call *x = ((const struct entered *)a)->call, *y = ((const struct entered *)b)->call;
    if (x->comm != y->comm) return x->comm < y->comm ? -1 : 1;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return x->start != y->start ? (x->start < y->start ? -1 : 1) : 0;
}

static int by_instance(const void *a, const void *b) {
    const struct entered *x = a, *y = b;
    if (x->call->comm != y->call->comm) return x->call->comm < y->call->comm ? -1 : 1;
    if (x->instance != y->instance) return x->instance < y->instance ? -1 : 1;
    return x->call->rank != y->call->rank ? (x->call->rank < y->call->rank ? -1 : 1) : 0;
}

enum waits_for { THE_LAST, THE_ROOT, ROOT_FOR_LAST };

/* Where data go from the root all wait for the root; where they go to it, it waits for the last. */
static enum waits_for who_waits(const struct waiting *w, const struct rd_mpi_call *call) {
    const char *name = w->profile->names[w->profile->rows[call->row].region];
    if (call->to < 0) return THE_LAST;
    return strstr(name, "cast") || (strstr(name, "catter") && !strstr(name, "educe")) ? THE_ROOT : ROOT_FOR_LAST;
}

static int wait_in_instance(struct waiting *w, const struct entered *e, size_t count) {
    const struct rd_mpi_call *last = e[0].call;
    for (size_t i = 1; i < count; i++)
        if (e[i].call->start > last->start) last = e[i].call;
    for (size_t i = 0; i < count; i++) {
        const struct rd_mpi_call *c = e[i].call, *awaited = last;
        const enum waits_for how = who_waits(w, c);
        for (size_t k = 0; how == THE_ROOT && k < count; k++)
            if ((int64_t)e[k].call->rank == c->to) awaited = e[k].call;
        if (how == ROOT_FOR_LAST && (int64_t)c->rank != c->to) awaited = c;
        if (c->flags & RD_MPI_REQUEST) continue; /* it does not wait; what completes it does */
        const int64_t lasted = c->end - c->start;
        const int status =
            add(w, c->row, awaited->rank, SPR_MPI_COLLECTIVE, clamp(awaited->start - c->start, lasted), lasted);
        if (status != SPR_OK) return status;
    }
    return SPR_OK;
}

static bool has_gaps(const struct waiting *w, uint32_t rank) {
    for (size_t i = 0; i < w->all.num_parts; i++)
        if (w->all.parts[i].rank == rank && w->all.parts[i].gaps) return true;
    return false;
}

/* e: the calls of one communicator, rank by rank. True: calls are missing. */
static bool is_uneven(const struct waiting *w, const struct entered *e, size_t count) {
    bool gaps = false, uneven = false;
    uint64_t before = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && e[i + 1].call->rank == e[i].call->rank) continue;
        gaps = gaps || has_gaps(w, e[i].call->rank);
        uneven = uneven || (before != UINT64_MAX && before != e[i].instance);
        before = e[i].instance;
    }
    return gaps && uneven;
}

/* Sorted by communicator: those that cannot be matched are taken out. */
static size_t leave_out_uneven(const struct waiting *w, struct entered *e, size_t count) {
    size_t kept = 0;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && e[to].call->comm == e[from].call->comm;) to++;
        if (is_uneven(w, e + from, to - from)) continue;
        memmove(e + kept, e + from, (to - from) * sizeof *e);
        kept += to - from;
    }
    return kept;
}

static int match_collectives(struct waiting *w, const spr_mpi *mpi) {
    struct entered *e = calloc(w->all.num_calls + 1, sizeof *e);
    size_t count = 0;
    if (!e) return rd_no_memory(w->profile, w->error);
    for (size_t i = 0; i < w->all.num_calls; i++) {
        const struct rd_mpi_call *c = &w->all.calls[i];
        if (c->flags & RD_MPI_COLLECTIVE && !(c->flags & (RD_MPI_FAILED | RD_MPI_STARTED)) && c->comm >= 0 &&
            (size_t)c->comm < mpi->num_comms)
            e[count++].call = c;
    }
    qsort(e, count, sizeof *e, by_rank_and_time);
    for (size_t i = 1; i < count; i++)
        if (e[i].call->comm == e[i - 1].call->comm && e[i].call->rank == e[i - 1].call->rank)
            e[i].instance = e[i - 1].instance + 1;
    count = leave_out_uneven(w, e, count);
    qsort(e, count, sizeof *e, by_instance);
    int status = SPR_OK;
    for (size_t from = 0, to; status == SPR_OK && from < count; from = to) {
        const spr_mpi_comm *comm = &mpi->comms[e[from].call->comm];
        for (to = from + 1; to < count && e[to].call->comm == e[from].call->comm && e[to].instance == e[from].instance;)
            to++;
        if (to - from == (size_t)(comm->size + comm->remote_size)) status = wait_in_instance(w, e + from, to - from);
    }
    free(e);
    return status;
}

/* ---- messages -----------------------------------------------------------------------------------------------------
 */

struct message { /* one end of it */
    int32_t comm, sender, receiver, tag;
    const struct rd_mpi_call *call;
    size_t number; /* of the call */
};

static int by_envelope(const void *a, const void *b) {
    const struct message *x = a, *y = b;
    if (x->comm != y->comm) return x->comm < y->comm ? -1 : 1;
    if (x->sender != y->sender) return x->sender < y->sender ? -1 : 1;
    if (x->receiver != y->receiver) return x->receiver < y->receiver ? -1 : 1;
    if (x->tag != y->tag) return x->tag < y->tag ? -1 : 1;
    return 0;
}

static int by_envelope_and_time(const void *a, const void *b) {
    const struct message *x = a, *y = b;
    const int order = by_envelope(a, b);
    if (order) return order;
    if (x->call->start != y->call->start) return x->call->start < y->call->start ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* A completing call waits for all its requests at once: the longest wait is the whole. */
struct event_wait {
    int64_t event, wait_ns, lasted, row;
    uint32_t cause;
    enum spr_mpi_wait_kind kind;
};

static size_t find_event(const struct waiting *w, int64_t event) {
    size_t low = 0, high = w->all.num_completions;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (w->events[middle].event < event)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* `mine` began at its time; the partner came at `other`. */
static int wait_for(struct waiting *w, const struct message *mine, const struct rd_mpi_call *partner,
                    enum spr_mpi_wait_kind kind) {
    const struct rd_mpi_call *c = mine->call;
    const bool blocking = !(c->flags & RD_MPI_REQUEST);
    const struct rd_mpi_completion *by = blocking ? NULL : w->completed_by[mine->number];
    if (!blocking && !by) return SPR_OK;
    const int64_t begin = blocking ? c->start : by->start, end = blocking ? c->end : by->end;
    int64_t wait_ns = clamp(partner->start - begin, end - begin);
    if (kind == SPR_MPI_LATE_RECEIVER && partner->start > end) wait_ns = 0; /* it went without the receiver */
    if (blocking) return add(w, c->row, partner->rank, kind, wait_ns, end - begin);
    struct event_wait *event = &w->events[find_event(w, by->event)];
    if (wait_ns > event->wait_ns) {
        event->wait_ns = wait_ns;
        event->cause = partner->rank;
        event->kind = kind;
    }
    return SPR_OK;
}

static int by_event(const void *a, const void *b) {
    const struct event_wait *x = a, *y = b;
    return (x->event > y->event) - (x->event < y->event);
}

static int index_completions(struct waiting *w) {
    const size_t count = w->all.num_completions;
    w->completed_by = calloc(w->all.num_calls + 1, sizeof *w->completed_by);
    w->events = calloc(count + 1, sizeof *w->events);
    if (!w->completed_by || !w->events) return rd_no_memory(w->profile, w->error);
    for (size_t i = 0; i < count; i++) {
        const struct rd_mpi_completion *c = &w->all.completions[i];
        w->completed_by[c->call] = c;
        w->events[i] = (struct event_wait){
            .event = c->event, .lasted = c->end - c->start, .row = c->row, .cause = w->profile->rows[c->row].rank};
    }
    qsort(w->events, count, sizeof *w->events, by_event);
    return SPR_OK;
}

static int add_events(struct waiting *w) {
    int status = SPR_OK;
    for (size_t i = 0; status == SPR_OK && i < w->all.num_completions; i++) {
        const struct event_wait *e = &w->events[i];
        if (i && e->event == w->events[i - 1].event) continue; /* the first of the event has its wait */
        status = add(w, e->row, e->cause, e->kind, e->wait_ns, e->lasted);
    }
    return status;
}

static size_t list_ends(const struct waiting *w, struct message *ends, bool sending) {
    size_t count = 0;
    for (size_t i = 0; i < w->all.num_calls; i++) {
        const struct rd_mpi_call *c = &w->all.calls[i];
        const int32_t peer = sending ? c->to : c->from, tag = sending ? c->to_tag : c->from_tag;
        if (c->flags & (RD_MPI_COLLECTIVE | RD_MPI_FAILED | RD_MPI_PERSISTENT) || peer < 0 || tag < 0 || c->comm < 0 ||
            (sending ? c->sent : c->received) < 0)
            continue;
        const int32_t me = (int32_t)c->rank;
        ends[count++] = (struct message){c->comm, sending ? me : peer, sending ? peer : me, tag, c, i};
    }
    if (count) qsort(ends, count, sizeof *ends, by_envelope_and_time);
    return count;
}

/* Ends with the envelope of the first. */
static size_t alike(const struct message *ends, size_t count) {
    size_t n = 1;
    while (n < count && by_envelope(&ends[0], &ends[n]) == 0) n++;
    return n;
}

static int match_some(struct waiting *w, const struct message *sends, const struct message *receives, size_t count) {
    int status = SPR_OK;
    for (size_t i = 0; status == SPR_OK && i < count; i++) {
        status = wait_for(w, &receives[i], sends[i].call, SPR_MPI_LATE_SENDER);
        if (status == SPR_OK && sends[i].call->received < 0) /* MPI_Sendrecv waits for what it receives */
            status = wait_for(w, &sends[i], receives[i].call, SPR_MPI_LATE_RECEIVER);
    }
    return status;
}

static int match_messages(struct waiting *w) {
    struct message *sends = calloc(w->all.num_calls + 1, sizeof *sends);
    struct message *receives = calloc(w->all.num_calls + 1, sizeof *receives);
    int status = sends && receives ? index_completions(w) : rd_no_memory(w->profile, w->error);
    const size_t num_sends = status == SPR_OK ? list_ends(w, sends, true) : 0;
    const size_t num_receives = status == SPR_OK ? list_ends(w, receives, false) : 0;
    for (size_t s = 0, r = 0; status == SPR_OK && s < num_sends && r < num_receives;) {
        const int order = by_envelope(&sends[s], &receives[r]);
        if (order) {
            *(order < 0 ? &s : &r) += 1;
            continue;
        }
        const size_t sent = alike(&sends[s], num_sends - s), received = alike(&receives[r], num_receives - r);
        const bool gaps = has_gaps(w, sends[s].call->rank) || has_gaps(w, receives[r].call->rank);
        if (sent == received || !gaps)
            status = match_some(w, &sends[s], &receives[r], sent < received ? sent : received);
        s += sent;
        r += received;
    }
    free(sends);
    free(receives);
    return status == SPR_OK ? add_events(w) : status;
}

int spr_mpi_waits_read(spr_profile *profile, const spr_mpi *mpi, spr_mpi_waits *waits, spr_error *error) {
    struct waiting w = {.profile = profile, .result = waits, .error = error};
    *waits = (spr_mpi_waits){0};
    int status = rd_mpi_calls_read(profile, &w.all, error);
    if (status == SPR_OK) status = match_collectives(&w, mpi);
    if (status == SPR_OK) status = match_messages(&w);
    free(w.completed_by);
    free(w.events);
    rd_mpi_calls_free(&w.all);
    gather(waits);
    if (status != SPR_OK) spr_mpi_waits_free(waits);
    return status;
}

void spr_mpi_waits_free(spr_mpi_waits *waits) {
    free(waits->rows);
    free(waits->causes);
    *waits = (spr_mpi_waits){0};
}
