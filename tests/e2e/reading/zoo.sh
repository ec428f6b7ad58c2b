#!/bin/bash
# HDF5 files in each format that h5py writes: none is taken for damaged, and calls are read in whatever way they are stored.
. "$(dirname "$0")/../lib/lib.sh"
python3 -c "import h5py" 2>/dev/null || skip "no h5py on this machine"
mkdir files
python3 -B "$e2e_lib/../reading/zoo.py" files >made.txt 2>&1
equal "the files are made" "0 " "$? $(cat made.txt)"
for file in files/zoo-*.h5; do
    run scope-profiler inspect "$file"
    equal "$file" "scope-profiler: $file: an HDF5 file, but not a profile" "$(cat err.txt)"
done
cat >compare.py <<'P'
"""compare.py PROGRAM: the calls of every profile, as JSON has them, against what was stored."""
import json, subprocess, sys
wrong = []
expected = json.load(open("files/expected.json"))
for name, calls in expected.items():
    done = subprocess.run([sys.argv[1], "merge", "-q", "files/" + name, "-o", "out.json"], stderr=subprocess.PIPE, text=True)
    if done.returncode:
        wrong.append(done.stderr.strip())
        continue
    region = json.load(open("out.json"))["regions"][0]
    if [region["start_times_ns"], region["end_times_ns"]] != calls:
        wrong.append(name + ": other calls")
print("\n".join(wrong[:10] + ["%d profiles, %d wrong" % (len(expected), len(wrong))]))
P
python3 -B compare.py "$SCOPE_PROFILER" >got.txt 2>&1
equal "calls in whatever way they are stored" "124 profiles, 0 wrong" "$(cat got.txt)"
# A dataset whose values are not in the file, or packed by a filter that is not known, is told in words.
cat >other.py <<'P'
import shutil, h5py
for name, way in (("scaled", {"scaleoffset": 0}), ("external", {"external": [("raw.bin", 0, h5py.h5f.UNLIMITED)]})):
    shutil.copy("files/profile-earliest-0-1000-0.h5", name + ".h5")
    with h5py.File(name + ".h5", "r+") as file:
        del file["events/end_times"]
        file["events"].create_dataset("end_times", (1000,), dtype="i8", **way)
P
python3 -B other.py
run scope-profiler inspect scaled.h5
equal "an unknown filter" "scope-profiler: scaled.h5: dataset /events/end_times is packed by other filters than deflate, shuffle and fletcher32: it cannot be read" "$(cat err.txt)"
run scope-profiler inspect external.h5
equal "values elsewhere" "scope-profiler: external.h5: dataset /events/end_times keeps its values in other files" "$(cat err.txt)"
finish
