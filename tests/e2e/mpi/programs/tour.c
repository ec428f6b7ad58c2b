/* tour.c: two ranks call most of what MPI has, check what they get, and print one line a rank. argv[1]: a scratch file.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define W MPI_COMM_WORLD
#define N 8
static int rank, size, other, wrong;
static int a[4 * N], b[4 * N];
static int ones[2] = {1, 1}, places[2] = {0, 1};
static MPI_Datatype ints[2];

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%d: line %d: %s\n", rank, __LINE__, #condition);                                          \
            wrong++;                                                                                                   \
        }                                                                                                              \
    } while (0)

static void wait_one(MPI_Request *request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

static void point_to_point(void) {
    static char attached[1 << 16];
    MPI_Request r[4], one;
    MPI_Status s[4];
    int flag = 0, n, index, indices[4];
    MPI_Buffer_attach(attached, sizeof attached);
    a[0] = 100 + rank;
    for (int i = 0; i < 3; i++) {
        if (rank == 0) {
            MPI_Send(a, N, MPI_INT, 1, i, W);
            MPI_Ssend(a, N, MPI_INT, 1, i, W);
            MPI_Bsend(a, N, MPI_INT, 1, i, W);
        } else {
            for (int k = 0; k < 3; k++) MPI_Recv(b, N, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, s);
            CHECK(b[0] == 100 && s[0].MPI_TAG == i && s[0].MPI_SOURCE == 0);
        }
    }
    MPI_Sendrecv(a, N, MPI_INT, other, 1, b, N, MPI_INT, other, 1, W, MPI_STATUS_IGNORE);
    CHECK(b[0] == 100 + other);
    MPI_Sendrecv_replace(b, N, MPI_INT, other, 2, other, 2, W, s);
    CHECK(b[0] == 100 + rank);
    MPI_Irecv(b, N, MPI_INT, other, 3, W, &r[0]);
    MPI_Irecv(b + N, N, MPI_INT, other, 4, W, &r[1]);
    MPI_Isend(a, N, MPI_INT, other, 3, W, &r[2]);
    MPI_Issend(a, N, MPI_INT, other, 4, W, &r[3]);
    MPI_Waitall(4, r, s);
    MPI_Irecv(b, N, MPI_INT, other, 5, W, &r[0]);
    MPI_Ibsend(a, N, MPI_INT, other, 5, W, &r[1]);
    MPI_Waitany(2, r, &index, s);
    MPI_Waitsome(2, r, &n, indices, s);
    MPI_Irecv(b, N, MPI_INT, other, 6, W, &one);
    MPI_Barrier(W);
    MPI_Irsend(a, N, MPI_INT, other, 6, W, &r[0]);
    while (!flag) MPI_Test(&one, &flag, s);
    for (flag = 0; !flag;) MPI_Testall(1, r, &flag, s);
    MPI_Testany(1, r, &index, &flag, s);
    MPI_Testsome(1, r, &n, indices, s);
    MPI_Isend(a, N, MPI_INT, other, 7, W, &one);
    for (flag = 0; !flag;) MPI_Iprobe(other, 7, W, &flag, s);
    MPI_Probe(other, 7, W, s);
    MPI_Message message;
    MPI_Mprobe(other, 7, W, &message, s);
    MPI_Mrecv(b, N, MPI_INT, &message, s);
    wait_one(&one);
    MPI_Isend(a, N, MPI_INT, other, 8, W, &one);
    for (flag = 0; !flag;) MPI_Improbe(other, 8, W, &flag, &message, s);
    MPI_Imrecv(b, N, MPI_INT, &message, &r[0]);
    wait_one(&r[0]);
    wait_one(&one);
    MPI_Irecv(b, N, MPI_INT, other, 99, W, &one);
    MPI_Cancel(&one);
    MPI_Wait(&one, s);
    MPI_Test_cancelled(s, &flag);
    CHECK(flag);
    MPI_Send_init(a, N, MPI_INT, other, 9, W, &r[0]);
    MPI_Recv_init(b, N, MPI_INT, other, 9, W, &r[1]);
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Start(&r[1]);
    MPI_Start(&r[0]);
    MPI_Request_get_status(r[0], &flag, s);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Bsend_init(a, N, MPI_INT, MPI_PROC_NULL, 0, W, &r[0]);
    MPI_Ssend_init(a, N, MPI_INT, MPI_PROC_NULL, 0, W, &r[1]);
    MPI_Rsend_init(a, N, MPI_INT, MPI_PROC_NULL, 0, W, &r[2]);
    for (int i = 0; i < 3; i++) MPI_Request_free(&r[i]);
    MPI_Rsend(a, 0, MPI_INT, MPI_PROC_NULL, 0, W);
    void *buffer;
    MPI_Buffer_detach(&buffer, &n);
}

static void collectives(void) {
    MPI_Barrier(W);
    a[0] = rank + 1;
    b[0] = rank == 0 ? 7 : 0;
    MPI_Bcast(b, 1, MPI_INT, 0, W);
    CHECK(b[0] == 7);
    MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, 0, W);
    MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, W);
    CHECK(b[0] == size * (size + 1) / 2);
    b[0] = rank;
    MPI_Allreduce(MPI_IN_PLACE, b, 1, MPI_INT, MPI_MAX, W);
    CHECK(b[0] == size - 1);
    MPI_Reduce_local(a, b, 1, MPI_INT, MPI_SUM);
    MPI_Scan(a, b, 1, MPI_INT, MPI_SUM, W);
    MPI_Exscan(a, b, 1, MPI_INT, MPI_SUM, W);
    /* Arguments that do not matter on the other ranks are no data types at all. */
    if (rank == 0) {
        MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, 0, W);
        CHECK(b[1] == 2);
        MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, ones, places, MPI_INT, 0, W);
        MPI_Scatter(b, 1, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, W);
        MPI_Scatterv(b, ones, places, MPI_INT, a + 1, 1, MPI_INT, 0, W);
    } else {
        MPI_Gather(a, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, W);
        MPI_Gatherv(a, 1, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 0, W);
        MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, a + 1, 1, MPI_INT, 0, W);
        MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, a + 1, 1, MPI_INT, 0, W);
        CHECK(a[1] == 2);
    }
    MPI_Allgather(a, 1, MPI_INT, b, 1, MPI_INT, W);
    MPI_Allgatherv(a, 1, MPI_INT, b, ones, places, MPI_INT, W);
    MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, W);
    MPI_Alltoallv(a, ones, places, MPI_INT, b, ones, places, MPI_INT, W);
    MPI_Alltoallw(a, ones, places, ints, b, ones, places, ints, W);
    MPI_Reduce_scatter(a, b, ones, MPI_INT, MPI_SUM, W);
    MPI_Reduce_scatter_block(a, b, 1, MPI_INT, MPI_SUM, W);
}

