#include "facts.h"

#include "abi.h"
#include "clock.h"
#include "known.h"
#include "recorder.h"
#include "spool.h"
#include <errno.h>
#include <sys/mman.h>

enum { LIST_WORDS = 200, MESSAGES = 8 };

/* A call's facts on their way into a group. */
struct facts {
    const struct mpi_call *call;
    const struct mpi_shape *shape;
    const struct mpi_comm *comm; /* NULL: none */
    uint32_t argument;
    uint32_t count;     /* words */
    uint64_t words[12]; /* in the order of SPOOL_MPI_HAS_* */
    uint64_t ticks;
};

/* Messages that a probe has taken out of the queue, and their communicators: what receives them does not say. */
static __thread struct {
    mpi_word handle;
    const struct mpi_comm *comm;
} messages[MESSAGES] __attribute__((tls_model("initial-exec")));
static __thread unsigned newest_message __attribute__((tls_model("initial-exec")));

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static inline bool has(const struct mpi_shape *shape, enum mpi_role role) { return shape->at[role] >= 0; }
static inline mpi_word word_of(const struct facts *f, enum mpi_role role) {
    return f->call->arguments[f->shape->at[role]];
}
static inline int int_of(const struct facts *f, enum mpi_role role) { return (int)word_of(f, role); }
static inline void *pointer_of(const struct facts *f, enum mpi_role role) { return (void *)word_of(f, role); }

static int64_t count_of(const struct facts *f, enum mpi_role role) {
    return f->shape->large || has(f->shape, MPI_ROLE_PARTITIONS) ? (int64_t)word_of(f, role) : int_of(f, role);
}

static int64_t count_in(const struct facts *f, const void *list, int64_t index) {
    return f->shape->large ? ((const int64_t *)list)[index] : ((const int *)list)[index];
}

/* ---- MPI's own answers ------------------------------------------------------------------------------------------- */

static mpi_any type_size_x, type_size, get_elements_x, get_count;

static void find_functions(void) {
    static bool found;
    if (__atomic_load_n(&found, __ATOMIC_ACQUIRE)) return;
    struct mpi_link links[4] = {0};
    type_size_x = mpi_next(&links[0], "PMPI_Type_size_x");
    type_size = mpi_next(&links[1], "PMPI_Type_size");
    get_elements_x = mpi_next(&links[2], "PMPI_Get_elements_x");
    get_count = mpi_next(&links[3], "PMPI_Get_count");
    __atomic_store_n(&found, true, __ATOMIC_RELEASE);
}

static int64_t size_of_type(mpi_word type) {
    type = mpi_handle(type);
    if (type == mpi_handle(mpi_abi_now->datatype_null)) return 0;
    find_functions();
    int64_t large = 0;
    int small = 0;
    if (type_size_x && ((int (*)(mpi_word, int64_t *))type_size_x)(type, &large) == 0) return large > 0 ? large : 0;
    if (type_size && ((int (*)(mpi_word, int *))type_size)(type, &small) == 0) return small > 0 ? small : 0;
    return 0;
}

static int64_t bytes_of(const struct facts *f, enum mpi_role count, enum mpi_role type) {
    const int64_t elements = count_of(f, count);
    return elements > 0 ? elements * size_of_type(word_of(f, type)) : 0;
}

static int64_t bytes_in_status(const void *status) {
    find_functions();
    const mpi_word byte = mpi_abi_now->byte;
    int64_t large = 0;
    int small = 0;
    if (get_elements_x && ((int (*)(const void *, mpi_word, int64_t *))get_elements_x)(status, byte, &large) == 0)
        return large > 0 ? large : 0;
    if (get_count && ((int (*)(const void *, mpi_word, int *))get_count)(status, byte, &small) == 0)
        return small > 0 ? small : 0;
    return 0;
}

static int field_of(const void *status, int offset) { return *(const int *)((const char *)status + offset); }

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* Bits come in ascending order. */
static inline void add(struct facts *f, uint32_t bit, uint64_t word) {
    f->argument |= bit;
    f->words[f->count++] = word;
}

static int neutral_rank(int rank) {
    const struct mpi_abi *abi = mpi_abi_now;
    if (__builtin_expect(rank >= 0, 1)) return rank;
    if (rank == abi->proc_null) return SPOOL_MPI_NOBODY;
    if (rank == abi->any_source) return SPOOL_MPI_ANY;
    return rank == abi->root ? SPOOL_MPI_MYSELF : SPOOL_MPI_NOBODY;
}

static uint64_t peer_word(int rank, int tag) {
    const int neutral = tag >= 0 ? tag : tag == mpi_abi_now->any_tag ? SPOOL_MPI_ANY : SPOOL_MPI_NOBODY;
    return (uint32_t)neutral_rank(rank) | (uint64_t)(uint32_t)neutral << 32;
}

