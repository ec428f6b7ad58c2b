/* leaves.c: an error handler that leaves MPI by longjmp; what follows is called from the same depth, from above, from
 * far below, and with many arguments. */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static jmp_buf back;
static int left;

static void leave(MPI_Comm *comm, int *code, ...) {
    (void)comm, (void)code;
    left++;
    longjmp(back, 1);
}

static __attribute__((noinline)) void fail_from(int depth) {
    volatile char room[200];
    memset((char *)room, depth, sizeof room);
    if (depth)
        fail_from(depth - 1);
    else if (!setjmp(back))
        MPI_Send(&left, 1, MPI_INT, 12345, 0, MPI_COMM_WORLD);
    room[0] = 0;
}

static __attribute__((noinline)) void fail_far_below(int depth) {
    volatile char room[200];
    memset((char *)room, depth, sizeof room);
    if (depth)
        fail_far_below(depth - 1);
    else
        MPI_Send(&left, 1, MPI_INT, 12345, 0, MPI_COMM_WORLD);
    room[0] = 0;
}

static __attribute__((noinline)) void barrier_from(int depth) {
    volatile char room[200];
    memset((char *)room, depth, sizeof room);
    if (depth)
        barrier_from(depth - 1);
    else
        MPI_Barrier(MPI_COMM_SELF);
    room[0] = 0;
}

int main(int argc, char **argv) {
    MPI_Errhandler handler;
    int one = 1, two = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    fail_from(0);
    for (int i = 0; i < 3; i++) MPI_Allreduce(&one, &two, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    fail_from(20); /* the call that was left is far below */
    MPI_Sendrecv(&one, 1, MPI_INT, 0, 0, &two, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    if (!setjmp(back)) MPI_Send(&left, 1, MPI_INT, 12345, 0, MPI_COMM_WORLD);
    MPI_Sendrecv(&one, 1, MPI_INT, 0, 0, &two, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    if (!setjmp(back)) MPI_Send(&left, 1, MPI_INT, 12345, 0, MPI_COMM_WORLD);
    barrier_from(30);
    if (!setjmp(back)) fail_far_below(10);
    barrier_from(30);
    printf("left %d\n", left);
    MPI_Finalize();
    return left != 5;
}
