#!/bin/bash
# Calls that are left by longjmp cost no later call its record, and are reported as never ended.
. "$(dirname "$0")/common.sh"
"mpicc.$mpi" -w -O1 "$programs/leaves.c" -o leaves || fail "compile leaves"
bare 1 ./leaves
equal "bare" "left 5" "$(cat out.txt)"
profiled 1 leaves.h5 ./leaves
equal "profiled" "left 5" "$(cat out.txt)"
equal "status" 0 "$rc"
for call in "Send 5" "Allreduce 3" "Sendrecv 2" "Barrier 2" "Finalize 1"; do
    # shellcheck disable=SC2086
    set -- $call
    equal "MPI_$1" "$2" "$(calls leaves.h5 "MPI_$1" 0)"
done
equal "never ended" 5 "$(problem leaves.h5 cut MPI_Send)"
equal "nothing else" 5 "$(problem leaves.h5 cut)"
finish
