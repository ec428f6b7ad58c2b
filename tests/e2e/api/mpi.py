"""Three ranks, of which one records nothing after setup(); the file is rank 0's and holds all of them."""
import os
import sys

from mpi4py import MPI

import scope_profiler as sp

comm = MPI.COMM_WORLD
rank = comm.Get_rank()


@sp.profile
def work():
    pass


def finalize():
    return sp.finalize(verbose=False, return_results=True)


os.chdir(sys.argv[1] if rank == 0 else sys.argv[2])  # the file is rank 0's affair
sp.setup(file_path="mpi.h5", label="three")
for _ in range([3, 0, 5][rank]):
    work()
results = finalize()
assert results.is_root is (rank == 0)
if rank == 0:
    assert results.num_ranks == 3 and results["work"].num_calls_per_rank() == {0: 3, 2: 5}, results
else:
    assert len(results) == 0
    results.print_summary()

# A second one has what came after the first.
if rank == 1:
    work()
results = finalize()
if rank == 0:
    assert results["work"].num_calls_per_rank() == {1: 1}, results["work"].num_calls_per_rank()

# In memory, added up.
sp.setup(output=None, aggregation_mode=True)
for _ in range(1000 * (rank + 1)):
    work()
results = finalize()
if rank == 0:
    assert results["work"].num_calls_per_rank() == {0: 1000, 1: 2000, 2: 3000}
    assert results.metadata["mpi_size"] == 3

# Calls of mpi4py's as regions; communicators that come from wrapped ones are wrapped as well.
sp.setup(output=None, profile_mpi_calls=True)
world = MPI.COMM_WORLD
assert world is not comm and world.Get_rank() == rank and world.size == 3
for _ in range(4):
    world.Barrier()
half = world.Split(rank % 2)
value = half.bcast(rank, root=0)
if rank == 0:
    request = world.isend(b"12345", dest=2, tag=7)
    request.wait()
elif rank == 2:
    assert world.recv(source=0, tag=7) == b"12345"
results = finalize()
number = comm.py2f()
if rank == 0:
    names = {region.name: region.num_calls_per_rank() for region in results}
    assert names[f"mpi:barrier kind=collective bytes=0 peer=-1 root=-1 tag=-1 comm={number}"] == {0: 4, 1: 4, 2: 4}, names
    assert names[f"mpi:isend kind=point-to-point bytes=5 peer=2 root=-1 tag=7 comm={number}"] == {0: 1}, names
    assert names[f"mpi:wait kind=wait bytes=-1 peer=-1 root=-1 tag=-1 comm={number} request=isend"] == {0: 1}, names
    assert names[f"mpi:recv kind=point-to-point bytes=-1 peer=0 root=-1 tag=7 comm={number}"] == {2: 1}, names
    assert sum(sum(calls.values()) for name, calls in names.items() if name.startswith("mpi:bcast")) == 3, names
sp.setup(output=None, replace=True)
assert MPI.COMM_WORLD is comm

# A problem is every rank's.
sp.setup(replace=True, file_path=f"{sys.argv[1]}/gone/mpi.h5" if os.makedirs(f"{sys.argv[1]}/gone", exist_ok=True) is None else "")
work()
comm.barrier()
if rank == 0:
    import shutil

    shutil.rmtree(f"{sys.argv[1]}/gone")
comm.barrier()
try:
    finalize()
except OSError:
    print(f"told {rank}")
comm.barrier()
if rank == 0:
    print("done")
