#!/bin/bash
# MPI_THREAD_MULTIPLE: every call of every thread, in its own lane.
. "$(dirname "$0")/common.sh"
"mpicc.$mpi" -w -pthread "$programs/threads.c" -o threads || fail "compile threads"
count_with ./threads
export RUN_TIMEOUT=200
counted 2 ./threads
[ "$rc" = 77 ] && skip "this $mpi has no MPI_THREAD_MULTIPLE"
equal "status" 0 "$rc"
equal "calls" "2000 2000" "$(ncalls counted.h5 MPI_Allreduce 0) $(ncalls counted.h5 MPI_Allreduce 1)"
equal "cut off" 0 "$(problem counted.h5 cut)"
equal "threads" 10 "$(threads counted.h5 | tail -n +2 | wc -l)"
finish
