/* What MPI_Init and its like tell the recorder. */
#include "abi.h"
#include "call.h"
#include "recorder.h"
#include <errno.h>

void mpi_introduce(void) {
    char text[MPI_LIBRARY_TEXT];
    mpi_library_text(text);
    bool has_world = mpi_is_running(); /* sessions have none */
    rec_set_mpi(has_world ? mpi_world_rank() : -1, has_world ? mpi_world_size() : -1, *text ? text : NULL);
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
