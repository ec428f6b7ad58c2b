#include "functions.h"

#define TAGS(kind) "[\"mpi\",\"mpi.kind:" kind "\"]"

/* By the table's spelling in capitals, so that a row with an unknown kind does not compile. */
#define TAGS_SEND         TAGS("send")
#define TAGS_RECEIVE      TAGS("receive")
#define TAGS_SENDRECV     TAGS("sendrecv")
#define TAGS_PROBE        TAGS("probe")
#define TAGS_COMPLETION   TAGS("completion")
#define TAGS_REQUEST      TAGS("request")
#define TAGS_COLLECTIVE   TAGS("collective")
#define TAGS_ONESIDED     TAGS("onesided")
#define TAGS_IO           TAGS("io")
#define TAGS_COMMUNICATOR TAGS("communicator")
#define TAGS_PROCESS      TAGS("process")
#define TAGS_LIFECYCLE    TAGS("lifecycle")

#define ENDS_IN_C(text) (sizeof(text) > 2 && (text)[sizeof(text) - 3] == '_' && (text)[sizeof(text) - 2] == 'c')

const struct mpi_function mpi_functions[MPI_FUNCTION_COUNT] = {
#define FUNCTION(name, kind, nargs, ...)                                                                               \
    {"MPI_" #name, TAGS_##kind, MPI_KIND_##kind, nargs, ENDS_IN_C(#name), {__VA_ARGS__}},
#include "functions.inc"
#undef FUNCTION
};
