#!/bin/bash
# The same program in C, Fortran and Python gives the same table, whether its calls are kept or added up; so do programs
# that do not balance, and ranks of which one records nothing.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/common.sh"
need gcc gfortran python3
unset SCOPE_PROFILER_MODE

cat >three.c <<'C'
#include "mk.h"
int main(void)
{
    MB("all");
    for (int i = 0; i < 5; i++) {
        MB("step");
        MB("assemble"); ms(4); ME("assemble");
        for (int k = 0; k < 3; k++) { MB("solve"); ms(1); ME("solve"); }
        ME("step");
    }
    ME("all");
    return 0;
}
C
cat >three.F90 <<'F'
program three
  use iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function usleep(us) bind(c)
      import :: c_int
      integer(c_int), value :: us
    end function
  end interface
  integer :: i, k, ignored
  call mb('all')
  do i = 1, 5
    call mb('step')
    call mb('assemble'); ignored = usleep(4000); call me('assemble')
    do k = 1, 3
      call mb('solve'); ignored = usleep(1000); call me('solve')
    end do
    call me('step')
  end do
  call me('all')
end program
F
cat >three.py <<'P'
import time
import scope_profiler as sp
with sp.region("all"):
    for i in range(5):
        with sp.region("step"):
            with sp.region("assemble"):
                time.sleep(0.004)
            for k in range(3):
                with sp.region("solve"):
                    time.sleep(0.001)
P
compile three.c -o three-c
compile_fortran three.F90 -o three-fortran
for program in ./three-c ./three-fortran three.py; do
    for mode in trace aggregate; do
        SCOPE_PROFILER_MODE=$mode run scope-profiler run -q -o "$mode-${program##*[/-]}.h5" $program
        equal "$program, $mode" "0 " "$rc $(cat err.txt)"
    done
done
for other in trace-fortran trace-three.py aggregate-c aggregate-fortran aggregate-three.py; do same trace-c.h5 $other.h5; done
for file in trace-c aggregate-c aggregate-fortran aggregate-three.py; do
    between "$file: step's own time" 0 0.02 "$(own $file.h5 step)"
    between "$file: solve" 0.015 0.05 "$(sum $file.h5 solve)"
done

# Some processes of a run keep their calls, some add them up: one file, whose statistics are of all of them.
run scope-profiler run -q -o both.h5 sh -c 'SCOPE_PROFILER_MODE=aggregate ./three-c; ./three-c'
run scope-profiler inspect both.h5 --csv
equal "both: calls" "2 30" "$(python3 -c 'import csv; r = [r for r in csv.reader(open("out.txt")) if "solve" in r][0]; print(r[r.index("solve") + 1], r[r.index("solve") + 2])')"
run scope-profiler inspect both.h5 --regions-only --include solve --columns region calls total std p95
matches "both: what is not known is -" 'solve +30 +0\.0[0-9]+ +- +- ' out.txt

# Ends without begins, crossed ends, calls that never end, threads and processes that end inside of calls.
cat >wrong.c <<'C'
#include "mk.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static void *body(void *a) { MB("thread"); MB("inside"); ms(3); if (a) pthread_exit(0); ME("inside"); ME("thread"); return 0; }
int main(void)
{
    pthread_t t;
    MB("main");
    ME("never begun");
    for (int i = 0; i < 3; i++) { MB("a"); MB("b"); ms(2); ME("a"); ms(2); ME("b"); }
    for (int i = 0; i < 2; i++) { MB("a"); MB("left"); ms(2); ME("a"); }
    MB("again"); MB("again"); MB("again"); ms(1); ME("again"); ME("again");
    for (long i = 0; i < 4; i++) { pthread_create(&t, 0, body, (void *)(i & 1)); pthread_join(t, 0); }
    for (int i = 0; i < 2; i++) { /* one after the other: their ranks follow their first events */
        if (fork() == 0) { MB("child"); ms(5); if (i) _exit(3); ME("child"); _exit(0); }
        wait(0);
    }
    MB("open"); ms(5);
    _exit(4);
}
C
compile -pthread wrong.c -o wrong
for mode in trace aggregate; do
    SCOPE_PROFILER_MODE=$mode run scope-profiler run -q -o $mode.h5 ./wrong
    equal "wrong, $mode" 4 "$rc"
    sort err.txt >$mode.txt
done
same trace.h5 aggregate.h5
equal "the same is said of both" "$(cat trace.txt)" "$(cat aggregate.txt)"
equal "the calls that ended late" 3 "$(problem aggregate.h5 overlap b)"
equal "threads, too" "$(column trace.h5 thread_table ranks)" "$(column aggregate.h5 thread_table ranks)"

# Three ranks, of which one records nothing.
for mpi in mpich openmpi; do
    command -v mpirun.$mpi >/dev/null || continue
    for mode in trace aggregate; do
        SCOPE_PROFILER_MODE=$mode run scope-profiler run -q -o $mode.h5 "mpirun.$mpi" $([ $mpi = openmpi ] && echo --allow-run-as-root --oversubscribe) \
            -n 1 ./three-c : -n 1 true : -n 1 ./three-fortran
        equal "$mpi, $mode: status" 0 "$rc"
        equal "$mpi, $mode: ranks" "0 2" "$(ranks $mode.h5 solve)"
        contains "$mpi, $mode: said" "rank 1 of 3 recorded nothing" err.txt
    done
    same trace.h5 aggregate.h5
    mv trace.h5 compiled.h5
    for mode in trace aggregate; do
        SCOPE_PROFILER_MODE=$mode run scope-profiler run -q -o $mode.h5 "mpirun.$mpi" $([ $mpi = openmpi ] && echo --allow-run-as-root --oversubscribe) \
            -n 1 python3 three.py : -n 1 true : -n 1 python3 three.py
        contains "$mpi, $mode, Python: said" "rank 1 of 3 recorded nothing" err.txt
        same compiled.h5 $mode.h5
    done
done
finish
