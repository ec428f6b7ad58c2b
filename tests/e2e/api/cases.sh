#!/bin/bash
# Recursion, coroutines, processes, statements, empty functions, functions of every kind, odd sources: recorded by the
# program itself.
. "$(dirname "$0")/../lib/lib.sh"
. "$e2e_lib/../api/common.sh"
need python3
python=/usr/bin/python3

# ---- recursion is not counted twice
cat >recursion.py <<'P'
import time
import scope_profiler as sp
@sp.profile("walk")
def walk(depth):
    time.sleep(0.001)
    if depth:
        walk(depth - 1)
        walk(depth - 1)
@sp.profile("even")
def even(n):
    time.sleep(0.002)
    return True if n == 0 else odd(n - 1)
@sp.profile("odd")
def odd(n):
    time.sleep(0.002)
    return False if n == 0 else even(n - 1)
sp.setup(file_path="recursion.h5")
t = time.perf_counter(); walk(5); w = time.perf_counter(); even(9); e = time.perf_counter()
results = sp.finalize(verbose=False, return_results=True)
print("%.6f %.6f" % (w - t, e - w))
rows = {row["name"]: row for row in results.summary()}
own = sum(row["exclusive_duration"] for row in rows.values())
assert own <= (e - t) * 1.01, (own, e - t)
print("done")
P
api $python recursion.py
well recursion
read -r walked evened <out.txt
equal "calls" "63 5 5" "$(ncalls recursion.h5 walk) $(ncalls recursion.h5 even) $(ncalls recursion.h5 odd)"
between "walk's time" "$(awk "BEGIN { print $walked * 0.9 }")" "$(awk "BEGIN { print $walked * 1.01 }")" "$(total recursion.h5 walk)"
between "even's time" 0.01 "$evened" "$(total recursion.h5 even)"
scope-profiler inspect recursion.h5 --columns percent,total >table.txt 2>&1
not_ok "no percentage over 100" grep -E '[1-9][0-9][0-9]\.[0-9]+%' table.txt

# ---- coroutines that overlap in one thread
cat >coroutines.py <<'P'
import asyncio, time
import scope_profiler as sp
sp.setup(file_path="coroutines.h5")
@sp.profile
async def fetch(k):
    time.sleep(0.005)
    await asyncio.sleep(0.1)
    return k
@sp.profile
async def main():
    return sum(await asyncio.gather(*(fetch(k) for k in range(10))))
print(asyncio.run(main()))
sp.finalize(verbose=False)
sp.setup(file_path="coroutine_lines.h5", use_line_profiler=True)
print(asyncio.run(main()))
records = sp.finalize(verbose=False, return_results=True).line_profile[0]
record, = [r for r in records if r["function"] == "fetch"]
hits = dict(zip(record["line_numbers"], record["hits"]))
times = dict(zip(record["line_numbers"], record["times"]))
first = record["first_lineno"] + 2
assert [int(hits[first + i]) for i in range(3)] == [10, 10, 10], hits
assert times[first] * record["unit"] >= 0.05, times
print("done")
P
api $python coroutines.py
well coroutines
equal "its result" "45 45" "$(head -n 2 out.txt | tr '\n' ' ' | sed 's/ $//')"
equal "calls" "10 1" "$(ncalls coroutines.h5 fetch) $(ncalls coroutines.h5 main)"
between "active time" 0.05 0.3 "$(sum coroutines.h5 fetch)"
between "with what came after the wait" 0.05 0.3 "$(awk "BEGIN { print $(sum coroutines.h5 fetch) + $(sum coroutines.h5 'fetch [resumed]') }")"

# ---- processes
cat >pool.py <<'P'
import dataclasses, multiprocessing as mp, pickle, sys, time
import scope_profiler as sp
@dataclasses.dataclass
class Job:
    n: int
@sp.profile
def sq(job):
    time.sleep(0.001)
    return Job(job.n * job.n)
@sp.profile
def parent_only(): time.sleep(0.01)
if __name__ == "__main__":
    sp.setup(file_path="pool.h5")
    assert pickle.loads(pickle.dumps(sq)) is sq and pickle.loads(pickle.dumps(Job(3))) == Job(3)
    assert sys.modules["__main__"].Job is Job
    parent_only()
    pool = mp.get_context(sys.argv[1]).Pool(2)
    with pool:
        print(sum(j.n for j in pool.map(sq, [Job(i) for i in range(12)])))
    pool.join()
    sp.finalize(verbose=False)
    print("done")
P
for how in fork spawn forkserver; do
    rm -f pool.h5
    api $python pool.py $how
    well "$how"
    equal "$how: its result" 506 "$(head -n 1 out.txt)"
    equal "$how: the parent's" "1 0" "$(ncalls pool.h5 parent_only) $(ranks pool.h5 parent_only)"
done
api $python pool.py fork
equal "fork: the workers' calls, on ranks of theirs" 12 "$(ncalls pool.h5 sq)"
not_ok "fork: not the parent's" test "$(ncalls pool.h5 sq 0)" != 0

# ---- statements over several lines, and every kind of function
cat >statements.py <<'P'
import time
import scope_profiler as sp
sp.setup(use_line_profiler=True, file_path="statements.h5")
def slow(a, b):
    time.sleep(a + b)
    return a + b
