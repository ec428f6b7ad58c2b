#!/bin/bash
# One rank of a launch becomes its program, and a watcher makes one file for all of them before the launcher returns.
. "$(dirname "$0")/../lib/lib.sh"
mpi=${1:?which MPI}
need gcc
need_mpi "$mpi"
cat >ranks.c <<'C'
#include "mk.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int c, char **v)
{
    const char *r = getenv("OMPI_COMM_WORLD_RANK");
    if (!r) r = getenv("PMI_RANK");
    int rank = r ? atoi(r) : 0;
    for (int i = 0; i <= rank && c < 3; i++) { MB("w"); ms(5); ME("w"); }
    if (c > 1 && !strcmp(v[1], "pid")) printf("%d %d\n", rank, getpid());
    return c > 1 && !strcmp(v[1], "fail") && rank ? 6 : 0;
}
C
sed -i '1i #include <string.h>' ranks.c
compile ranks.c -o ranks
left() { find . -name '*spool*' | wc -l; }
launch() { run mpi_bounded "$@"; }
mpi_bounded() { mpi_run "$mpi" "$@"; }
run() { mpi_run_any "$@" >out.txt 2>err.txt; rc=$?; echo "rc=$rc <- $*"; } # functions cannot be given to timeout
mpi_run_any() { "$@"; }

launch -n 3 scope-profiler run -o m.h5 ./ranks
equal "three ranks, one file" "0 1 2 3" "$rc $(ncalls m.h5 w 0) $(ncalls m.h5 w 1) $(ncalls m.h5 w 2)"
equal "it is told once" 1 "$(grep -c 'scope-profiler: wrote m.h5 (3 ranks, 6 calls)' err.txt)"
contains "with the table" "│ w (6x)" err.txt
equal "nothing is left" 0 "$(left)"
launch -n 2 scope-profiler run -q -o m.h5 ./ranks
equal "quiet" "0 1 2 " "$rc $(ncalls m.h5 w 0) $(ncalls m.h5 w 1) $(cat err.txt)"

launch -n 2 sh -c 'echo "$$ $$"; exec scope-profiler run -q -o p.h5 ./ranks pid'
equal "the program has the launcher's process" "$(awk '$1 == $2 { print $1 }' out.txt | sort)" \
    "$(awk '$1 != $2 { print $2 }' out.txt | sort)"
launch -n 2 scope-profiler run -q -o f.h5 ./ranks fail
equal "a rank's status" 6 "$rc"
ok "the file is there, or will be" scope-profiler inspect -q f.h5
equal "both ranks are in it" "1 2" "$(ncalls f.h5 w 0) $(ncalls f.h5 w 1)"

launch -n 2 scope-profiler run -o nothing.h5 ./ranks x nothing
equal "nothing recorded: no file, one line" "0 1 no" \
    "$rc $(grep -c 'nothing was recorded' err.txt) $([ -e nothing.h5 ] && echo yes || echo no)"
equal "and nothing is left" 0 "$(left)"
launch -n 2 scope-profiler run -q -o missing/m.h5 ./ranks pid
equal "a bad output is refused" "2 " "$rc $(cat out.txt)"
launch -n 2 scope-profiler run -q -o m.h5 ./no-such-program
equal "a missing program" 127 "$rc"
equal "leaves nothing" 0 "$(left)"

# Programs after each other in one launch, the same output and another.
launch -n 2 sh -c 'for f in a a b; do scope-profiler run -q -o $f.h5 ./ranks; done'
equal "three runs in one launch" "0 1 2 1 2" \
    "$rc $(ncalls a.h5 w 0) $(ncalls a.h5 w 1) $(ncalls b.h5 w 0) $(ncalls b.h5 w 1)"
# An output for each rank.
launch -n 2 sh -c 'exec scope-profiler run -q -o own-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}.h5 ./ranks'
await 10 test -e own-1.h5
equal "an output for each rank" "0 1 2" "$rc $(ncalls own-0.h5 w) $(ncalls own-1.h5 w)"
# Not all ranks are recorded.
launch -n 1 scope-profiler run -q -o part.h5 ./ranks : -n 1 ./ranks
await 10 test -e part.h5
equal "one of two ranks is recorded" "0 1 0" "$rc $(ncalls part.h5 w) $(left)"

run scope-profiler run -q -o out.h5 mpi_run_is_a_function
equal "no such command" 127 "$rc"
flags=$([ "$mpi" = openmpi ] && echo "--allow-run-as-root --oversubscribe")
# shellcheck disable=SC2086 # words
run scope-profiler run -q -o out.h5 "mpirun.$mpi" $flags -n 2 ./ranks
equal "run mpirun: both ranks" "0 1 2" "$rc $(ncalls out.h5 w 0) $(ncalls out.h5 w 1)"
# shellcheck disable=SC2086
run scope-profiler run -q -o twice.h5 "mpirun.$mpi" $flags -n 2 scope-profiler run -o inner.h5 ./ranks
equal "run mpirun run: the outer one has it" "0 1 2 no" \
    "$rc $(ncalls twice.h5 w 0) $(ncalls twice.h5 w 1) $([ -e inner.h5 ] && echo yes || echo no)"
equal "nothing is left at the end" 0 "$(left)"

# A library that is reached through a link: the link goes with the launch.
mkdir "odd dir" tmp
cp "$SCOPE_PRELOAD" "odd dir/libscope-profiler.so"
export TMPDIR=$PWD/tmp SCOPE_PROFILER_PRELOAD="$PWD/odd dir/libscope-profiler.so"
launch -n 2 scope-profiler run -q -o odd.h5 ./ranks
equal "a library with a blank in its path" "0 1 2" "$rc $(ncalls odd.h5 w 0) $(ncalls odd.h5 w 1)"
equal "its links are gone" 0 "$(find tmp -name 'scope-profiler-*' | wc -l)"
finish
