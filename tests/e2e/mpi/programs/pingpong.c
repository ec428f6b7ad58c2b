/* pingpong.c ROUNDS: rank 0 and every other rank in turn send each other ROUNDS messages and wait for them. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int rounds = atoi(argv[1]);
    for (int other = 1; other < size; other++) {
        for (int i = 0; i < rounds; i++) {
            if (rank == 0) {
                MPI_Send(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
                MPI_Recv(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else if (rank == other) {
                MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
