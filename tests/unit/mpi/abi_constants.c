/* abi_constants.c: what abi.c says of an MPI against that MPI's own mpi.h. Built by abi.sh with each mpicc, without the
 * preload. */
#include "abi.h"

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int wrong;

static void same(const char *what, long long ours, long long theirs) {
    if (ours == theirs) return;
    printf("%s: we say %lld, mpi.h %lld\n", what, ours, theirs);
    wrong++;
}

/* A handle as a word. */
#define HANDLE(h) ((long long)(sizeof(h) == 4 ? (unsigned)(size_t)(h) : (size_t)(h)))

int main(int argc, char **argv) {
    const struct mpi_abi *abi = mpi_abi();
    char text[MPI_LIBRARY_TEXT];
    if (argc < 2 || !abi || strcmp(abi->name, argv[1])) {
        printf("taken for %s\n", abi ? abi->name : "no MPI");
        return 1;
    }
    same("running before MPI_Init", mpi_is_running(), 0);
    MPI_Init(&argc, &argv);
    same("running", mpi_is_running(), 1);
    same("rank", mpi_world_rank(), 0);
    same("size", mpi_world_size(), 1);
    same("handle", abi->handle_bytes, sizeof(MPI_Comm));
    same("status", abi->status_bytes, sizeof(MPI_Status));
    same("source", abi->status_source, offsetof(MPI_Status, MPI_SOURCE));
    same("tag", abi->status_tag, offsetof(MPI_Status, MPI_TAG));
    same("error", abi->status_error, offsetof(MPI_Status, MPI_ERROR));
    same("ANY_SOURCE", abi->any_source, MPI_ANY_SOURCE);
    same("ANY_TAG", abi->any_tag, MPI_ANY_TAG);
    same("PROC_NULL", abi->proc_null, MPI_PROC_NULL);
    same("ROOT", abi->root, MPI_ROOT);
    same("UNDEFINED", abi->undefined, MPI_UNDEFINED);
    same("STATUS_IGNORE", abi->status_ignore, (long long)MPI_STATUS_IGNORE);
    same("IN_PLACE", abi->in_place, (long long)MPI_IN_PLACE);
    same("BOTTOM", abi->bottom, (long long)MPI_BOTTOM);
    same("COMM_WORLD", abi->comm_world, HANDLE(MPI_COMM_WORLD));
    same("BYTE", abi->byte, HANDLE(MPI_BYTE));
    same("REQUEST_NULL", abi->request_null, HANDLE(MPI_REQUEST_NULL));
    same("DATATYPE_NULL", abi->datatype_null, HANDLE(MPI_DATATYPE_NULL));
    same("COMM_NULL", abi->comm_null, HANDLE(MPI_COMM_NULL));
    same("GRAPH", abi->topo_graph, MPI_GRAPH);
    same("CART", abi->topo_cart, MPI_CART);
    same("DIST_GRAPH", abi->topo_dist_graph, MPI_DIST_GRAPH);
    mpi_library_text(text);
    char expected[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(expected, &length);
    same("library text", strcmp(text, expected), 0);
    MPI_Finalize();
    same("running after MPI_Finalize", mpi_is_running(), 0);
    return wrong != 0;
}
