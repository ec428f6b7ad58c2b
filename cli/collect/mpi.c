#include "mpi_internal.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PENDING_MAX 1000000 /* requests of a process that are open at once; more are not followed */
#define SHARED_MAX  8       /* of these, with one handle */

/* A request that has not been completed, or a persistent one. */
struct pending {
    uint64_t handle;
    struct mpi_row row; /* of the call that made it */
    const struct row *region;
    uint64_t call; /* number in /mpi/calls of the operation that will be completed */
    const struct row *operation;
    const struct members *peers;
    uint32_t site;
    int64_t begun_ns; /* the call that began the operation ended then */
    bool receives, persistent, active;
    unsigned flow;
    struct pending *older; /* with the same handle, read before: calls come in the order in which they began, and one
                              that began earlier may be given the handle that another thread's gives back */
    UT_hash_handle hh;
};

/* Every process's items lie behind those of the one before: there is room for all that were counted. -1: no file is
 * needed, all of them are few. False: failed with a message. */
static bool place_lists(const struct mpi *mpi, const struct publish *beside,
                        struct mpi_list *(*list_of)(struct mpi_process *), int *fd) {
    uint64_t total = 0;
    for (size_t i = 0; i < mpi->c->num_processes; i++) {
        struct mpi_list *list = list_of(&mpi->processes[i]);
        list->offset = total * list->size;
        total += list->most;
    }
    *fd = total > LIST_BLOCK ? publish_scratch(beside, mpi->c->report) : -1;
    for (size_t i = 0; i < mpi->c->num_processes; i++) list_of(&mpi->processes[i])->fd = *fd;
    return total <= LIST_BLOCK || *fd >= 0;
}

static struct mpi_list *calls_of(struct mpi_process *of) { return &of->calls; }
static struct mpi_list *completions_of(struct mpi_process *of) { return &of->completions; }

struct mpi *mpi_open(struct collection *c, const struct publish *beside) {
    struct mpi *mpi = calloc(1, sizeof *mpi);
    if (!mpi) return NULL;
    *mpi = (struct mpi){.c = c, .calls = -1, .completions = -1};
    mpi->processes = aligned_alloc(CACHE_LINES, (c->num_processes + 1) * sizeof *mpi->processes);
    for (size_t i = 0; mpi->processes && i < c->num_processes; i++) {
        struct mpi_process *of = &mpi->processes[i];
        *of = (struct mpi_process){.process = &c->processes[i]};
        of->calls = (struct mpi_list){sizeof(struct mpi_row), .most = of->process->mpi_calls, .error = &of->error};
        of->completions =
            (struct mpi_list){sizeof(struct mpi_completion), .most = of->process->mpi_completions, .error = &of->error};
    }
    if (mpi->processes && place_lists(mpi, beside, calls_of, &mpi->calls) &&
        place_lists(mpi, beside, completions_of, &mpi->completions))
        return mpi;
    mpi_close(mpi);
    return NULL;
}

static void forget_requests(struct mpi_process *mpi) {
    struct pending *p, *next;
    HASH_ITER(hh, mpi->pending, p, next) {
        HASH_DEL(mpi->pending, p);
        for (struct pending *older; p; p = older) {
            older = p->older;
            free(p);
        }
    }
    mpi->num_pending = 0;
}

static void forget(struct mpi_process *mpi) {
    forget_requests(mpi);
    mpi_comms_forget(&mpi->comms);
    mpi_sites_forget(&mpi->sites);
    free(mpi->resumed);
    mpi->resumed = NULL;
}

void mpi_close(struct mpi *mpi) {
    if (!mpi) return;
    for (size_t i = 0; mpi->processes && i < mpi->c->num_processes; i++) {
        struct mpi_process *of = &mpi->processes[i];
        forget(of);
        mpi_list_free(&of->calls);
        mpi_list_free(&of->completions);
        mpi_sums_free(&of->sums);
    }
    free(mpi->processes);
    if (mpi->calls >= 0) close(mpi->calls);
    if (mpi->completions >= 0) close(mpi->completions);
    mpi_comms_free(&mpi->comms);
    mpi_sites_free(&mpi->sites);
    free(mpi);
}

struct mpi_process *mpi_of(struct mpi *mpi, const struct process *process) {
    return &mpi->processes[process - mpi->c->processes];
}

