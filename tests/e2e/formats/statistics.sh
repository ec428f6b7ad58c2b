#!/bin/bash
# The numbers that `inspect --json` prints are those of the raw columns: one process with threads, and several ranks.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
here=$e2e_lib/../formats
compile -pthread "$here/shapes.c" -o shapes
cat >ranks.c <<'C'
#include "mk.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    for (int rank = 0; rank < 4; rank++) {
        if (fork() == 0) {
            ms(20 * ((rank + 2) % 4)); /* rank 2 starts first */
            for (int i = 0; i < 30 + rank; i++) { MB("all"); MB("part"); ms(rank % 3); ME("part"); ME("all"); }
            if (rank == 1) { MB("one rank"); ms(1); ME("one rank"); }
            exit(0);
        }
    }
    while (wait(0) > 0) {}
    return 0;
}
C
compile ranks.c -o ranks
for program in shapes ranks; do
    run scope-profiler run -q -o $program.h5 ./$program
    equal "$program" 0 "$rc"
    scope-profiler inspect --json $program.h5 >$program.json 2>err.txt
    equal "$program: inspect --json" "0 0" "$? $(wc -c <err.txt)"
    python3 -B "$here/statistics.py" $program.h5 $program.json >faults.txt 2>&1
    equal "$program: faults" "0 faults" "$(tail -n 1 faults.txt)"
    cat faults.txt
    between "$program: values compared" 100 10000 "$(sed -n 's/ values compared//p' faults.txt)"
done
equal "ranks" "0 1 2 3" "$(ranks ranks.h5 all)"
finish
