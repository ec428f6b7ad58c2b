"""The same as carried.c."""
from mpi4py import MPI

RANKS = 4
world = MPI.COMM_WORLD
rank = world.rank
data, room = bytearray(4096), [bytearray(4096) for _ in range(RANKS)]
for _ in range(3):
    world.Sendrecv([data, 10 * (rank + 1), MPI.INT], (rank + 1) % RANKS, 7, [room[0], 1000, MPI.INT],
                   (rank - 1) % RANKS, 7)
left, right = rank - 1 if rank else MPI.PROC_NULL, rank + 1 if rank + 1 < RANKS else MPI.PROC_NULL
MPI.Request.Waitall([
    world.Irecv([room[0], 100, MPI.DOUBLE], left, 1),
    world.Irecv([room[1], 100, MPI.DOUBLE], right, 2),
    world.Isend([data, 8, MPI.DOUBLE], right, 1),
    world.Isend([data, 8, MPI.DOUBLE], left, 2),
])
places = [100 * i for i in range(RANKS)]
all_room = bytearray(RANKS * 4096)
world.Alltoallv([data, ([RANKS * rank + i for i in range(RANKS)], places), MPI.INT],
                [all_room, ([RANKS * i + rank for i in range(RANKS)], places), MPI.INT])
world.Gather([data, 5, MPI.INT], [all_room, 5, MPI.INT] if rank == 0 else None, 0)
if rank:
    world.Send([data, 100 * rank, MPI.BYTE], 0, 40 + rank)
else:
    requests = [world.Irecv([room[i], 4096, MPI.BYTE], MPI.ANY_SOURCE, MPI.ANY_TAG) for i in range(RANKS - 1)]
    for request in requests:
        request.Wait()
