#!/bin/bash
# Calls that are too many to be kept: percentiles are exact, the call tree is right, and memory stays the same. (Figures of
# a hundred million calls: tests/bench/figures.)
. "$(dirname "$0")/../lib/lib.sh"
here=$e2e_lib/../reading
cat >compare.py <<'P'
import json, math, sys
want = json.load(open(sys.argv[1]))
one = json.load(open("out.txt"))["files"][0]
for part in sys.argv[2:]:
    for entry in one[part]:
        for key, value in want[entry["name"]].items():
            if not math.isclose(entry[key], value, rel_tol=1e-12):
                print(part, entry["name"], key, value, entry[key])
    if len(one[part]) != 2:
        print(part, len(one[part]))
P
cat >peak.py <<'P'
import os, sys
with open("out.txt", "wb") as out:
    os.dup2(out.fileno(), 1)
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss // 1024, file=sys.stderr)
P
peak() { python3 peak.py "$@" 2>peak.txt; read -r rc mib <peak.txt; echo "rc=$rc, $mib MiB <- $*"; }
for shape in "" threads; do
    # shellcheck disable=SC2086
    python3 -B "$here/large.py" large.h5 7e6 $shape >want.json || fail "no file"
    what="7 million calls${shape:+ of threads one after the other}"
    peak scope-profiler inspect large.h5
    equal "$what: the summary" 0 "$rc"
    between "$what: its memory, MiB" 1 50 "$mib"
    contains "$what: what was done is said" "one row a region, from the stored summary; --tree reads every call" out.txt
    peak scope-profiler inspect --json --tree large.h5
    equal "$what: everything" 0 "$rc"
    between "$what: its memory, MiB" 1 200 "$mib"
    equal "$what: numbers" "" "$(python3 compare.py want.json regions tree)"
    peak scope-profiler inspect --columns region,calls,p99 large.h5
    contains "$what: percentiles in the table" "percentiles from every call" out.txt
done
peak scope-profiler inspect --json large.h5
equal "JSON says why there is no tree" "None too many calls; --tree reads them all True" "$(python3 -c 'import json
one = json.load(open("out.txt"))["files"][0]; print(one["tree"], one["no_tree"], one["calls_read"])')"
equal "no temporary file is left" "" "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'scope-profiler-??????' -newer want.json)"
finish
