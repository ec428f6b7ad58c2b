#!/bin/bash
# What the Python package reads of recorded profiles, and of those of the Python tool where they are at hand, is what h5py
# reads.
. "$(dirname "$0")/../lib/lib.sh"
here=$e2e_lib/../results
need gcc python3
export PYTHONPATH=$SCOPE_BUILD/share/python
compile -pthread "$here/../formats/shapes.c" -o shapes
run scope-profiler run -q -o s.h5 ./shapes
scope-profiler merge -q s.h5 --compress -o packed.h5
run python3 -B "$here/recorded.py" s.h5 packed.h5
equal "recorded, and packed" 0 "$rc"
[ "$rc" = 0 ] || e2e_show err.txt
between "values compared" 40 10000 "$(cat out.txt)"

fixtures=${SCOPE_PROFILER_FIXTURES:-$SCOPE_SOURCE/../shared/fixtures}
if [ -d "$fixtures" ]; then
    run python3 -B "$here/recorded.py" "$fixtures"/*.h5
    equal "profiles of the Python tool" 0 "$rc"
    [ "$rc" = 0 ] || e2e_show err.txt
    for file in "$fixtures"/*.h5 "$fixtures"/*.json "$fixtures"/*.spt; do
        run python3 -B -c 'import sys
from scope_profiler.reading import load
r = load(sys.argv[1]); s = r["solve"]
print(r.num_ranks, [int(d) for d in s[0].durations_ns], round(s.total_duration * 1e9), round(s.exclusive_duration * 1e9),
      [e["call_index"] for e in r.events()], s.has_source)' "$file"
        equal "$(basename "$file")" "1 [5, 13, 15] 33 33 [0, 1, 2] $([[ $file = *v1.spt ]] && echo False || echo True)" "$(cat out.txt)"
    done
else
    echo "not compared: profiles of the Python tool (none at $fixtures; SCOPE_PROFILER_FIXTURES names another directory)"
fi
finish
