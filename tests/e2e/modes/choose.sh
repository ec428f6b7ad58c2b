#!/bin/bash
# Which regions are recorded, how much of them, and when: --include, --exclude, --tag, --throttle, --max-size, pauses.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/common.sh"
need gcc gfortran python3
unset SCOPE_PROFILER_MODE

cat >names.c <<'C'
#include "mk.h"
int main(void)
{
    for (int i = 0; i < 3; i++) {
        MB("solver.step"); MB("solver.io"); ME("solver.io"); MB("other"); ME("other"); MB("[x]*"); ME("[x]*"); ME("solver.step");
    }
    return 0;
}
C
cat >names.py <<'P'
import scope_profiler as sp
@sp.profile("solver.python", tags=["fast", "a \"b\""])
def f():
    pass
def solver_g():
    pass
f()
solver_g()
with sp.region("other"):
    with sp.region("tagged", tags=["slow", "fast"]):
        pass
P
compile names.c -o names
recorded() { regions "$1" | tr '\n' ' '; }
names() { # OPTIONS... WANT: the regions that are recorded with these options
    local want=${*: -1}
    run scope-profiler run -q -o n.h5 "${@:1:$#-1}"
    equal "$*: status" "0 " "$rc $(cat err.txt)"
    equal "$*" "$want" "$(recorded n.h5)"
}
names --include 'solver.*' ./names "solver.io solver.step "
names --include 'solver.*' --exclude '*.io' ./names "solver.step "
names --include 'o?her' --include '*[i-k]o' ./names "other solver.io "
names --include '[!s]*' ./names "[x]* other "
names --include '[[]x]?' ./names "[x]* "
names --exclude '*o*' ./names "[x]* "
names --recursive --include '*solver*' names.py "__main__.solver_g names.py solver.python "
names --tag fast names.py "solver.python tagged "
names --tag slow --tag nothing names.py "tagged "
names --tag fast --exclude 's*' --aggregation-mode names.py "tagged "
run scope-profiler run -o none.h5 --tag fast ./names
equal "nothing has the tag: no file" "0 no" "$rc $([ -e none.h5 ] && echo yes || echo no)"
names --exclude 'solver.step' ./names "[x]* other solver.io "
equal "calls within what is left out" "3 0" "$(ncalls n.h5 solver.io) $(problem n.h5 unmatched)"

# Throttle: a short region that is called often is added up; the others, and the first calls, stay.
cat >often.c <<'C'
#include "mk.h"
int main(void)
{
    int often = sp_region("often"), fewer = sp_region("fewer"), slow = sp_region("slow");
    MB("main");
    for (int i = 0; i < 50000; i++) { sp_begin(often); sp_end(often); if (i < 500) { sp_begin(fewer); sp_end(fewer); } }
    for (int i = 0; i < 1500; i++) { sp_begin(slow); for (int64_t end = sp_now_ns() + 60000; sp_now_ns() < end;) continue; sp_end(slow); }
    ME("main");
    return 0;
}
C
compile often.c -o often
run scope-profiler run -q --throttle 1000:50us -o t.h5 ./often
equal "status" 0 "$rc"
equal "said" "scope-profiler: often: 1000 of 50000 calls were kept, the others were only added up" "$(cat err.txt)"
equal "layout, calls that are kept" "1000 500 1500 1" "$(for r in often fewer slow main; do ncalls t.h5 $r; done | tr '\n' ' ' | sed 's/ $//')"
run scope-profiler inspect t.h5 --regions-only --columns region calls total std
matches "all are counted" '│ often +50000? |│ often +50k +' out.txt
matches "what is not known" '│ often .* - +│' out.txt
matches "what is known" '│ slow .* [0-9.]+ +[0-9.e-]+ +│' out.txt
contains "why there is no tree" "not every call was kept" out.txt
run scope-profiler run -q -o whole.h5 ./often
python3 - t.h5 <<'P' >own.txt
import sys, h5py
f = h5py.File(sys.argv[1]); i = f["rank_region_index"]
names = [n.decode() if isinstance(n, bytes) else n for n in f["region_table/names"][()]]
row = {names[r]: k for k, r in enumerate(i["region_ids"][()])}
main = row["main"]
whole, own = int(i["aggregate_totals"][main]), int(i["exclusive_totals"][main])
within = sum(int(i["aggregate_totals"][row[n]]) for n in ("often", "fewer", "slow"))
print(abs(whole - within - own) < 0.001 * whole + 10000, int(i["aggregate_counts"][row["often"]]))
P
equal "own time is without calls that were not kept" "True 50000" "$(cat own.txt)"
run scope-profiler run -q --throttle 1000:1ns -o n.h5 ./often
equal "not short enough: all are kept" "0  50000" "$rc $(cat err.txt) $(ncalls n.h5 often)"
for bad in 1000 1000: :1us 1000:1x 0:1us -1:1us 1000:0us; do
    run scope-profiler run --throttle=$bad ./often
    equal "--throttle=$bad" "2 " "$rc $(cat out.txt)"
done

