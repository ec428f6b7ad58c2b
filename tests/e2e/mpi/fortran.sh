#!/bin/bash
# Fortran goes another way into every MPI: mpif.h, use mpi and use mpi_f08 give the same counts, one name a function.
. "$(dirname "$0")/common.sh"
need gfortran "mpif90.$mpi"
for dialect in mpif mpi f08; do
    "mpif90.$mpi" -w -fallow-argument-mismatch -I"$programs" "$programs/fortran_$dialect.f90" -o "$dialect" ||
        fail "compile $dialect"
    [ -d counter ] || count_with ./mpif
    counted 2 "./$dialect"
    contains "$dialect: result" "sums  12.0   1.0" out.txt
    for call in "Send 0 7" "Send 1 0" "Recv 0 0" "Recv 1 7" "Allreduce 0 3" "Allreduce 1 3" "Irecv 0 5" "Isend 1 5" \
        "Waitall 0 5" "Barrier 1 1" "Comm_dup 0 1" "Bcast 1 1" "Comm_free 0 1" "Reduce 1 1" "Finalize 0 1"; do
        # shellcheck disable=SC2086
        set -- $call
        equal "$dialect: MPI_$1 on rank $2" "$3" "$(calls counted.h5 "MPI_$1" "$2")"
    done
    equal "$dialect: no name of a binding" "" "$(regions counted.h5 | grep -v '^MPI_[A-Z]')"
done
# Markers and MPI in one program.
cat >solve.f90 <<'F'
program solve
  use mpi
  implicit none
  integer :: e
  call MPI_Init(e)
  call mb('solve')
  call MPI_Barrier(MPI_COMM_WORLD, e)
  call me('solve')
  call MPI_Finalize(e)
end program
F
mpi_fortran "$mpi" solve.f90 -o solve
profiled 2 solve.h5 ./solve
equal "solve: status" 0 "$rc"
equal "solve on both ranks" "0 1" "$(ranks solve.h5 solve)"
equal "MPI_Barrier on both ranks" "0 1" "$(ranks solve.h5 MPI_Barrier)"
between "MPI_Barrier is within solve" 0 "$(total solve.h5 solve 0)" "$(total solve.h5 MPI_Barrier 0)"
finish
