/* On four ranks: a ring, a halo exchange, an alltoallv with uneven counts, a gather whose receive arguments are not
 * significant at the other ranks, and receives from any source. carried.sh has the bytes. */
#include <mpi.h>
#include <string.h>

enum { RANKS = 4 };
static char from[4096], to[RANKS][4096];

static void ring(int rank) {
    for (int i = 0; i < 3; i++)
        MPI_Sendrecv(from, 10 * (rank + 1), MPI_INT, (rank + 1) % RANKS, 7, to[0], 1000, MPI_INT,
                     (rank + RANKS - 1) % RANKS, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void halo(int rank) {
    int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < RANKS ? rank + 1 : MPI_PROC_NULL;
    MPI_Request requests[4];
    MPI_Irecv(to[0], 100, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(to[1], 100, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(from, 8, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(from, 8, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void uneven(int rank) {
    int counts[RANKS], coming[RANKS], places[RANKS];
    for (int i = 0; i < RANKS; i++) {
        counts[i] = RANKS * rank + i;
        coming[i] = RANKS * i + rank;
        places[i] = 100 * i;
    }
    MPI_Alltoallv(from, counts, places, MPI_INT, to, coming, places, MPI_INT, MPI_COMM_WORLD);
}

static void any_source(int rank) {
    MPI_Request requests[RANKS - 1];
    if (rank)
        MPI_Send(from, 100 * rank, MPI_BYTE, 0, 40 + rank, MPI_COMM_WORLD);
    else {
        for (int i = 0; i < RANKS - 1; i++)
            MPI_Irecv(to[i], 4096, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < RANKS - 1; i++) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ring(rank);
    halo(rank);
    uneven(rank);
    if (rank)
        MPI_Gather(from, 5, MPI_INT, NULL, -3, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    else
        MPI_Gather(from, 5, MPI_INT, to, 5, MPI_INT, 0, MPI_COMM_WORLD);
    any_source(rank);
    MPI_Finalize();
    return 0;
}
