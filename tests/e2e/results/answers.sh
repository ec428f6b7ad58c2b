#!/bin/bash
# The results of the Python package, on every Python that is there: exact answers about profiles written by hand.
. "$(dirname "$0")/../lib/lib.sh"
here=$e2e_lib/../results
. "$here/../python/pythons.sh"
export PYTHONPATH=$SCOPE_BUILD/share/python
for python in $PYTHONS; do
    mkdir work && cd work || exit 1
    "$python" -B "$here/profiles.py" && scope-profiler merge -q ranks.json -o ranks.h5
    run "$python" -B "$here/answers.py" .
    equal "$(label "$python") ($(sed -n '$s/ [0-9]* failed//p' out.txt))" 0 "$rc"
    [ "$rc" = 0 ] || { cat out.txt; e2e_show err.txt; }
    cd .. && rm -rf work
done
finish