static void nonblocking_collectives(void) {
    MPI_Request r;
#define NOW(call)                                                                                                      \
    do {                                                                                                               \
        call;                                                                                                          \
        wait_one(&r);                                                                                                  \
    } while (0)
    NOW(MPI_Ibarrier(W, &r));
    NOW(MPI_Ibcast(a, 1, MPI_INT, 0, W, &r));
    NOW(MPI_Ireduce(a, b, 1, MPI_INT, MPI_SUM, 0, W, &r));
    NOW(MPI_Iallreduce(a, b, 1, MPI_INT, MPI_SUM, W, &r));
    NOW(MPI_Iscan(a, b, 1, MPI_INT, MPI_SUM, W, &r));
    NOW(MPI_Iexscan(a, b, 1, MPI_INT, MPI_SUM, W, &r));
    NOW(MPI_Igather(a, 1, MPI_INT, b, 1, MPI_INT, 0, W, &r));
    NOW(MPI_Igatherv(a, 1, MPI_INT, b, ones, places, MPI_INT, 0, W, &r));
    NOW(MPI_Iscatter(a, 1, MPI_INT, b, 1, MPI_INT, 0, W, &r));
    NOW(MPI_Iscatterv(a, ones, places, MPI_INT, b, 1, MPI_INT, 0, W, &r));
    NOW(MPI_Iallgather(a, 1, MPI_INT, b, 1, MPI_INT, W, &r));
    NOW(MPI_Iallgatherv(a, 1, MPI_INT, b, ones, places, MPI_INT, W, &r));
    NOW(MPI_Ialltoall(a, 1, MPI_INT, b, 1, MPI_INT, W, &r));
    NOW(MPI_Ialltoallv(a, ones, places, MPI_INT, b, ones, places, MPI_INT, W, &r));
    NOW(MPI_Ialltoallw(a, ones, places, ints, b, ones, places, ints, W, &r));
    NOW(MPI_Ireduce_scatter(a, b, ones, MPI_INT, MPI_SUM, W, &r));
    NOW(MPI_Ireduce_scatter_block(a, b, 1, MPI_INT, MPI_SUM, W, &r));
}

