#!/bin/bash
# Closures, decorated functions, methods of all kinds, generators, recursion: each is found and counted once.
. "$(dirname "$0")/../lib/lib.sh"
. "$e2e_lib/../lines/pythons.sh" || exit 1
need python3

cat >b17.py <<'P'
import functools, time

def deco(fn):
    @functools.wraps(fn)
    def wrapper(*a):
        return fn(*a)
    return wrapper

@deco
@deco
def plain(n):
    x = n + 1
    return x

def make():
    def inner(k):
        k += 1
        return k
    return inner

class K:
    @classmethod
    def c(cls): return 1
    @staticmethod
    def s(): return 2
    @property
    def p(self): return 3
    @functools.lru_cache
    def m(self, a):
        return a * 2

def gen(n):
    for i in range(n):
        yield i
    return None

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
P
cat >wanted.txt <<'W'
wrapper 6 6
plain 12 3
plain 13 3
inner 17 6
inner 18 6
c 23 3
s 25 3
p 27 3
m 30 2
gen 33 5
gen 34 4
gen 35 1
fact 38 5
fact 39 1
fact 40 4
deco 7 2
make 19 6
W

cat >recursion.py <<'P'
import time

def down(n):
    time.sleep(0.002)
    if n:
        down(n - 1)
    time.sleep(0.002)

def even(n):
    time.sleep(0.001)
    return n == 0 or odd(n - 1)

def odd(n):
    time.sleep(0.001)
    return n != 0 and even(n - 1)

down(9)
even(10)
P

# Suspended and resumed in every way, thrown into, closed, dropped; and calls that the interpreter makes on its own.
cat >suspended.py <<'P'
import asyncio, resource
class C:
    def __getitem__(self, i):
        return i
def subscripts():
    c = C(); total = 0
    for i in range(1000): total += c[i]
def closing(n):
    try:
        for i in range(n):
            yield i
    finally:
        n = 0
def bare(n):
    yield n
    yield n
def thrown():
    while True:
        try:
            x = yield 1
        except KeyError:
            x = 0
async def waiting(n):
    await asyncio.sleep(0)
    return n
def churn(k):
    for i in range(k):
        g = closing(3); next(g); g.close()
        g = closing(3); next(g); del g
        g = bare(3); next(g)
        try: g.throw(KeyError)
        except KeyError: pass
        g = bare(1); next(g); g.close()
        g = bare(1); g.close()
        g = bare(1)
        try: g.throw(KeyError)
        except KeyError: pass
        c = waiting(1); c.send(None); c.close()
        c = waiting(1); c.close()
subscripts()
churn(2000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
churn(8000)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
g = thrown(); [next(g) for _ in range(10)]; [g.throw(KeyError) for _ in range(5)]
print("grown" if grown > 1000 else "flat")
P
cat >suspended.txt <<'W'
__getitem__ 4 1000
closing 10 20000
closing 11 20000
closing 13 20000
bare 15 20000
thrown 20 15
thrown 22 5
waiting 24 10000
W

one() {
    rm -f b17.h5
    run scope-profiler run -q --python "$1" --line-profile -o b17.h5 b17.py
    equal "$2: stdout" "6 120" "$(cat out.txt)"
    lines b17.h5 >got.txt
    while read -r function line count; do
        equal "$2: $function line $line" "$count" "$(awk -v f="$function" -v l="$line" '$1 == f && $2 == l { print $3 }' got.txt)"
    done <wanted.txt
    equal "$2: one record for the six closures" 1 "$(scope-profiler line-profile b17.h5 --function '^inner$' | grep -c '^Rank')"
    contains "$2: names" "Rank 0 | __main__.make.<locals>.inner | inner (b17.py:16)" <(scope-profiler line-profile b17.h5)
    contains "$2: methods" "| __main__.K.m | m (b17.py:28)" <(scope-profiler line-profile b17.h5)

    run scope-profiler run -q --python "$1" --line-profile -o susp.h5 suspended.py
    equal "$2: memory" flat "$(cat out.txt)"
    lines susp.h5 | cut -d' ' -f1-3 >got.txt
    ok "$2: suspended functions" diff <(sort suspended.txt) <(grep -xFf suspended.txt got.txt | sort)

    run scope-profiler run -q --python "$1" --line-profile -o rec.h5 recursion.py
    equal "$2: hits of a recursive call" "10 9" "$(hits rec.h5 down 4) $(hits rec.h5 down 6)"
    between "$2: the time of recursion counts once" 0.04 0.09 "$(lines rec.h5 | awk '$1 == "down" { t += $4 } END { print t / 1e9 }')"
    between "$2: also of functions that call each other" 0.011 0.06 "$(lines rec.h5 | awk '$1 == "even" { t += $4 } END { print t / 1e9 }')"
}
each_python one
finish
