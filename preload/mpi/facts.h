/* facts.h: what a call carried: bytes, peers, tags, requests, communicator, call site.
 *
 * No argument is looked at that MPI does not make significant there: programs pass what they like in the others, and
 * MPI aborts when it is asked about that. */
#ifndef SCOPE_PROFILER_MPI_FACTS_H
#define SCOPE_PROFILER_MPI_FACTS_H

#include "call.h"

#include <stddef.h>

enum { MPI_BATCH = 32, MPI_STATUS_MOST = 40 };

/* Copies of what a completing call overwrites, and statuses for callers who want none. */
struct mpi_batch {
    mpi_word few_handles[MPI_BATCH];
    _Alignas(8) unsigned char few_statuses[MPI_BATCH * MPI_STATUS_MOST];
};

struct mpi_call {
    struct mpi_entry *entry;
    mpi_word *arguments; /* those that MPI gets */
    uintptr_t site;
    mpi_word handle; /* by mpi_before(): of a communicator, window or file that is freed; of a message; of a request */
    uint32_t freed;  /* number of the communicator that is freed, whose handle another thread may be given */
    mpi_word *handles;
    unsigned char *statuses;
    int64_t count;  /* handles */
    uint64_t begun; /* of a function that polls: when; `late`: that is not recorded yet */
    bool late;
    size_t mapped; /* bytes that hold them, from mmap; 0: a batch does */
    _Alignas(8) unsigned char status[MPI_STATUS_MOST];
};

/* Before the call, where entry->shape.prepares. batch: NULL unless the function is of kind completion. */
void mpi_before(struct mpi_call *call, struct mpi_batch *batch);

/* Ends the call's event, with what is to be told. */
void mpi_after(struct mpi_call *call, int result);

#endif
