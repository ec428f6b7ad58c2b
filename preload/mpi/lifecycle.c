/* What MPI_Init and its like tell the recorder. */
#include "abi.h"
#include "call.h"
#include "recorder.h"
#include <errno.h>

/* ---- what a recorded call costs ---------------------------------------------------------------------------------- */

static int nothing(mpi_word word) {
    __asm__ volatile("" : : "r"(word));
    return 0;
}
static void recorded_calls(void *entry, int count) {
    for (int i = 0; i < count; i++) mpi_recorded_call(entry);
}
static void bare_calls(void *entry, int count) {
    int (*volatile next)(mpi_word) = (int (*)(mpi_word))((struct mpi_entry *)entry)->next;
    for (int i = 0; i < count; i++) next(0);
}

static void measure(void) {
    struct mpi_entry entry = {.next = (mpi_any)nothing, .region = 1, .serial = rec_default_serial};
    rec_cost(REC_COST_MPI, recorded_calls, rec_cost_bare(bare_calls, &entry), &entry);
}

/* ------------------------------------------------------------------------------------------------------------------ */

void mpi_introduce(void) {
    char text[MPI_LIBRARY_TEXT];
    mpi_library_text(text);
    bool has_world = mpi_is_running(); /* sessions have none */
    rec_set_mpi(has_world ? mpi_world_rank() : -1, has_world ? mpi_world_size() : -1, *text ? text : NULL);
    measure();
}

void mpi_lifecycle_ended(const struct mpi_entry *entry, int result) {
    if (result != 0) return;
    int saved = errno;
    switch ((entry - &mpi_entries[0][0]) % MPI_FUNCTION_COUNT) {
    case MPI_FUNCTION_Init:
    case MPI_FUNCTION_Init_thread:
    case MPI_FUNCTION_Session_init:
        mpi_introduce();
        break;
    case MPI_FUNCTION_Finalize:
        rec_set_mpi_finalized();
        break;
    default:
        break;
    }
    errno = saved;
}
