/* MPI_Pcontrol as users write it, and with what registers may hold; messages before, in and after a pause. */
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, size, value = 7;
    MPI_Request request, lost;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int other = (rank + 1) % size;
    MPI_Pcontrol(1, "solve");
    MPI_Pcontrol(1, "inner loop");
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Pcontrol(-1, "solve"); /* does not nest: nothing */
    MPI_Pcontrol(-1, "inner loop");
    MPI_Pcontrol(-1, "solve");
    MPI_Pcontrol(1, (char *)16);
    MPI_Pcontrol(-1, (char *)16);
    MPI_Pcontrol(1, "two\nlines");
    MPI_Pcontrol(5, "five");
    double buffer[4] = {0}, got[4];
    MPI_Irecv(got, 4, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &lost); /* completed unseen */
    MPI_Pcontrol(0);
    MPI_Send(buffer, 4, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
    MPI_Wait(&lost, MPI_STATUS_IGNORE);
    for (int i = 0; i < 5; i++) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    MPI_Irecv(got, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &request);
    MPI_Send(buffer, 2, MPI_DOUBLE, other, 2, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0, flag; i < 100; i++) MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
