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

# A problem is every rank's.
sp.setup(file_path=f"{sys.argv[1]}/gone/mpi.h5" if os.makedirs(f"{sys.argv[1]}/gone", exist_ok=True) is None else "")
work()
comm.barrier()
if rank == 0:
    import shutil

    shutil.rmtree(f"{sys.argv[1]}/gone")
comm.barrier()
try:
    finalize()
except OSError:
    print("told", rank)
comm.barrier()
if rank == 0:
    print("done")
