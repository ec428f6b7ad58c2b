#!/bin/bash
# MPI 4 sessions: no MPI_Init, no world; the launcher says who is who.
. "$(dirname "$0")/common.sh"
"mpicc.$mpi" -w "$programs/sessions.c" -o sessions || fail "compile sessions"
bare 2 ./sessions
[ "$rc" = 77 ] && skip "this $mpi has no sessions"
profiled 2 sessions.h5 ./sessions
equal "status" 0 "$rc"
equal "output" "sum 2 sum 2" "$(xargs <out.txt)"
for rank in 0 1; do
    for call in "Session_init 1" "Comm_create_from_group 1" "Allreduce 6" "Session_finalize 1"; do
        # shellcheck disable=SC2086
        set -- $call
        equal "MPI_$1 on rank $rank" "$2" "$(calls sessions.h5 "MPI_$1" "$rank")"
    done
done
scope-profiler mpi --csv sessions.h5 | tr -d '\r' >sessions.csv
ok "share of the run, without a world" awk -F, '$2 == "MPI_Session_init" { good = $6 > 0 && $6 < 100 } END { exit !good }' sessions.csv
finish
