#!/bin/bash
# The MPI examples: they run, and show what their comments say.
. "$(dirname "$0")/common.sh"
examples=$SCOPE_SOURCE/share/examples
example() { # LANGUAGE
    bare 4 "./$1"
    cp out.txt bare.txt
    profiled 4 "$1.h5" "./$1"
    equal "$1: status" 0 "$rc"
    ok "$1: same output" diff bare.txt out.txt
    scope-profiler mpi --csv --matrix "$1.h5" | tr -d '\r' | cut -d, -f2- >matrix.csv
    ok "$1: who sends to whom" diff - matrix.csv <<'T'
from_rank,to_rank,messages,bytes
0,1,100,800
1,0,100,800
1,2,100,800
2,1,100,800
2,3,100,800
3,2,100,800
T
    ok "$1: waits" scope-profiler mpi --waits "$1.h5"
}
"mpicc.$mpi" -O2 -g "$examples/halo.c" -o C || fail "compile"
example C
equal "C: the region of MPI_Pcontrol" 400 "$(ncalls C.h5 step)"
if command -v "mpif90.$mpi" >/dev/null; then
    "mpif90.$mpi" -O2 -g -fallow-argument-mismatch "$examples/halo.f90" -o Fortran || fail "compile"
    example Fortran
fi
finish