static void communicators(void) {
    MPI_Comm c, d;
    MPI_Request r;
    MPI_Group all;
    int dims[1] = {2}, periods[1] = {1}, keep[1] = {1}, index[2] = {1, 2}, edges[2] = {1, 0}, n = 1;
    MPI_Comm_dup(W, &c);
    MPI_Comm_free(&c);
    MPI_Comm_dup_with_info(W, MPI_INFO_NULL, &c);
    MPI_Comm_disconnect(&c);
    MPI_Comm_idup(W, &c, &r);
    wait_one(&r);
    MPI_Comm_free(&c);
    MPI_Comm_split(W, rank, 0, &c);
    MPI_Intercomm_create(c, 0, W, other, 12, &d);
    MPI_Comm_free(&c);
    MPI_Intercomm_merge(d, rank, &c);
    MPI_Comm_free(&c);
    MPI_Comm_free(&d);
    MPI_Comm_split_type(W, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c);
    MPI_Comm_free(&c);
    MPI_Comm_group(W, &all);
    MPI_Comm_create(W, all, &c);
    MPI_Comm_free(&c);
    MPI_Comm_create_group(W, all, 5, &c);
    MPI_Comm_free(&c);
    MPI_Group_free(&all);
    MPI_Cart_create(W, 1, dims, periods, 0, &c);
    MPI_Cart_sub(c, keep, &d);
    MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, c);
    MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, c);
    NOW(MPI_Ineighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, c, &r));
    NOW(MPI_Ineighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, c, &r));
    MPI_Comm_free(&d);
    MPI_Comm_free(&c);
    MPI_Graph_create(W, 2, index, edges, 0, &c);
    MPI_Comm_free(&c);
    MPI_Dist_graph_create(W, 1, &rank, &n, &other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c);
    MPI_Comm_free(&c);
    MPI_Dist_graph_create_adjacent(W, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c);
    MPI_Neighbor_allgatherv(a, 1, MPI_INT, b, ones, places, MPI_INT, c);
    MPI_Neighbor_alltoallv(a, ones, places, MPI_INT, b, ones, places, MPI_INT, c);
    MPI_Comm_free(&c);
}

static void one_sided(void) {
    MPI_Win w;
    MPI_Request r;
    MPI_Group all, peer;
    int memory[N] = {0}, got = 0, one = 1, two = 2, *p;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, W, &w);
    MPI_Win_fence(0, w);
    MPI_Put(&two, 1, MPI_INT, other, 0, 1, MPI_INT, w);
    MPI_Accumulate(&one, 1, MPI_INT, other, 1, 1, MPI_INT, MPI_SUM, w);
    MPI_Win_fence(0, w);
    MPI_Get(&got, 1, MPI_INT, other, 0, 1, MPI_INT, w);
    MPI_Win_fence(0, w);
    CHECK(got == 2 && memory[0] == 2 && memory[1] == 1);
    MPI_Comm_group(W, &all);
    MPI_Group_incl(all, 1, &other, &peer);
    MPI_Win_post(peer, 0, w);
    MPI_Win_start(peer, 0, w);
    MPI_Win_complete(w);
    MPI_Win_wait(w);
    MPI_Group_free(&all);
    MPI_Group_free(&peer);
    MPI_Win_free(&w);
    MPI_Win_allocate(sizeof(int) * N, sizeof(int), MPI_INFO_NULL, W, &p, &w);
    memset(p, 0, sizeof(int) * N);
    MPI_Barrier(W);
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, w);
    MPI_Fetch_and_op(&one, &got, MPI_INT, other, 0, MPI_SUM, w);
    MPI_Win_flush(other, w);
    MPI_Compare_and_swap(&two, &one, &got, MPI_INT, other, 0, w);
    MPI_Win_flush_local(other, w);
    MPI_Get_accumulate(&one, 1, MPI_INT, &got, 1, MPI_INT, other, 2, 1, MPI_INT, MPI_SUM, w);
    MPI_Win_unlock(other, w);
    MPI_Win_lock_all(0, w);
    NOW(MPI_Rput(&two, 1, MPI_INT, other, 3, 1, MPI_INT, w, &r));
    NOW(MPI_Rget(&got, 1, MPI_INT, other, 3, 1, MPI_INT, w, &r));
    NOW(MPI_Raccumulate(&one, 1, MPI_INT, other, 4, 1, MPI_INT, MPI_SUM, w, &r));
    NOW(MPI_Rget_accumulate(&one, 1, MPI_INT, &got, 1, MPI_INT, other, 4, 1, MPI_INT, MPI_SUM, w, &r));
    CHECK(got == 1);
    MPI_Win_flush_all(w);
    MPI_Win_flush_local_all(w);
    MPI_Win_sync(w);
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
    MPI_Win_create_dynamic(MPI_INFO_NULL, W, &w);
    MPI_Win_attach(w, memory, sizeof memory);
    MPI_Win_detach(w, memory);
    MPI_Win_free(&w);
}

