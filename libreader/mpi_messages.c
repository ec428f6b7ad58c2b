/* The two ends of each message: the n-th send with a communicator, sender, receiver and tag goes to the n-th receive of
 * such, a rule of MPI. */
#include "mpi.h"

#include <stdlib.h>

enum { /* words of an end; the first four are the key: the envelope, then time */
       END_COMM_SENDER,
       END_RECEIVER_TAG,
       END_START,
       END_NUMBER,
       END_FROM, /* what waits: the call itself, or the one that completed the request */
       END_UNTIL,
       END_ROW,   /* of what waits */
       END_EVENT, /* that one's event; or */
       END_WORDS
};
#define EVENT_ITSELF (UINT64_MAX - 1) /* the call waits itself */
#define EVENT_NONE   UINT64_MAX       /* nothing waits for it */
/* Beside the row: the end is one of a call that does both, as MPI_Sendrecv, and waits for what it receives only. */
#define ROW_BOTH (UINT64_C(1) << 63)

enum { COMPLETED_CALL, COMPLETED_EVENT, COMPLETED_START, COMPLETED_END, COMPLETED_ROW, COMPLETED_WORDS };

enum { /* a completing call and one of its waits; the first three are the key: the longest wait first */
       WAITED_EVENT,
       WAITED_LESS,
       WAITED_KIND_CAUSE,
       WAITED_LASTED,
       WAITED_ROW,
       WAITED_WORDS
};

static uint64_t pack(uint32_t high, uint32_t low) { return (uint64_t)high << 32 | low; }

int rd_messages_open(struct rd_waiting *w, struct rd_messages *m) {
    const char *path = w->profile->path;
    *m = (struct rd_messages){.sends = rd_order_new(path, END_WORDS, END_NUMBER + 1),
                              .receives = rd_order_new(path, END_WORDS, END_NUMBER + 1),
                              .completions = rd_order_new(path, COMPLETED_WORDS, COMPLETED_EVENT + 1),
                              .events = rd_order_new(path, WAITED_WORDS, WAITED_KIND_CAUSE + 1)};
    return m->sends && m->receives && m->completions && m->events ? SPR_OK : rd_no_memory(w->profile, w->error);
}

void rd_messages_close(struct rd_messages *m) {
    rd_order_reader_free(m->completed);
    rd_order_free(m->sends);
    rd_order_free(m->receives);
    rd_order_free(m->completions);
    rd_order_free(m->events);
}

/* ---- completing calls -------------------------------------------------------------------------------------------- */

static int add_waited(struct rd_waiting *w, struct rd_messages *m, uint64_t event, const struct rd_mpi_wait *wait) {
    const uint64_t record[WAITED_WORDS] = {
        [WAITED_EVENT] = event,
        [WAITED_LESS] = ~(uint64_t)wait->wait_ns,
        [WAITED_KIND_CAUSE] = pack(wait->kind, wait->cause),
        [WAITED_LASTED] = (uint64_t)wait->lasted_ns,
        [WAITED_ROW] = (uint64_t)wait->row,
    };
    return rd_order_add(m->events, record, w->error);
}

int rd_messages_take_completion(struct rd_waiting *w, struct rd_messages *m, const struct rd_mpi_completion *c) {
    const uint64_t completed[COMPLETED_WORDS] = {
        [COMPLETED_CALL] = (uint64_t)c->call,        [COMPLETED_EVENT] = (uint64_t)c->event,
        [COMPLETED_START] = rd_order_word(c->start), [COMPLETED_END] = rd_order_word(c->end),
        [COMPLETED_ROW] = (uint64_t)c->row,
    };
    /* Whatever it waited for, it is a matched call. */
    const struct rd_mpi_wait none = {
        .row = c->row, .cause = w->profile->rows[c->row].rank, .lasted_ns = c->end - c->start};
    const int status = rd_order_add(m->completions, completed, w->error);
    return status == SPR_OK ? add_waited(w, m, (uint64_t)c->event, &none) : status;
}

