#!/bin/bash
# Ranks that have different regions, and one that marks none: everything is there, and statistics say over how many.
. "$(dirname "$0")/../lib/lib.sh"
mpi=$1
need_mpi "$mpi"
cat >uneven.c <<'C'
#include "mk.h"
#include <mpi.h>
#include <stdio.h>
int main(int c, char **v) {
    int r;
    MPI_Init(&c, &v);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    char own[32];
    snprintf(own, sizeof own, "only_on_%d", r);
    if (r != 2) { MB(own); ms(10 * (r + 1)); ME(own); } /* rank 2 marks no region but the uneven one */
    for (int i = 0; i < r; i++) { MB("uneven"); ms(5); ME("uneven"); }
    MPI_Finalize();
    return 0;
}
C
mpi_compile "$mpi" uneven.c -o uneven
timeout 100 bash -c "$(declare -f mpi_run); mpi_run $mpi -n 4 scope-profiler run -q -o u.h5 ./uneven" >out.txt 2>err.txt
equal "status: no hang" 0 $?
for r in 0 1 3; do equal "only_on_$r" "$r 1" "$(ranks u.h5 only_on_$r) $(ncalls u.h5 only_on_$r $r)"; done
equal "calls of uneven by rank" "0 1 2 3" "$(for r in 0 1 2 3; do ncalls u.h5 uneven $r; done | tr '\n' ' ' | sed 's/ $//')"
run scope-profiler inspect --regions-only u.h5 --include 'only|uneven' --columns region,ranks,calls
equal "inspect" 0 "$rc"
contains "four ranks" "4 rank(s)" out.txt
matches "three have uneven, in six calls" '│ (└─ )?uneven +3 +6 ' out.txt
matches "one has only_on_3" '│ (└─ )?only_on_3 +1 +1 ' out.txt
for part in "uneven (3 of 4 ranks)" "only_on_0 (1 of 4 ranks)" "only_on_3 (1 of 4 ranks)"; do
    contains "what is not on every rank: $part" "$part" <(grep 'Not on every rank: ' out.txt)
done
run scope-profiler inspect --regions-only u.h5 --include 'only|uneven' --ranks 2
contains "rank 2 is in the file" "uneven (2x)" out.txt
matches "and has none of the others" 'only_on_0 \(0x\) +- ' out.txt
scope-profiler inspect --json u.h5 >u.json
equal "JSON" "[1, 2, 3] 6 0" "$(python3 -c 'import json
r = {r["name"]: r for r in json.load(open("u.json"))["files"][0]["regions"]}
print(r["uneven"]["ranks"], r["uneven"]["calls"], r["only_on_0"]["per_rank"].get("1", {"calls": 0})["calls"])')"
finish
