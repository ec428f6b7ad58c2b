#!/bin/bash
# A run that was killed leaves its recording; whoever reads the profile next, or `collect`, makes the file of it. While
# the program runs, that is said and the older file is read.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >waits.c <<'C'
#include "mk.h"
#include <stdio.h>
#include <unistd.h>
int main(int c, char **v)
{
    (void)v;
    for (int i = 0; i < 5; i++) { MB("r"); ms(1); ME("r"); }
    fclose(fopen("ready", "w"));
    if (c > 1) return 0;
    for (;;) pause();
}
C
compile waits.c -o waits
spools() { find . -maxdepth 1 -name '.*.spool-*' | wc -l; }
begin_run() { # FILE: starts a program that waits; $runner is the command, $program the program
    rm -f ready
    scope-profiler run -q -o "$1" ./waits 2>/dev/null &
    runner=$!
    await 10 test -e ready
    program=$(pgrep -P $runner)
}
scope-profiler run -q -o x.h5 ./waits done
begin_run x.h5
run scope-profiler inspect x.h5 --csv
equal "while it runs the older file is read" "0 5" "$rc $(awk -F, '$2 == "r" { print $4 }' out.txt)"
contains "and that is said" "has not ended yet; this is the one before" err.txt
kill -KILL $runner
run scope-profiler inspect x.h5 --csv
contains "the command was killed, the program runs" "has not ended yet" err.txt
kill -KILL "$program"
await 10 bash -c "! kill -0 $program 2>/dev/null"
rm x.h5
run scope-profiler inspect x.h5 --csv
equal "when both are gone it is collected" "0 5" "$rc $(awk -F, '$2 == "r" { print $4 }' out.txt)"
contains "and that is said" "x.h5: collected" err.txt
equal "the file is there, the recording is not" "5 0" "$(ncalls x.h5 r) $(spools)"
run scope-profiler inspect x.h5 --csv
equal "the next time there is nothing to say" "0 " "$rc $(cat err.txt)"

# By hand, and into another file.
begin_run y.h5
kill -KILL $runner "$program"
await 10 bash -c "! kill -0 $program 2>/dev/null"
spool=$(echo .y.h5.spool-*)
run scope-profiler collect --keep -o other.h5 --label L "$spool"
equal "collect into another file" "0 5 L" "$rc $(ncalls other.h5 r) $(meta other.h5 label)"
contains "it is named" "wrote other.h5" err.txt
equal "the recording is kept" 1 "$(spools)"
run scope-profiler collect -q "$spool"
equal "collect into the file of the run" "0 5 0" "$rc $(ncalls y.h5 r) $(spools)"
equal "quiet" "" "$(cat out.txt)"

mkdir empty
refused() { # WHAT STATUS TEXT ARG...
    local what=$1 status=$2 text=$3; shift 3
    run scope-profiler collect "$@"
    equal "$what" "$status" "$rc"
    contains "$what: says" "$text" err.txt
}
refused "no directory" 2 "which directory"
refused "a missing directory" 1 "missing" missing
refused "a file" 1 "x.h5" x.h5
refused "another directory" 1 "empty" empty
refused "a bad output" 2 "missing/x.h5" -o missing/x.h5 empty
ok "other directories are left alone" test -d empty

# Another file's recording is none of ours.
begin_run z.h5
run scope-profiler inspect x.h5 --csv
equal "another run" "0 " "$rc $(cat err.txt)"
kill $runner
wait $runner
equal "a run that is asked to end" "143 5 0" "$? $(ncalls z.h5 r) $(spools)"

# A hostile recording beside the file: no crash, and the file is still read.
mkdir .x.h5.spool-0000000000000000
printf 'output=%s/x.h5\n' "$PWD" >.x.h5.spool-0000000000000000/session
printf 'rubbish' >.x.h5.spool-0000000000000000/0123456789abcdef.proc
mkfifo .x.h5.spool-0000000000000000/collecting .x.h5.spool-0000000000000000/rank-0-00000000
RUN_TIMEOUT=30 run scope-profiler inspect x.h5 --csv
equal "rubbish beside the file" "0 5" "$rc $(awk -F, '$2 == "r" { print $4 }' out.txt)"
finish
