#include "shape.h"

#include <string.h>

static bool contains(const char *name, const char *part) { return strstr(name, part) != NULL; }

static enum mpi_pattern pattern_of(const char *name) {
    static const struct {
        const char *part;
        enum mpi_pattern pattern;
    } patterns[] = {/* the first that is in the name, its I aside */
                    {"arrier", MPI_BARRIER},
                    {"bcast", MPI_BCAST},
                    {"Bcast", MPI_BCAST},
                    {"llgather", MPI_ALLGATHER},
                    {"lltoall", MPI_ALLTOALL},
                    {"llreduce", MPI_ALLREDUCE},
                    {"educe_scatter", MPI_REDUCE_SCATTER},
                    {"educe_local", MPI_LOCAL},
                    {"educe", MPI_REDUCE},
                    {"xscan", MPI_ALLREDUCE},
                    {"can", MPI_ALLREDUCE},
                    {"catter", MPI_SCATTER},
                    {"ather", MPI_GATHER}};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        /* "Iscan" and "Scan" have "can" in the same place as nothing else */
        if (contains(name + 4, patterns[i].part)) return patterns[i].pattern;
    }
    return MPI_BARRIER;
}

static const uint8_t tellers[] = {
    [MPI_KIND_SEND] = MPI_TELL_SEND,
    [MPI_KIND_RECEIVE] = MPI_TELL_RECEIVE,
    [MPI_KIND_SENDRECV] = MPI_TELL_SENDRECV,
    [MPI_KIND_PROBE] = MPI_TELL_PROBE,
    [MPI_KIND_COMPLETION] = MPI_TELL_COMPLETION,
    [MPI_KIND_REQUEST] = MPI_TELL_REQUEST,
    [MPI_KIND_COLLECTIVE] = MPI_TELL_COLLECTIVE,
    [MPI_KIND_ONESIDED] = MPI_TELL_ONESIDED,
    [MPI_KIND_IO] = MPI_TELL_IO,
    [MPI_KIND_COMMUNICATOR] = MPI_TELL_PLACE,
    [MPI_KIND_PROCESS] = MPI_TELL_PLACE,
    [MPI_KIND_LIFECYCLE] = MPI_TELL_PLACE,
};

/* Calls that a communicator's members make together without being of kind collective. */
static bool is_collective(const struct mpi_function *function) {
    static const char *const windows[] = {"Win_allocate", "Win_create", "Win_free", "Win_fence"};
    if (function->kind == MPI_KIND_COLLECTIVE) return !contains(function->name, "educe_local");
    if (function->kind == MPI_KIND_COMMUNICATOR)
        return !contains(function->name, "_group") && !contains(function->name, "Intercomm_create");
    for (size_t i = 0; function->kind == MPI_KIND_ONESIDED && i < sizeof windows / sizeof *windows; i++)
        if (contains(function->name, windows[i])) return true;
    return function->kind == MPI_KIND_IO && (contains(function->name, "File_open") || contains(function->name, "_all"));
}

void mpi_shape_of(const struct mpi_function *function, struct mpi_shape *shape) {
    const char *name = function->name;
    *shape = (struct mpi_shape){.teller = tellers[function->kind], .large = function->large};
    memset(shape->at, -1, sizeof shape->at);
    for (int i = 0; i < function->nargs; i++)
        if (shape->at[function->roles[i]] < 0) shape->at[function->roles[i]] = (int8_t)i;
    if (function->kind == MPI_KIND_COLLECTIVE) shape->pattern = pattern_of(name);
    shape->persistent = contains(name, "_init") && shape->at[MPI_ROLE_REQUEST_AT] >= 0;
    shape->neighbors = contains(name, "eighbor");
    shape->writes = contains(name, "write") || contains(name, "ut") || contains(name, "ccumulate");
    shape->fetches =
        contains(name, "et_accumulate") || contains(name, "Fetch_and_op") || contains(name, "Compare_and_swap");
    shape->collective = is_collective(function);
    shape->frees = !strcmp(name, "MPI_Comm_free") || !strcmp(name, "MPI_Comm_disconnect") ||
                   !strcmp(name, "MPI_Win_free") || !strcmp(name, "MPI_File_close");
    shape->makes_comm = shape->at[MPI_ROLE_NEWCOMM_AT] >= 0 && shape->at[MPI_ROLE_REQUEST_AT] < 0;
    shape->duplicates = shape->makes_comm && contains(name, "Comm_dup");
    shape->aliases = !shape->frees && shape->at[MPI_ROLE_COMM] >= 0 &&
                     (shape->at[MPI_ROLE_WIN_AT] >= 0 || shape->at[MPI_ROLE_FILE_AT] >= 0);
    shape->polls = shape->at[MPI_ROLE_FLAG_AT] >= 0 && !contains(name, "Test_cancelled");
    shape->removes_message = function->kind == MPI_KIND_RECEIVE && shape->at[MPI_ROLE_MESSAGE_AT] >= 0;
    shape->cancels = !strcmp(name, "MPI_Cancel");
    shape->gives_status = shape->at[MPI_ROLE_STATUS_AT] >= 0 && !(function->kind == MPI_KIND_PROBE && shape->polls) &&
                          !contains(name, "Test_cancelled") && !contains(name, "get_status");
    shape->prepares = shape->gives_status || shape->at[MPI_ROLE_REQUEST_LIST] >= 0 || shape->frees ||
                      shape->removes_message || function->kind == MPI_KIND_COMPLETION ||
                      function->kind == MPI_KIND_REQUEST;
}
