/* Instances of collective calls: the n-th on a communicator is the same on all its members, a rule of MPI. */
#include "mpi.h"

#include <stdlib.h>
#include <string.h>

enum { /* words of a call; the first three are the key: communicator and rank, then time */
       CALL_COMM_RANK,
       CALL_START,
       CALL_NUMBER,
       CALL_END,
       CALL_ROW,
       CALL_FLAGS_TO,
       CALL_WORDS
};
enum { /* words of a member of an instance; the first three are the key */
       MEMBER_COMM,
       MEMBER_INSTANCE,
       MEMBER_RANK,
       MEMBER_START,
       MEMBER_END,
       MEMBER_ROW,
       MEMBER_FLAGS_TO,
       MEMBER_WORDS
};

static uint64_t pack(uint32_t high, uint32_t low) { return (uint64_t)high << 32 | low; }
static uint32_t high_of(uint64_t word) { return (uint32_t)(word >> 32); }
static uint32_t low_of(uint64_t word) { return (uint32_t)word; }

struct rd_order *rd_collectives_new(const struct rd_waiting *w) {
    return rd_order_new(w->profile->path, CALL_WORDS, CALL_NUMBER + 1);
}

int rd_collectives_take(const struct rd_waiting *w, struct rd_order *calls, const struct rd_mpi_call *c) {
    if (!(c->flags & RD_MPI_COLLECTIVE) || c->flags & (RD_MPI_FAILED | RD_MPI_STARTED) || c->comm < 0 ||
        (size_t)c->comm >= w->mpi->num_comms)
        return SPR_OK;
    const uint64_t record[CALL_WORDS] = {
        [CALL_COMM_RANK] = pack((uint32_t)c->comm, c->rank),
        [CALL_START] = rd_order_word(c->start),
        [CALL_NUMBER] = c->number,
        [CALL_END] = rd_order_word(c->end),
        [CALL_ROW] = (uint64_t)c->row,
        [CALL_FLAGS_TO] = pack((uint32_t)c->flags, (uint32_t)c->to),
    };
    return rd_order_add(calls, record, w->error);
}

/* ---- numbering --------------------------------------------------------------------------------------------------- */

struct numbering {
    struct rd_waiting *w;
    struct rd_order_reader *calls;
    struct rd_order_reader
        *scout;           /* a communicator ahead of them: can its calls be matched? NULL: no calls were left out */
    const uint64_t *seen; /* by the scout */
    struct rd_order *members;
};

/* Of the communicator that the scout stands before, from its first call to the first of the next one: where a rank left
 * calls out, all must have equally many. */
static int scout(struct numbering *n, bool *matches) {
    const uint32_t comm = high_of(n->seen[CALL_COMM_RANK]);
    bool gaps = false, uneven = false;
    uint64_t before = 0;
    int status = SPR_OK;
    while (status == SPR_OK && n->seen && high_of(n->seen[CALL_COMM_RANK]) == comm) {
        const uint32_t rank = low_of(n->seen[CALL_COMM_RANK]);
        uint64_t calls = 0;
        for (; status == SPR_OK && n->seen && n->seen[CALL_COMM_RANK] == pack(comm, rank); calls++)
            status = rd_order_next(n->scout, &n->seen, n->w->error);
        gaps = gaps || rd_waiting_has_gaps(n->w, rank);
        uneven = uneven || (before && before != calls);
        before = calls;
    }
    *matches = !(gaps && uneven);
    return status;
}

static int number(struct numbering *n) {
    uint64_t comm_rank = UINT64_MAX, instance = 0;
    bool matches = true;
    const uint64_t *call;
    int status = n->scout ? rd_order_next(n->scout, &n->seen, n->w->error) : SPR_OK;
    while (status == SPR_OK) {
        status = rd_order_next(n->calls, &call, n->w->error);
        if (status != SPR_OK || !call) break;
        instance = call[CALL_COMM_RANK] == comm_rank ? instance + 1 : 0;
        if (n->scout && high_of(call[CALL_COMM_RANK]) != high_of(comm_rank)) status = scout(n, &matches);
        comm_rank = call[CALL_COMM_RANK];
        if (status != SPR_OK || !matches) continue;
        const uint64_t member[MEMBER_WORDS] = {
            [MEMBER_COMM] = high_of(comm_rank),      [MEMBER_INSTANCE] = instance,  [MEMBER_RANK] = low_of(comm_rank),
            [MEMBER_START] = call[CALL_START],       [MEMBER_END] = call[CALL_END], [MEMBER_ROW] = call[CALL_ROW],
            [MEMBER_FLAGS_TO] = call[CALL_FLAGS_TO],
        };
        status = rd_order_add(n->members, member, n->w->error);
    }
    return status;
}

