#!/bin/bash
# Ranks that record different regions, one of them none; several ranks and one output name; programs without MPI under
# mpirun; `run` around mpirun instead of within.
. "$(dirname "$0")/common.sh"
cat >uneven.c <<'C'
#include "mk.h"
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank;
    char own[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(own, sizeof own, "only_on_%d", rank);
    if (rank != 2) {
        MB(own);
        ms(5 * (rank + 1));
        ME(own);
    }
    for (int i = 0; i < rank; i++) {
        MB("uneven");
        ms(2);
        ME("uneven");
    }
    MPI_Finalize();
    return 0;
}
C
mpi_compile "$mpi" uneven.c -o uneven
profiled 4 uneven.h5 ./uneven
equal "uneven: status" 0 "$rc"
for rank in 0 1 3; do equal "only_on_$rank" "$rank" "$(ranks uneven.h5 "only_on_$rank")"; done
not_ok "only_on_2 is not there" grep -q only_on_2 <(regions uneven.h5)
for rank in 0 1 2 3; do equal "uneven of rank $rank" "$rank" "$(calls uneven.h5 uneven "$rank")"; done
equal "every rank is there" "0 1 2 3" "$(ranks uneven.h5 MPI_Init)"

cat >count.c <<'C'
#include "mk.h"
#include <stdlib.h>
#ifdef WITH_MPI
#    include <mpi.h>
#endif
int main(int argc, char **argv) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
#endif
    (void)argc, (void)argv;
    for (int i = 0; i <= (rank ? atoi(rank) : 0); i++) {
        MB("w");
        ms(5);
        ME("w");
    }
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return 0;
}
C
mpi_compile "$mpi" -DWITH_MPI count.c -o with
compile count.c -o without
for program in with without; do
    profiled 3 "$program.h5" "./$program"
    equal "$program: status" 0 "$rc"
    for rank in 0 1 2; do equal "$program: rank $rank" $((rank + 1)) "$(calls "$program.h5" w "$rank")"; done
done
run scope-profiler run -q -o single.h5 ./with
equal "single: status" 0 "$rc"
equal "single: one rank" "0" "$(ranks single.h5 w)"
run scope-profiler run -q -o outside.h5 "${launcher[@]}" -n 2 ./with
equal "outside: status" 0 "$rc"
equal "outside: rank 0" 1 "$(calls outside.h5 w 0)"
equal "outside: rank 1" 2 "$(calls outside.h5 w 1)"
equal "outside: nothing of mpirun" "MPI_Finalize MPI_Init w" "$(regions outside.h5 | sort | xargs)"
equal "nothing else was left" "outside.h5 single.h5 uneven.h5 with.h5 without.h5" "$(find . -maxdepth 1 -name '*.*' ! -name '*.c' ! -name '*.txt' ! -name '*.calls' ! -name . -printf '%P\n' | sort | xargs)"

# Several launches in one run, one after the other and at once: nobody's neighbour is a rank of another one.
cat >ring.c <<'C'
#include "mk.h"
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, size, in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    ms(300);
    MPI_Finalize();
    return 0;
}
C
mpi_compile "$mpi" ring.c -o ring
rings() {
    scope-profiler mpi --matrix --csv "$1" | tr -d '\r' | awk -F, 'NR > 1 { to[$2] = $3 } END {
        for (first = 0; first in to; first = last + 1) {
            last = first
            for (at = first; to[at] == at + 1; at++) last = at + 1
            printf "%s%d", first ? " " : "", to[last] == first ? last - first + 1 : -1
        }
        print "" }'
}
for between in ';' '&'; do
    run scope-profiler run -q -o rings.h5 sh -c "${launcher[*]} -n 2 ./ring $between ${launcher[*]} -n 3 ./ring $between ${launcher[*]} -n 2 ./ring; wait"
    equal "launches with '$between': status" 0 "$rc"
    equal "launches with '$between': who sends to whom" "$([ "$between" = ';' ] && echo 2 3 2 || echo 2 2 3)" \
        "$([ "$between" = ';' ] && rings rings.h5 || rings rings.h5 | tr ' ' '\n' | sort | xargs)"
done
# Of many ranks people see what is greatest, and are told how much more there is; programs see all.
profiled 22 wide.h5 ./ring
for table in --matrix --waits; do
    scope-profiler mpi $table wide.h5 >wide.txt
    equal "22 ranks, $table: rows" 20 "$(awk '/│ [0-9]/ { n++ } /╰/ { exit } END { print n }' wide.txt)"
    contains "22 ranks, $table: the rest is told" "  and 2 more, which --json has" wide.txt
    equal "22 ranks, $table: for programs" 22 "$(scope-profiler mpi $table --csv wide.h5 | sed 1d | grep -c .)"
done
ok "the longest wait first" sort -c -rn <(awk -F '  +' '/Who waits/ { on = 1 } /Who is/ { exit } on && /│ [0-9]/ { print $4 }' wide.txt)
finish
