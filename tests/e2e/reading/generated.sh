#!/bin/bash
# Thirty generated profiles, of every schema: each number of `inspect --json` is numpy's, whatever the format that the
# profile is converted to.
. "$(dirname "$0")/../lib/lib.sh"
here=$e2e_lib/../reading
total=0
check_one() { # WHAT FILE REFERENCE
    run scope-profiler inspect --json "$2"
    equal "$1: status" "0 " "$rc $(cat err.txt)"
    python3 -B "$here/expect.py" "$3" out.txt >faults.txt 2>&1
    local status=$? last values
    last=$(tail -n 1 faults.txt)
    check "$1: $last" $status
    [ $status = 0 ] || e2e_show faults.txt
    values=${last%% values, *}
    [ "$values" = "$last" ] || total=$((total + values))
}
for seed in $(seq 1 30); do
    what=$(python3 -B "$here/generate.py" "$seed" g.h5) || fail "profile $seed cannot be made"
    check_one "profile $seed (schema, ranks, threads, calls: $what)" g.h5 g.h5
    [ $((seed % 5)) = 0 ] || continue
    for copy in c.h5 c.json c.json.gz; do
        run scope-profiler merge g.h5 -q -o $copy
        equal "profile $seed as $copy" "0 " "$rc $(cat out.txt err.txt)"
        check_one "profile $seed as $copy" $copy g.h5
    done
done
between "values compared" 20000 10000000 $total
finish
