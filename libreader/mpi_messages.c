/* The two ends of each message: the n-th send with a communicator, sender, receiver and tag goes to the n-th receive of
 * such, a rule of MPI. A probe finds the message that is received first after it. */
#include "mpi.h"

#include <string.h>

enum { /* words of an end; the first four are the key: the envelope, then time */
       END_COMM_SENDER,
       END_RECEIVER_TAG,
       END_START,
       END_NUMBER,
       END_BOTH, /* of a call that does both, as MPI_Sendrecv: it waits for what it receives only */
       END_WINDOW,
       END_WORDS = END_WINDOW + RD_WINDOW_WORDS
};

int rd_messages_open(const struct rd_waiting *w, struct rd_messages *m) {
    bool good = true;
    for (int i = 0; i < RD_ENDS; i++) {
        m->ends[i] = rd_order_new(w->profile->path, END_WORDS, END_NUMBER + 1);
        good = good && m->ends[i];
    }
    return good ? SPR_OK : rd_no_memory(w->profile, w->error);
}

void rd_messages_close(struct rd_messages *m) {
    for (int i = 0; i < RD_ENDS; i++) rd_order_free(m->ends[i]);
}

/* ---- taking ------------------------------------------------------------------------------------------------------ */

/* A probe has found a message, which it leaves to a receive. */
static bool is_end(const struct rd_mpi_call *c, enum rd_end which) {
    if (which == RD_SENDS) return c->sent >= 0;
    if (which == RD_RECEIVES) return c->received >= 0;
    return c->received < 0 && c->polls <= 0 && !(c->flags & RD_MPI_REQUEST);
}

