/* tell.h: what the files that find a call's facts share. */
#ifndef SCOPE_PROFILER_MPI_TELL_H
#define SCOPE_PROFILER_MPI_TELL_H

#include "abi.h"
#include "facts.h"
#include "known.h"
#include "recorder.h"
#include "spool.h"

enum { LIST_WORDS = 200 };

/* A call's facts on their way into a group. */
struct facts {
    const struct mpi_call *call;
    const struct mpi_shape *shape;
    const struct mpi_comm *comm; /* NULL: none */
    uint32_t argument;
    uint32_t count;     /* words */
    uint64_t words[12]; /* in the order of SPOOL_MPI_HAS_* */
    uint64_t ticks;
};

/* Words for consecutive ranks, as many as one group may hold. */
struct list {
    uint64_t words[LIST_WORDS];
    unsigned first, count;
};

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static inline bool has(const struct mpi_shape *shape, enum mpi_role role) { return shape->at[role] >= 0; }
static inline mpi_word word_of(const struct facts *f, enum mpi_role role) {
    return f->call->arguments[f->shape->at[role]];
}
static inline int int_of(const struct facts *f, enum mpi_role role) { return (int)word_of(f, role); }
static inline void *pointer_of(const struct facts *f, enum mpi_role role) { return (void *)word_of(f, role); }

static inline int64_t count_of(const struct facts *f, enum mpi_role role) {
    return f->shape->large || has(f->shape, MPI_ROLE_PARTITIONS) ? (int64_t)word_of(f, role) : int_of(f, role);
}

static inline int64_t count_in(const struct facts *f, const void *list, int64_t index) {
    return f->shape->large ? ((const int64_t *)list)[index] : ((const int *)list)[index];
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* Bits come in ascending order. */
static inline void add(struct facts *f, uint32_t bit, uint64_t word) {
    f->argument |= bit;
    f->words[f->count++] = word;
}

static inline void set_comm(struct facts *f, const struct mpi_comm *comm) {
    f->comm = comm;
    if (comm) f->words[0] = (uint32_t)f->words[0] | (uint64_t)comm->serial << 32;
}

static inline void set_flow(struct facts *f, enum spool_mpi_flow flow) {
    f->argument = (f->argument & ~(15u << SPOOL_MPI_FLOW_SHIFT)) | (uint32_t)flow << SPOOL_MPI_FLOW_SHIFT;
}

/* ---- facts.c ----------------------------------------------------------------------------------------------------- */

int64_t size_of_type(mpi_word type); /* bytes; 0 for none */
int64_t bytes_of(const struct facts *f, enum mpi_role count, enum mpi_role type);
int64_t bytes_in_status(const void *status);
bool mpi_status_is_canceled(const void *status);
int neutral_rank(int rank);
uint64_t peer_word(int rank, int tag);
uint64_t peer_in_status(const void *status);
static inline bool is_nobody(uint64_t peer) { return (int32_t)(uint32_t)peer == SPOOL_MPI_NOBODY; }
void add_request(struct facts *f);

/* ---- tell_collective.c ------------------------------------------------------------------------------------------- */

void tell_collective(struct facts *f);
void tell_list(const struct facts *f); /* behind the call's group, where its flow is a list */

/* ---- tell_requests.c: behind the call's group -------------------------------------------------------------------- */

void tell_done(const struct facts *f);
void tell_handles(const struct facts *f);

#endif
