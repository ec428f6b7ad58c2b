/* A bar cools down on several ranks, which exchange its cells at their borders, in C:
 *
 *     mpicc -g halo.c -o halo
 *     mpirun -n 4 scope-profiler run -o halo.h5 ./halo
 *     scope-profiler mpi halo.h5
 *     scope-profiler mpi --waits halo.h5
 *
 * Rank 0 has more cells than the others: they wait for it. */
#include <mpi.h>
#include <stdio.h>

enum { CELLS = 20000, STEPS = 100 };
static double bar[10 * CELLS + 2], next[10 * CELLS + 2];

int main(int argc, char **argv) {
    int rank, size;
    double heat = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    const int cells = rank == 0 ? 10 * CELLS : CELLS;
    if (rank == 0) bar[cells / 2] = 1;

    for (int step = 0; step < STEPS; step++) {
        MPI_Pcontrol(1, "step"); /* a region, without a word of ours */
        MPI_Sendrecv(&bar[cells], 1, MPI_DOUBLE, right, 0, &bar[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&bar[1], 1, MPI_DOUBLE, left, 1, &bar[cells + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int i = 1; i <= cells; i++) next[i] = bar[i] + 0.25 * (bar[i - 1] - 2 * bar[i] + bar[i + 1]);
        for (int i = 1; i <= cells; i++) bar[i] = next[i];
        MPI_Pcontrol(-1, "step");
    }
    for (int i = 1; i <= cells; i++) heat += bar[i];
    MPI_Allreduce(&heat, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("heat: %.6f\n", sum);
    MPI_Finalize();
    return 0;
}
