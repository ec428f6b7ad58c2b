#!/bin/bash
# run --repeat and --alternate: numbered profiles in the right order, statuses, signals; check of real runs.
. "$(dirname "$0")/common.sh"
need gcc
cat >work.c <<'C'
#include "mk.h"
#include <stdio.h>
#include <stdlib.h>
int main(int c, char **v)
{
    FILE *log = fopen("log", "a");
    fputs(v[1], log);
    fclose(log);
    for (int i = 0; i < 12; i++) { MB("work"); ms(atol(v[2])); ME("work"); }
    return c > 3 ? atoi(v[3]) : 0;
}
C
compile work.c -o work

run scope-profiler run --repeat 3 -o d.x/out.h5 ./work a 1
equal "no such directory" 2 "$rc"
rm -f log
run scope-profiler run --repeat 3 -o out.h5 ./work a 1
equal "three runs: status" 0 "$rc"
equal "three runs" "aaa out-1.h5 out-2.h5 out-3.h5" "$(cat log) $(echo out*.h5)"
equal "each is whole" "12 12 12" "$(ncalls out-1.h5 work) $(ncalls out-2.h5 work) $(ncalls out-3.h5 work)"
contains "what next" "to compare: scope-profiler check --base out-1.h5 out-2.h5 out-3.h5 --candidate ..." err.txt
rm -f log out*
run scope-profiler run -q --repeat 4 --alternate './work o 1' -o out.h5 ./work p 4
equal "in turn" "oppooppo" "$(cat log)"
equal "quiet" "" "$(cat err.txt)"
equal "all are there" "out-1.h5 out-2.h5 out-3.h5 out-4.h5 out-other-1.h5 out-other-2.h5 out-other-3.h5 out-other-4.h5" "$(echo out*.h5)"
run scope-profiler check --base 'out-other-*.h5' --candidate 'out-[0-9].h5'
equal "a real slow-down is seen" 1 "$rc"
matches "named" '^  SLOWER   work ' out.txt
run scope-profiler run --repeat 10 -q -o n.h5 ./work n 0
equal "names sort as runs came" "n-01.h5 n-10.h5" "$(echo n-01.h5 n-1?.h5)"
run scope-profiler run --repeat 2 -o noext ./work n 0
ok "a name without extension" test -e noext-1 -a -e noext-2
run scope-profiler run --repeat 2 -q -o packed.json.gz ./work n 0
ok "an extension of two parts: the runs are what it says" gzip -t packed-1.json.gz packed-2.json.gz
run scope-profiler run --repeat 2 -q -o .json.gz ./work n 0
ok "a name of nothing but an extension" test -e .json.gz-1 -a -e .json.gz-2

rm -f log f*
run scope-profiler run --repeat 3 -o f.h5 ./work f 1 7
equal "a failing program ends it, with its status" "7 f f-1.h5" "$rc $(cat log) $(echo f-*.h5)"
contains "said" "run 1 of 3 ended with status 7" err.txt
run scope-profiler run --repeat 3 -o f.h5 --alternate 'exit 5' ./work f 1
equal "so does the other" 5 "$rc"
contains "which one" "(--alternate) ended with status 5" err.txt
run scope-profiler run --repeat 2 -o s.h5 sh -c 'kill -TERM $$'
equal "128 + signal" 143 "$rc"
( scope-profiler run -q --repeat 50 -o k.h5 ./work k 20 & echo $! >pid; wait $!; echo $? >status ) 2>/dev/null &
await 10 test -s log && await 10 test -s pid; sleep 0.3; kill -TERM "$(cat pid)"; wait
equal "a signal to us goes to the program, and ends it all" 143 "$(cat status)"
ok "no further run" test ! -e k-50.h5

for bad in 0 -1 x '' 1000; do refused "repeat '$bad'" 2 "--repeat" run "--repeat=$bad" ./work a 1; done
refused "alternate alone" 2 "--alternate needs --repeat" run --alternate true ./work a 1
if command -v mpirun.mpich >/dev/null; then
    run mpirun.mpich -n 1 scope-profiler run --repeat 2 ./work a 1
    contains "not in a rank" "cannot be used in a rank of an MPI launch" err.txt
fi
finish
