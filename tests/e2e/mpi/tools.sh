#!/bin/bash
# Another tool that wraps MPI, before us, behind us, and in the program: both see every call, once.
. "$(dirname "$0")/common.sh"
cat >plain.c <<'C'
#include <mpi.h>
int main(int argc, char **argv) {
    int one = 1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Pcontrol(1, "solve");
    for (int i = 0; i < 10; i++) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return sum != 2;
}
C
compiler=mpicc.$mpi
"$compiler" -shared -fPIC "$programs/tool.c" -o libtool.so && "$compiler" -c "$programs/tool.c" -o tool.o &&
    "$compiler" plain.c -o plain && "$compiler" plain.c tool.o -o static &&
    "$compiler" plain.c -L. -ltool -Wl,-rpath,"$PWD" -o dynamic || fail "compile"
preload() { printf '#!/bin/sh\nexport LD_PRELOAD=%s\nexec "$@"\n' "$2" >"$1"; chmod +x "$1"; }
preload before "$PWD/libtool.so:\$LD_PRELOAD"
preload behind "\$LD_PRELOAD:$PWD/libtool.so"
preload none "\$LD_PRELOAD"

both() { # NAME WRAPPER PROGRAM
    export TOOL_OUT=$PWD/$1.tool
    profiled 2 "$1.h5" "./$2" "./$3"
    equal "$1: status" 0 "$rc"
    for rank in 0 1; do
        equal "$1: the tool's calls and phase on rank $rank" "10 solve" "$(cat "$1.tool.$rank")"
        for call in "Init 1" "Allreduce 10" "Barrier 1" "Finalize 1"; do
            # shellcheck disable=SC2086
            set -- "$1" "$2" "$3" $call
            equal "$1: our MPI_$4 on rank $rank" "$5" "$(calls "$1.h5" "MPI_$4" "$rank")"
        done
    done
}
both preloaded-before before plain
both preloaded-behind behind plain
both linked-statically none static
both linked-dynamically none dynamic
finish
