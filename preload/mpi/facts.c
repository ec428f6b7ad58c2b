#include "clock.h"
#include "tell.h"

#include <errno.h>
#include <sys/mman.h>

enum { MESSAGES = 8 };

/* Messages that a probe has taken out of the queue, and their communicators: what receives them does not say. */
static __thread struct {
    mpi_word handle;
    const struct mpi_comm *comm;
} messages[MESSAGES] __attribute__((tls_model("initial-exec")));
static __thread unsigned newest_message __attribute__((tls_model("initial-exec")));

/* ---- MPI's own answers ------------------------------------------------------------------------------------------- */

static mpi_any type_size_x, type_size, get_elements_x, get_count, test_cancelled;

static void find_functions(void) {
    static bool found;
    if (__atomic_load_n(&found, __ATOMIC_ACQUIRE)) return;
    struct mpi_link links[5] = {0};
    type_size_x = mpi_next(&links[0], "PMPI_Type_size_x");
    type_size = mpi_next(&links[1], "PMPI_Type_size");
    get_elements_x = mpi_next(&links[2], "PMPI_Get_elements_x");
    get_count = mpi_next(&links[3], "PMPI_Get_count");
    test_cancelled = mpi_next(&links[4], "PMPI_Test_cancelled");
    __atomic_store_n(&found, true, __ATOMIC_RELEASE);
}

int64_t size_of_type(mpi_word type) {
    type = mpi_handle(type);
    if (type == mpi_handle(mpi_abi_now->datatype_null)) return 0;
    find_functions();
    int64_t large = 0;
    int small = 0;
    if (type_size_x && ((int (*)(mpi_word, int64_t *))type_size_x)(type, &large) == 0) return large > 0 ? large : 0;
    if (type_size && ((int (*)(mpi_word, int *))type_size)(type, &small) == 0) return small > 0 ? small : 0;
    return 0;
}

int64_t bytes_of(const struct facts *f, enum mpi_role count, enum mpi_role type) {
    const int64_t elements = count_of(f, count);
    return elements > 0 ? elements * size_of_type(word_of(f, type)) : 0;
}

