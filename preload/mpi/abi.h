/* abi.h: which MPI this is, and the constants in which MPIs differ. No mpi.h is needed to build. */
#ifndef SCOPE_PROFILER_MPI_ABI_H
#define SCOPE_PROFILER_MPI_ABI_H

#include "next.h"

#include <stdbool.h>
#include <stdint.h>

struct mpi_abi {
    const char *name;
    int handle_bytes; /* of MPI_Comm, MPI_Datatype, MPI_Request; of narrower ones than a word the rest is undefined */
    int status_bytes, status_source, status_tag, status_error; /* size of MPI_Status and offsets in it */
    int any_source, any_tag, proc_null, root, undefined;
    mpi_word status_ignore, in_place, bottom;                          /* addresses */
    int topo_graph, topo_cart, topo_dist_graph;                        /* what MPI_Topo_test says */
    mpi_word comm_world, byte, request_null, datatype_null, comm_null; /* handles */
};

/* The MPI of this process. NULL: none is loaded, or a stub that has MPI_ functions and no PMPI_ ones. */
const struct mpi_abi *mpi_abi(void);
/* The same without a look, once that has found one: where a call is recorded, say. */
extern const struct mpi_abi *mpi_abi_now;

/* MPI's own functions, never recorded; only where mpi_abi() is not NULL. */
bool mpi_is_running(void); /* initialized (not by sessions) and not finalized */
int mpi_world_rank(void);
int mpi_world_size(void);
#define MPI_LIBRARY_TEXT 8192 /* what every MPI takes for its version text at most */
/* Writes a NUL-terminated text, "" if the MPI has none. */
void mpi_library_text(char text[MPI_LIBRARY_TEXT]);

#endif
