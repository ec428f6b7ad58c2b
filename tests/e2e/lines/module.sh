#!/bin/bash
# `import scope_profiler` in a recorded program: regions, decorators of every kind of function, an installed package.
. "$(dirname "$0")/../lib/lib.sh"
. "$e2e_lib/../lines/pythons.sh" || exit 1
need python3
cp "$lines_here/module.py" .

cat >printed.txt <<'T'
TypeError
TypeError
ValueError
TypeError
TypeError
TypeError
TypeError
TypeError
AttributeError
ValueError
plain doc __main__ plain (x, *a, k=1, **kw)
done
T
cat >counts.txt <<'T'
a 1
b 1
plain 3
named 1
m 2
s 2
c 1
s2 1
gen 3
gen [resumed] 5
co 3
co [resumed] 6
agen 2
agen [resumed] 7
boom 3
inner 4
T
names=$(sed 's/ [0-9]*$//' counts.txt)

# PYTHON NAME WHAT OPTION...
record() {
    local python=$1 name=$2 what=$3; shift 3
    rm -f m.h5
    run scope-profiler run -q --python "$python" "$@" -o m.h5 module.py
    equal "$name $what: status" 0 "$rc"
    ok "$name $what: printed" cmp out.txt printed.txt
    equal "$name $what: stderr" "" "$(cat err.txt)"
    while read -r region; do echo "$region $(python3 "$lines_here/calls.py" m.h5 "$region")"; done <<<"$names" >got.txt
    ok "$name $what: counts" diff counts.txt got.txt
}

one() {
    record "$1" "$2" "plain"
    equal "$2: nothing else is recorded" 16 "$(regions m.h5 | wc -l)"
    equal "$2: nothing is left open" "" "$(problems m.h5 | tail -n +2)"
    record "$1" "$2" "with functions" --recursive
    equal "$2: decorated functions are regions once" "" "$(regions m.h5 | grep -E '^__main__\.(plain|other|gen|co|agen|boom)$')"
    record "$1" "$2" "with lines" --line-profile
    equal "$2: lines go by the region" "19:1" "$(lines m.h5 | awk '$1 == "other" { print $2 ":" $3 }')"
    contains "$2: its name" "Rank 0 | named | other (module.py:" <(scope-profiler line-profile m.h5)
    record "$1" "$2" "with both" --line-profile --recursive
}
each_python one

# Not ours: what an installed package has and the module has not.
mkdir -p lib/scope_profiler
cat >lib/scope_profiler/__init__.py <<'P'
from scope_profiler.part import PART
WHOLE = PART + 1
def region(name): raise RuntimeError("not this one")
P
echo 'PART = 41' >lib/scope_profiler/part.py
cat >both.py <<'P'
import scope_profiler, scope_profiler.part
from scope_profiler import WHOLE
with scope_profiler.region("r"): pass
print(WHOLE, scope_profiler.part.PART)
try: scope_profiler.neither
except AttributeError as error: print(error)
P
package() {
    PYTHONPATH=lib run scope-profiler run -q --python "$1" -o p.h5 both.py
    equal "$2: both" "42 41 module 'scope_profiler' has no attribute 'neither'" "$(tr '\n' ' ' <out.txt | sed 's/ $//')"
    equal "$2: the module's region" 1 "$(ncalls p.h5 r)"
}
each_python package

# In every place that a region can be left from.
cat >ways.py <<'P'
import sys, threading, os, scope_profiler as sp
def recurse(n):
    with sp.region("rec"):
        if n: recurse(n - 1)
recurse(9)
for i in range(5):
    with sp.region("loop"):
        if i == 3: break
try:
    with sp.region("raised"): raise KeyError
except KeyError: pass
def work():
    for _ in range(100):
        with sp.region("thread"): pass
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
if hasattr(os, "fork"):
    pid = os.fork()
    if not pid:
        with sp.region("child"): pass
        os._exit(0)
    os.waitpid(pid, 0)
with sp.region("exit"): sys.exit(3)
P
ways() {
    run scope-profiler run -q --python "$1" -o w.h5 ways.py
    equal "$2: status" 3 "$rc"
    equal "$2: calls" "10 4 1 400 1 1" "$(for r in rec loop raised thread child exit; do ncalls w.h5 $r; done | tr '\n' ' ' | sed 's/ $//')"
    equal "$2: the child is another rank" "1" "$(ranks w.h5 child)"
}
each_python ways

# Without a run there is no such module.
run /usr/bin/python3 -c 'import scope_profiler'
not_ok "only while recording" test "$rc" = 0
finish
