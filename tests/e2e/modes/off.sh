#!/bin/bash
# Nothing is recorded, nothing is written, and the program notices nothing.
. "$(dirname "$0")/../lib/lib.sh"
need gcc python3
cat >work.c <<'C'
#include "mk.h"
#include <stdio.h>
int main(void) { MB("work"); ms(1); ME("work"); printf("%d %lld\n", sp_is_active(), (long long)sp_num_calls(0)); return 3; }
C
compile work.c -o work
cat >work.py <<'P'
import scope_profiler as sp
@sp.profile
def f():
    return 1
with sp.region("work"):
    print(f())
P
export SCOPE_PROFILER_MODE=off
run scope-profiler run -o a.h5 ./work
equal "status, output" "3 0 0" "$rc $(cat out.txt)"
equal "no file" "" "$(ls -A | grep h5)"
contains "why" "a.h5: nothing was recorded, no file was written: SCOPE_PROFILER_MODE is off" err.txt
run scope-profiler run --recursive --line-profile -o a.h5 work.py
equal "Python" "0 1" "$rc $(cat out.txt)"
equal "no file" "" "$(ls -A | grep h5)"
LD_PRELOAD=$SCOPE_PRELOAD run ./work
equal "plain preload" "3 0 0 " "$rc $(cat out.txt) $(cat err.txt)"
equal "no file, no spool" "" "$(ls -A | grep h5)"
run scope-profiler run -q --aggregation-mode -o b.h5 ./work
equal "an option is stronger than the variable" "3 1" "$rc $(ncalls b.h5 work)"
SCOPE_PROFILER_MODE=sometimes run scope-profiler run -o c.h5 ./work
equal "a mode that there is not" "2 " "$rc $(cat out.txt)"
contains "is said" "SCOPE_PROFILER_MODE: 'sometimes' is none of off, trace, aggregate" err.txt
SCOPE_PROFILER_MODE=sometimes LD_PRELOAD=$SCOPE_PRELOAD run ./work
contains "plain preload" "'sometimes' is none of off, trace, aggregate" err.txt
equal "traces" "3 1" "$rc $(ncalls profiling_data.h5 work)"
finish
