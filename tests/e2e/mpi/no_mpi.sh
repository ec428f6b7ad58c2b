#!/bin/bash
# Programs without MPI that look for it, stub MPIs, and an MPI that nobody had when this was written.
. "$(dirname "$0")/../lib/lib.sh"
programs=$SCOPE_SOURCE/tests/e2e/mpi/programs
need gcc

gcc -O1 "$programs/asks.c" -o asks || fail "compile asks"
run ./asks
equal "asks: bare" "no MPI fine" "$(cat out.txt)"
run scope-profiler run -q -o asks.h5 ./asks
equal "asks: profiled" "no MPI fine" "$(cat out.txt)"
equal "asks: status" 0 "$rc"
not_ok "asks: nothing was recorded" test -e asks.h5

fake() { # LIBRARY FLAGS...
    mkdir "$1.d"
    # shellcheck disable=SC2086
    gcc -w -O1 -shared -fPIC "${@:2}" "$programs/fake_mpi.c" -o "$1.d/$1" -Wl,-soname,"$1" &&
        gcc -O1 "$programs/fake_user.c" -o "user-$1" "$1.d/$1" -Wl,-rpath,"$PWD/$1.d" || fail "compile $1"
    run "./user-$1"
    equal "$1: bare" "42 0" "$(cat out.txt)"
    run scope-profiler run -q -o "$1.h5" "./user-$1"
    equal "$1: profiled" "42 0" "$(cat out.txt)"
    equal "$1: status" 0 "$rc"
}

fake libmpiseq.so -DSTUB
not_ok "a stub's calls are not recorded" test -e libmpiseq.so.h5

fake libmpi_abi.so.0
equal "standard ABI: Allreduce" 10 "$(ncalls libmpi_abi.so.0.h5 MPI_Allreduce 0)"
equal "standard ABI: Barrier" 1 "$(ncalls libmpi_abi.so.0.h5 MPI_Barrier 0)"
equal "standard ABI: Finalize" 1 "$(ncalls libmpi_abi.so.0.h5 MPI_Finalize 0)"
equal "standard ABI: its size" 1 "$(meta libmpi_abi.so.0.h5 mpi_size)"
equal "standard ABI: its name" "Fake MPI 5.0" "$(meta libmpi_abi.so.0.h5 mpi_library)"
equal "standard ABI: rank 0 is MPI's" 0 "$(column libmpi_abi.so.0.h5 process_table mpi_rank)"

# A program that is not profiled but has us preloaded, and one whose MPI comes late and locally.
cat >late.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
extern int MPI_Initialized(int *) __attribute__((weak));
int main(int argc, char **argv) {
    int flag = 7;
    (void)argc;
    if (MPI_Initialized) MPI_Initialized(&flag); /* remembered as missing, but not for ever */
    void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*work)(void) = (int (*)(void))dlsym(plugin, "work");
    int result = work();
    if (MPI_Initialized) MPI_Initialized(&flag);
    printf("%d %d\n", result, flag);
    return 0;
}
C
cat >plugin.c <<'C'
extern int MPI_Init(int *, char ***), MPI_Finalize(void), MPI_Barrier(long);
int work(void) { return MPI_Init(0, 0) + MPI_Barrier(0x101) + MPI_Barrier(0x101) + MPI_Finalize(); }
C
gcc -shared -fPIC plugin.c -o plugin.so libmpi_abi.so.0.d/libmpi_abi.so.0 -Wl,-rpath,"$PWD/libmpi_abi.so.0.d" &&
    gcc late.c -o late || fail "compile late"
run scope-profiler run -q -o late.h5 ./late "$PWD/plugin.so"
equal "late: works" "0 1" "$(cat out.txt)"
equal "late: recorded" 2 "$(ncalls late.h5 MPI_Barrier 0)"
finish
