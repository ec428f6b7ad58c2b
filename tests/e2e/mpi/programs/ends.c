/* ends.c HOW: every rank makes 1000 MPI_Allreduce, then the program ends in one of the ways in which programs end. */
#include "mk.h"
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void finalize(void) { MPI_Finalize(); }

static void others_wait(void) { MPI_Barrier(MPI_COMM_WORLD); /* for a rank that never comes */ }

static int end(const char *how, int rank) {
#define IS(word) (strcmp(how, word) == 0)
    if (IS("return")) return 0; /* without MPI_Finalize */
    if (IS("atexit")) return atexit(finalize) ? 9 : 5;
    if (IS("after")) {
        MPI_Finalize();
        MB("after");
        ms(20);
        ME("after");
        return 0;
    }
    if (rank == 0 && (IS("abort") || IS("segv") || IS("exit") || IS("_exit") || IS("kill"))) others_wait();
    if (IS("abort")) {
        sleep(1); /* rank 0 has come to its barrier */
        MPI_Abort(MPI_COMM_WORLD, 9);
    }
    if (IS("segv")) raise(SIGSEGV);
    if (IS("exit")) exit(3);
    if (IS("_exit")) _exit(3);
    if (IS("kill")) raise(SIGKILL);
    if (IS("err")) MPI_Send(&rank, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return IS("late") && rank == 1 ? 6 : 0;
}

int main(int argc, char **argv) {
    int rank, size, one = 1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MB("work");
    for (int i = 0; i < 1000; i++) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    ME("work");
    printf("rank %d: %d\n", rank, sum);
    fflush(stdout);
    return end(argv[1], rank);
}
