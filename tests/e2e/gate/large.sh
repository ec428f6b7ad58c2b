#!/bin/bash
# Two files of 10^8 calls each: diff and check read the index alone.
. "$(dirname "$0")/common.sh"
make_profile a.h5 huge=50000000 start=1 -- solve=0.001 io=0.002
make_profile b.h5 huge=50000000 start=5 -- solve=0.0011 io=0.002
[ "$(stat -c %s a.h5)" -gt 1600000000 ] || fail "the file is not large"
peak() { # CMD...: KiB of memory, after "<status> "
    /usr/bin/python3 - "$@" <<'PY'
import os, resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=open("out.txt", "w"), stderr=open("err.txt", "w")).returncode
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
PY
}
read -r rc memory <<<"$(peak scope-profiler diff a.h5 b.h5)"
equal "diff: status" 0 "$rc"
between "diff: KiB" 1 51200 "$memory"
contains "diff: the numbers" "│ solve    │ 50              │ 55              │ +5      │ +10%" out.txt
read -r rc memory <<<"$(peak scope-profiler check a.h5 b.h5 --max-regression 5)"
equal "check: status" 1 "$rc"
between "check: KiB" 1 51200 "$memory"
for i in 1 2 3; do make_profile c$i.h5 huge=1000000 start=$((i * 10)) -- solve=0.001$i; make_profile d$i.h5 huge=1000000 start=$((i * 10 + 5)) -- solve=0.002$i; done
read -r rc memory <<<"$(peak scope-profiler check --stat total --base c1.h5 c2.h5 c3.h5 --candidate d1.h5 d2.h5 d3.h5)"
equal "totals of runs: status" 1 "$rc"
between "totals of runs: KiB" 1 51200 "$memory"
finish