int rd_messages_take(struct rd_waiting *w, struct rd_messages *m, const struct rd_mpi_call *c,
                     const struct rd_window *window) {
    if (c->flags & (RD_MPI_COLLECTIVE | RD_MPI_FAILED | RD_MPI_PERSISTENT) || c->comm < 0) return SPR_OK;
    uint64_t end[END_WORDS] = {
        [END_START] = rd_order_word(c->start), [END_NUMBER] = c->number, [END_BOTH] = c->received >= 0};
    memcpy(end + END_WINDOW, window, sizeof *window);
    int status = SPR_OK;
    for (int which = 0; status == SPR_OK && which < RD_ENDS; which++) {
        const bool sends = which == RD_SENDS;
        const int32_t peer = sends ? c->to : c->from, tag = sends ? c->to_tag : c->from_tag;
        if (peer < 0 || tag < 0 || !is_end(c, (enum rd_end)which)) continue;
        end[END_COMM_SENDER] = rd_pack((uint32_t)c->comm, sends ? c->rank : (uint32_t)peer);
        end[END_RECEIVER_TAG] = rd_pack(sends ? (uint32_t)peer : c->rank, (uint32_t)tag);
        status = rd_order_add(m->ends[which], end, w->error);
    }
    return status;
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

/* One kind of end, in order. Where calls were left out, a scout runs ahead and counts the ends of an envelope. */
struct side {
    struct rd_order_reader *reader, *scout;
    const uint64_t *end, *seen; /* NULL: no more */
};

struct matching {
    struct rd_waiting *w;
    struct side sides[RD_ENDS];
};

static int compare_envelopes(const uint64_t *a, const uint64_t *b) {
    if (a[END_COMM_SENDER] != b[END_COMM_SENDER]) return a[END_COMM_SENDER] < b[END_COMM_SENDER] ? -1 : 1;
    return (a[END_RECEIVER_TAG] > b[END_RECEIVER_TAG]) - (a[END_RECEIVER_TAG] < b[END_RECEIVER_TAG]);
}

static int open_side(struct rd_waiting *w, struct rd_order *order, struct side *side) {
    int status = rd_order_close(order, w->error);
    if (status != SPR_OK) return status;
    side->reader = rd_order_read(order, w->error);
    side->scout = w->gaps && side->reader ? rd_order_read(order, w->error) : NULL;
    if (!side->reader || (w->gaps && !side->scout)) return SPR_NO_MEMORY;
    status = rd_order_next(side->reader, &side->end, w->error);
    return status == SPR_OK && side->scout ? rd_order_next(side->scout, &side->seen, w->error) : status;
}

static int next_end(struct matching *m, enum rd_end which) {
    return rd_order_next(m->sides[which].reader, &m->sides[which].end, m->w->error);
}

/* How many ends have the envelope; the scout goes on to the next one. */
static int count_ends(struct rd_waiting *w, struct side *side, const uint64_t *envelope, uint64_t *count) {
    int status = SPR_OK;
    *count = 0;
    while (status == SPR_OK && side->seen) {
        const int order = compare_envelopes(side->seen, envelope);
        if (order > 0) break;
        *count += order == 0;
        status = rd_order_next(side->scout, &side->seen, w->error);
    }
    return status;
}

static uint32_t sender_of(const uint64_t *end) { return rd_low(end[END_COMM_SENDER]); }
static uint32_t receiver_of(const uint64_t *end) { return rd_high(end[END_RECEIVER_TAG]); }

static int may_match(struct matching *m, const uint64_t *envelope, bool *may) {
    struct rd_waiting *w = m->w;
    uint64_t sent = 0, received = 0;
    *may = true;
    if (!w->gaps) return SPR_OK;
    int status = count_ends(w, &m->sides[RD_SENDS], envelope, &sent);
    if (status == SPR_OK) status = count_ends(w, &m->sides[RD_RECEIVES], envelope, &received);
    *may = sent == received ||
           !(rd_waiting_has_gaps(w, sender_of(envelope)) || rd_waiting_has_gaps(w, receiver_of(envelope)));
    return status;
}

/* `mine` waited, if it did, until its partner began. */
static int wait_for(struct rd_waiting *w, const uint64_t *mine, const uint64_t *partner, uint32_t cause,
                    enum spr_mpi_wait_kind kind) {
    struct rd_window window;
    memcpy(&window, mine + END_WINDOW, sizeof window);
    const bool without = kind == SPR_MPI_LATE_RECEIVER && partner[END_START] > window.until; /* it did not wait */
    return rd_window_wait(w, &window, rd_order_value(without ? window.from : partner[END_START]), cause, kind);
}

/* Probes that found the message: those before its receive that have not found another. */
static int match_probes(struct matching *m, const uint64_t *send, const uint64_t *receive) {
    struct side *probes = &m->sides[RD_PROBES];
    int status = SPR_OK;
    while (status == SPR_OK && probes->end) {
        const int order = compare_envelopes(probes->end, receive);
        if (order > 0 || (order == 0 && probes->end[END_START] > receive[END_START])) break;
        if (order == 0) status = wait_for(m->w, probes->end, send, sender_of(send), SPR_MPI_LATE_SENDER);
        if (status == SPR_OK) status = next_end(m, RD_PROBES);
    }
    return status;
}

static int match_one(struct matching *m, const uint64_t *send, const uint64_t *receive) {
    int status = wait_for(m->w, receive, send, sender_of(send), SPR_MPI_LATE_SENDER);
    if (status == SPR_OK && !send[END_BOTH])
        status = wait_for(m->w, send, receive, receiver_of(send), SPR_MPI_LATE_RECEIVER);
    return status == SPR_OK ? match_probes(m, send, receive) : status;
}

static int match(struct matching *m) {
    struct side *sends = &m->sides[RD_SENDS], *receives = &m->sides[RD_RECEIVES];
    uint64_t envelope[] = {UINT64_MAX, UINT64_MAX};
    bool may = false;
    int status = SPR_OK;
    while (status == SPR_OK && (sends->end || receives->end)) {
        const int order = !receives->end ? -1 : !sends->end ? 1 : compare_envelopes(sends->end, receives->end);
        if (order == 0 && compare_envelopes(sends->end, envelope) != 0) {
            memcpy(envelope, sends->end, sizeof envelope);
            status = may_match(m, envelope, &may);
        }
        if (order == 0 && status == SPR_OK && may) status = match_one(m, sends->end, receives->end);
        m->w->unmatched += order ? 1 : may ? 0 : 2;
        if (order <= 0 && status == SPR_OK) status = next_end(m, RD_SENDS);
        if (order >= 0 && status == SPR_OK) status = next_end(m, RD_RECEIVES);
    }
    return status;
}

int rd_messages_match(struct rd_waiting *w, struct rd_messages *messages) {
    struct matching m = {.w = w};
    int status = SPR_OK;
    for (int i = 0; status == SPR_OK && i < RD_ENDS; i++) status = open_side(w, messages->ends[i], &m.sides[i]);
    if (status == SPR_OK) status = match(&m);
    for (int i = 0; i < RD_ENDS; i++) {
        rd_order_reader_free(m.sides[i].reader);
        rd_order_reader_free(m.sides[i].scout);
    }
    return status;
}