static int number_all(struct rd_waiting *w, struct rd_order *calls, struct rd_order *members) {
    struct numbering n = {.w = w, .members = members};
    int status = rd_order_close(calls, w->error);
    if (status != SPR_OK) return status;
    n.calls = rd_order_read(calls, w->error);
    n.scout = w->gaps ? rd_order_read(calls, w->error) : NULL;
    status = n.calls && (n.scout || !w->gaps) ? number(&n) : SPR_NO_MEMORY;
    rd_order_reader_free(n.calls);
    rd_order_reader_free(n.scout);
    return status == SPR_OK ? rd_order_close(members, w->error) : status;
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

struct member {
    uint32_t rank;
    int32_t flags, to;
    int64_t start, end, row;
};

struct instance {
    uint64_t comm, number;
    struct member *members; /* by rank */
    size_t count, room;
};

enum waits_for { THE_LAST, THE_ROOT, ROOT_FOR_LAST };

/* Where data go from the root all wait for the root; where they go to it, it waits for the last. */
static enum waits_for who_waits(const struct rd_waiting *w, const struct member *member) {
    const char *name = w->profile->names[w->profile->rows[member->row].region];
    if (member->to < 0) return THE_LAST;
    return strstr(name, "cast") || (strstr(name, "catter") && !strstr(name, "educe")) ? THE_ROOT : ROOT_FOR_LAST;
}

static const struct member *find_rank(const struct instance *instance, int64_t rank) {
    size_t low = 0, high = instance->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if ((int64_t)instance->members[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < instance->count && (int64_t)instance->members[low].rank == rank ? &instance->members[low] : NULL;
}

static int wait_in_instance(struct rd_waiting *w, const struct instance *instance) {
    const struct member *last = instance->members;
    int status = SPR_OK;
    for (size_t i = 1; i < instance->count; i++)
        if (instance->members[i].start > last->start) last = &instance->members[i];
    for (size_t i = 0; status == SPR_OK && i < instance->count; i++) {
        const struct member *m = &instance->members[i], *awaited = last;
        if (m->flags & RD_MPI_REQUEST) continue; /* it does not wait; what completes it does */
        const enum waits_for how = who_waits(w, m);
        const struct member *root = how == THE_ROOT ? find_rank(instance, m->to) : NULL;
        if (root) awaited = root;
        if (how == ROOT_FOR_LAST && (int64_t)m->rank != m->to) awaited = m;
        const int64_t lasted = m->end - m->start;
        const struct rd_mpi_wait wait = {.row = m->row,
                                         .cause = awaited->rank,
                                         .kind = SPR_MPI_COLLECTIVE,
                                         .wait_ns = rd_clamp(awaited->start - m->start, lasted),
                                         .lasted_ns = lasted};
        status = rd_waiting_add(w, &wait);
    }
    return status;
}

/* It is one only where all members are there. */
static int finish_instance(struct rd_waiting *w, struct instance *instance) {
    const spr_mpi_comm *comm = &w->mpi->comms[instance->comm];
    const bool whole = instance->count && instance->count == (size_t)(comm->size + comm->remote_size);
    const int status = whole ? wait_in_instance(w, instance) : SPR_OK;
    instance->count = 0;
    return status;
}

static bool add_member(struct instance *instance, const uint64_t *m) {
    if (instance->count == instance->room) {
        const size_t room = instance->room ? 2 * instance->room : 64;
        struct member *longer = realloc(instance->members, room * sizeof *longer);
        if (!longer) return false;
        instance->members = longer;
        instance->room = room;
    }
    instance->members[instance->count++] = (struct member){.rank = (uint32_t)m[MEMBER_RANK],
                                                           .flags = (int32_t)high_of(m[MEMBER_FLAGS_TO]),
                                                           .to = (int32_t)low_of(m[MEMBER_FLAGS_TO]),
                                                           .start = rd_order_value(m[MEMBER_START]),
                                                           .end = rd_order_value(m[MEMBER_END]),
                                                           .row = (int64_t)m[MEMBER_ROW]};
    instance->comm = m[MEMBER_COMM];
    instance->number = m[MEMBER_INSTANCE];
    return true;
}

static int match(struct rd_waiting *w, struct rd_order_reader *members) {
    struct instance instance = {0};
    const uint64_t *member;
    int status;
    for (;;) {
        status = rd_order_next(members, &member, w->error);
        if (status != SPR_OK || !member) break;
        if (member[MEMBER_COMM] != instance.comm || member[MEMBER_INSTANCE] != instance.number)
            status = finish_instance(w, &instance);
        if (status == SPR_OK && !add_member(&instance, member)) status = rd_no_memory(w->profile, w->error);
        if (status != SPR_OK) break;
    }
    if (status == SPR_OK) status = finish_instance(w, &instance);
    free(instance.members);
    return status;
}

int rd_collectives_match(struct rd_waiting *w, struct rd_order *calls) {
    struct rd_order *members = rd_order_new(w->profile->path, MEMBER_WORDS, MEMBER_RANK + 1);
    int status = members ? number_all(w, calls, members) : rd_no_memory(w->profile, w->error);
    struct rd_order_reader *reader = status == SPR_OK ? rd_order_read(members, w->error) : NULL;
    if (status == SPR_OK) status = reader ? match(w, reader) : SPR_NO_MEMORY;
    rd_order_reader_free(reader);
    rd_order_free(members);
    return status;
}
