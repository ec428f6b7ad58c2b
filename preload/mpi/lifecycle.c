/* What MPI_Init and its like tell the recorder. */
#include "abi.h"
#include "call.h"
#include "clocks.h"
#include "known.h"
#include "recorder.h"
#include <errno.h>

/* ---- what a recorded call costs: a barrier on MPI_COMM_WORLD that is none ---------------------------------------- */

struct barrier {
    struct mpi_entry entry;
    struct mpi_last last;
    int (*volatile call)(mpi_word, struct mpi_entry *);
};

static int nothing(mpi_word word) {
    __asm__ volatile("" : : "r"(word));
    return 0;
}

/* The place of the calls is to be known already, as it is in a loop of the program's; it is not to be in the profile.
 */
static __attribute__((noinline)) int note_site(mpi_word word, struct mpi_entry *entry) {
    entry->last->site = (uint64_t)(uintptr_t)__builtin_return_address(0) << 16 | 1;
    return nothing(word);
}

/* One call instruction, whichever function it calls. */
static __attribute__((noinline)) void calls(void *argument, int count) {
    struct barrier *barrier = argument;
    const mpi_word world = mpi_abi()->comm_world;
    for (int i = 0; i < count; i++) {
        barrier->call(world, &barrier->entry);
        __asm__ volatile("" : : : "memory");
    }
}

static int bare(mpi_word word, struct mpi_entry *entry) { return ((int (*)(mpi_word))entry->next)(word); }

static void measure(void) {
    struct barrier barrier = {.call = note_site};
    const volatile int one = 1; /* unknown to the compiler, which would make another call instruction of it */
    if (!mpi_abi()) return;
    barrier.entry = (struct mpi_entry){.next = (mpi_any)nothing,
                                       .region = 1,
                                       .serial = rec_default_serial,
                                       .function = MPI_FUNCTION_Barrier,
                                       .last = &barrier.last};
    mpi_shape_of(&mpi_functions[MPI_FUNCTION_Barrier], &barrier.entry.shape);
    calls(&barrier, one);
    barrier.call = bare;
    const uint64_t without = rec_cost_bare(calls, &barrier);
    barrier.call = mpi_recorded_call;
    rec_cost(REC_COST_MPI, calls, without, &barrier);
}

/* ------------------------------------------------------------------------------------------------------------------ */

void mpi_introduce(void) {
    char text[MPI_LIBRARY_TEXT];
    mpi_library_text(text);
    bool has_world = mpi_is_running(); /* sessions have none */
    rec_set_mpi(has_world ? mpi_world_rank() : -1, has_world ? mpi_world_size() : -1, *text ? text : NULL);
    if (has_world) measure(); // a barrier needs it
}

static size_t function_of(const struct mpi_entry *entry) {
    return (size_t)(entry - &mpi_entries[0][0]) % MPI_FUNCTION_COUNT;
}

void mpi_lifecycle_begins(const struct mpi_entry *entry) {
    switch (function_of(entry)) {
    case MPI_FUNCTION_Init:
    case MPI_FUNCTION_Init_thread:
        clocks_announce();
        break;
    case MPI_FUNCTION_Finalize:
        clocks_end();
        break;
    default:
        break;
    }
}

void mpi_lifecycle_ended(const struct mpi_entry *entry, int result) {
    if (result != 0) return;
    int saved = errno;
    switch (function_of(entry)) {
    case MPI_FUNCTION_Init:
    case MPI_FUNCTION_Init_thread:
        mpi_introduce();
        clocks_begin();
        rec_warm();
        break;
    case MPI_FUNCTION_Session_init:
        mpi_introduce();
        rec_warm();
        break;
    case MPI_FUNCTION_Finalize:
        rec_set_mpi_finalized();
        break;
    default:
        break;
    }
    errno = saved;
}
