/* Threads that each make communicators from one of their own, all of the same ranks: they get ready in another order on
 * each rank (no topologies: of these Open MPI 4.1 falls over its own threads now and then). A message's tag tells which
 * communicator it goes by, and so does the communicator's name. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 25 };
static MPI_Comm own[THREADS];
static int rank, size;

static void pass(MPI_Comm comm, int tag) {
    char bytes[3] = "", name[16];
    int me;
    snprintf(name, sizeof name, "%d", tag);
    MPI_Comm_set_name(comm, name);
    MPI_Comm_rank(comm, &me);
    MPI_Sendrecv_replace(bytes, 3, MPI_CHAR, (me + 1) % size, tag, (me + size - 1) % size, tag, comm,
                         MPI_STATUS_IGNORE);
}

static void *make(void *argument) {
    const long thread = (long)argument;
    unsigned seed = (unsigned)(rank * THREADS + thread);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm split, copy;
        usleep((unsigned)rand_r(&seed) % 600);
        MPI_Comm_split(own[thread], 0, -rank, &split);
        MPI_Comm_dup(split, &copy);
        const int tag = (int)thread * 1000 + round * 10;
        pass(split, tag);
        pass(copy, tag + 1);
        MPI_Comm_free(&split);
        MPI_Comm_free(&copy);
    }
    return NULL;
}

int main(int argc, char **argv) {
    int provided;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) return 77;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < THREADS; i++) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, make, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    MPI_Finalize();
    return 0;
}