bool mpi_begin(struct mpi *mpi, struct mpi_process *of) {
    return mpi_comms_read(&mpi->comms, &of->comms, of->process, &mpi->c->texts) &&
           mpi_sites_read(&mpi->sites, &of->sites, of->process);
}

/* Some of its calls were left out on purpose. */
static bool leaves_out(const struct process *process) {
    if (process->info.skipped_phases) return true;
    for (size_t i = 0; i < process->num_rows; i++)
        if (process->rows[i].throttled) return true;
    return false;
}

bool mpi_resumed(struct mpi_process *mpi, int64_t ns) {
    if (mpi->num_resumed == mpi->room_resumed) {
        const size_t room = mpi->room_resumed * 2 + 16;
        int64_t *longer = realloc(mpi->resumed, room * sizeof *longer);
        if (!longer) return false;
        mpi->resumed = longer;
        mpi->room_resumed = room;
    }
    mpi->resumed[mpi->num_resumed++] = ns;
    return true;
}

bool mpi_end(struct mpi_process *mpi, int *error) {
    mpi->gaps = mpi->num_resumed + leaves_out(mpi->process);
    const bool good = mpi_sums_spread(&mpi->sums, mpi->process->rank);
    mpi_list_end(&mpi->calls);
    mpi_list_end(&mpi->completions);
    forget(mpi);
    *error = mpi->error;
    return good;
}

/* ---- ranks ------------------------------------------------------------------------------------------------------- */

static int32_t rank_of(const struct members *peers, uint64_t word) {
    const int32_t rank = (int32_t)(uint32_t)word;
    if (rank >= 0) return mpi_members_at(peers, rank);
    return rank == SPOOL_MPI_ANY ? RANK_ANY : RANK_NONE;
}

static int32_t tag_of(uint64_t word) { return (int32_t)(uint32_t)(word >> 32); }

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static uint32_t site_of(const struct mpi_row *row) { return (uint32_t)row->site; }

/* Bytes that were sent in one message, to `peer`. */
static bool add_sent(struct mpi_process *mpi, const struct row *region, const struct mpi_row *row, int64_t peer,
                     int64_t bytes) {
    return peer == RANK_NONE || mpi_sums_sent(&mpi->sums, mpi->process->rank, region, site_of(row), peer, bytes);
}

static bool add_to_all(struct mpi_process *mpi, const struct row *region, const struct mpi_row *row,
                       const struct members *peers, int64_t bytes, bool myself_too) {
    return mpi_sums_to_all(&mpi->sums, region, site_of(row), peers, myself_too, bytes);
}

/* What a call that moves data sent, by receiver. */
static bool add_flow(struct mpi_process *mpi, const struct row *region, const struct mpi_row *row,
                     const struct members *peers, unsigned flow) {
    const int32_t size = peers ? peers->size : 0;
    switch (flow) {
    case SPOOL_MPI_FLOW_PEER:
    case SPOOL_MPI_FLOW_ROOT:
        return add_sent(mpi, region, row, row->to, row->sent);
    case SPOOL_MPI_FLOW_EACH:
        return add_to_all(mpi, region, row, peers, row->sent, true);
    case SPOOL_MPI_FLOW_OTHERS:
        return add_to_all(mpi, region, row, peers, row->sent, false);
    case SPOOL_MPI_FLOW_SHARE:
        return add_to_all(mpi, region, row, peers, size ? row->sent / size : 0, true);
    case SPOOL_MPI_FLOW_SHARE_OTHERS:
        return add_to_all(mpi, region, row, peers, size > 1 ? row->sent / (size - 1) : 0, false);
    default:
        return true;
    }
}

/* A call that moves data: bytes of the function, and sizes. */
static bool add_bytes(struct mpi_process *mpi, const struct row *region, const struct mpi_row *row) {
    const uint32_t rank = mpi->process->rank;
    struct mpi_function *sum = mpi_sums_function(&mpi->sums, rank, region, site_of(row));
    if (!sum) return false;
    if (row->sent >= 0) {
        sum->sent += (uint64_t)row->sent;
        sum->messages_sent++;
        if (!mpi_sums_size(&mpi->sums, rank, region, row->sent)) return false;
    }
    if (row->received < 0) return true;
    sum->received += (uint64_t)row->received;
    sum->messages_received++;
    return row->sent >= 0 || mpi_sums_size(&mpi->sums, rank, region, row->received);
}

