#!/bin/bash
# A Python rank that aborts the job: the others' calls are in the file, the status is mpirun's.
. "$(dirname "$0")/../lib/lib.sh"
need_mpi openmpi
/usr/bin/python3 -c 'import mpi4py' 2>/dev/null || skip "no mpi4py"

cat >abort.py <<'P'
from mpi4py import MPI
c = MPI.COMM_WORLD
def work(): c.barrier()
work()
if c.rank == 1:
    MPI.COMM_WORLD.Abort(3)
c.barrier()
P
cat >fine.py <<'P'
from mpi4py import MPI
c = MPI.COMM_WORLD
def work(): pass
for i in range(c.rank + 1): work()
P
mpi_run openmpi -n 2 python3 abort.py >/dev/null 2>&1
bare=$?
run mpirun.openmpi --allow-run-as-root --oversubscribe -n 2 scope-profiler run -q --recursive -o a.h5 python3 abort.py
equal "abort: status" "$bare" "$rc"
equal "abort: calls that had begun" 2 "$(ncalls a.h5 work)"

run mpirun.openmpi --allow-run-as-root --oversubscribe -n 3 scope-profiler run -q --recursive -o f.h5 python3 fine.py
equal "three ranks: status, calls by rank" "0 1 2 3" "$rc $(ncalls f.h5 work 0) $(ncalls f.h5 work 1) $(ncalls f.h5 work 2)"
equal "three ranks: a root each" "0 1 2" "$(ranks f.h5 fine.py | xargs)"
finish
