#!/bin/bash
# One phase in so many: of outermost regions or of a named one, by thread, in C, Fortran, Python and MPI alike.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/common.sh"
need gcc gfortran python3
unset SCOPE_PROFILER_MODE

# 20 steps of 2 + 1 calls within; `main` is around all of them, unless it is left out.
cat >steps.c <<'C'
#include "mk.h"
#include <pthread.h>
static void step(void) { MB("step"); MB("a"); ME("a"); MB("a"); ME("a"); MB("b"); ME("b"); ME("step"); MB("between"); ME("between"); }
static void *thread(void *a) { for (int i = 0; i < 20; i++) step(); return a; }
int main(int c, char **v)
{
    pthread_t t;
    if (c > 1) MB("main");
    pthread_create(&t, 0, thread, 0);
    thread(0);
    pthread_join(t, 0);
    if (c > 1) ME("main");
    return v[0] ? 0 : 1;
}
C
cat >steps.F90 <<'F'
program steps
  integer :: i
  do i = 1, 20
    call mb('step'); call mb('a'); call me('a'); call mb('a'); call me('a'); call mb('b'); call me('b'); call me('step')
    call mb('between'); call me('between')
  end do
end program
F
cat >steps.py <<'P'
import scope_profiler as sp
def a(): pass
for i in range(20):
    with sp.region("step"):
        for k in range(2):
            with sp.region("a"): a()
        with sp.region("b"): pass
    with sp.region("between"): pass
P
compile -pthread steps.c -o steps
compile_fortran steps.F90 -o steps-fortran
told() { python3 -B "$(dirname "$MK")/modes/told.py" "$@"; }
sampled() { # SAMPLE WANT PROGRAM...
    local sample=$1 want=$2; shift 2
    run scope-profiler run -q -o s.h5 ${sample:+--sample-every "$sample"} "$@"
    equal "$sample $*: status" "0 " "$rc $(cat err.txt)"
    equal "$sample $*" "$want" "$(told s.h5 step a b between)"
}
sampled "" "step=40 a=80 b=40 between=40" ./steps
sampled 5 "step=8 a=16 b=8 between=8 every=5:0 left=64" ./steps
sampled 10:3 "step=4 a=8 b=4 between=4 every=10:3 left=72" ./steps
sampled 1:15 "step=10 a=20 b=10 between=10 every=1:15 left=60" ./steps
sampled 10:19:step "step=2 a=4 b=2 between=40 every=10:19:step left=38" ./steps
sampled 7:a "step=40 a=12 b=40 between=40 every=7:0:a left=68" ./steps
sampled 7:nothing "step=40 a=80 b=40 between=40 every=7:0:nothing left=0" ./steps
# `main` is one phase of its thread, the other thread has its own
sampled 5 "step=24 a=48 b=24 between=24 every=5:0 left=32" ./steps main
sampled 10:step "step=2 a=4 b=2 between=20 every=10:0:step left=18" ./steps-fortran
sampled 4 "step=5 a=10 b=5 between=5 every=4:0 left=30" steps.py
sampled 10:step "step=2 a=4 b=2 between=20 every=10:0:step left=18" --recursive steps.py
equal "a function that is called in phases" 4 "$(ncalls s.h5 __main__.a)"
SCOPE_PROFILER_MODE=aggregate sampled 10:step "step=4 a=8 b=4 between=40 every=10:0:step left=36" ./steps
SCOPE_PROFILER_SAMPLE_EVERY=10:step SCOPE_PROFILER_OUTPUT=p.h5 LD_PRELOAD=$SCOPE_PRELOAD run ./steps
equal "plain preload" "step=4 a=8 b=4 between=40 every=10:0:step left=36" "$(told p.h5 step a b between)"

