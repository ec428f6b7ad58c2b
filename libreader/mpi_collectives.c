/* Instances of collective calls: the n-th on a communicator is the same on all its members, a rule of MPI. */
#include "mpi.h"

#include <stdlib.h>
#include <string.h>

enum { /* words of a call; the first three are the key: communicator and rank, then time */
       CALL_COMM_RANK,
       CALL_START,
       CALL_NUMBER,
       CALL_ROW_TO,
       CALL_WINDOW,
       CALL_WORDS = CALL_WINDOW + RD_WINDOW_WORDS
};
enum { /* words of a member of an instance; the first four are the key, which ends with the time */
       MEMBER_COMM,
       MEMBER_INSTANCE,
       MEMBER_START,
       MEMBER_RANK,
       MEMBER_ROW_TO,
       MEMBER_WINDOW,
       MEMBER_WORDS = MEMBER_WINDOW + RD_WINDOW_WORDS
};

struct rd_order *rd_collectives_new(const struct rd_waiting *w) {
    return rd_order_new(w->profile->path, CALL_WORDS, CALL_NUMBER + 1);
}

int rd_collectives_take(struct rd_waiting *w, struct rd_order *calls, const struct rd_mpi_call *c,
                        const struct rd_window *window) {
    if (!(c->flags & RD_MPI_COLLECTIVE) || c->flags & (RD_MPI_FAILED | RD_MPI_STARTED) || c->comm < 0 ||
        (size_t)c->comm >= w->mpi->num_comms)
        return SPR_OK;
    uint64_t record[CALL_WORDS] = {
        [CALL_COMM_RANK] = rd_pack((uint32_t)c->comm, c->rank),
        [CALL_START] = rd_order_word(c->start),
        [CALL_NUMBER] = c->number,
        [CALL_ROW_TO] = rd_pack((uint32_t)c->row, (uint32_t)c->to),
    };
    memcpy(record + CALL_WINDOW, window, sizeof *window);
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
    const uint32_t comm = rd_high(n->seen[CALL_COMM_RANK]);
    bool gaps = false, uneven = false;
    uint64_t before = 0;
    int status = SPR_OK;
    while (status == SPR_OK && n->seen && rd_high(n->seen[CALL_COMM_RANK]) == comm) {
        const uint32_t rank = rd_low(n->seen[CALL_COMM_RANK]);
        uint64_t calls = 0;
        for (; status == SPR_OK && n->seen && n->seen[CALL_COMM_RANK] == rd_pack(comm, rank); calls++)
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
        if (n->scout && rd_high(call[CALL_COMM_RANK]) != rd_high(comm_rank)) status = scout(n, &matches);
        comm_rank = call[CALL_COMM_RANK];
        n->w->unmatched += !matches;
        if (status != SPR_OK || !matches) continue;
        uint64_t member[MEMBER_WORDS] = {
            [MEMBER_COMM] = rd_high(comm_rank), [MEMBER_INSTANCE] = instance,        [MEMBER_START] = call[CALL_START],
            [MEMBER_RANK] = rd_low(comm_rank),  [MEMBER_ROW_TO] = call[CALL_ROW_TO],
        };
        memcpy(member + MEMBER_WINDOW, call + CALL_WINDOW, sizeof(struct rd_window));
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
    uint32_t rank, row;
    int32_t to; /* the root; < 0: there is none */
    int64_t start;
    struct rd_window window;
};

struct instance {
    uint64_t comm, number;
    struct member *members; /* in the order of time */
    size_t count, room;
    const struct member *root; /* of those that name the same as the first; NULL: not a member */
};

enum waits_for { ALL, THOSE_BEFORE_ITS_END, THE_ROOT, NOBODY };

/* Where data go from the root all wait for the root; where they go to it, it waits for the last. Only some calls cannot
 * end before all have begun them: the others do not wait for who comes after their end (a scan for higher ranks, a
 * neighbourhood collective for who is no neighbour). */
static enum waits_for who_waits(const struct rd_waiting *w, const struct member *member) {
    static const char *const of_all[] = {"arrier", "llreduce", "llgather", "lltoall", "educe_scatter"};
    const char *name = w->profile->names[w->profile->rows[member->row].region];
    if (member->to >= 0) {
        if (strstr(name, "cast") || strstr(name, "catter")) return THE_ROOT;
        return (int64_t)member->rank == member->to ? THOSE_BEFORE_ITS_END : NOBODY;
    }
    for (size_t i = 0; !strstr(name, "eighbor") && i < sizeof of_all / sizeof *of_all; i++)
        if (strstr(name, of_all[i]))
            return strstr(name, "lltoallv") || strstr(name, "lltoallw") ? THOSE_BEFORE_ITS_END : ALL;
    return THOSE_BEFORE_ITS_END;
}

static const struct member *find_rank(const struct instance *instance, int64_t rank) {
    for (size_t i = 0; i < instance->count; i++)
        if ((int64_t)instance->members[i].rank == rank) return &instance->members[i];
    return NULL;
}

/* The last one that came before the window ended. */
static const struct member *find_before(const struct instance *instance, int64_t end) {
    size_t low = 0, high = instance->count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        *(instance->members[middle].start < end ? &low : &high) = middle;
    }
    return &instance->members[low];
}

static const struct member *find_awaited(const struct rd_waiting *w, const struct instance *instance,
                                         const struct member *member) {
    switch (who_waits(w, member)) {
    case NOBODY:
        return member;
    case THE_ROOT: {
        const bool usual = instance->members[0].to == member->to;
        const struct member *root = usual ? instance->root : find_rank(instance, member->to);
        return root ? root : member;
    }
    case ALL:
        return &instance->members[instance->count - 1];
    default:
        return find_before(instance, rd_order_value(member->window.until));
    }
}

static int wait_in_instance(struct rd_waiting *w, struct instance *instance) {
    int status = SPR_OK;
    instance->root = find_rank(instance, instance->members[0].to);
    for (size_t i = 0; status == SPR_OK && i < instance->count; i++) {
        const struct member *m = &instance->members[i], *awaited = find_awaited(w, instance, m);
        status = rd_window_wait(w, &m->window, awaited->start, awaited->rank, SPR_MPI_COLLECTIVE);
    }
    return status;
}

/* It is one only where all members are there. */
static int finish_instance(struct rd_waiting *w, struct instance *instance) {
    if (!instance->count) return SPR_OK; /* nor need there be a communicator */
    const spr_mpi_comm *comm = &w->mpi->comms[instance->comm];
    const bool whole = instance->count == (size_t)(comm->size + comm->remote_size);
    const int status = whole ? wait_in_instance(w, instance) : SPR_OK;
    if (!whole) w->unmatched += instance->count;
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
    struct member *member = &instance->members[instance->count++];
    *member = (struct member){.rank = (uint32_t)m[MEMBER_RANK],
                              .row = rd_high(m[MEMBER_ROW_TO]),
                              .to = (int32_t)rd_low(m[MEMBER_ROW_TO]),
                              .start = rd_order_value(m[MEMBER_START])};
    memcpy(&member->window, m + MEMBER_WINDOW, sizeof member->window);
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
