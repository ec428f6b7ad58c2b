#!/bin/bash
# Files that the Python package writes keep the rules of the Python tool's format, looked at with h5py, and are read back.
. "$(dirname "$0")/../lib/lib.sh"
here=$e2e_lib/../results
python=/usr/bin/python3
"$python" -c 'import h5py' 2>/dev/null || skip "$python has no h5py"
export PYTHONPATH=$SCOPE_BUILD/share/python
run "$python" -B "$here/written.py"
equal "written" "0 " "$rc $(cat err.txt)"
"$python" -B "$here/profiles.py" && scope-profiler merge -q lanes.json -o lanes.h5
for file in trace full sums lines threads packed; do
    "$python" -B "$here/format.py" $file.h5 >faults.txt 2>&1
    equal "$file.h5" "0 faults" "$(cat faults.txt)"
done
scope-profiler merge -q trace.h5 lines.h5 threads.h5 lanes.h5 --renumber -o merged.h5
equal "merged" "0 faults" "$("$python" -B "$here/format.py" merged.h5 2>&1)"

# The look itself: a file that breaks a rule is found.
cp trace.h5 odd.h5 && "$python" -c 'import h5py
with h5py.File("odd.h5", "r+") as f: f["rank_region_index/event_counts"][0] += 1'
matches "a wrong count is found" '^[1-9][0-9]* faults$' <("$python" -B "$here/format.py" odd.h5 2>&1)

run "$python" -B - <<'P'
from scope_profiler.reading import load
r = load("trace.h5"); print(r.label, r["tagged"].tags, [(c["name"], c["depth"]) for c in r.call_stack()][:3])
r = load("full.h5"); print("user" in r.metadata, r["tagged"].source_lineno > 0, r["tagged"].source_text.split("\n")[0].strip())
r = load("sums.h5"); print(r["summed"].num_calls, r["summed"].exclusive_duration < r["summed"].total_duration, r.events())
r = load("lines.h5"); print([(int(l), int(h)) for l, h in zip(r.line_profile[0][0]["line_numbers"], r.line_profile[0][0]["hits"])][1:3])
r = load("threads.h5"); print(len(r.threads[0]), sorted({c["lane"] for c in r.call_stack()}), r["threaded"][0].num_calls)
print(sorted(row["num_calls"] for row in r.thread_summary()))
print(load("packed.h5")["packed"].num_calls, load("merged.h5").num_ranks)
P
equal "read back" "0 " "$rc $(cat err.txt)"
diff out.txt - <<'T'
trace ('a', 'ü') [('tagged', 0), ('within', 1), ('inner', 2)]
True True with sp.region("tagged", tags=["a", "ü"]):
1000 True []
[(23, 11), (24, 10)]
4 [-5, -4, -3, -2] 150
[6, 100, 100, 100]
30000 4
T
check "and holds what was recorded" $?
finish