# Crossed ends, ends without begins, begins without ends, recursion and great depth.
cat >crossed.c <<'C'
#include "mk.h"
static void down(int n) { MB("down"); if (n > 1) down(n - 1); ME("down"); }
int main(void)
{
    for (int i = 0; i < 4; i++) {
        MB("around"); MB("p"); MB("x"); ME("around"); ME("p"); ME("x"); /* `around` began before the phase */
        MB("p"); ME("never"); MB("left"); ME("p");
        MB("p"); down(3); MB("p"); ME("p"); ME("p");
        MB("p"); down(2000000); ME("p");
    }
    return 0;
}
C
sed 's/2000000/100000/' crossed.c >whole.c
compile -O2 -fno-inline crossed.c -o crossed
compile -O2 -fno-inline whole.c -o whole
run scope-profiler run -q -o c.h5 ./whole
equal "whole" "p=20 around=4 down=400012 x=4 left=4 cut:left=4 overlap:p=4 overlap:x=4 unmatched:never=4" "$(told c.h5 p around down x left | sed 's/overlap:left=[0-9]* //')"
crossed() { # SAMPLE WANT PROGRAM
    run sh -c "ulimit -s unlimited; exec scope-profiler run -q -o c.h5 --sample-every $1 $3"
    equal "$1: $3" "$2" "$(told c.h5 p around down x left)"
}
# an end without a begin is told wherever it is: its begin might have been before the phase
crossed 4:p "p=4 around=4 down=0 x=4 left=0 overlap:p=4 overlap:x=4 unmatched:never=4 every=4:0:p left=12" ./crossed
crossed 4:1:p "p=4 around=4 down=0 x=0 left=4 cut:left=4 unmatched:never=4 every=4:1:p left=12" ./crossed
crossed 4:2:p "p=8 around=4 down=12 x=0 left=0 unmatched:never=4 every=4:2:p left=12" ./crossed
crossed 4:3:p "p=4 around=4 down=400000 x=0 left=0 unmatched:never=4 every=4:3:p left=12" ./whole

for bad in 0 -1 x 5: 5:1: :p ''; do
    run scope-profiler run "--sample-every=$bad" ./steps
    equal "--sample-every=$bad" "2 " "$rc $(cat out.txt)"
done
SCOPE_PROFILER_SAMPLE_EVERY=x SCOPE_PROFILER_OUTPUT=p.h5 LD_PRELOAD=$SCOPE_PRELOAD run ./steps
contains "a wrong variable is said" "SCOPE_PROFILER_SAMPLE_EVERY: 'x' is not N[:START][:REGION]: ignored" err.txt

# A pause within: what began before it ends as always.
cat >pause.c <<'C'
#include "mk.h"
int main(void)
{
    for (int i = 0; i < 6; i++) { MB("p"); MB("in"); sp_pause(); MB("in"); ME("in"); sp_resume(); ME("in"); ME("p"); }
    return 0;
}
C
compile pause.c -o pause
run scope-profiler run -q -o p.h5 --sample-every 2 ./pause
equal "with pauses" "in=3 p=3 every=2:0 left=3" "$(told p.h5)"

# MPI calls, and what they carried.
cat >mpi.c <<'C'
#include "mk.h"
#include <mpi.h>
int main(int c, char **v)
{
    int n = 0, sum;
    MPI_Init(&c, &v);
    for (int i = 0; i < 10; i++) { MB("step"); MPI_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); ME("step"); }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
C
for mpi in mpich openmpi; do
    command -v mpicc.$mpi >/dev/null && command -v mpirun.$mpi >/dev/null || continue
    mpi_compile $mpi mpi.c -o mpi-$mpi
    mpi_run $mpi -n 2 scope-profiler run -q -o m.h5 --sample-every 5:step ./mpi-$mpi 2>err.txt
    equal "$mpi" "step=4 MPI_Allreduce=4 MPI_Barrier=2 every=5:0:step left=16" "$(told m.h5 step MPI_Allreduce MPI_Barrier)"
    run scope-profiler mpi m.h5 --json
    equal "$mpi: bytes" "16" "$(python3 -c '
import json
def find(v, out):
    if isinstance(v, dict):
        if str(v.get("name", v.get("function", v.get("call", "")))).endswith("MPI_Allreduce"): out.append(v)
        for x in v.values(): find(x, out)
    elif isinstance(v, list):
        for x in v: find(x, out)
out = []; find(json.load(open("out.txt")), out)
print([int(v[k]) for v in out for k in v if k in ("sent_bytes", "bytes_sent", "bytes")][0])')"
done
finish