@sp.profile
def job():
    for _ in range(4):
        r = slow(
            0.001,
            b=0.002,
        )
        s = (r
             + 1
             + slow(0, 0.001))
    text = """one
    two"""
    return (
        s,
        text,
    )
job()
@sp.profile
def doc_only():
    """nothing"""
@sp.profile
def stub(): ...
@sp.profile
def never():
    return 1
@sp.profile
async def co(): ...
doc_only(); stub(); co().close()
sp.finalize(verbose=False, verbose_line_profiler=True)
print("done")
P
api $python statements.py
well statements
scope-profiler line-profile statements.h5 --function job >lines.txt
hits() { awk -v l="$1" '$2 == l { print $4 }' lines.txt; }
seconds() { awk -v l="$1" '$2 == l { print $6 }' lines.txt; }
equal "hits" "5 4 4 1 1" "$(hits 9) $(hits 10) $(hits 14) $(hits 17) $(hits 19)"
between "the first statement's time" 0.012 1 "$(seconds 10)"
between "the second's" 0.004 1 "$(seconds 14)"
contains "a function that never ran is listed" "Function: never at line 29" out.txt
for file in out.txt lines.txt; do not_ok "$file: no nan" grep -qiE '(^|[^a-z])(nan|inf)([^a-z]|$)|-0\.0' $file; done
ok "inspect" scope-profiler inspect statements.h5

cat >kinds.py <<'P'
import functools
import scope_profiler as sp
sp.setup(use_line_profiler=True, file_path="kinds.h5")
def deco(fn):
    @functools.wraps(fn)
    def wrapper(*a):
        return fn(*a)
    return wrapper
@deco
@sp.profile
@deco
def plain(n):
    x = n + 1
    return x
def make():
    @sp.profile("inner")
    def inner(k):
        k += 1
        return k
    return inner
class K:
    @sp.profile
    @classmethod
    def c(cls): return 1
    @staticmethod
    @sp.profile
    def s(): return 2
    @property
    @sp.profile
    def p(self): return 3
    @functools.lru_cache
    @sp.profile
    def m(self, a):
        return a * 2
@sp.profile
def gen(n):
    for i in range(n):
        yield i
    return None
@sp.profile
def fact(n):
    if n < 2:
        return 1
    return n * fact(n - 1)
for i in range(3):
    plain(i); make()(i); make()(i); K.c(); K.s(); K().p
k = K()
for i in range(6):
    k.m(i % 2)
print(sum(gen(4)), fact(5))
sp.finalize(verbose=False)
print("done")
P
api $python kinds.py
well "kinds"
equal "its result" "6 120" "$(head -n 1 out.txt)"
for expected in c:3 s:3 p:3 m:2 inner:6 gen:1 fact:5 plain:3; do
    equal "calls of $expected" "${expected#*:}" "$(ncalls kinds.h5 "${expected%:*}")"
done
scope-profiler line-profile kinds.h5 >lines.txt
block() { awk -v f="| $1 (" 'index($0, f) { on = 1; next } on && /^Rank/ { exit } on && $2 ~ /^[0-9]+$/ { printf "%s%s:%s", sep, $2, $4; sep = " " }' lines.txt; }
equal "lines of the closure, made six times" "18:6 19:6" "$(block inner)"
equal "lines of the generator" "37:5 38:4 39:1" "$(block gen)"
equal "lines of the recursion" "42:5 43:1 44:4" "$(block fact)"
equal "lines of the wrappers, which are one function" "7:6" "$(block wrapper)"
between "its time" 0 "$(total kinds.h5 fact | awk '{ print $1 * 1.05 }')" "$(total kinds.h5 fact)"

# ---- sources that are not plain
cat >make_odd.py <<'P'
body = ("# -*- coding: latin-1 -*-\r\n"
        "import scope_profiler as sp\r\n"
        "sp.setup(use_line_profiler=True, file_path='odd.h5', capture_region_source=True)\r\n"
        "@sp.profile\r\n"
        "def caf\u00e9():\r\n"
        "\tna\u00efve = 'd\u00e9j\u00e0 vu'\r\n"
        "\x0c\r\n"
        "\tlong = [" + "1," * 2500 + "]\r\n"
        "\tfor i in range(1234):\r\n"
        "\t\tpass\r\n"
        "\treturn len(na\u00efve) + len(long)\r\n"
        "print(caf\u00e9())\r\n"
        "sp.finalize(verbose=False, verbose_line_profiler=True)\r\n"
        "print('done')\r\n")
open("odd.py", "wb").write(body.encode("latin-1"))
P
$python make_odd.py
api $python odd.py
well "latin-1"
equal "its result" 2507 "$(head -n 1 out.txt)"
ok "printed as UTF-8" iconv -f UTF-8 -t UTF-8 out.txt -o /dev/null
contains "names" "Function: café at line 4" out.txt
scope-profiler line-profile odd.h5 >lines.txt
matches "the loop's hits" '│ 9 +│ 1235 ' lines.txt
matches "its body's" '│ 10 +│ 1234 ' lines.txt
equal "the region" 1 "$(ncalls odd.h5 café)"
finish
