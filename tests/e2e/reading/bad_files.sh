#!/bin/bash
# Files that are not a good profile: one line that names file and cause, or the right numbers; never a signal, a hang, a
# library's own diagnosis, or numbers that are wrong.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >three.c <<'C'
#include "mk.h"
int main(void) { for (int i = 0; i < 3; i++) { MB("r"); ms(5); ME("r"); } return 0; }
C
compile three.c -o three
scope-profiler run -q -o good.h5 ./three
cat >spoil.py <<'P'
import h5py, os, shutil
data = open("good.h5", "rb").read()
def put(name, content): open(name, "wb").write(content)
put("empty.h5", b"")
put("text.h5", b"calls,total\n1,2\n")
put("half.h5", data[:len(data) // 2])
put("minus1.h5", data[:-1])
put("magic.h5", data[:8])
put("zeros.h5", data[:512] + bytes(100000))
flipped = bytearray(data)
for i in range(len(data) // 3, len(data) // 3 + 64): flipped[i] ^= 0x5A
put("flipped.h5", flipped)
put("page.h5", b"<!DOCTYPE html>\n<p>report")
put("speedscope.h5", b'{"$schema":"x","profiles":[]}')
put("trace.h5", b"SCOPEPRF\x07\x00\x00\x00" + b"\x00" * 20)
with h5py.File("foreign.h5", "w") as f: f["temperature"] = [1.0, 2.0]
os.makedirs("dir.h5", exist_ok=True)
def edit(name, change):
    shutil.copy("good.h5", name)
    with h5py.File(name, "r+") as f: change(f)
def datasets(f):
    found = []
    f.visititems(lambda n, o: found.append(n) if isinstance(o, h5py.Dataset) else None)
    return found
def shorten(f):
    n = datasets(f)[0]; d = f[n][()]; del f[n]; f[n] = d[:-1]
def retype(f):
    n = datasets(f)[0]; del f[n]; f[n] = "not a number"
def backwards(f):
    d = f["events/durations"]; d[...] = -d[()]
def newer(f): f.attrs["scope_profiler_schema"] = 999
edit("missing.h5", lambda f: f.__delitem__(datasets(f)[0]))
edit("shorter.h5", shorten)
edit("retyped.h5", retype)
edit("newer.h5", newer)
edit("backwards.h5", backwards)
edit("extra.h5", lambda f: f.create_group("from_the_future").attrs.__setitem__("x", 1))
P
python3 spoil.py
causes() { # what must be said of a file
    case $1 in
    no-such) echo "No such file" ;;
    empty) echo "is empty" ;;
    text | magic) echo "" ;;
    half | minus1) echo "truncated" ;;
    page) echo "HTML" ;;
    speedscope) echo "not a profile" ;;
    trace) echo "version 7" ;;
    foreign) echo "not a profile" ;;
    dir) echo "is a directory" ;;
    missing) echo "missing" ;;
    zeros) echo "zeros.h5: / cannot be read" ;;
    newer) echo "schema 999" ;;
    *) echo "" ;;
    esac
}
for f in no-such empty text half minus1 magic zeros foreign page speedscope trace dir missing shorter retyped newer; do
    for command in inspect "inspect --json" "inspect --csv" line-profile "diff good.h5" "check good.h5" "merge -q -o out.h5" "import-native -q -o out.h5"; do
        # shellcheck disable=SC2086
        RUN_TIMEOUT=20 run scope-profiler $command $f.h5
        # a directory has no native traces in it; every other file is read and refused
        between "$f: $command: a status of ours" 1 2 "$rc"
        equal "$f: $command: one line that names it, and nothing shown" "1 0" \
            "$(grep -c "^scope-profiler: .*$f" err.txt) $(grep -c . out.txt)"
        lacks "$f: $command: no library speaks" "HDF5-DIAG" err.txt
        [ "$command" != inspect ] || contains "$f: the cause" "$(causes $f)" err.txt
    done
done
ok "nothing was written" test ! -e out.h5

# A negative duration is damage wherever the calls are read; the summary does not need them.
for command in "inspect --json" "inspect --csv" "inspect --columns p50" "merge -q -o out.h5"; do
    # shellcheck disable=SC2086
    run scope-profiler $command backwards.h5
    equal "backwards: $command" 1 "$rc"
    contains "backwards: $command: the cause" "ends before it begins" err.txt
    lacks "backwards: $command: no negative number" " -0." out.txt
done
ok "nothing was written of it" test ! -e out.h5

# Bytes turned around somewhere: told, or the right result.
for command in inspect "inspect --json" line-profile; do
    # shellcheck disable=SC2086
    RUN_TIMEOUT=20 run scope-profiler $command flipped.h5
    between "flipped: $command: no signal" 0 2 "$rc"
done

run scope-profiler inspect extra.h5
equal "groups of the future are no matter" "0 " "$rc $(cat err.txt)"
finish
