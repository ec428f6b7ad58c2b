/* shape.h: what is to be told of a function's calls, found once from its row in functions.table. */
#ifndef SCOPE_PROFILER_MPI_SHAPE_H
#define SCOPE_PROFILER_MPI_SHAPE_H

#include "functions.h"

enum mpi_teller {                 /* who tells it: facts.c */
                  MPI_TELL_PLACE, /* the call site, and the communicator where there is one */
                  MPI_TELL_SEND,
                  MPI_TELL_RECEIVE,
                  MPI_TELL_SENDRECV,
                  MPI_TELL_PROBE,
                  MPI_TELL_COMPLETION,
                  MPI_TELL_REQUEST,
                  MPI_TELL_COLLECTIVE,
                  MPI_TELL_ONESIDED,
                  MPI_TELL_IO,
};

enum mpi_pattern { /* how the data of a collective call move */
                   MPI_BARRIER,
                   MPI_BCAST,
                   MPI_GATHER,
                   MPI_SCATTER,
                   MPI_ALLGATHER,
                   MPI_ALLTOALL,
                   MPI_REDUCE,
                   MPI_ALLREDUCE, /* and scans */
                   MPI_REDUCE_SCATTER,
                   MPI_LOCAL, /* MPI_Reduce_local */
};

struct mpi_shape {
    int8_t at[MPI_ROLE_COUNT_OF_ROLES]; /* which argument has the role; -1 none */
    uint8_t teller;                     /* enum mpi_teller */
    uint8_t pattern;                    /* enum mpi_pattern */
    bool large;                         /* counts are MPI_Count */
    bool persistent;                    /* makes a request that is started later */
    bool neighbors;                     /* a neighbourhood collective */
    bool prepares;                      /* something is to be done before the call: facts.c, mpi_before() */
    bool gives_status;                  /* it gets a status of ours where the caller wants none */
    bool writes;                        /* MPI-IO and one-sided: it takes data from here; else it brings them */
    bool fetches;                       /* one-sided: it does both */
    bool collective;                    /* all members of the communicator call it */
    bool frees, makes_comm, aliases;    /* handles of communicators, windows, files */
    bool duplicates;                    /* it makes a communicator of the same members */
    bool polls;                         /* its flag says that there is nothing yet */
    bool removes_message;               /* MPI_Mrecv, MPI_Imrecv */
    bool cancels;                       /* MPI_Cancel */
};

void mpi_shape_of(const struct mpi_function *function, struct mpi_shape *shape);

#endif
