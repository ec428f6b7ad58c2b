#!/bin/bash
# A statement over several lines is one statement: executed once, it counts once, on its first line, with all its time.
. "$(dirname "$0")/../lib/lib.sh"
. "$e2e_lib/../lines/pythons.sh" || exit 1
need python3

cat >b13.py <<'P'
import time

def slow(a, b):
    time.sleep(a + b)
    return a + b

def job():
    for _ in range(4):
        r = slow(
            0.001,
            b=0.002,
        )
        s = (r
             + 1
             + slow(0, 0.001))
    text = """one
    two"""
    return (
        s,
        text,
    )

job()
P

# FILE LINE: seconds of a line of job
seconds() { lines "$1" | awk -v line="$2" '$1 == "job" && $2 == line { printf "%.6f", $4 / 1e9 }'; }

one() {
    rm -f b13.h5
    run scope-profiler run -q --python "$1" --line-profile -o b13.h5 b13.py
    equal "$2: status" 0 "$rc"
    equal "$2: lines of job" "8:5 9:4 13:4 16:1 18:1" \
        "$(lines b13.h5 | awk '$1 == "job" { printf "%s%s:%s", n++ ? " " : "", $2, $3 }')"
    equal "$2: lines of slow" "4:8 5:8" "$(lines b13.h5 | awk '$1 == "slow" { printf "%s%s:%s", n++ ? " " : "", $2, $3 }')"
    between "$2: time of the first call" 0.012 0.5 "$(seconds b13.h5 9)"
    between "$2: time of the sum" 0.004 0.5 "$(seconds b13.h5 13)"
    scope-profiler line-profile b13.h5 --function job >table.txt
    equal "$2: one function is shown" 1 "$(grep -c '^Rank 0 ' table.txt)"
    contains "$2: its heading" "Rank 0 | __main__.job | job (b13.py:7)" table.txt
    matches "$2: the statement's first line" '^│ 9 +│ 4 +│ .*│     r = slow\( +│$' table.txt
    matches "$2: a line of its continuation" '^│ 10 +│ +│ +│ +│ +│         0.001, +│$' table.txt
}
each_python one
finish