static uint64_t peer_in_status(const void *status) {
    return peer_word(field_of(status, mpi_abi_now->status_source), field_of(status, mpi_abi_now->status_tag));
}

static void set_comm(struct facts *f, const struct mpi_comm *comm) {
    f->comm = comm;
    if (comm) f->words[0] = (uint32_t)f->words[0] | (uint64_t)comm->serial << 32;
}

/* A function is mostly called from where it was called before. Addresses of programs have 47 or 48 bits. */
static inline uint32_t site_of(const struct mpi_call *call) {
    const uint64_t last = __atomic_load_n(call->entry->site, __ATOMIC_RELAXED);
    if (LIKELY(last >> 16 == call->site)) return (uint32_t)last & 0xffff;
    const uint32_t serial = mpi_site(call->site);
    if (serial <= 0xffff && call->site >> 48 == 0)
        __atomic_store_n(call->entry->site, (uint64_t)call->site << 16 | serial, __ATOMIC_RELAXED);
    return serial;
}

static inline void place(struct facts *f) {
    static const uint8_t roles[] = {MPI_ROLE_COMM, MPI_ROLE_WIN, MPI_ROLE_FILE};
    f->argument = 0;
    f->count = 0;
    add(f, SPOOL_MPI_HAS_SITE, site_of(f->call));
    if (LIKELY(has(f->shape, MPI_ROLE_COMM))) {
        const mpi_word handle = mpi_handle(word_of(f, MPI_ROLE_COMM));
        set_comm(f, LIKELY(handle == mpi_comm_world->handle) ? mpi_comm_world : mpi_comm_of(handle));
        return;
    }
    for (size_t i = 0; i < sizeof roles; i++) {
        if (!has(f->shape, roles[i])) continue;
        const mpi_word word = word_of(f, roles[i]), handle = roles[i] == MPI_ROLE_FILE ? word : mpi_handle(word);
        /* Windows and files are known from when they were made. */
        set_comm(f, roles[i] == MPI_ROLE_COMM ? mpi_comm_of(handle) : mpi_comm_known(handle));
        return;
    }
    if (f->shape->frees) set_comm(f, mpi_comm_known(f->call->handle));
}

static void add_request(struct facts *f) {
    if (has(f->shape, MPI_ROLE_REQUEST_AT))
        add(f, SPOOL_MPI_HAS_REQUEST, (uint64_t)mpi_handle_at(pointer_of(f, MPI_ROLE_REQUEST_AT)));
}

static void set_flow(struct facts *f, enum spool_mpi_flow flow) {
    f->argument = (f->argument & ~(15u << SPOOL_MPI_FLOW_SHIFT)) | (uint32_t)flow << SPOOL_MPI_FLOW_SHIFT;
}

/* ---- point to point ---------------------------------------------------------------------------------------------- */

static void send_part(struct facts *f, enum mpi_role count, enum mpi_role type, enum mpi_role tag) {
    const int dest = int_of(f, MPI_ROLE_DEST);
    int64_t bytes = dest == mpi_abi_now->proc_null ? 0 : bytes_of(f, count, type);
    if (has(f->shape, MPI_ROLE_PARTITIONS)) bytes *= int_of(f, MPI_ROLE_PARTITIONS);
    add(f, SPOOL_MPI_HAS_TO, peer_word(dest, int_of(f, tag)));
    add(f, SPOOL_MPI_HAS_SENT, (uint64_t)bytes);
    set_flow(f, SPOOL_MPI_FLOW_PEER);
}

static void tell_send(struct facts *f) {
    send_part(f, MPI_ROLE_COUNT, MPI_ROLE_DATATYPE, MPI_ROLE_TAG);
    add_request(f);
}

/* From the status if the message is there, else from what was asked for. */
static void receive_part(struct facts *f, enum mpi_role tag) {
    if (has(f->shape, MPI_ROLE_STATUS_AT)) {
        const void *status = pointer_of(f, MPI_ROLE_STATUS_AT);
        add(f, SPOOL_MPI_HAS_FROM, peer_in_status(status));
        add(f, SPOOL_MPI_HAS_RECEIVED, (uint64_t)bytes_in_status(status));
    } else if (has(f->shape, MPI_ROLE_SOURCE)) {
        add(f, SPOOL_MPI_HAS_FROM, peer_word(int_of(f, MPI_ROLE_SOURCE), int_of(f, tag)));
    }
}

