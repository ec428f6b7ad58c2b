#!/bin/bash
# kill -9 of one rank of four at a random moment: the others are recorded to their end, it up to its death, to the last call.
# KILLS (3): how many times. SEED: of the moments; it is printed.
. "$(dirname "$0")/common.sh"
mpi_compile "$mpi" -O2 "$programs/killed.c" -o killed
RANDOM=${SEED:=$RANDOM}
echo "SEED=$SEED"
if [ "$mpi" = mpich ]; then keep_on=(-disable-auto-cleanup); else keep_on=(--enable-recovery); fi

# kill_one FILE LAUNCHER ARGS...: a run of four ranks, of which one is killed; $victim says which
kill_one() {
    local file=$1; shift
    rm -f count.* "$file"
    "$@" -n 4 scope-profiler run -q -o "$file" ./killed 2000 >out.txt 2>err.txt &
    await 20 killed_runs 4
    victim=$((RANDOM % 4))
    sleep "0.$(printf %03d $((RANDOM % 500)))"
    killed_kill "$victim"
    wait $!
    await 20 test -s "$file"
}

for ((round = 1; round <= ${KILLS:-3}; round++)); do
    kill_one k.h5 "${launcher[@]}" "${keep_on[@]}"
    for rank in 0 1 2 3; do
        done_calls=$(killed_number $rank 0)
        between "round $round: calls of rank $rank$([ $rank != "$victim" ] || echo ", which was killed")" "$done_calls" "$((done_calls + 1))" "$(calls k.h5 MPI_Sendrecv $rank)"
        # Hydra, asked to let the others go on, ends them now and then.
        [ "$mpi" = mpich ] || equal "round $round: rank $rank came to its end" "$([ $rank = "$victim" ] && echo no || echo yes)" "$([ "$(killed_number $rank 8)" = 0 ] && echo yes || echo no)"
    done
    scope-profiler mpi --matrix --csv k.h5 | tr -d '\r' | awk -F, 'NR > 1 { print $2, $4 }' >matrix.txt
    ok "round $round: and what they carried" diff matrix.txt <(for rank in 0 1 2 3; do echo "$rank $(calls k.h5 MPI_Sendrecv $rank)"; done)
done
# By default the launcher ends the other ranks: they are recorded up to that.
kill_one k.h5 "${launcher[@]}"
for rank in 0 1 2 3; do
    done_calls=$(killed_number $rank 0)
    between "ended by the launcher: calls of rank $rank" "$done_calls" "$((done_calls + 1))" "$(calls k.h5 MPI_Sendrecv $rank)"
done
# A call that a rank is killed in counts, with the time that it took.
cat >stuck.c <<'C'
#include "mk.h"
#include <mpi.h>
#include <signal.h>
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        ms(300);
        raise(SIGKILL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}
C
mpi_compile "$mpi" stuck.c -o stuck
profiled 2 stuck.h5 ./stuck
equal "stuck: calls" 3 "$(ncalls stuck.h5 MPI_Barrier)"
scope-profiler mpi --csv stuck.h5 | tr -d '\r' | awk -F, '$2 == "MPI_Barrier" { print $3, $4 }' >got.txt
read -r barriers seconds <got.txt
equal "stuck: as many in mpi" 3 "$barriers"
between "stuck: their time" 0.2 5 "$seconds"
finish
