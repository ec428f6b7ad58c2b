/* mpi.h: what mpi.c and mpi_waits.c share. */
#ifndef SCOPE_READER_MPI_H
#define SCOPE_READER_MPI_H

#include "internal.h"

/* The group /mpi; -1: the profile has none. */
hid_t rd_mpi_open(spr_profile *profile);

/* flags of /mpi/calls */
enum { RD_MPI_COLLECTIVE = 1, RD_MPI_PERSISTENT = 2, RD_MPI_STARTED = 4, RD_MPI_FAILED = 8, RD_MPI_REQUEST = 16 };

/* One row of /mpi/calls, with the times of its event. */
struct rd_mpi_call {
    int64_t event, sent, received, start, end;
    int64_t row; /* of the profile: its rank and region */
    int32_t comm, flags, to, to_tag, from, from_tag;
    uint32_t rank;
};

struct rd_mpi_completion {
    int64_t event, call;
    int64_t start, end, row; /* of the event */
};

struct rd_mpi_part {
    uint32_t rank;
    uint64_t gaps; /* how often some of its calls were left out */
};

struct rd_mpi_calls {
    struct rd_mpi_part *parts;
    size_t num_parts;
    struct rd_mpi_call *calls;
    struct rd_mpi_completion *completions;
    size_t num_calls, num_completions;
};

/* The calls in the order in which they began, rank by rank. */
int rd_mpi_calls_read(spr_profile *profile, struct rd_mpi_calls *calls, spr_error *error);
void rd_mpi_calls_free(struct rd_mpi_calls *calls);

#endif
