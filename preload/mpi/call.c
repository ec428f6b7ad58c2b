#include "call.h"

#include "abi.h"
#include "known.h"
#include "recorder.h"
#include <errno.h>
#include <string.h>

__thread struct mpi_outermost mpi_outermost;
struct mpi_entry mpi_entries[MPI_LAYERS][MPI_FUNCTION_COUNT];

static int no_library(void) { return MPI_NO_LIBRARY; }

static size_t index_of(const struct mpi_entry *entry) {
    return (size_t)(entry - &mpi_entries[0][0]) % MPI_FUNCTION_COUNT;
}

/* Names of PMPI_ symbols are those of the functions behind a P. */
static mpi_any find_next(struct mpi_entry *entry) {
    char name[64] = "P";
    bool profiling = entry >= mpi_entries[MPI_PROFILING];
    strncpy(name + profiling, mpi_functions[index_of(entry)].name, sizeof name - 2);
    return mpi_next(&entry->link, name);
}

/* frame: of a new call of this thread. */
static bool is_within_another(const uintptr_t *frame) {
    const struct mpi_outermost *outermost = &mpi_outermost;
    if (frame >= outermost->frame) return false;
#if defined(__x86_64__) || defined(__aarch64__)
    return outermost->frame[1] == outermost->return_address;
#else
    return true;
#endif
}

/* Where nothing is recorded, or not this function, the region is -1: its calls are to cost next to nothing. */
static bool make_ready(struct mpi_entry *entry, mpi_any next) {
    unsigned serial = rec_default_serial;
    if (!mpi_abi()) return false;
    const struct mpi_function *function = &mpi_functions[index_of(entry)];
    int region = -1;
    if (rec_active())
        region = rec_region(function->name, strlen(function->name), NULL, -1, mpi_kind_tags[function->kind]);
    entry->next = next;
    entry->region = region;
    entry->function = (uint16_t)index_of(entry);
    entry->last = mpi_last_of((unsigned)(entry - &mpi_entries[0][0]));
    if (!entry->last) return false;
    struct mpi_shape shape; /* made aside: another thread may be using the entry's, which is the same */
    mpi_shape_of(function, &shape);
    entry->shape = shape;
    const int8_t *at = entry->shape.at;
    entry->completes =
        (at[MPI_ROLE_REQUEST_AT] >= 0 || at[MPI_ROLE_REQUEST_LIST] >= 0) && function->kind == MPI_KIND_COMPLETION;
    __atomic_store_n(&entry->serial, serial, __ATOMIC_RELEASE);
    return true;
}

/* For programs whose MPI was initialized before anything was recorded. */
static void introduce_once(void) {
    static unsigned introduced_to; /* serial of the recorder */
    if (__atomic_exchange_n(&introduced_to, rec_default_serial, __ATOMIC_RELAXED) != rec_default_serial &&
        mpi_is_running())
        mpi_introduce();
}

struct mpi_way mpi_decide(struct mpi_entry *entry, const uintptr_t *frame) {
    int saved = errno;
    struct mpi_way way = {find_next(entry), false};
    if (!way.next) {
        way.next = (mpi_any)no_library;
    } else if (!is_within_another(frame)) {
        way.record = entry->serial == rec_default_serial || make_ready(entry, way.next);
        if (way.record) introduce_once();
    }
    errno = saved;
    return way;
}