static void tell_receive(struct facts *f) {
    for (int i = 0; f->shape->removes_message && i < MESSAGES; i++)
        if (messages[i].handle == f->call->handle && messages[i].comm) {
            set_comm(f, messages[i].comm);
            messages[i].comm = NULL;
        }
    if (f->shape->removes_message && !has(f->shape, MPI_ROLE_STATUS_AT)) /* MPI_Imrecv: its completion will tell */
        add(f, SPOOL_MPI_HAS_FROM, peer_word(mpi_abi_now->any_source, mpi_abi_now->any_tag));
    else
        receive_part(f, MPI_ROLE_TAG);
    add_request(f);
}

static void tell_sendrecv(struct facts *f) {
    const bool one_buffer = has(f->shape, MPI_ROLE_BUF);
    send_part(f, one_buffer ? MPI_ROLE_COUNT : MPI_ROLE_SENDCOUNT, one_buffer ? MPI_ROLE_DATATYPE : MPI_ROLE_SENDTYPE,
              MPI_ROLE_SENDTAG);
    receive_part(f, MPI_ROLE_RECVTAG);
    add_request(f);
}

static bool flag_is_down(const struct facts *f) {
    return has(f->shape, MPI_ROLE_FLAG_AT) && !*(const int *)pointer_of(f, MPI_ROLE_FLAG_AT);
}

static void tell_probe(struct facts *f) {
    const void *status = pointer_of(f, MPI_ROLE_STATUS_AT);
    const bool known = status != (void *)mpi_abi_now->status_ignore && !flag_is_down(f);
    add(f, SPOOL_MPI_HAS_FROM,
        known ? peer_in_status(status) : peer_word(int_of(f, MPI_ROLE_SOURCE), int_of(f, MPI_ROLE_TAG)));
    if (!has(f->shape, MPI_ROLE_MESSAGE_AT) || flag_is_down(f)) return;
    const unsigned at = newest_message++ % MESSAGES;
    messages[at].handle = mpi_handle_at(pointer_of(f, MPI_ROLE_MESSAGE_AT));
    messages[at].comm = f->comm;
}

/* ---- collective -------------------------------------------------------------------------------------------------- */

/* One side of a collective call. */
struct side {
    enum mpi_role buffer, count, type, counts, types;
};
static const struct side sending = {MPI_ROLE_SENDBUF, MPI_ROLE_SENDCOUNT, MPI_ROLE_SENDTYPE, MPI_ROLE_SENDCOUNT_LIST,
                                    MPI_ROLE_SENDTYPE_LIST};
static const struct side receiving = {MPI_ROLE_RECVBUF, MPI_ROLE_RECVCOUNT, MPI_ROLE_RECVTYPE, MPI_ROLE_RECVCOUNT_LIST,
                                      MPI_ROLE_RECVTYPE_LIST};

static bool in_place(const struct facts *f, enum mpi_role buffer) {
    return has(f->shape, buffer) && word_of(f, buffer) == mpi_abi_now->in_place;
}

static int peers_on(const struct facts *f, bool receives) {
    if (!f->shape->neighbors) return f->comm->peers;
    const int peers = receives ? f->comm->ins : f->comm->outs;
    return peers > 0 ? peers : 0;
}

/* Bytes to or from one peer of a side that has lists. */
static int64_t listed_bytes(const struct facts *f, const struct side *side, int64_t type, int peer) {
    const int64_t count = count_in(f, pointer_of(f, side->counts), peer);
    if (count <= 0) return 0;
    return count * (has(f->shape, side->types) ? size_of_type(mpi_handle_in(pointer_of(f, side->types), peer)) : type);
}

static int64_t type_of_list(const struct facts *f, const struct side *side, int peers) {
    if (!has(f->shape, side->type)) return 0;
    for (int i = 0; i < peers; i++) /* a datatype that nothing is sent of may be none */
        if (count_in(f, pointer_of(f, side->counts), i) > 0) return size_of_type(word_of(f, side->type));
    return 0;
}

static int64_t sum_of_list(const struct facts *f, const struct side *side, int peers) {
    const int64_t type = type_of_list(f, side, peers);
    int64_t sum = 0;
    for (int i = 0; i < peers; i++) sum += listed_bytes(f, side, type, i);
    return sum;
}

static int64_t side_bytes(const struct facts *f, const struct side *side, int times) {
    if (has(f->shape, side->counts)) return sum_of_list(f, side, times);
    return bytes_of(f, side->count, side->type) * times;
}

static void add_bytes(struct facts *f, uint32_t bit, int64_t bytes) { add(f, bit, (uint64_t)bytes); }

enum place_of_root { I_AM_ROOT, ANOTHER_IS_ROOT, NOT_INVOLVED };

