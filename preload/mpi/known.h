/* known.h: numbers for what calls name: call sites, communicators, and the windows and files made of them. Each is told
 * to the log once. Forgotten in a forked child, whose log is another one. */
#ifndef SCOPE_PROFILER_MPI_KNOWN_H
#define SCOPE_PROFILER_MPI_KNOWN_H

#include "abi.h"
#include "next.h"

#include <stdbool.h>
#include <stdint.h>

/* A communicator, or a window or file of its processes. Read only. */
struct mpi_comm {
    mpi_word handle;
    uint32_t serial;    /* 0: there are more than can be told apart */
    int peers;          /* processes that calls can name: of the remote group where there are two */
    int rank;           /* of this process in its own group */
    bool inter;         /* has two groups */
    int ins, outs;      /* neighbours; -1: it has no topology */
    int nobodies;       /* of these, places beyond the edge of a grid; of ins and outs alike */
    uint32_t neighbors; /* for mpi_comm_neighbors() */
};

/* Where the last call of a function came from, each word in one piece. Addresses of programs have 47 or 48 bits. */
struct mpi_last {
    uint64_t site;    /* address << 16 | serial; 0 none */
    uint64_t binding; /* a language binding of MPI's that such calls come through: where it calls << 16 | words on the
                         stack from there to its own return address; 0 none */
};

/* The number of the program's call site, from where the stack has the return address of an MPI function; 0: too many.
 * Remembers it in `last` where it can. */
uint32_t mpi_site(const uintptr_t *slot, struct mpi_last *last);

/* One for whoever calls sites by number `which`, below 1024; zero in a forked child. NULL: no memory. */
struct mpi_last *mpi_last_of(unsigned which);

/* MPI_COMM_WORLD once it was met: `handle` 0 before. Its address is where a forked child finds zeros. */
extern const struct mpi_comm *mpi_comm_world;

/* Of a handle that a call has just succeeded with, so that MPI may be asked about it. Never NULL. */
const struct mpi_comm *mpi_comm_of(mpi_word handle);
/* A communicator has just been made, by all members of `of` together; NULL: of none, or not by all. */
void mpi_comm_made(mpi_word handle, const struct mpi_comm *of);
/* Likewise, of the same members in the same order as another; MPI is not asked who they are. */
void mpi_comm_duplicated(mpi_word handle, const struct mpi_comm *of);
/* Without asking: NULL when it was never met. For handles that may be about to be freed. */
const struct mpi_comm *mpi_comm_known(mpi_word handle);
/* Ranks of `comm->outs` neighbours, PROC_NULL among them, then also of the ins; NULL: not known. */
const int *mpi_comm_neighbors(const struct mpi_comm *comm);
/* `handle` (a window or a file) stands for the processes of `comm`. */
void mpi_comm_alias(mpi_word handle, const struct mpi_comm *comm);
void mpi_comm_forget(mpi_word handle);
/* Its number, 0 if it was never met; and to forget it, unless the handle has been given to another one meanwhile. */
uint32_t mpi_comm_serial(mpi_word handle);
void mpi_comm_freed(mpi_word handle, uint32_t serial);
/* The user gave it a name. */
void mpi_comm_named(mpi_word handle, const char *name);

/* A handle in a register: only its own bytes count. */
static inline mpi_word mpi_handle(mpi_word word) {
    return mpi_abi_now->handle_bytes == 4 ? (mpi_word)(uint32_t)word : word;
}
static inline mpi_word mpi_handle_in(const void *list, int64_t index) {
    if (mpi_abi_now->handle_bytes == 4) return (mpi_word)((const uint32_t *)list)[index];
    return ((const mpi_word *)list)[index];
}
static inline mpi_word mpi_handle_at(const void *address) { return mpi_handle_in(address, 0); }

#endif
