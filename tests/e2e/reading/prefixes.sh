#!/bin/bash
# Every truncated prefix of a profile, 512 bytes apart, in each format: one clean line, or the right result.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
compile -pthread "$e2e_lib/../formats/shapes.c" -o shapes
scope-profiler run -q -o plain.h5 ./shapes 2>/dev/null
scope-profiler run -q --compress=6 -o packed.h5 ./shapes 2>/dev/null
scope-profiler merge -q plain.h5 -o text.json
scope-profiler merge -q plain.h5 -o text.json.gz
python3 - <<'P'
import struct
with open("trace.spt", "wb") as f:
    f.write(b"SCOPEPRF" + struct.pack("<iiq", 2, 0, 3))
    for name, calls in (("a", 400), ("long name", 1000), ("none", 0)):
        f.write(struct.pack("<i", len(name)) + name.encode() + struct.pack("<i", 3) + b"x.c" + struct.pack("<iq", 7, calls))
        f.write(struct.pack("<%dq" % calls, *range(0, 10 * calls, 10)) + struct.pack("<%dq" % calls, *range(3, 10 * calls + 3, 10)))
P
cat >prefixes.py <<'P'
"""prefixes.py PROGRAM FILE: runs `inspect --json` on every prefix; a line that says how many of which kind there were."""
import json, os, subprocess, sys
program, path = sys.argv[1:]
data = open(path, "rb").read()
def inspect(name):
    done = subprocess.run([program, "inspect", "--json", name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=30, check=False)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")
def core(text):
    one = json.loads(text)["files"][0]
    return {k: v for k, v in one.items() if k not in ("file", "file_path", "bytes")}
whole = core(inspect(path)[1])
refused = right = 0
faults = []
for cut in range(0, len(data), 512):
    name = "cut" + path[path.index("."):]
    with open(name, "wb") as out:
        out.write(data[:cut])
    status, out, err = inspect(name)
    if status == 0 and core(out) == whole:
        right += 1
    elif status == 1 and not out and err.count("\n") == 1 and err.startswith("scope-profiler: " + name + ": "):
        refused += 1
    else:
        faults.append("%d bytes: status %d, stderr %r" % (cut, status, err[:200]))
print("\n".join(faults))
print("%s: %d prefixes, %d refused, %d right, %d faults" % (path, refused + right + len(faults), refused, right, len(faults)))
P
for file in plain.h5 packed.h5 text.json text.json.gz trace.spt; do
    python3 -B prefixes.py "$SCOPE_PROFILER" $file >got.txt 2>&1
    matches "$(tail -n 1 got.txt)" '^.*: [0-9]+ prefixes, [0-9]+ refused, [0-9]+ right, 0 faults$' got.txt
done
finish