static bool add_received(struct mpi_process *mpi, const struct row *region, const struct mpi_row *row) {
    if (row->received < 0 || row->from == RANK_NONE || (row->flags & MPI_ROW_COLLECTIVE)) return true;
    return mpi_sums_received(&mpi->sums, mpi->process->rank, region, site_of(row), row->from, row->received);
}

static bool add_call(struct mpi_process *mpi, const struct mpi_ended *ended, const struct mpi_row *row) {
    struct mpi_function *sum = mpi_sums_function(&mpi->sums, mpi->process->rank, ended->row, site_of(row));
    const int64_t duration = ended->end - ended->start;
    if (!sum) return false;
    sum->calls += row->polls > 0 ? (uint64_t)row->polls : 1;
    sum->polls += row->polls > 0 ? (uint64_t)row->polls : 0;
    sum->total += (uint64_t)duration;
    if (!sum->events || duration < sum->minimum) sum->minimum = duration;
    if (!sum->events++ || duration > sum->maximum) sum->maximum = duration;
    return true;
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static struct pending *find_newest(const struct mpi_process *mpi, uint64_t handle) {
    struct pending *p;
    HASH_FIND(hh, mpi->pending, &handle, sizeof handle, p);
    return p;
}

/* What the call that is taken was given: it cannot have begun before the request was there. */
static struct pending *find_request(const struct mpi_process *mpi, uint64_t handle) {
    struct pending *found = NULL;
    for (struct pending *p = find_newest(mpi, handle); p; p = p->older)
        if (p->begun_ns <= mpi->last_start && (!found || p->begun_ns > found->begun_ns)) found = p;
    return found;
}

/* With those that are older; false: no memory, and they are gone. */
static bool hold_newest(struct mpi_process *mpi, struct pending *p) {
    HASH_ADD(hh, mpi->pending, handle, sizeof p->handle, p);
    if (p->hh.tbl) return true;
    for (struct pending *older; p; p = older) {
        older = p->older;
        mpi->num_pending--;
        free(p);
    }
    return false;
}

static bool drop_request(struct mpi_process *mpi, struct pending *p) {
    struct pending *newer = find_newest(mpi, p->handle), *older = p->older;
    bool good = true;
    if (newer == p) {
        HASH_DEL(mpi->pending, p);
        good = !older || hold_newest(mpi, older);
    } else {
        while (newer->older != p) newer = newer->older;
        newer->older = older;
    }
    mpi->num_pending--;
    free(p);
    return good;
}

static bool is_shared_by_many(const struct pending *p) {
    int count = 0;
    for (; p; p = p->older) count++;
    return count >= SHARED_MAX;
}

/* One with this handle, newer than all others; NULL: no memory. */
static struct pending *add_request(struct mpi_process *mpi, uint64_t handle) {
    struct pending *p = calloc(1, sizeof *p), *older = find_newest(mpi, handle);
    if (!p) return NULL;
    p->handle = handle;
    p->older = older;
    if (older) HASH_DEL(mpi->pending, older);
    mpi->num_pending++;
    return hold_newest(mpi, p) ? p : NULL;
}

/* There was a pause since, in which it may have ended: its handle may be another one's by now. */
static bool is_doubtful(const struct mpi_process *mpi, const struct pending *p) {
    for (size_t i = mpi->num_resumed; i-- > 0;)
        if (mpi->resumed[i] <= mpi->last_end) return mpi->resumed[i] > p->begun_ns;
    return false;
}

static bool open_request(struct mpi_process *mpi, uint64_t handle, bool receives) {
    struct pending *p = find_newest(mpi, handle);
    const bool full = mpi->num_pending == PENDING_MAX;
    if (!p && full) return true;
    if (!p || (p->active && !full && !is_shared_by_many(p))) p = add_request(mpi, handle);
    if (!p) return false;
    p->row = mpi->last;
    p->region = p->operation = mpi->last_row;
    p->call = mpi->last_call;
    p->peers = mpi->last_peers;
    p->begun_ns = mpi->last_end;
    p->flow = mpi->last_flow;
    p->site = site_of(&mpi->last);
    p->receives = receives;
    p->persistent = mpi->last.flags & MPI_ROW_PERSISTENT;
    p->active = !p->persistent;
    return true;
}

/* A started persistent request is a call of its own, by the function that started it. */
static bool start(struct mpi_process *mpi, uint64_t handle) {
    struct pending *p = find_request(mpi, handle);
    if (!p || !p->persistent) return true;
    struct mpi_row row = p->row;
    row.event = mpi->last.event;
    row.site = mpi->last.site;
    row.flags = (row.flags & ~MPI_ROW_PERSISTENT) | MPI_ROW_STARTED | MPI_ROW_REQUEST;
    p->active = true;
    p->begun_ns = mpi->last_end;
    p->call = mpi->calls.count;
    p->operation = mpi->last_row;
    p->site = site_of(&row);
    return mpi_list_add(&mpi->calls, &row) && add_bytes(mpi, p->operation, &row) &&
           add_flow(mpi, p->operation, &row, p->peers, p->flow);
}

/* Some MPIs do not fill in the status of every call (MPICH 4.0 that of MPI_Isendrecv). */
static bool contradicts(const struct mpi_row *asked, int32_t from, int32_t tag) {
    return (asked->from >= 0 && asked->from != from) || (asked->from_tag >= 0 && asked->from_tag != tag);
}

/* The message that a receive was waiting for. */
static bool receive(struct mpi_process *mpi, const struct pending *p, uint64_t peer, int64_t bytes) {
    struct mpi_row row;
    if (!mpi_list_get(&mpi->calls, p->call, &row, 1)) return true;
    const int32_t from = rank_of(p->peers, peer), tag = tag_of(peer);
    const bool came = from != RANK_NONE; /* not from MPI_PROC_NULL, and not canceled */
    if (came && contradicts(&row, from, tag)) return true;
    row.from = from;
    row.from_tag = tag;
    row.received = came ? bytes : -1;
    mpi_list_put(&mpi->calls, p->call, &row);
    const int64_t sent = row.sent;
    row.sent = -1; /* it was counted when it was sent */
    bool good = add_bytes(mpi, p->operation, &row) && add_received(mpi, p->operation, &row);
    row.sent = sent;
    return good;
}

static bool complete(struct mpi_process *mpi, uint64_t handle, uint64_t peer, int64_t bytes) {
    struct pending *p = find_request(mpi, handle);
    if (!p || !p->active) return true;
    bool good = true;
    if (!is_doubtful(mpi, p)) {
        const struct mpi_completion completion = {mpi->last.event, (int64_t)p->call};
        good = mpi_list_add(&mpi->completions, &completion);
        if (good && p->receives) good = receive(mpi, p, peer, bytes);
    }
    p->active = false;
    return (p->persistent || drop_request(mpi, p)) && good;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* The payload word of one SPOOL_MPI_HAS_* bit; false: not told. */
static bool word_of(unsigned argument, const uint64_t *payload, unsigned count, unsigned bit, uint64_t *word) {
    const unsigned at = (unsigned)__builtin_popcount(argument & (bit - 1) & SPOOL_MPI_HAS_ALL);
    if (!(argument & bit) || at >= count) return false;
    *word = payload[at];
    return true;
}

static int32_t flags_of(unsigned argument) {
    return (argument & SPOOL_MPI_COLLECTIVE ? MPI_ROW_COLLECTIVE : 0) |
           (argument & SPOOL_MPI_PERSISTENT ? MPI_ROW_PERSISTENT : 0) |
           (argument & SPOOL_MPI_FAILED ? MPI_ROW_FAILED : 0) |
           (argument & SPOOL_MPI_HAS_REQUEST ? MPI_ROW_REQUEST : 0);
}

static bool take_call(struct mpi_process *mpi, const struct mpi_ended *ended, unsigned argument,
                      const uint64_t *payload, unsigned count) {
    struct mpi_row *row = &mpi->last;
    uint64_t word, request = 0;
    *row = (struct mpi_row){.event = (int64_t)(ended->row->offset + ended->slot),
                            .sent = -1,
                            .received = -1,
                            .offset = -1,
                            .to = RANK_NONE,
                            .from = RANK_NONE,
                            .to_tag = -1,
                            .from_tag = -1,
                            .comm = -1,
                            .flags = flags_of(argument)};
    mpi->last_row = ended->row;
    mpi->last_start = ended->start;
    mpi->last_end = ended->end;
    mpi->last_peers = NULL;
    mpi->last_flow = argument >> SPOOL_MPI_FLOW_SHIFT & 15;
    if (word_of(argument, payload, count, SPOOL_MPI_HAS_SITE, &word)) {
        const uint32_t serial = (uint32_t)(word >> 32);
        row->site = (int32_t)mpi_sites_index(&mpi->sites, (uint32_t)word);
        if (serial < mpi->comms.count && mpi->comms.items[serial].comm)
            row->comm = (int32_t)mpi->comms.items[serial].comm->index;
        mpi->last_peers = mpi_comms_peers(&mpi->comms, serial);
    }
    if (word_of(argument, payload, count, SPOOL_MPI_HAS_TO, &word)) {
        row->to = rank_of(mpi->last_peers, word);
        row->to_tag = tag_of(word);
    }
    if (word_of(argument, payload, count, SPOOL_MPI_HAS_ROOT, &word)) row->to = rank_of(mpi->last_peers, word);
    const bool from = word_of(argument, payload, count, SPOOL_MPI_HAS_FROM, &word);
    if (from) {
        row->from = rank_of(mpi->last_peers, word);
        row->from_tag = tag_of(word);
    }
    if (word_of(argument, payload, count, SPOOL_MPI_HAS_SENT, &word)) row->sent = (int64_t)word;
    if (word_of(argument, payload, count, SPOOL_MPI_HAS_RECEIVED, &word)) row->received = (int64_t)word;
    if (word_of(argument, payload, count, SPOOL_MPI_HAS_OFFSET, &word)) row->offset = (int64_t)word;
    if (word_of(argument, payload, count, SPOOL_MPI_HAS_POLLS, &word))
        row->polls = word > INT32_MAX ? INT32_MAX : (int32_t)word;
    if (word_of(argument, payload, count, SPOOL_MPI_HAS_SPAN, &word))
        row->span = clock_ns(&mpi->process->clock, mpi->process->info.first.ticks + word) -
                    clock_ns(&mpi->process->clock, mpi->process->info.first.ticks);
    mpi->last_call = mpi->calls.count;
    if (!mpi_list_add(&mpi->calls, row) || !add_call(mpi, ended, row)) return false;
    if (word_of(argument, payload, count, SPOOL_MPI_HAS_REQUEST, &request) &&
        !open_request(mpi, request, from && row->received < 0))
        return false;
    if (row->flags & MPI_ROW_PERSISTENT) return true;
    return add_bytes(mpi, ended->row, row) && add_received(mpi, ended->row, row) &&
           add_flow(mpi, ended->row, row, mpi->last_peers, mpi->last_flow);
}

static bool take_list(struct mpi_process *mpi, unsigned first, const uint64_t *payload, unsigned count) {
    if (mpi->last.flags & MPI_ROW_PERSISTENT) return true;
    for (unsigned i = 0; i < count; i++) {
        const int32_t peer = mpi_members_at(mpi->last_peers, (int64_t)first + i);
        if (payload[i] && !add_sent(mpi, mpi->last_row, &mpi->last, peer, (int64_t)payload[i])) return false;
    }
    return true;
}

bool mpi_take(struct mpi_process *mpi, const struct mpi_ended *ended, unsigned type, unsigned argument,
              const uint64_t *payload, unsigned count) {
    bool good = true;
    if (type == SPOOL_MPI_CALL) return take_call(mpi, ended, argument, payload, count);
    if (mpi->last_row != ended->row) return true; /* of a call that is not kept */
    for (unsigned i = 0; good && type == SPOOL_MPI_STARTED && i < count; i++) good = start(mpi, payload[i]);
    for (unsigned i = 0; good && type == SPOOL_MPI_DONE && i + 2 < count; i += 3)
        good = complete(mpi, payload[i], payload[i + 1], (int64_t)payload[i + 2]);
    for (unsigned i = 0; good && type == SPOOL_MPI_FORGOTTEN && i < count; i++) {
        struct pending *p = find_request(mpi, payload[i]);
        good = !p || drop_request(mpi, p);
    }
    return good && (type != SPOOL_MPI_SENT_TO || take_list(mpi, argument, payload, count));
}

bool mpi_cut_off(struct mpi_process *mpi, const struct mpi_ended *ended) {
    const struct name *tags = ended->row->tags;
    const struct mpi_row nothing = {0};
    return !tags || !strstr(tags->text, "\"mpi.kind:") || add_call(mpi, ended, &nothing);
}
