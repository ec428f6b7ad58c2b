/* threads.c: four threads a rank talk at once, each on a communicator of its own; then a forked child that does not. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define CALLS   500
static MPI_Comm comms[THREADS];

static void *talk(void *which) {
    int one = 1, sum;
    for (int i = 0; i < CALLS; i++) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, *(MPI_Comm *)which);
    return NULL;
}

int main(int argc, char **argv) {
    int level, flag;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level < MPI_THREAD_MULTIPLE) {
        puts("no threads");
        MPI_Finalize();
        return 77;
    }
    for (int i = 0; i < THREADS; i++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, talk, &comms[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    pid_t child = fork();
    if (child == 0) _exit(MPI_Initialized(&flag) || !flag); /* legal anywhere */
    int status;
    waitpid(child, &status, 0);
    printf("child %d\n", status);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return status != 0;
}
