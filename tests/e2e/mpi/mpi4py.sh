#!/bin/bash
# Python loads its MPI where RTLD_NEXT does not find it.
. "$(dirname "$0")/common.sh"
python3 -c 'import mpi4py.MPI' 2>/dev/null || skip "no mpi4py for $(command -v python3)"
extension=$(python3 -c 'import mpi4py.MPI; print(mpi4py.MPI.__file__)')
grep -q "lib$( [ "$mpi" = mpich ] && echo mpich || echo mpi)\.so" <(ldd "$extension") || skip "mpi4py is not of $mpi"
count_with "$extension"
cat >talk.py <<'P'
from mpi4py import MPI
import array
import os
world = MPI.COMM_WORLD
other = 1 - world.rank
total = world.allreduce(world.rank + 1)
for _ in range(4):
    world.Barrier()
got = world.sendrecv({"from": world.rank}, dest=other, source=other)
mine, theirs = array.array("i", [world.rank]), array.array("i", [-1])
request = world.Irecv(theirs, other)
world.Send(mine, other)
request.Wait()
os.write(1, f"{world.rank} {total} {got} {theirs[0]}\n".encode())
P
counted 2 python3 talk.py
equal "status" 0 "$rc"
contains "result" "0 3 {'from': 1} 1" out.txt
equal "barriers" 4 "$(ncalls counted.h5 MPI_Barrier 1)"
equal "ranks" "0 1" "$(ranks counted.h5 MPI_Finalize)"
finish