static enum place_of_root who_is_root(const struct facts *f) {
    const int root = int_of(f, MPI_ROLE_ROOT);
    if (!f->comm->inter) return root == f->comm->rank ? I_AM_ROOT : ANOTHER_IS_ROOT;
    if (root == mpi_abi_now->root) return I_AM_ROOT;
    return root == mpi_abi_now->proc_null ? NOT_INVOLVED : ANOTHER_IS_ROOT;
}

static void tell_bcast(struct facts *f, enum place_of_root root) {
    const int64_t bytes = bytes_of(f, MPI_ROLE_COUNT, MPI_ROLE_DATATYPE);
    add_bytes(f, root == I_AM_ROOT ? SPOOL_MPI_HAS_SENT : SPOOL_MPI_HAS_RECEIVED, bytes);
    if (root == I_AM_ROOT) set_flow(f, f->comm->inter ? SPOOL_MPI_FLOW_EACH : SPOOL_MPI_FLOW_OTHERS);
}

static void tell_gather(struct facts *f, enum place_of_root root) {
    const bool here = root == I_AM_ROOT, own = !here || (!f->comm->inter && !in_place(f, MPI_ROLE_SENDBUF));
    const int absent = here && !f->comm->inter && !own; /* the root's own part stays where it is */
    if (own) add_bytes(f, SPOOL_MPI_HAS_SENT, side_bytes(f, &sending, 1));
    if (own) set_flow(f, SPOOL_MPI_FLOW_ROOT);
    if (!here) return;
    int64_t bytes = side_bytes(f, &receiving, f->comm->peers - (has(f->shape, MPI_ROLE_RECVCOUNT_LIST) ? 0 : absent));
    if (absent && has(f->shape, MPI_ROLE_RECVCOUNT_LIST))
        bytes -= listed_bytes(f, &receiving, type_of_list(f, &receiving, f->comm->peers), f->comm->rank);
    add_bytes(f, SPOOL_MPI_HAS_RECEIVED, bytes);
}

static void tell_scatter(struct facts *f, enum place_of_root root) {
    const bool here = root == I_AM_ROOT, own = !here || (!f->comm->inter && !in_place(f, MPI_ROLE_RECVBUF));
    const bool listed = has(f->shape, MPI_ROLE_SENDCOUNT_LIST), absent = here && !f->comm->inter && !own;
    if (here) {
        int64_t bytes = side_bytes(f, &sending, f->comm->peers - (!listed && absent));
        if (listed && absent)
            bytes -= listed_bytes(f, &sending, type_of_list(f, &sending, f->comm->peers), f->comm->rank);
        add_bytes(f, SPOOL_MPI_HAS_SENT, bytes);
        set_flow(f, listed ? SPOOL_MPI_FLOW_LIST : absent ? SPOOL_MPI_FLOW_SHARE_OTHERS : SPOOL_MPI_FLOW_SHARE);
    }
    if (own) add_bytes(f, SPOOL_MPI_HAS_RECEIVED, side_bytes(f, &receiving, 1));
}

static int64_t own_list_part(const struct facts *f) {
    const int64_t type = type_of_list(f, &receiving, f->comm->peers);
    return f->comm->rank >= 0 && f->comm->rank < f->comm->peers ? listed_bytes(f, &receiving, type, f->comm->rank) : 0;
}

static void tell_allgather(struct facts *f) {
    const bool stays = in_place(f, MPI_ROLE_SENDBUF);
    const int from = peers_on(f, true);
    const bool listed = has(f->shape, MPI_ROLE_RECVCOUNT_LIST);
    int64_t received = side_bytes(f, &receiving, from), sent;
    if (!stays)
        sent = side_bytes(f, &sending, 1);
    else
        sent = listed ? own_list_part(f) : bytes_of(f, MPI_ROLE_RECVCOUNT, MPI_ROLE_RECVTYPE);
    add_bytes(f, SPOOL_MPI_HAS_SENT, sent);
    add_bytes(f, SPOOL_MPI_HAS_RECEIVED, received - (stays ? sent : 0));
    set_flow(f, f->shape->neighbors ? SPOOL_MPI_FLOW_LIST : stays ? SPOOL_MPI_FLOW_OTHERS : SPOOL_MPI_FLOW_EACH);
}

static void tell_alltoall(struct facts *f) {
    const bool stays = in_place(f, MPI_ROLE_SENDBUF);
    const int64_t received = side_bytes(f, &receiving, peers_on(f, true));
    add_bytes(f, SPOOL_MPI_HAS_SENT, stays ? received : side_bytes(f, &sending, peers_on(f, false)));
    add_bytes(f, SPOOL_MPI_HAS_RECEIVED, received);
    const bool listed = has(f->shape, MPI_ROLE_SENDCOUNT_LIST) || f->shape->neighbors;
    set_flow(f, listed ? SPOOL_MPI_FLOW_LIST : SPOOL_MPI_FLOW_SHARE);
}

