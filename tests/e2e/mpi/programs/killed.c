/* killed.c MILLISECONDS: every rank sends to itself until the time is over, and counts its messages where they can be
 * seen whatever becomes of it: as the first number of count.<rank>; the second is its pid. It ends without
 * MPI_Finalize, which would wait for a rank that is dead. */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

int main(int argc, char **argv) {
    int rank, in = 0, out = 1;
    char path[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "count.%d", rank);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || ftruncate(file, 16)) return 1;
    volatile int64_t *count = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (count == MAP_FAILED) return 1;
    MPI_Barrier(MPI_COMM_WORLD);
    count[1] = getpid();
    for (double end = now() + atof(argv[1]); now() < end;) {
        for (int i = 0; i < 50; i++) {
            MPI_Sendrecv(&out, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
            count[0]++;
        }
        nanosleep(&(struct timespec){0, 200000}, NULL);
    }
    count[1] = 0;
    nanosleep(&(struct timespec){0, 200000000}, NULL); /* the first that ends so may end the others */
    return 0;
}