static void files(const char *path) {
    MPI_File f;
    MPI_Request r;
    MPI_Status s;
    MPI_Offset place = rank * N * (MPI_Offset)sizeof(int);
    MPI_File_open(W, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    MPI_File_set_size(f, 0);
    for (int i = 0; i < N; i++) a[i] = rank * N + i;
    MPI_File_write_at(f, place, a, N, MPI_INT, &s);
    MPI_File_write_at_all(f, place, a, N, MPI_INT, &s);
    MPI_File_sync(f);
    MPI_Barrier(W);
    MPI_File_read_at(f, other * N * (MPI_Offset)sizeof(int), b, N, MPI_INT, &s);
    CHECK(b[N - 1] == other * N + N - 1);
    MPI_File_read_at_all(f, place, b, N, MPI_INT, &s);
    MPI_File_seek(f, place, MPI_SEEK_SET);
    MPI_File_read(f, b, N, MPI_INT, &s);
    MPI_File_seek(f, place, MPI_SEEK_SET);
    MPI_File_write_all(f, a, N, MPI_INT, &s);
    MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_read_all(f, b, N, MPI_INT, &s);
    NOW(MPI_File_iwrite_at(f, rank * N, a, N, MPI_INT, &r));
    NOW(MPI_File_iread_at(f, rank * N, b, N, MPI_INT, &r));
    CHECK(b[1] == rank * N + 1);
    MPI_File_write_at_all_begin(f, rank * N, a, N, MPI_INT);
    MPI_File_write_at_all_end(f, a, &s);
    MPI_File_set_atomicity(f, 1);
    MPI_File_preallocate(f, 4096);
    MPI_File_close(&f);
    if (rank == 0) MPI_File_delete(path, MPI_INFO_NULL);
}

#if MPI_VERSION >= 4
static void version_4(void) {
    MPI_Request r[2];
    MPI_Count n = N;
    int arrived;
    MPI_Bcast_c(a, n, MPI_INT, 0, W);
    MPI_Allreduce_c(a, b, n, MPI_INT, MPI_SUM, W);
    MPI_Sendrecv_c(a, n, MPI_INT, other, 1, b, n, MPI_INT, other, 1, W, MPI_STATUS_IGNORE);
    MPI_Isendrecv(a, N, MPI_INT, other, 1, b, N, MPI_INT, other, 1, W, &r[0]);
    wait_one(&r[0]);
    MPI_Allreduce_init(a, b, N, MPI_INT, MPI_SUM, W, MPI_INFO_NULL, &r[0]);
    MPI_Start(&r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Psend_init(a, 2, 4, MPI_INT, other, 3, W, MPI_INFO_NULL, &r[0]);
    MPI_Precv_init(b, 2, 4, MPI_INT, other, 3, W, MPI_INFO_NULL, &r[1]);
    MPI_Startall(2, r);
    MPI_Pready(0, r[0]);
    MPI_Pready_range(1, 1, r[0]);
    MPI_Parrived(r[1], 0, &arrived);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}
#else
static void version_4(void) {}
#endif

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    other = 1 - rank;
    ints[0] = ints[1] = MPI_INT;
    point_to_point();
    collectives();
    nonblocking_collectives();
    communicators();
    one_sided();
    files(argv[1]);
    version_4();
    MPI_Pcontrol(1, "tour");
    MPI_Pcontrol(-1, "tour");
    printf("rank %d of %d: %d wrong\n", rank, size, wrong);
    MPI_Finalize();
    return wrong != 0;
}