static int64_t recvcounts_sum(const struct facts *f) {
    const void *counts = pointer_of(f, MPI_ROLE_RECVCOUNT_LIST);
    int64_t sum = 0;
    const int members =
        f->comm->inter ? 0 : f->comm->peers; /* of the own group, whose size is known of one group only */
    for (int i = 0; i < members; i++) sum += count_in(f, counts, i) > 0 ? count_in(f, counts, i) : 0;
    return sum;
}

static void tell_reduce_scatter(struct facts *f) {
    const bool listed = has(f->shape, MPI_ROLE_RECVCOUNT_LIST);
    int64_t whole = listed ? recvcounts_sum(f) : count_of(f, MPI_ROLE_RECVCOUNT) * f->comm->peers;
    int64_t part = !listed ? count_of(f, MPI_ROLE_RECVCOUNT)
                   : f->comm->rank >= 0 && !f->comm->inter
                       ? count_in(f, pointer_of(f, MPI_ROLE_RECVCOUNT_LIST), f->comm->rank)
                       : 0;
    const int64_t type = whole > 0 || part > 0 ? size_of_type(word_of(f, MPI_ROLE_DATATYPE)) : 0;
    add_bytes(f, SPOOL_MPI_HAS_SENT, whole > 0 ? whole * type : 0);
    add_bytes(f, SPOOL_MPI_HAS_RECEIVED, part > 0 ? part * type : 0);
}

static void tell_reduce(struct facts *f, enum place_of_root root) {
    const int64_t bytes = bytes_of(f, MPI_ROLE_COUNT, MPI_ROLE_DATATYPE);
    const bool sends = root != I_AM_ROOT || (!f->comm->inter && !in_place(f, MPI_ROLE_SENDBUF));
    if (sends) add_bytes(f, SPOOL_MPI_HAS_SENT, bytes);
    if (sends) set_flow(f, SPOOL_MPI_FLOW_ROOT);
    if (root == I_AM_ROOT) add_bytes(f, SPOOL_MPI_HAS_RECEIVED, bytes);
}

static void tell_combined(struct facts *f) {
    const int64_t bytes = bytes_of(f, MPI_ROLE_COUNT, MPI_ROLE_DATATYPE);
    add_bytes(f, SPOOL_MPI_HAS_SENT, bytes);
    add_bytes(f, SPOOL_MPI_HAS_RECEIVED, bytes);
}

static void tell_rooted(struct facts *f) {
    static void (*const patterns[])(struct facts *, enum place_of_root) = {
        [MPI_BCAST] = tell_bcast, [MPI_GATHER] = tell_gather, [MPI_SCATTER] = tell_scatter, [MPI_REDUCE] = tell_reduce};
    const enum place_of_root root = who_is_root(f);
    if (root != NOT_INVOLVED) patterns[f->shape->pattern](f, root);
    add(f, SPOOL_MPI_HAS_ROOT, (uint32_t)neutral_rank(int_of(f, MPI_ROLE_ROOT)));
}

static void tell_collective(struct facts *f) {
    static void (*const patterns[])(struct facts *) = {
        [MPI_BARRIER] = NULL,
        [MPI_LOCAL] = NULL,
        [MPI_BCAST] = tell_rooted,
        [MPI_GATHER] = tell_rooted,
        [MPI_SCATTER] = tell_rooted,
        [MPI_REDUCE] = tell_rooted,
        [MPI_ALLGATHER] = tell_allgather,
        [MPI_ALLTOALL] = tell_alltoall,
        [MPI_REDUCE_SCATTER] = tell_reduce_scatter,
        [MPI_ALLREDUCE] = tell_combined,
    };
    /* Without a number for the communicator its size and root are not known either. */
    if (patterns[f->shape->pattern] && f->comm && f->comm->serial) patterns[f->shape->pattern](f);
    add_request(f);
}

/* Bytes for peer `i` of a call whose flow is a list. */
static int64_t part_for(const struct facts *f, const struct side *side, int64_t type, int i) {
    if (has(f->shape, side->counts)) return listed_bytes(f, side, type, i);
    return type; /* all get as much */
}

/* Words for consecutive ranks, as many as one group may hold. */
struct list {
    uint64_t words[LIST_WORDS];
    unsigned first, count;
};

static void list_end(struct list *list) {
    if (list->count) rec_group(SPOOL_GROUP(SPOOL_MPI_SENT_TO, list->first, list->count), list->words, list->count);
    list->count = 0;
}

