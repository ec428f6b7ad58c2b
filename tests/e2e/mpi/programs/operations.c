/* On four ranks: every other way to move data, once; operations.sh has the bytes. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { RANKS = 4 };
static int rank;
static int from[65536], to[65536];

static void persistent(void) {
    MPI_Request requests[2];
    MPI_Send_init(from, 25, MPI_INT, (rank + 1) % RANKS, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(to, 50, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void matched(void) { /* by probes that take the message */
    MPI_Message message;
    MPI_Status status;
    MPI_Request request;
    int flag = 0;
    if (rank == 0) {
        MPI_Mprobe(1, 5, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(to, 100, MPI_INT, &message, MPI_STATUS_IGNORE);
        while (!flag) MPI_Improbe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(to, 100, MPI_INT, &message, &request);
        flag = 0;
        while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(NULL, 0, MPI_INT, &message, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Ssend(from, 30, MPI_INT, 0, 5, MPI_COMM_WORLD);
        MPI_Rsend(from, 0, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
        usleep(20000);
        MPI_Send(from, 31, MPI_INT, 0, 6, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void none(void) { /* receives that nothing comes of: no messages, whatever their status has in it */
    MPI_Request requests[2];
    MPI_Irecv(to, 100, MPI_INT, rank, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(to, 100, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Cancel(&requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#if MPI_VERSION >= 4
    MPI_Isendrecv(from, 10, MPI_INT, (rank + 1) % RANKS, 8, to, 100, MPI_INT, (rank + RANKS - 1) % RANKS, 8,
                  MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
#endif
}

static void in_place(void) {
    int counts[RANKS] = {1, 2, 3, 4}, places[RANKS] = {0, 1, 3, 6};
    const int root = 2;
    if (rank == root) {
        MPI_Scatter(from, 10, MPI_INT, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
        MPI_Scatterv(from, counts, places, MPI_INT, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
        MPI_Gatherv(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, to, counts, places, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Reduce(MPI_IN_PLACE, to, 6, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    } else {
        MPI_Scatter(NULL, -1, MPI_DATATYPE_NULL, to, 10, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, to, rank + 1, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Gatherv(from, rank + 1, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
        MPI_Reduce(from, NULL, 6, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    }
    MPI_Allgather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, to, 7, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, to, counts, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, to, 2, MPI_INT, MPI_COMM_WORLD);
}

static void others(void) {
    int counts[RANKS] = {1, 2, 3, 4}, coming[RANKS], places[RANKS] = {0, 64, 128, 192};
    MPI_Datatype types[RANKS] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE}, mine[RANKS];
    MPI_Request request;
    for (int i = 0; i < RANKS; i++) coming[i] = rank + 1, mine[i] = types[rank];
    MPI_Alltoallw(from, counts, places, types, to, coming, places, mine, MPI_COMM_WORLD);
    MPI_Reduce_scatter(from, to, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(from, to, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(from, to, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Ibcast(from, 9, MPI_INT, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ialltoall(from, 5, MPI_INT, to, 5, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void subsets(void) { /* ranks of their own, and neighbours */
    MPI_Comm pair, grid;
    int sizes[2] = {2, 2}, periods[2] = {0, 0};
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &pair); /* ranks in it are the other way round */
    MPI_Comm_set_name(pair, "pair");
    int inner;
    MPI_Comm_rank(pair, &inner);
    if (inner == 0)
        MPI_Bsend(from, 0, MPI_INT, MPI_PROC_NULL, 1, pair), MPI_Send(from, 11, MPI_INT, 1, 1, pair);
    else
        MPI_Recv(to, 100, MPI_INT, 0, 1, pair, MPI_STATUS_IGNORE);
    MPI_Comm_free(&pair);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
    MPI_Neighbor_alltoall(from, 2, MPI_INT, to, 2, MPI_INT, grid);
    MPI_Comm_free(&grid);
}

static void windows_and_files(const char *path) {
    MPI_Win window;
    MPI_File file;
    MPI_Request request;
    MPI_Win_create(to, sizeof to, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(from, 12, MPI_INT, (rank + 1) % RANKS, 0, 12, MPI_INT, window);
    MPI_Get(from + 100, 13, MPI_INT, (rank + 1) % RANKS, 100, 13, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Accumulate(from, 14, MPI_INT, 0, 0, 14, MPI_INT, MPI_SUM, window);
    MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, from, 15, MPI_INT, 1, 0, 15, MPI_INT, MPI_NO_OP, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, 400 * rank, from, 16, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(file, 400 * rank + 64, from, 17, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(file, 400 * rank, to, 16, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, 400 * rank, to, 8, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    persistent();
    matched();
    none();
    in_place();
    others();
    subsets();
    windows_and_files(argv[1]);
    MPI_Finalize();
    return 0;
}
