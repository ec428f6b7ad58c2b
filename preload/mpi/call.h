/* call.h: what a wrapper shares with the part that is out of its way. */
#ifndef SCOPE_PROFILER_MPI_CALL_H
#define SCOPE_PROFILER_MPI_CALL_H

#include "functions.h"
#include "next.h"
#include "shape.h"

#include <stdbool.h>
#include <stdint.h>

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define EXPORT      __attribute__((visibility("default")))

/* What a function returns without an MPI behind it: MPI_ERR_OTHER or the like in every MPI, and success in none. */
#define MPI_NO_LIBRARY 16

struct mpi_last;

/* One exported symbol: MPI_X or PMPI_X. `next` and `region` are right while `serial` is rec_default_serial. */
struct mpi_entry {
    mpi_any next;
    int region;
    unsigned serial;
    uint16_t function;     /* enum mpi_function_index */
    struct mpi_last *last; /* where a fork wipes it */
    bool completes;        /* of the completion kind, with requests to tell about */
    struct mpi_shape shape;
    struct mpi_link link;
};

enum { MPI_PLAIN, MPI_PROFILING, MPI_LAYERS }; /* MPI_X, PMPI_X */
extern struct mpi_entry mpi_entries[MPI_LAYERS][MPI_FUNCTION_COUNT];

/* The outermost wrapper that this thread is in. Calls that MPI makes to itself come from deeper frames and are part of
 * it. A frame address instead of a counter, since a call may be left by longjmp out of an error handler: the next call
 * from the same depth or above is then outermost again; and one from below is, unless the return address of the old
 * call is still in its place on the stack. */
struct mpi_outermost {
    const uintptr_t *frame;   /* NULL: in none */
    uintptr_t return_address; /* frame[1] */
};
extern __thread struct mpi_outermost mpi_outermost __attribute__((tls_model("initial-exec")));

/* How a call goes on: to `next`, as a recorded one or not. */
struct mpi_way {
    mpi_any next; /* never NULL */
    bool record;
};

/* Decides about every call that is not an outermost one of an entry that is ready; makes the entry ready. */
struct mpi_way mpi_decide(struct mpi_entry *entry, const uintptr_t *frame);

/* The way of a call of one argument behind its wrapper, for measuring what that costs. */
extern int (*const mpi_recorded_call)(mpi_word argument, struct mpi_entry *entry);

/* A recorded call of kind lifecycle is about to begin; has ended. */
void mpi_lifecycle_begins(const struct mpi_entry *entry);
void mpi_lifecycle_ended(const struct mpi_entry *entry, int result);

/* Tells the recorder who this process is in MPI's world. */
void mpi_introduce(void);

#endif