static void list_add(struct list *list, int rank, int64_t bytes) {
    if (rank < 0 || !bytes) return;
    if (list->count == LIST_WORDS || (list->count && (unsigned)rank != list->first + list->count)) list_end(list);
    if (!list->count) list->first = (unsigned)rank;
    list->words[list->count++] = (uint64_t)bytes;
}

static void tell_list(const struct facts *f) {
    const bool stays = in_place(f, MPI_ROLE_SENDBUF);
    const struct side *side = stays ? &receiving : &sending;
    const int peers = peers_on(f, false);
    const bool leaves_own = f->shape->pattern == MPI_SCATTER && in_place(f, MPI_ROLE_RECVBUF);
    const int *neighbors = f->shape->neighbors ? mpi_comm_neighbors(f->comm) : NULL;
    if (f->shape->neighbors && !neighbors) return;
    struct list list;
    list.count = 0;
    const int64_t type =
        has(f->shape, side->counts) ? type_of_list(f, side, peers) : bytes_of(f, side->count, side->type);
    for (int i = 0; i < peers; i++)
        if (!(leaves_own && i == f->comm->rank))
            list_add(&list, neighbors ? neighbors[i] : i, part_for(f, side, type, i));
    list_end(&list);
}

/* ---- one-sided, files -------------------------------------------------------------------------------------------- */

static int64_t moved_bytes(const struct facts *f, enum mpi_role count, enum mpi_role type) {
    if (has(f->shape, count)) return bytes_of(f, count, type);
    return size_of_type(word_of(f, MPI_ROLE_DATATYPE)); /* one element */
}

static void tell_onesided(struct facts *f) {
    if (!has(f->shape, MPI_ROLE_TARGET)) return;
    const int target = int_of(f, MPI_ROLE_TARGET);
    add(f, SPOOL_MPI_HAS_TO, peer_word(target, -1) | UINT64_C(0xffffffff) << 32);
    if (!has(f->shape, MPI_ROLE_ORIGINBUF)) return; /* a lock or the like */
    const bool moves = target != mpi_abi_now->proc_null;
    const int64_t bytes = moves ? moved_bytes(f, MPI_ROLE_TARGETCOUNT, MPI_ROLE_TARGETTYPE) : 0;
    if (f->shape->writes || f->shape->fetches) {
        /* MPI_NO_OP sends nothing, and its origin is not significant: what the target gets says as much. */
        add(f, SPOOL_MPI_HAS_SENT, (uint64_t)bytes);
        set_flow(f, SPOOL_MPI_FLOW_PEER);
    }
    if (!f->shape->writes || f->shape->fetches)
        add(f, SPOOL_MPI_HAS_RECEIVED,
            (uint64_t)(moves && f->shape->fetches ? moved_bytes(f, MPI_ROLE_RESULTCOUNT, MPI_ROLE_RESULTTYPE) : bytes));
    add_request(f);
    add(f, SPOOL_MPI_HAS_OFFSET, (uint64_t)word_of(f, MPI_ROLE_DISP));
}