/* A completing call waits for all its requests at once: the longest wait is the whole. */
static int take_longest(struct rd_waiting *w, struct rd_messages *m) {
    uint64_t before = UINT64_MAX;
    const uint64_t *waited = NULL;
    int status = rd_order_close(m->events, w->error);
    struct rd_order_reader *events = status == SPR_OK ? rd_order_read(m->events, w->error) : NULL;
    if (status == SPR_OK && !events) status = SPR_NO_MEMORY;
    if (status == SPR_OK) status = rd_order_next(events, &waited, w->error);
    for (; status == SPR_OK && waited; status = rd_order_next(events, &waited, w->error)) {
        if (waited[WAITED_EVENT] == before) continue;
        before = waited[WAITED_EVENT];
        const struct rd_mpi_wait wait = {.row = (int64_t)waited[WAITED_ROW],
                                         .cause = (uint32_t)waited[WAITED_KIND_CAUSE],
                                         .kind = (enum spr_mpi_wait_kind)(waited[WAITED_KIND_CAUSE] >> 32),
                                         .wait_ns = (int64_t)~waited[WAITED_LESS],
                                         .lasted_ns = (int64_t)waited[WAITED_LASTED]};
        if ((status = rd_waiting_add(w, &wait)) != SPR_OK) break;
    }
    rd_order_reader_free(events);
    return status;
}

/* ---- both ends --------------------------------------------------------------------------------------------------- */

/* What completed the call with that number; calls come in ascending order. */
static int find_completion(struct rd_waiting *w, struct rd_messages *m, uint64_t number, uint64_t end[END_WORDS]) {
    int status = SPR_OK;
    if (!m->completed) {
        status = rd_order_close(m->completions, w->error);
        if (status != SPR_OK) return status;
        m->completed = rd_order_read(m->completions, w->error);
        status = m->completed ? rd_order_next(m->completed, &m->next, w->error) : SPR_NO_MEMORY;
    }
    for (; status == SPR_OK && m->next && m->next[COMPLETED_CALL] <= number;
         status = rd_order_next(m->completed, &m->next, w->error)) {
        if (m->next[COMPLETED_CALL] != number) continue;
        end[END_EVENT] = m->next[COMPLETED_EVENT];
        end[END_FROM] = m->next[COMPLETED_START];
        end[END_UNTIL] = m->next[COMPLETED_END];
        end[END_ROW] = (end[END_ROW] & ROW_BOTH) | m->next[COMPLETED_ROW];
    }
    return status;
}

static bool is_end(const struct rd_mpi_call *c, int32_t peer, int32_t tag, int64_t bytes) {
    return !(c->flags & (RD_MPI_COLLECTIVE | RD_MPI_FAILED | RD_MPI_PERSISTENT)) && peer >= 0 && tag >= 0 &&
           c->comm >= 0 && bytes >= 0;
}

