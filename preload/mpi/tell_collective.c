/* Collective calls: what each kind of them hands over and gets, and to whom it goes. */
#include "tell.h"

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
    return receives ? f->comm->ins : f->comm->outs;
}

/* The neighbour beyond an edge: buffers and lists have a place for it, and nothing moves. */
static bool is_nobody_there(const struct facts *f, int peer) {
    return f->shape->neighbors && f->comm->nobodies && mpi_comm_neighbors(f->comm)[peer] == mpi_abi_now->proc_null;
}

/* Bytes to or from one peer of a side that has lists. */
static int64_t listed_bytes(const struct facts *f, const struct side *side, int64_t type, int peer) {
    if (is_nobody_there(f, peer)) return 0;
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

/* To or from as many peers. */
static int64_t side_bytes(const struct facts *f, const struct side *side, int peers) {
    if (has(f->shape, side->counts)) return sum_of_list(f, side, peers);
    return bytes_of(f, side->count, side->type) * peers;
}

static int64_t bytes_of_all(const struct facts *f, const struct side *side) {
    const int peers = peers_on(f, side == &receiving);
    if (f->shape->neighbors && !has(f->shape, side->counts)) return side_bytes(f, side, peers - f->comm->nobodies);
    return side_bytes(f, side, peers);
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

/* What stays where it is with MPI_IN_PLACE. */
static int64_t own_part(const struct facts *f) {
    if (!has(f->shape, MPI_ROLE_RECVCOUNT_LIST)) return bytes_of(f, MPI_ROLE_RECVCOUNT, MPI_ROLE_RECVTYPE);
    const int64_t type = type_of_list(f, &receiving, f->comm->peers);
    return f->comm->rank >= 0 && f->comm->rank < f->comm->peers ? listed_bytes(f, &receiving, type, f->comm->rank) : 0;
}

static void tell_allgather(struct facts *f) {
    const bool stays = in_place(f, MPI_ROLE_SENDBUF);
    const int64_t sent = stays ? own_part(f) : side_bytes(f, &sending, 1);
    add_bytes(f, SPOOL_MPI_HAS_SENT, sent);
    add_bytes(f, SPOOL_MPI_HAS_RECEIVED, bytes_of_all(f, &receiving) - (stays ? sent : 0));
    set_flow(f, f->shape->neighbors ? SPOOL_MPI_FLOW_LIST : stays ? SPOOL_MPI_FLOW_OTHERS : SPOOL_MPI_FLOW_EACH);
}

static void tell_alltoall(struct facts *f) {
    const bool stays = in_place(f, MPI_ROLE_SENDBUF);
    const int64_t received = bytes_of_all(f, &receiving) - (stays ? own_part(f) : 0);
    add_bytes(f, SPOOL_MPI_HAS_SENT, stays ? received : bytes_of_all(f, &sending));
    add_bytes(f, SPOOL_MPI_HAS_RECEIVED, received);
    const bool listed = has(f->shape, MPI_ROLE_SENDCOUNT_LIST) || f->shape->neighbors;
    set_flow(f, listed ? SPOOL_MPI_FLOW_LIST : stays ? SPOOL_MPI_FLOW_SHARE_OTHERS : SPOOL_MPI_FLOW_SHARE);
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

void tell_collective(struct facts *f) {
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
    /* Without a number for the communicator its size and root are not known either; nor may its neighbours be. */
    const bool known = f->comm && f->comm->serial && (!f->shape->neighbors || f->comm->outs >= 0);
    if (patterns[f->shape->pattern] && known) patterns[f->shape->pattern](f);
    add_request(f);
}

/* Bytes for peer `i` of a call whose flow is a list. */
static int64_t part_for(const struct facts *f, const struct side *side, int64_t type, int i) {
    if (has(f->shape, side->counts)) return listed_bytes(f, side, type, i);
    return type; /* all get as much */
}

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

void tell_list(const struct facts *f) {
    const bool stays = in_place(f, MPI_ROLE_SENDBUF);
    const struct side *side = stays ? &receiving : &sending;
    const int peers = peers_on(f, false);
    const bool leaves_own = stays || (f->shape->pattern == MPI_SCATTER && in_place(f, MPI_ROLE_RECVBUF));
    const int *neighbors = f->shape->neighbors ? mpi_comm_neighbors(f->comm) : NULL;
    if (f->shape->neighbors && !neighbors) return;
    struct list list;
    list.count = 0;
    const int64_t type =
        has(f->shape, side->counts) ? type_of_list(f, side, peers) : bytes_of(f, side->count, side->type);
    for (int i = 0; i < peers; i++)
        if (!(leaves_own && i == f->comm->rank) && !is_nobody_there(f, i))
            list_add(&list, neighbors ? neighbors[i] : i, part_for(f, side, type, i));
    list_end(&list);
}
