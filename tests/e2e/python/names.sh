#!/bin/bash
# What functions are called, whose they are, and which of them are recorded.
. "$(dirname "$0")/../lib/lib.sh"
. "$SCOPE_SOURCE/tests/e2e/python/pythons.sh"

printf 'import time\ndef update(): time.sleep(0.01)\n' >m1.py
printf 'import time\ndef update(): time.sleep(0.03)\n' >m2.py
cat >same.py <<'P'
import json, time, m1, m2

class A:
    def update(self): time.sleep(0.02)

class B:
    def update(self): time.sleep(0.04)

def outer1():
    def update(): time.sleep(0.01)
    update()

def outer2():
    def update(): time.sleep(0.05)
    update()

f, g = (lambda: time.sleep(0.01)), (lambda: time.sleep(0.02))
for text in ("def update(): time.sleep(0.01)", "\ndef update(): time.sleep(0.02)"):
    ns = {"time": time}
    exec(text, ns)
    ns["update"]()
m1.update(); m2.update(); A().update(); B().update(); outer1(); outer2(); f(); g()
list(map(lambda v: v * v, range(3)))
json.dumps({})
P
cat >wanted.txt <<'W'
1 <string>.update
1 <string>.update (<string>:2)
2 __main__.<lambda> (same.py:17)
3 __main__.<lambda> (same.py:23)
1 __main__.A.update
1 __main__.B.update
1 __main__.outer1
1 __main__.outer1.<locals>.update
1 __main__.outer2
1 __main__.outer2.<locals>.update
1 m1.update
1 m2.update
1 same.py
W
for python in $PYTHONS; do
    for hook in $(hooks "$python"); do
        what="$(label "$python") $hook"
        record "$hook" s.h5 "$python" same.py
        equal "$what: told apart" "$(cat wanted.txt)" "$(count s.h5 | grep 'update\|lambda\|outer\|same.py$')"
        between "$what: each has its own time" 0.04 0.6 "$(total s.h5 __main__.B.update)"
        equal "$what: nothing of json" 0 "$(count s.h5 | grep -c ' json')"
    done
done

record auto f.h5 --include '__main__.*' --exclude '*.update' same.py
equal "include, exclude" "0 0 1" "$(calls_of f.h5 m1.update __main__.A.update outer1)"
record auto f.h5 --all --include 'json.*' same.py
equal "all, include" "1 0" "$(calls_of f.h5 json.dumps outer1)"
run scope-profiler run --python-hook=nonsense true
equal "a hook that does not exist: status" 2 "$rc"
run scope-profiler run -q --recursive --python-hook monitoring -o x.h5 /usr/bin/python3 same.py
contains "a hook that this version lacks: said" "Python's functions cannot be recorded by monitoring in 3.$(minor /usr/bin/python3)" err.txt

# Code that dies and is born at the same address; the same names again and again.
cat >dynamic.py <<'P'
import resource
def make(i):
    ns = {"__name__": "__main__"}
    exec("def odd(): pass\n" if i % 2 else "\ndef even(): pass\n", ns)
    (ns.get("odd") or ns.get("even"))()
for i in range(1000): make(i)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for i in range(99000): make(i)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
P
for python in $PYTHONS; do
    what="$(label "$python")"
    record auto d.h5 "$python" dynamic.py
    equal "$what: 100000 code objects" "50000 50000 100000" "$(calls_of d.h5 odd even make)"
    between "$what: KiB more than at the start" 0 2048 "$(cat out.txt)"
done

# A module that changes its name, a name that is none, a file name that is no text.
cat >odd.py <<'P'
import sys
def before(): pass
before()
__name__ = "renamed"
def after(): pass
after()
__name__ = 5
def number(): pass
number()
del __name__
def nothing(): pass
nothing()
ns = {"__name__": "__main__"}
exec(compile("def strange(): pass\nstrange()", "a\udcff.py", "exec"), ns)
P
record auto n.h5 odd.py
equal "odd names: status, calls" "0 1 1 1 1" "$rc $(calls_of n.h5 __main__.before renamed.after number __main__.strange)"
finish