int64_t bytes_in_status(const void *status) {
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

bool mpi_status_is_canceled(const void *status) {
    find_functions();
    int flag = 0;
    return test_cancelled && ((int (*)(const void *, int *))test_cancelled)(status, &flag) == 0 && flag;
}

static int field_of(const void *status, int offset) { return *(const int *)((const char *)status + offset); }

int neutral_rank(int rank) {
    const struct mpi_abi *abi = mpi_abi_now;
    if (__builtin_expect(rank >= 0, 1)) return rank;
    if (rank == abi->proc_null) return SPOOL_MPI_NOBODY;
    if (rank == abi->any_source) return SPOOL_MPI_ANY;
    return rank == abi->root ? SPOOL_MPI_MYSELF : SPOOL_MPI_NOBODY;
}

uint64_t peer_word(int rank, int tag) {
    const int neutral = tag >= 0 ? tag : tag == mpi_abi_now->any_tag ? SPOOL_MPI_ANY : SPOOL_MPI_NOBODY;
    return (uint32_t)neutral_rank(rank) | (uint64_t)(uint32_t)neutral << 32;
}

uint64_t peer_in_status(const void *status) {
    return peer_word(field_of(status, mpi_abi_now->status_source), field_of(status, mpi_abi_now->status_tag));
}

/* A function is mostly called from where it was called before. */
static inline uint32_t site_of(const struct mpi_call *call) {
    struct mpi_last *last = call->entry->last;
    const uintptr_t *slot = mpi_outermost.frame + 1;
    const uint64_t site = __atomic_load_n(&last->site, __ATOMIC_RELAXED);
    const uint64_t binding = __atomic_load_n(&last->binding, __ATOMIC_RELAXED);
    const uintptr_t address = binding >> 16 == call->site ? slot[binding & UINT16_MAX] : call->site;
    return LIKELY(site >> 16 == address) ? (uint32_t)site & UINT16_MAX : mpi_site(slot, last);
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
    if (f->shape->frees) f->words[0] |= (uint64_t)f->call->freed << 32;
}

/* Where calls that make or complete requests are throttled, a request's handle may be another one's by the time that it
 * is told. From then on none are told. */
static bool requests_lost;

static bool has_requests(const struct mpi_call *call) {
    const int8_t *at = call->entry->shape.at;
    return at[MPI_ROLE_REQUEST_AT] >= 0 || at[MPI_ROLE_REQUEST_LIST] >= 0;
}

void add_request(struct facts *f) {
    if (!requests_lost && has(f->shape, MPI_ROLE_REQUEST_AT))
        add(f, SPOOL_MPI_HAS_REQUEST, (uint64_t)mpi_handle_at(pointer_of(f, MPI_ROLE_REQUEST_AT)));
}

/* ---- point to point ---------------------------------------------------------------------------------------------- */

static void send_part(struct facts *f, enum mpi_role count, enum mpi_role type, enum mpi_role tag) {
    const int dest = int_of(f, MPI_ROLE_DEST);
    add(f, SPOOL_MPI_HAS_TO, peer_word(dest, int_of(f, tag)));
    if (dest == mpi_abi_now->proc_null) return; /* nothing is sent, which is not a message without bytes */
    int64_t bytes = bytes_of(f, count, type);
    if (has(f->shape, MPI_ROLE_PARTITIONS)) bytes *= int_of(f, MPI_ROLE_PARTITIONS);
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
        const uint64_t peer = peer_in_status(status);
        add(f, SPOOL_MPI_HAS_FROM, peer);
        if (!is_nobody(peer)) add(f, SPOOL_MPI_HAS_RECEIVED, (uint64_t)bytes_in_status(status));
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
    if (moves && (f->shape->writes || f->shape->fetches)) {
        /* MPI_NO_OP sends nothing, and its origin is not significant: what the target gets says as much. */
        add(f, SPOOL_MPI_HAS_SENT, (uint64_t)bytes);
        set_flow(f, SPOOL_MPI_FLOW_PEER);
    }
    if (moves && (!f->shape->writes || f->shape->fetches))
        add(f, SPOOL_MPI_HAS_RECEIVED,
            (uint64_t)(f->shape->fetches ? moved_bytes(f, MPI_ROLE_RESULTCOUNT, MPI_ROLE_RESULTTYPE) : bytes));
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

/* ---- handles ----------------------------------------------------------------------------------------------------- */

static void keep_handles(const struct facts *f) {
    if (f->shape->makes_comm) {
        const mpi_word made = mpi_handle_at(pointer_of(f, MPI_ROLE_NEWCOMM_AT));
        if (made != mpi_handle(mpi_abi_now->comm_null)) {
            mpi_comm_forget(made); /* an old one that was freed unseen */
            if (f->shape->duplicates)
                mpi_comm_duplicated(made, f->comm);
            else
                mpi_comm_made(made, f->shape->collective ? f->comm : NULL);
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
    if (f->shape->frees) mpi_comm_freed(f->call->handle, f->call->freed);
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

/* False: the call is not kept. */
static bool write_poll(struct facts *f) {
    const int region = f->call->entry->region;
    f->argument |= SPOOL_MPI_HAS_POLLS | SPOOL_MPI_HAS_SPAN;
    f->words[f->count++] = 1;
    f->words[f->count++] = f->ticks - f->call->begun;
    const uint64_t head = SPOOL_GROUP(SPOOL_MPI_CALL, f->argument, f->count);
    return LIKELY(f->call->late) ? rec_repeated(region, f->call->begun, f->ticks, head, f->words, f->count)
                                 : rec_end_with(region, f->ticks, head, f->words, f->count);
}

static inline bool write_facts(struct facts *f, bool poll) {
    const int region = f->call->entry->region;
    if (poll) return write_poll(f);
    const uint64_t head = SPOOL_GROUP(SPOOL_MPI_CALL, f->argument, f->count), begun = f->call->begun;
    const bool may_be_alike = f->count <= SPOOL_SLOT_WORDS;
    /* A request is another one each time. */
    const unsigned own = (f->argument & SPOOL_MPI_HAS_ALL) >= SPOOL_MPI_HAS_REQUEST;
    if (f->call->late) {
        if (LIKELY(may_be_alike && !own))
            return rec_alike(region, begun, f->ticks, head, SPOOL_MPI_AGAIN, f->words, f->count);
        rec_begin_at(region, begun);
    }
    if (LIKELY(may_be_alike)) return rec_end_alike(region, f->ticks, head, SPOOL_MPI_AGAIN, f->words, f->count, own);
    return rec_end_with(region, f->ticks, head, f->words, f->count);
}

/* What does not fit into the call's own group. */
static void tell_more(struct facts *f, bool poll) {
    if ((f->argument >> SPOOL_MPI_FLOW_SHIFT & 15) == SPOOL_MPI_FLOW_LIST) tell_list(f);
    if (requests_lost) return;
    if (f->shape->teller == MPI_TELL_COMPLETION && !poll && f->call->entry->completes) tell_done(f);
    if (f->shape->teller == MPI_TELL_REQUEST) tell_handles(f);
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
        add(&f, SPOOL_MPI_HAS_SITE, site_of(call));
        f.argument |= SPOOL_MPI_FAILED;
        write_facts(&f, false);
    } else {
        place(&f);
        if (f.shape->persistent) f.argument |= SPOOL_MPI_PERSISTENT;
        if (f.shape->collective) f.argument |= SPOOL_MPI_COLLECTIVE;
        if (tellers[teller]) tellers[teller](&f);
        poll = f.shape->polls && flag_is_down(&f);
        if (has(f.shape, MPI_ROLE_OUTCOUNT_AT)) poll = *(const int *)pointer_of(&f, MPI_ROLE_OUTCOUNT_AT) == 0;
        if (LIKELY(write_facts(&f, poll)))
            tell_more(&f, poll);
        else if (has_requests(call))
            requests_lost = true;
        if (f.shape->makes_comm || f.shape->aliases || f.shape->frees) keep_handles(&f);
    }
    if (UNLIKELY(call->mapped != 0)) {
        const int saved = errno;
        munmap(call->handles, call->mapped);
        errno = saved;
    }
}
