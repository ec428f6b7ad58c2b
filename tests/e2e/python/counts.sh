#!/bin/bash
# The number of calls of every function of real programs is cProfile's, for every Python and every hook.
. "$(dirname "$0")/../lib/lib.sh"
. "$SCOPE_SOURCE/tests/e2e/python/pythons.sh"
here=$SCOPE_SOURCE/tests/e2e/python
cp "$here/programs.py" "$here/counting.py" .
export PYTHONHASHSEED=0
RUN_TIMEOUT=300

compare() { # WHAT PROFILE [FILE]
    python3 -B "$here/compare.py" "$2" c.json ${3:+"$3"} >differences.txt 2>&1
    tail -n 1 differences.txt
    matches "$1: something was compared" '^[0-9]{2,} functions, [0-9]{2,} calls compared' differences.txt
    contains "$1: nothing differs" ", 0 differ" differences.txt
}

for python in $PYTHONS; do
    name=$(label "$python")
    ok "$name: cProfile" "$python" programs.py cprofile c.json
    for hook in $(hooks "$python"); do
        run scope-profiler run -q --all --python-hook "$hook" -o all.h5 "$python" programs.py plain
        equal "$name $hook: status" 0 "$rc"
        compare "$name $hook, all" all.h5
    done
    run scope-profiler run -q --recursive -o own.h5 "$python" programs.py plain
    compare "$name, own functions" own.h5 programs.py
done
finish
