#!/bin/bash
# However a program ends, all that it did up to then is in the file, its ranks are known, and its status is its own.
. "$(dirname "$0")/common.sh"
mpi_compile "$mpi" "$programs/ends.c" -o ends

ending() { # HOW RANKS
    bare "$2" ./ends "$1"
    local bare_rc=$rc
    # mpiexec of MPICH may end a rank by SIGHUP when the other has left without MPI_Finalize: on a busy machine 2 in 100, bare, too.
    for _ in 1 2 3; do
        profiled "$2" "$1.h5" ./ends "$1"
        [ "$1" = return ] && [ "$rc" != "$bare_rc" ] || break
    done
    equal "$1: status" "$bare_rc" "$rc"
    for ((rank = 0; rank < $2; rank++)); do
        equal "$1: calls of rank $rank" "1000" "$(calls "$1.h5" MPI_Allreduce "$rank")"
        equal "$1: work of rank $rank" "1" "$(calls "$1.h5" work "$rank")"
    done
    ok "$1: our own reader takes it" scope-profiler inspect "$1.h5" --json
}

for how in normal return atexit after abort segv exit _exit kill err late; do ending "$how" 2; done
for how in normal atexit after late; do equal "$how: MPI_Finalize" "0 1" "$(ranks "$how.h5" MPI_Finalize)"; done
equal "late: status of rank 1" 6 "$rc"
equal "after: the region after MPI_Finalize" "2" "$(ncalls after.h5 after)"
equal "abort: the call that never returned" "1" "$(calls abort.h5 MPI_Abort 1)"
equal "abort: it was cut off" "1" "$(problem abort.h5 cut MPI_Abort)"
equal "abort: and the wait of rank 0" "1" "$(problem abort.h5 cut MPI_Barrier)"
equal "normal: nothing was cut off" "0" "$(problem normal.h5 cut)"
equal "normal: the size of the world" "2" "$(meta normal.h5 mpi_size)"
matches "normal: the library is named" 'MPICH|Open MPI' <(meta normal.h5 mpi_library)

run scope-profiler run -q -o singleton.h5 ./ends normal
equal "singleton: status" 0 "$rc"
equal "singleton: calls" "1000" "$(calls singleton.h5 MPI_Allreduce 0)"
equal "singleton: ranks" "0" "$(ranks singleton.h5 MPI_Init)"
finish