int rd_messages_take(struct rd_waiting *w, struct rd_messages *m, const struct rd_mpi_call *c) {
    const bool sends = is_end(c, c->to, c->to_tag, c->sent), receives = is_end(c, c->from, c->from_tag, c->received);
    uint64_t end[END_WORDS] = {
        [END_START] = rd_order_word(c->start),
        [END_NUMBER] = c->number,
        [END_FROM] = rd_order_word(c->start),
        [END_UNTIL] = rd_order_word(c->end),
        [END_ROW] = (uint64_t)c->row | (c->received >= 0 ? ROW_BOTH : 0),
        [END_EVENT] = c->flags & RD_MPI_REQUEST ? EVENT_NONE : EVENT_ITSELF,
    };
    int status = SPR_OK;
    if ((sends || receives) && c->flags & RD_MPI_REQUEST) status = find_completion(w, m, c->number, end);
    if (status == SPR_OK && sends) {
        end[END_COMM_SENDER] = pack((uint32_t)c->comm, c->rank);
        end[END_RECEIVER_TAG] = pack((uint32_t)c->to, (uint32_t)c->to_tag);
        status = rd_order_add(m->sends, end, w->error);
    }
    if (status == SPR_OK && receives) {
        end[END_COMM_SENDER] = pack((uint32_t)c->comm, (uint32_t)c->from);
        end[END_RECEIVER_TAG] = pack(c->rank, (uint32_t)c->from_tag);
        status = rd_order_add(m->receives, end, w->error);
    }
    return status;
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

/* One kind of end, in order. Where calls were left out, a scout runs ahead and counts the ends of an envelope. */
struct side {
    struct rd_order_reader *reader, *scout;
    const uint64_t *end, *seen; /* NULL: no more */
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

static void close_side(struct side *side) {
    rd_order_reader_free(side->reader);
    rd_order_reader_free(side->scout);
}

/* How many ends have the envelope; the scout goes on to the next one. */
static int count_ends(struct rd_waiting *w, struct side *side, const uint64_t envelope[2], uint64_t *count) {
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

static uint32_t rank_of_sender(const uint64_t *end) { return (uint32_t)end[END_COMM_SENDER]; }
static uint32_t rank_of_receiver(const uint64_t *end) { return (uint32_t)(end[END_RECEIVER_TAG] >> 32); }

static int may_match(struct rd_waiting *w, struct side *sends, struct side *receives, bool *may) {
    const uint64_t envelope[2] = {sends->end[END_COMM_SENDER], sends->end[END_RECEIVER_TAG]};
    uint64_t sent = 0, received = 0;
    *may = true;
    if (!w->gaps) return SPR_OK;
    int status = count_ends(w, sends, envelope, &sent);
    if (status == SPR_OK) status = count_ends(w, receives, envelope, &received);
    *may = sent == received ||
           !(rd_waiting_has_gaps(w, rank_of_sender(envelope)) || rd_waiting_has_gaps(w, rank_of_receiver(envelope)));
    return status;
}

/* `mine` waited, if it did, until its partner began. */
static int wait_for(struct rd_waiting *w, struct rd_messages *m, const uint64_t *mine, const uint64_t *partner,
                    uint32_t cause, enum spr_mpi_wait_kind kind) {
    if (mine[END_EVENT] == EVENT_NONE) return SPR_OK;
    const int64_t begin = rd_order_value(mine[END_FROM]), end = rd_order_value(mine[END_UNTIL]);
    const int64_t began = rd_order_value(partner[END_START]);
    struct rd_mpi_wait wait = {.row = (int64_t)(mine[END_ROW] & ~ROW_BOTH),
                               .cause = cause,
                               .kind = kind,
                               .wait_ns = rd_clamp(began - begin, end - begin),
                               .lasted_ns = end - begin};
    if (kind == SPR_MPI_LATE_RECEIVER && began > end) wait.wait_ns = 0; /* it went without the receiver */
    if (mine[END_EVENT] == EVENT_ITSELF) return rd_waiting_add(w, &wait);
    return wait.wait_ns ? add_waited(w, m, mine[END_EVENT], &wait) : SPR_OK;
}

static int match_one(struct rd_waiting *w, struct rd_messages *m, const uint64_t *send, const uint64_t *receive) {
    const int status = wait_for(w, m, receive, send, rank_of_sender(send), SPR_MPI_LATE_SENDER);
    if (status != SPR_OK || send[END_ROW] & ROW_BOTH) return status; /* it waits for what it receives */
    return wait_for(w, m, send, receive, rank_of_receiver(send), SPR_MPI_LATE_RECEIVER);
}

static int match(struct rd_waiting *w, struct rd_messages *m, struct side *sends, struct side *receives) {
    uint64_t envelope[2] = {UINT64_MAX, UINT64_MAX};
    bool may = false;
    int status = SPR_OK;
    while (status == SPR_OK && sends->end && receives->end) {
        const int order = compare_envelopes(sends->end, receives->end);
        if (order == 0 && compare_envelopes(sends->end, envelope) != 0) {
            envelope[0] = sends->end[END_COMM_SENDER];
            envelope[1] = sends->end[END_RECEIVER_TAG];
            status = may_match(w, sends, receives, &may);
        }
        if (order == 0 && status == SPR_OK && may) status = match_one(w, m, sends->end, receives->end);
        if (order <= 0 && status == SPR_OK) status = rd_order_next(sends->reader, &sends->end, w->error);
        if (order >= 0 && status == SPR_OK) status = rd_order_next(receives->reader, &receives->end, w->error);
    }
    return status;
}

int rd_messages_match(struct rd_waiting *w, struct rd_messages *m) {
    struct side sends = {0}, receives = {0};
    int status = open_side(w, m->sends, &sends);
    if (status == SPR_OK) status = open_side(w, m->receives, &receives);
    if (status == SPR_OK) status = match(w, m, &sends, &receives);
    close_side(&sends);
    close_side(&receives);
    return status == SPR_OK ? take_longest(w, m) : status;
}
