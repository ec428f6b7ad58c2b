#!/bin/bash
# Bytes changed at random, and sizes that HDF5 itself would not survive: the command ends in an answer or in one line, with
# its own status, and in time.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
compile -pthread "$e2e_lib/../formats/shapes.c" -o shapes
scope-profiler run -q -o plain.h5 ./shapes 2>/dev/null
scope-profiler run -q --compress=6 -o packed.h5 ./shapes 2>/dev/null
scope-profiler merge -q plain.h5 -o text.json
scope-profiler merge -q plain.h5 -o text.json.gz
cat >mutate.py <<'P'
"""mutate.py PROGRAM FILE TIMES: runs commands on changed copies; a line with how many ended how."""
import random, re, subprocess, sys
program, path, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
data = open(path, "rb").read()
name = "changed" + path[path.index("."):]
commands = (["inspect", "--json"], ["inspect", "--tree"], ["line-profile"], ["merge", "-q", "-o", "again.json"])
counts, faults = {0: 0, 1: 0}, []

def attempt(changed, what, command):
    with open(name, "wb") as out:
        out.write(changed)
    try:
        done = subprocess.run([program, *command, name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=30, check=False)
    except subprocess.TimeoutExpired:
        faults.append("%s: %s: no end" % (what, command))
        return
    errors = done.stderr.decode("utf-8", "replace").splitlines()
    ours = all(l.startswith("scope-profiler: ") for l in errors)
    if done.returncode not in counts or not ours or len(errors) > 1 or (done.returncode and not errors):
        faults.append("%s: %s: status %d, %r" % (what, command, done.returncode, errors[:3]))
    else:
        counts[done.returncode] += 1

for seed in range(times):
    rng = random.Random(seed)
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8, 40])):
        at = rng.randrange(len(data)) if rng.random() < 0.5 else rng.randrange(min(len(data), 6000))
        changed[at] = rng.choice([0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)])
    attempt(changed, "seed %d" % seed, commands[seed % len(commands)])
for signature, offset in ((b"HEAP", 8), (b"HEAP", 16), (b"TREE", 8), (b"SNOD", 8), (b"GCOL", 8)):
    for found in list(re.finditer(signature, data))[:6]:
        for size in (0x3B000000B0, 2 ** 63, 2 ** 64 - 1, 0, 7):
            changed = bytearray(data)
            changed[found.start() + offset:found.start() + offset + 8] = size.to_bytes(8, "little")
            attempt(changed, "%s at %d, %x" % (signature.decode(), found.start(), size), commands[0])
print("\n".join(faults[:20]))
print("%s: %d answers, %d refused, %d faults" % (path, counts[0], counts[1], len(faults)))
P
for file in plain.h5 packed.h5 text.json text.json.gz; do
    times=120
    [ $file = plain.h5 ] && times=240
    python3 -B mutate.py "$SCOPE_PROFILER" $file $times >got.txt 2>&1
    matches "$(tail -n 1 got.txt)" '^.*: [0-9]+ answers, [0-9]+ refused, 0 faults$' got.txt
done
finish