static void tell_io(struct facts *f) {
    const uint32_t bit = f->shape->writes ? SPOOL_MPI_HAS_SENT : SPOOL_MPI_HAS_RECEIVED;
    if (has(f->shape, MPI_ROLE_STATUS_AT))
        add(f, bit, (uint64_t)bytes_in_status(pointer_of(f, MPI_ROLE_STATUS_AT)));
    else if (has(f->shape, MPI_ROLE_REQUEST_AT))
        add(f, bit, (uint64_t)bytes_of(f, MPI_ROLE_COUNT, MPI_ROLE_DATATYPE));
    add_request(f);
    if (has(f->shape, MPI_ROLE_OFFSET)) add(f, SPOOL_MPI_HAS_OFFSET, (uint64_t)word_of(f, MPI_ROLE_OFFSET));
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static void give_status(struct mpi_call *call, enum mpi_role role) {
    const int at = call->entry->shape.at[role];
    if (at >= 0 && call->arguments[at] == mpi_abi_now->status_ignore) call->arguments[at] = (mpi_word)call->status;
}

static void give_batch(struct mpi_call *call, struct mpi_batch *batch) {
    const struct mpi_shape *shape = &call->entry->shape;
    const int64_t count = (int)call->arguments[shape->at[MPI_ROLE_NREQUESTS]];
    const int statuses = shape->at[MPI_ROLE_STATUS_LIST];
    const void *list = (const void *)call->arguments[shape->at[MPI_ROLE_REQUEST_LIST]];
    if (count <= 0 || !list) return;
    const bool ignored = statuses >= 0 && call->arguments[statuses] == mpi_abi_now->status_ignore;
    if (batch && count <= MPI_BATCH) {
        call->handles = batch->few_handles;
        call->statuses = batch->few_statuses;
    } else {
        const size_t handle_bytes = (size_t)count * sizeof(mpi_word);
        call->mapped = handle_bytes + (ignored ? (size_t)count * MPI_STATUS_MOST : 0);
        void *memory = mmap(NULL, call->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            call->mapped = 0;
            return;
        }
        call->handles = memory;
        call->statuses = (unsigned char *)memory + handle_bytes;
    }
    for (int64_t i = 0; i < count; i++) call->handles[i] = mpi_handle_in(list, i);
    call->count = count;
    if (ignored)
        call->arguments[statuses] = (mpi_word)call->statuses;
    else if (statuses >= 0)
        call->statuses = (unsigned char *)call->arguments[statuses];
}

/* The handle that the call is about to take away. */
static mpi_word handle_before(const struct mpi_call *call) {
    static const uint8_t roles[] = {MPI_ROLE_MESSAGE_AT, MPI_ROLE_REQUEST_AT, MPI_ROLE_COMM_AT, MPI_ROLE_WIN_AT};
    const int8_t *at = call->entry->shape.at;
    if (at[MPI_ROLE_FILE_AT] >= 0) return *(const mpi_word *)call->arguments[at[MPI_ROLE_FILE_AT]];
    for (size_t i = 0; i < sizeof roles; i++)
        if (at[roles[i]] >= 0) return mpi_handle_at((const void *)call->arguments[at[roles[i]]]);
    return 0;
}

void mpi_before(struct mpi_call *call, struct mpi_batch *batch) {
    const struct mpi_shape *shape = &call->entry->shape;
    const int saved = errno;
    if (shape->frees || shape->removes_message || shape->teller == MPI_TELL_COMPLETION ||
        shape->teller == MPI_TELL_REQUEST)
        call->handle = handle_before(call);
    if (has(shape, MPI_ROLE_REQUEST_LIST)) give_batch(call, batch);
    if (shape->gives_status) give_status(call, MPI_ROLE_STATUS_AT);
    errno = saved;
}

/* Requests that were completed, three words each. */
static void add_done(struct list *list, const mpi_word handle, const void *status) {
    if (!handle || handle == mpi_handle(mpi_abi_now->request_null)) return;
    if (list->count + 3 > LIST_WORDS / 3 * 3) {
        rec_group(SPOOL_GROUP(SPOOL_MPI_DONE, 0, list->count), list->words, list->count);
        list->count = 0;
    }
    list->words[list->count++] = (uint64_t)handle;
    list->words[list->count++] = peer_in_status(status);
    list->words[list->count++] = (uint64_t)bytes_in_status(status);
}

static void tell_done(const struct facts *f) {
    const struct mpi_call *call = f->call;
    const struct mpi_shape *shape = f->shape;
    const size_t size = (size_t)mpi_abi_now->status_bytes;
    struct list list;
    list.count = 0;
    if (has(shape, MPI_ROLE_REQUEST_AT)) {
        add_done(&list, call->handle, pointer_of(f, MPI_ROLE_STATUS_AT));
    } else if (has(shape, MPI_ROLE_INDEX_LIST)) {
        const int out = *(const int *)pointer_of(f, MPI_ROLE_OUTCOUNT_AT);
        const int *indices = pointer_of(f, MPI_ROLE_INDEX_LIST);
        for (int i = 0; out != mpi_abi_now->undefined && i < out && call->count; i++)
            if (indices[i] >= 0 && indices[i] < call->count)
                add_done(&list, call->handles[indices[i]], call->statuses + (size_t)i * size);
    } else if (has(shape, MPI_ROLE_INDEX_AT)) {
        const int index = *(const int *)pointer_of(f, MPI_ROLE_INDEX_AT);
        if (index >= 0 && index < call->count) add_done(&list, call->handles[index], pointer_of(f, MPI_ROLE_STATUS_AT));
    } else if (has(shape, MPI_ROLE_REQUEST_LIST)) {
        for (int64_t i = 0; i < call->count; i++) add_done(&list, call->handles[i], call->statuses + (size_t)i * size);
    }
    if (list.count) rec_group(SPOOL_GROUP(SPOOL_MPI_DONE, 0, list.count), list.words, list.count);
}

static void tell_handles(const struct facts *f) {
    const struct mpi_call *call = f->call;
    const char *name = mpi_functions[call->entry->function].name;
    const bool starts = name[4] == 'S';    /* MPI_Start, MPI_Startall */
    if (!starts && name[4] != 'R') return; /* MPI_Request_free */
    const unsigned type = starts ? SPOOL_MPI_STARTED : SPOOL_MPI_FORGOTTEN;
    struct list list;
    list.count = 0;
    const int64_t count = has(f->shape, MPI_ROLE_REQUEST_LIST) ? call->count : 1;
    for (int64_t i = 0; i < count; i++) {
        list.words[list.count++] = (uint64_t)(call->handles ? call->handles[i] : call->handle);
        if (list.count < LIST_WORDS && i + 1 < count) continue;
        rec_group(SPOOL_GROUP(type, 0, list.count), list.words, list.count);
        list.count = 0;
    }
}

/* ---- handles ----------------------------------------------------------------------------------------------------- */

static void keep_handles(const struct facts *f) {
    if (f->shape->makes_comm) {
        const mpi_word made = mpi_handle_at(pointer_of(f, MPI_ROLE_NEWCOMM_AT));
        if (made != mpi_handle(mpi_abi_now->comm_null)) {
            mpi_comm_forget(made); /* an old one that was freed unseen */
            mpi_comm_of(made);
        }
    }
    if (f->shape->aliases && f->comm) {
        const bool window = has(f->shape, MPI_ROLE_WIN_AT);
        const void *made = pointer_of(f, window ? MPI_ROLE_WIN_AT : MPI_ROLE_FILE_AT);
        const mpi_word handle =
            window ? mpi_handle_at(made) : *(const mpi_word *)made; /* files are pointers everywhere */
        mpi_comm_forget(handle);
        mpi_comm_alias(handle, f->comm);
    }
    if (f->shape->frees) mpi_comm_forget(f->call->handle);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void (*const tellers[])(struct facts *) = {
    [MPI_TELL_SEND] = tell_send,
    [MPI_TELL_RECEIVE] = tell_receive,
    [MPI_TELL_SENDRECV] = tell_sendrecv,
    [MPI_TELL_PROBE] = tell_probe,
    [MPI_TELL_COLLECTIVE] = tell_collective,
    [MPI_TELL_ONESIDED] = tell_onesided,
    [MPI_TELL_IO] = tell_io,
    [MPI_TELL_PLACE] = NULL,
    [MPI_TELL_COMPLETION] = NULL,
    [MPI_TELL_REQUEST] = NULL,
};

static inline void write_facts(struct facts *f, bool poll) {
    const int region = f->call->entry->region;
    if (UNLIKELY(poll)) {
        f->argument |= SPOOL_MPI_HAS_POLLS | SPOOL_MPI_HAS_SPAN;
        f->count += 2;
        rec_end_repeated(region, f->ticks, SPOOL_GROUP(SPOOL_MPI_CALL, f->argument, f->count), f->words, f->count);
    } else if (LIKELY(f->count <= SPOOL_SLOT_WORDS && !(f->argument & SPOOL_MPI_HAS_REQUEST))) {
        rec_end_alike(region, f->ticks, SPOOL_GROUP(SPOOL_MPI_CALL, f->argument, f->count), SPOOL_MPI_AGAIN, f->words,
                      f->count);
    } else {
        rec_end_with(region, f->ticks, SPOOL_GROUP(SPOOL_MPI_CALL, f->argument, f->count), f->words, f->count);
    }
}

void mpi_after(struct mpi_call *call, int result) {
    struct facts f;
    f.ticks = clock_ticks((enum spool_clock)rec_now_clock);
    f.call = call;
    f.shape = &call->entry->shape;
    f.comm = NULL;
    f.argument = f.count = 0;
    const uint8_t teller = f.shape->teller;
    bool poll = false;
    if (__builtin_expect(result != 0, 0)) {
        add(&f, SPOOL_MPI_HAS_SITE, mpi_site(call->site));
        f.argument |= SPOOL_MPI_FAILED;
        write_facts(&f, false);
    } else {
        place(&f);
        if (f.shape->persistent) f.argument |= SPOOL_MPI_PERSISTENT;
        if (f.shape->collective) f.argument |= SPOOL_MPI_COLLECTIVE;
        if (tellers[teller]) tellers[teller](&f);
        poll = f.shape->polls && flag_is_down(&f);
        if (has(f.shape, MPI_ROLE_OUTCOUNT_AT)) poll = *(const int *)pointer_of(&f, MPI_ROLE_OUTCOUNT_AT) == 0;
        write_facts(&f, poll);
        if ((f.argument >> SPOOL_MPI_FLOW_SHIFT & 15) == SPOOL_MPI_FLOW_LIST) tell_list(&f);
        if (teller == MPI_TELL_COMPLETION && !poll && f.call->entry->completes) tell_done(&f);
        if (teller == MPI_TELL_REQUEST) tell_handles(&f);
        if (f.shape->makes_comm || f.shape->aliases || f.shape->frees) keep_handles(&f);
    }
    if (UNLIKELY(call->mapped != 0)) {
        const int saved = errno;
        munmap(call->handles, call->mapped);
        errno = saved;
    }
}
