#!/bin/bash
# setup(use_line_profiler=True): the lines of the function that a `with` stands in, and of functions that its region was
# given, are counted while it is open, and at no other time. A `with` makes its function known the first time, which does
# not count.
. "$(dirname "$0")/../lib/lib.sh"
. "$e2e_lib/../python/pythons.sh"
. "$e2e_lib/../api/common.sh"
need python3

cat >scopes.py <<'P'
import sys, time
import scope_profiler as sp
sp.setup(use_line_profiler=True, file_path="scopes.h5")
def helper(n):
    a = n + 1
    return a
def holds(n):
    time.sleep(0.01)
    with sp.region("block", functions=[helper]):
        x = helper(n)
        y = x + 1
    after = helper(y)
    time.sleep(0.01)
    return after
def twice():
    for i in range(2):
        with sp.region("turn"):
            z = i
    return z
@sp.profile
def decorated():
    a = 1
    with sp.region("part"):
        b = 2
    return a + b
def rec(n):
    with sp.region("rec"):
        m = n
        if n:
            rec(n - 1)
        m += 1
    return m
def gen():
    with sp.region("gen"):
        yield 1
        g = 2
    yield g
def raises():
    with sp.region("raises"):
        r = 1
        raise KeyError
def handled():
    with handle:
        h = 1
    return h
handle = sp.ProfileManager.define_region("handle")
helper(0)
for i in range(3):
    holds(i)
    helper(i)
twice(); twice()
decorated(); decorated()
rec(2)
for _ in range(2): list(gen())
for _ in range(2):
    try: raises()
    except KeyError: pass
handled(); handled()
helper(5)
assert sys.gettrace() is None
results = sp.finalize(verbose=False, return_results=True)
# From 3.10 on the line of a `with` runs again as it is left, and in 3.9 that of the exception.
twice_run = [n for n, line in enumerate(open(__file__), 1) if line.strip().startswith(("with ", "raise "))]
for r in sorted(results.line_profile.get(0, []), key=lambda r: (r["region"], r["function"])):
    hits = ["%d:%d" % (l, h) for l, h in zip(r["line_numbers"], r["hits"]) if l not in twice_run]
    print(r["region"], r["function"], *hits)
    if r["function"] == "holds": assert sum(r["times"]) * r["unit"] < 0.01, r["times"]
if sys.argv[1:]:
    print("done")
    sys.exit()
sp.setup(use_line_profiler=True, file_path="again.h5", replace=True)
with sp.region("block"): helper(1)
results = sp.finalize(verbose=False, return_results=True)
assert not results.line_profile.get(0), "it is another region"
holds(1)
print(*(r["function"] for r in sp.region("block").get_stats().records))
print(*(calls for calls in (sp.region(name).num_calls for name in ("block", "turn"))))
print("done")
P
cat >expected.txt <<'T'
block helper 5:3 6:3
block holds 10:2 11:2
decorated decorated 22:2 24:2 25:2
gen gen 35:1 36:1
handle handled 44:1
part decorated 24:1
raises raises 40:1
rec rec 28:2 29:2 30:1 31:2 32:1
turn twice 18:3
helper holds
2 0
done
T
for python in $PYTHONS; do
    name=$(label "$python")
    api "$python" scopes.py
    well "$name"
    equal "$name: hits" "$(cat expected.txt)" "$(cat out.txt)"
    run scope-profiler run -q --python "$python" -o run.h5 scopes.py run
    equal "$name: under run: status, end" "0 done" "$rc $(tail -n 1 out.txt)"
    equal "$name: under run: stored" "helper 5:3 6:3" "$(scope-profiler line-profile run.h5 --region block --function helper |
        awk -v s= '/^[^A-Za-z]/ && $2 ~ /^[0-9]+$/ { s = s " " $2 ":" $4 } END { print "helper" s }')"
done
finish
