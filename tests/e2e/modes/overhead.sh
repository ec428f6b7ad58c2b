#!/bin/bash
# What recording costs is measured and kept, and shown region by region.
. "$(dirname "$0")/../lib/lib.sh"
need gcc python3
unset SCOPE_PROFILER_MODE
cat >nest.c <<'C'
#include "mk.h"
int main(void)
{
    int inner = sp_region("inner");
    MB("outer");
    for (int i = 0; i < 10000; i++) { sp_begin(inner); sp_end(inner); }
    ME("outer");
    return 0;
}
C
compile nest.c -o nest
for mode in trace aggregate; do
    SCOPE_PROFILER_MODE=$mode run scope-profiler run -q -o $mode.h5 ./nest
    equal "$mode: silent" "0 " "$rc $(cat err.txt)"
    whole=$(meta $mode.h5 cost_region_ns) inside=$(meta $mode.h5 cost_region_inside_ns)
    between "$mode: ns a call" 1 2000 "$whole"
    between "$mode: of that inside" 0 "$whole" "$inside"
    equal "$mode: no other kind" "error" "$(meta $mode.h5 cost_mpi_ns 2>/dev/null)"
    equal "$mode: the calls that were measured are not in the file" "10000 inner outer" "$(ncalls $mode.h5 inner) $(regions $mode.h5 | tr '\n' ' ' | sed 's/ $//')"
done
run scope-profiler inspect trace.h5 --overhead --regions-only
equal "inspect --overhead" 0 "$rc"
matches "its columns" 'region +total \[s\] +overhead \[s\] +% overhead' out.txt
contains "what it is" "Overhead: calls, and calls within them, times what a call cost when it was measured" out.txt
python3 - "$(meta trace.h5 cost_region_ns)" "$(meta trace.h5 cost_region_inside_ns)" <<'P' >numbers.txt
import re, sys
whole, inside = (float(a) / 1e9 for a in sys.argv[1:])
for line in open("out.txt", encoding="utf-8"):
    found = re.search(r"(outer|inner)[^0-9]*(?:\(10kx\))?\s+([0-9.]+)\s+([0-9.]+)\s+([0-9.]+)%", line)
    if found:
        want = inside + 10000 * whole if found[1] == "outer" else 10000 * inside
        total, ours, percent = map(float, found.groups()[1:])
        print(found[1], abs(ours - want) < 2e-6, abs(percent - 100 * ours / total) < 1)
P
equal "numbers" "outer True True inner True True" "$(tr '\n' ' ' <numbers.txt | sed 's/ $//')"
run scope-profiler inspect aggregate.h5 --overhead --regions-only
contains "without a tree" "that of calls within them is not known" out.txt
run scope-profiler inspect trace.h5 --columns region overhead --regions-only
matches "as a column" 'region +overhead \[s\]' out.txt

cat >calls.py <<'P'
def f():
    pass
def g():
    for i in range(1000):
        f()
g()
P
for hook in setprofile auto; do
    run scope-profiler run -q --recursive --python-hook $hook -o p.h5 calls.py
    equal "Python, $hook" "0 " "$rc $(cat err.txt)"
    between "Python, $hook: ns a call" 1 20000 "$(meta p.h5 cost_python_ns)"
    equal "Python, $hook: exact" "1000 1" "$(ncalls p.h5 __main__.f) $(ncalls p.h5 __main__.g)"
    equal "Python, $hook: nothing else" "__main__.<module> __main__.f __main__.g calls.py" "$(regions p.h5 | tr '\n' ' ' | sed 's/ $//')"
done
run scope-profiler run -q -o p.h5 sh -c 'exec "$0" -c "import scope_profiler as sp
with sp.region(\"x\"): pass"' /usr/bin/python3
equal "without functions none is measured" "error" "$(meta p.h5 cost_python_ns 2>/dev/null)"

for mpi in mpich openmpi; do
    command -v mpicc.$mpi >/dev/null && command -v mpirun.$mpi >/dev/null || continue
    cat >mpi.c <<'C'
#include <mpi.h>
int main(int c, char **v) { MPI_Init(&c, &v); for (int i = 0; i < 10; i++) MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }
C
    mpi_compile $mpi mpi.c -o mpi
    flags=$([ $mpi = openmpi ] && echo --allow-run-as-root --oversubscribe)
    run "mpirun.$mpi" $flags -n 2 scope-profiler run -q -o m.h5 ./mpi
    between "$mpi: ns a call" 1 5000 "$(meta m.h5 cost_mpi_ns)"
    equal "$mpi: exact" "0 20 2 2" "$rc $(ncalls m.h5 MPI_Barrier) $(ncalls m.h5 MPI_Init) $(ncalls m.h5 MPI_Finalize)"
done
finish
