/* fake_mpi.c: a library that only looks like an MPI. With -DSTUB as the stubs that serial builds of programs bring (no
 * PMPI_ functions), else as an MPI of the standard's ABI with one rank, named by its file. It never touches errno. */
#include <stdio.h>
#include <string.h>

#define COMM_WORLD 0x101

static int initialized, finalized;

#ifdef STUB
#    define DEFINE(result, name, parameters, ...) result MPI_##name parameters __VA_ARGS__
#else
#    define DEFINE(result, name, parameters, ...)                                                                      \
        result PMPI_##name parameters __VA_ARGS__ __typeof__(PMPI_##name) MPI_##name                                   \
            __attribute__((weak, alias("PMPI_" #name)));
#endif

DEFINE(int, Init, (int *argc, char ***argv), { return (void)argc, (void)argv, initialized = 1, 0; })
DEFINE(int, Finalize, (void), { return finalized = 1, 0; })
DEFINE(int, Initialized, (int *flag), { return *flag = initialized, 0; })
DEFINE(int, Finalized, (int *flag), { return *flag = finalized, 0; })
DEFINE(int, Allreduce, (const int *in, int *out, int count, long type, long op, long comm),
       { return memcpy(out, in, sizeof(int) * (unsigned)count), (void)type, (void)op, comm == COMM_WORLD ? 0 : 5; })
DEFINE(int, Barrier, (long comm), { return comm == COMM_WORLD ? 0 : 5; })
#ifndef STUB
DEFINE(int, Comm_rank, (long comm, int *rank), { return *rank = 0, comm == COMM_WORLD ? 0 : 5; })
DEFINE(int, Comm_size, (long comm, int *size), { return *size = 1, comm == COMM_WORLD ? 0 : 5; })
DEFINE(int, Comm_dup, (long comm, long *copy), { return *copy = comm, 0; })
DEFINE(int, Type_size, (long type, int *size), { return *size = type == 0x247, 0; })
DEFINE(int, Get_library_version, (char *text, int *length),
       { return *length = sprintf(text, "Fake MPI 5.0\nsecond line"), 0; })
#endif
