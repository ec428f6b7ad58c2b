#include "functions.h"

#define TAGS(kind) "[\"mpi\",\"mpi.kind:" kind "\"]"

const char *const mpi_kind_tags[] = {
    [MPI_KIND_SEND] = TAGS("send"),
    [MPI_KIND_RECEIVE] = TAGS("receive"),
    [MPI_KIND_SENDRECV] = TAGS("sendrecv"),
    [MPI_KIND_PROBE] = TAGS("probe"),
    [MPI_KIND_COMPLETION] = TAGS("completion"),
    [MPI_KIND_REQUEST] = TAGS("request"),
    [MPI_KIND_COLLECTIVE] = TAGS("collective"),
    [MPI_KIND_ONESIDED] = TAGS("onesided"),
    [MPI_KIND_IO] = TAGS("io"),
    [MPI_KIND_COMMUNICATOR] = TAGS("communicator"),
    [MPI_KIND_PROCESS] = TAGS("process"),
    [MPI_KIND_LIFECYCLE] = TAGS("lifecycle"),
};

#define ENDS_IN_C(text) (sizeof(text) > 2 && (text)[sizeof(text) - 3] == '_' && (text)[sizeof(text) - 2] == 'c')

const struct mpi_function mpi_functions[MPI_FUNCTION_COUNT] = {
#define FUNCTION(name, kind, nargs, ...) {"MPI_" #name, MPI_KIND_##kind, nargs, ENDS_IN_C(#name), {__VA_ARGS__}},
#include "functions.inc"
#undef FUNCTION
};
