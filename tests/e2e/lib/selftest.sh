#!/bin/bash
# The helpers themselves: a test that fails must fail, and the numbers of a hand-made file must come out exactly.
. "$(dirname "$0")/../lib/lib.sh"
run sh -c 'echo hi; exit 3'
equal status 3 "$rc"
contains "its output" hi out.txt
python3 - <<'P'
import h5py, numpy as np
f = h5py.File("a.h5", "w"); f.attrs["scope_profiler_schema"] = 3
# outer 0..100 (own 60), inner 10..30, 40..60 ; recursion rec 200..300 / 220..250
f["region_table/names"] = ["m.outer", "inner", "rec"]
g = f.create_group("rank_region_index")
g["region_ids"] = np.array([0, 1, 2, 0], "u4"); g["ranks"] = np.array([0, 0, 0, 1], "u4")
g["event_offsets"] = np.array([0, 1, 3, 5], "u8"); g["event_counts"] = np.array([1, 2, 2, 1], "u8")
f["events/start_deltas"] = np.array([0, 10, 30, 200, 20, 5]); f["events/durations"] = np.array([100, 20, 20, 100, 30, 7])
f.create_group("metadata").attrs["label"] = "x"
P
equal n 2 "$(ncalls a.h5 outer)"
equal n0 1 "$(ncalls a.h5 outer 0)"
equal own 0.000000067 "$(own a.h5 outer)"
equal own0 0.000000060 "$(own a.h5 outer 0)"
equal rec 0.000000100 "$(total a.h5 rec)"
equal recsum 0.000000130 "$(sum a.h5 rec)"
equal recown 0.000000100 "$(own a.h5 rec)"
equal meta x "$(meta a.h5 label)"
equal ranks "0 1" "$(ranks a.h5 outer)"
equal err error "$(ncalls none.h5 outer 2>/dev/null)"
equal none 0 "$(ncalls a.h5 nothing)"
regions a.h5 >names.txt
equal "region names" "inner m.outer rec" "$(tr '\n' ' ' <names.txt | sed 's/ $//')"

inner() { # STATUS SCRIPT: what a test with this body ends with
    printf '. "%s/lib.sh"\n%s\n' "$MK" "$2" >inner.sh
    run bash inner.sh
    equal "body: $2" "$1" "$rc"
}
inner 0 'equal a 1 1; finish'
inner 1 'equal a 1 2; finish'
inner 1 'between a 1 2 error; finish'
inner 1 'equal a 1 1; exit 0'
inner 77 'skip "for a reason"'
finish
