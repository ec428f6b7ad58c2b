/* Functions that are exported for another reason than being recorded. */
#include "abi.h"
#include "call.h"
#include "known.h"
#include "recorder.h"

#include <errno.h>

static mpi_any next_of(struct mpi_link *link, const char *name) {
    int saved = errno;
    mpi_any next = mpi_next(link, name);
    errno = saved;
    return next;
}

/* A program that looks for MPI in itself (a weak reference, dlsym) finds our MPI_Init, and asks. Without an MPI the
 * answer is no. */
#define QUERY(name)                                                                                                    \
    EXPORT int name(int *flag) {                                                                                       \
        static struct mpi_link link;                                                                                   \
        mpi_any next = next_of(&link, #name);                                                                          \
        if (next) return ((int (*)(int *))next)(flag);                                                                 \
        if (flag) *flag = 0;                                                                                           \
        return 0;                                                                                                      \
    }

QUERY(MPI_Initialized)
QUERY(PMPI_Initialized)
QUERY(MPI_Finalized)
QUERY(PMPI_Finalized)

/* Names of communicators are told. */
#define SET_NAME(name)                                                                                                 \
    EXPORT int name(mpi_word comm, const char *text) {                                                                 \
        static struct mpi_link link;                                                                                   \
        mpi_any next = next_of(&link, #name);                                                                          \
        int result = next ? ((int (*)(mpi_word, const char *))next)(comm, text) : MPI_NO_LIBRARY;                      \
        int saved = errno;                                                                                             \
        if (next && result == 0 && rec_takes_facts && mpi_abi()) mpi_comm_named(mpi_handle(comm), text);               \
        errno = saved;                                                                                                 \
        return result;                                                                                                 \
    }

SET_NAME(MPI_Comm_set_name)
SET_NAME(PMPI_Comm_set_name)
