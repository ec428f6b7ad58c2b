/* functions.h: what is known of every recorded MPI function, from functions.table. */
#ifndef SCOPE_PROFILER_MPI_FUNCTIONS_H
#define SCOPE_PROFILER_MPI_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define MPI_MAX_ARGUMENTS 13

enum mpi_kind {
    MPI_KIND_SEND,
    MPI_KIND_RECEIVE,
    MPI_KIND_SENDRECV,
    MPI_KIND_PROBE,
    MPI_KIND_COMPLETION,
    MPI_KIND_REQUEST,
    MPI_KIND_COLLECTIVE,
    MPI_KIND_ONESIDED,
    MPI_KIND_IO,
    MPI_KIND_COMMUNICATOR,
    MPI_KIND_PROCESS,
    MPI_KIND_LIFECYCLE,
};

/* The words of functions.table; _AT is `word*`, _LIST is `word[]`. */
enum mpi_role {
    MPI_ROLE_NONE, /* behind the last argument */
    MPI_ROLE_OTHER,
    MPI_ROLE_BUF,
    MPI_ROLE_SENDBUF,
    MPI_ROLE_RECVBUF,
    MPI_ROLE_ORIGINBUF,
    MPI_ROLE_RESULTBUF,
    MPI_ROLE_COUNT,
    MPI_ROLE_SENDCOUNT,
    MPI_ROLE_RECVCOUNT,
    MPI_ROLE_ORIGINCOUNT,
    MPI_ROLE_RESULTCOUNT,
    MPI_ROLE_TARGETCOUNT,
    MPI_ROLE_SENDCOUNT_LIST,
    MPI_ROLE_RECVCOUNT_LIST,
    MPI_ROLE_PARTITIONS,
    MPI_ROLE_DATATYPE,
    MPI_ROLE_SENDTYPE,
    MPI_ROLE_RECVTYPE,
    MPI_ROLE_ORIGINTYPE,
    MPI_ROLE_RESULTTYPE,
    MPI_ROLE_TARGETTYPE,
    MPI_ROLE_SENDTYPE_LIST,
    MPI_ROLE_RECVTYPE_LIST,
    MPI_ROLE_DEST,
    MPI_ROLE_SOURCE,
    MPI_ROLE_ROOT,
    MPI_ROLE_TARGET,
    MPI_ROLE_TAG,
    MPI_ROLE_SENDTAG,
    MPI_ROLE_RECVTAG,
    MPI_ROLE_DISP,
    MPI_ROLE_OFFSET,
    MPI_ROLE_COMM,
    MPI_ROLE_COMM_AT,
    MPI_ROLE_NEWCOMM_AT,
    MPI_ROLE_WIN,
    MPI_ROLE_WIN_AT,
    MPI_ROLE_FILE,
    MPI_ROLE_FILE_AT,
    MPI_ROLE_SESSION,
    MPI_ROLE_SESSION_AT,
    MPI_ROLE_GROUP,
    MPI_ROLE_INFO,
    MPI_ROLE_OP,
    MPI_ROLE_MESSAGE_AT,
    MPI_ROLE_REQUEST,
    MPI_ROLE_REQUEST_AT,
    MPI_ROLE_REQUEST_LIST,
    MPI_ROLE_NREQUESTS,
    MPI_ROLE_STATUS_AT,
    MPI_ROLE_STATUS_LIST,
    MPI_ROLE_FLAG_AT,
    MPI_ROLE_INDEX_AT,
    MPI_ROLE_INDEX_LIST,
    MPI_ROLE_OUTCOUNT_AT,
    MPI_ROLE_COUNT_OF_ROLES,
};

extern const char *const mpi_kind_tags[]; /* JSON arrays, by enum mpi_kind */

struct mpi_function {
    const char *name; /* with MPI_ */
    uint8_t kind;     /* enum mpi_kind */
    uint8_t nargs;
    bool large;                           /* counts are MPI_Count, displacements MPI_Aint (the name ends in _c) */
    uint8_t roles[MPI_MAX_ARGUMENTS + 1]; /* enum mpi_role */
};

enum mpi_function_index {
#define FUNCTION(name, kind, nargs, ...) MPI_FUNCTION_##name,
#include "functions.inc"
#undef FUNCTION
    MPI_FUNCTION_COUNT
};

extern const struct mpi_function mpi_functions[MPI_FUNCTION_COUNT];

#endif