# A bounded recording: whole calls up to the limit, what follows is counted, the program goes on.
cat >long.c <<'C'
#include "mk.h"
#include <stdio.h>
int main(void)
{
    int r = sp_region("r");
    MB("main");
    for (int i = 0; i < 1000000; i++) { sp_begin(r); sp_end(r); }
    ME("main");
    puts("done");
    return 7;
}
C
compile long.c -o long
run scope-profiler run -q --max-size 1M -o m.h5 ./long
equal "status, output" "7 done" "$rc $(cat out.txt)"
matches "said" "process [0-9]+ \(long\): the limit on its recording was reached: [0-9]+ events were dropped" err.txt
calls=$(ncalls m.h5 r)
between "calls that are kept" 60000 90000 "$calls"
# two for each call of r that is there (of the last one the end may be missing), the begin of main, the others
between "every event is there or counted" 2000002 2000003 "$((2 * calls + 1 + $(problem m.h5 lost)))"
equal "complete" 0 "$(column m.h5 process_table complete)"
matches "why" "the limit on its recording was reached" <(column m.h5 process_table problem)
for bad in 0 1x -5 M; do
    run scope-profiler run --max-size=$bad ./long
    equal "--max-size=$bad" "2 " "$rc $(cat out.txt)"
done

# Pauses, in each language, with calls across their borders.
cat >pause.c <<'C'
#include <scope_profiler.h>
#include "mk.h"
int main(void)
{
    sp_resume();
    MB("main");
    MB("before"); ME("before");
    MB("across in"); sp_pause(); MB("hidden"); ME("across in"); ME("hidden");
    MB("across out"); MB("hidden"); sp_resume();
    MB("after"); ME("after");
    ME("hidden"); ME("across out");
    MB("after"); MB("after"); ME("after"); ME("after");
    sp_pause(); MB("hidden"); ME("hidden"); sp_pause(); sp_resume();
    MB("last"); ME("last");
    ME("main");
    return 0;
}
C
sed -i 's/MB("hidden"); ME("across in"); ME("hidden");/MB("hidden"); ME("hidden"); ME("across in");/' pause.c
cat >pause.F90 <<'F'
program pause_it
  use scope_profiler
  implicit none
  call sp_begin_name('main')
  call sp_begin_name('before'); call sp_end_name('before')
  call sp_begin_name('across in'); call sp_pause()
  call sp_begin_name('hidden'); call sp_end_name('hidden'); call sp_end_name('across in')
  call sp_begin_name('across out'); call sp_begin_name('hidden'); call sp_resume()
  call sp_begin_name('after'); call sp_end_name('after')
  call sp_end_name('hidden'); call sp_end_name('across out')
  call sp_begin_name('after'); call sp_begin_name('after'); call sp_end_name('after'); call sp_end_name('after')
  call sp_pause(); call sp_begin_name('hidden'); call sp_end_name('hidden'); call sp_pause(); call sp_resume()
  call sp_begin_name('last'); call sp_end_name('last')
  call sp_end_name('main')
end program
F
compile pause.c -o pause-c
compile_fortran pause.F90 -o pause-fortran
for program in pause-c pause-fortran; do
    for mode in trace aggregate; do
        SCOPE_PROFILER_MODE=$mode run scope-profiler run -q -o p.h5 ./$program
        equal "$program, $mode: balanced" "0 " "$rc $(cat err.txt)"
        equal "$program, $mode" "across in 1,after 3,before 1,last 1,main 1," \
            "$(for r in "across in" after before last main; do echo -n "$r $(ncalls p.h5 "$r"),"; done)"
        equal "$program, $mode: nothing else" "across in after before last main " "$(recorded p.h5)"
    done
    run ./$program
    equal "$program alone" 0 "$rc"
done

cat >control.c <<'C'
#include <mpi.h>
int main(int c, char **v)
{
    MPI_Init(&c, &v);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(0);
    for (int i = 0; i < 5; i++) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(2, "flush");
    MPI_Finalize();
    return 0;
}
C
for mpi in mpich openmpi; do
    command -v mpicc.$mpi >/dev/null && command -v mpirun.$mpi >/dev/null || continue
    flags=$([ $mpi = openmpi ] && echo --allow-run-as-root --oversubscribe)
    mpi_compile $mpi control.c -o control
    run "mpirun.$mpi" $flags -n 2 scope-profiler run -q -o c.h5 ./control
    equal "$mpi: MPI_Pcontrol" "0 4 2" "$rc $(ncalls c.h5 MPI_Barrier) $(ncalls c.h5 MPI_Finalize)"
    run "mpirun.$mpi" $flags -n 2 scope-profiler run -q --exclude 'MPI_B*' -o c.h5 ./control
    equal "$mpi: --exclude" "0 MPI_Finalize MPI_Init " "$rc $(recorded c.h5)"
    run "mpirun.$mpi" $flags -n 2 scope-profiler run -q --tag mpi.kind:collective -o c.h5 ./control
    equal "$mpi: --tag" "0 MPI_Barrier " "$rc $(recorded c.h5)"
done
finish
