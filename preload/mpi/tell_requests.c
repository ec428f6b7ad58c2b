/* Requests: what is to be kept before a call that completes them, and which ones it completed. */
#include "tell.h"

#include <errno.h>
#include <sys/mman.h>

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

/* Some request was to be canceled: whether one was is only asked from then on. */
static bool any_cancel;

void mpi_before(struct mpi_call *call, struct mpi_batch *batch) {
    const struct mpi_shape *shape = &call->entry->shape;
    const int saved = errno;
    if (UNLIKELY(shape->cancels)) __atomic_store_n(&any_cancel, true, __ATOMIC_RELAXED);
    if (shape->frees || shape->removes_message || shape->teller == MPI_TELL_COMPLETION ||
        shape->teller == MPI_TELL_REQUEST)
        call->handle = handle_before(call);
    if (shape->frees) call->freed = mpi_comm_serial(call->handle);
    if (has(shape, MPI_ROLE_REQUEST_LIST)) give_batch(call, batch);
    if (shape->gives_status) give_status(call, MPI_ROLE_STATUS_AT);
    errno = saved;
}

/* The rest of such a status says nothing. */
static bool is_canceled(const void *status) {
    return UNLIKELY(__atomic_load_n(&any_cancel, __ATOMIC_RELAXED)) && mpi_status_is_canceled(status);
}

/* Requests that were completed, three words each. */
static void add_done(struct list *list, const mpi_word handle, const void *status) {
    if (!handle || handle == mpi_handle(mpi_abi_now->request_null)) return;
    if (list->count + 3 > LIST_WORDS / 3 * 3) {
        rec_group(SPOOL_GROUP(SPOOL_MPI_DONE, 0, list->count), list->words, list->count);
        list->count = 0;
    }
    list->words[list->count++] = (uint64_t)handle;
    const uint64_t peer = is_canceled(status) ? peer_word(mpi_abi_now->proc_null, -1) : peer_in_status(status);
    list->words[list->count++] = peer;
    list->words[list->count++] = is_nobody(peer) ? 0 : (uint64_t)bytes_in_status(status);
}

void tell_done(const struct facts *f) {
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

void tell_handles(const struct facts *f) {
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
