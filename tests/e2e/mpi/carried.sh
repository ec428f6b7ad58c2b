#!/bin/bash
# Bytes, peers and the matrix, against numbers that were computed by hand, in every language.
. "$(dirname "$0")/common.sh"
cat >matrix.csv <<'T'
0,0,1,20
0,1,5,188
0,2,1,8
0,3,1,12
1,0,4,200
1,1,1,20
1,2,5,328
1,3,1,28
2,0,3,252
2,1,2,100
2,2,1,40
2,3,5,468
3,0,6,848
3,1,1,52
3,2,2,120
3,3,1,60
T
# function, calls, bytes sent, bytes received
cat >functions.csv <<'T'
MPI_Alltoallv,4,480,480
MPI_Gather,4,80,80
MPI_Irecv,11,-,984
MPI_Isend,8,384,-
MPI_Send,3,600,-
MPI_Sendrecv,12,1200,1200
MPI_Wait,3,-,-
MPI_Waitall,4,-,-
T

# carried FILE: as in those
carried() {
    scope-profiler mpi --csv --matrix "$1" | tr -d '\r' | sed '1d; s/^[^,]*,//' >got
    ok "$1: matrix" diff matrix.csv got
    scope-profiler mpi --csv "$1" | tr -d '\r' | sed 1d | awk -F, -v OFS=, '$2 !~ /Init|Finalize/ { print $2, $3, $7 == "" ? "-" : $7, $8 == "" ? "-" : $8 }' | sort >got
    ok "$1: functions" diff functions.csv got
    # What was sent is what was received, pair by pair, between any two ranks.
    ok "$1: both ends agree" python3 -B - "$1" <<'P'
import sys, h5py
with h5py.File(sys.argv[1]) as file:
    traffic, names = file["mpi/traffic"], file["region_table/names"].asstr()[:]
    sent, received = {}, {}
    for rank, region, peer, out, into in zip(*(traffic[c][:] for c in ("ranks", "region_ids", "peers", "bytes_sent", "bytes_received"))):
        if names[region] not in ("MPI_Alltoallv", "MPI_Gather"):
            if out: sent[int(rank), int(peer)] = sent.get((int(rank), int(peer)), 0) + int(out)
            if into: received[int(peer), int(rank)] = received.get((int(peer), int(rank)), 0) + int(into)
    by_hand = {(0, 1): 184, (1, 2): 304, (2, 3): 424, (3, 0): 780, (1, 0): 164, (2, 1): 64, (3, 2): 64, (2, 0): 200}
    assert sent == received == by_hand, (sent, received)
P
}

mpi_compile "$mpi" -g -Wno-stringop-overflow "$programs/carried.c" -o carried
profiled 4 c.h5 ./carried
equal "C: status" 0 "$rc"
carried c.h5
scope-profiler mpi --sites c.h5 >sites.txt
contains "call site: the line" "carried.c:$(grep -n 'MPI_Alltoallv' "$programs/carried.c" | cut -d: -f1) " sites.txt
if command -v "mpif90.$mpi" >/dev/null; then
    mpi_fortran "$mpi" -g -fallow-argument-mismatch "$programs/carried.f90" -o fortran
    profiled 4 f.h5 ./fortran
    equal "Fortran: status" 0 "$rc"
    carried f.h5
    scope-profiler mpi --sites f.h5 >sites.txt
    contains "Fortran: the line of the program, not of MPI's binding" "carried.f90:$(grep -n -m1 -i 'mpi_alltoallv' "$programs/carried.f90" | cut -d: -f1) " sites.txt
    lacks "Fortran: no place in a binding" "libmpi" sites.txt
fi
if python3 -c 'import mpi4py.MPI' 2>/dev/null && grep -q "lib$( [ "$mpi" = mpich ] && echo mpich || echo mpi)\.so" <(ldd "$(python3 -c 'import mpi4py.MPI; print(mpi4py.MPI.__file__)')"); then
    profiled 4 p.h5 python3 "$programs/carried.py"
    equal "Python: status" 0 "$rc"
    carried p.h5
else
    echo "no mpi4py of $mpi: not tested with it"
fi
finish
