#!/bin/bash
# Entry and exit always match; a generator's calls are its starts, and its resumptions are told apart.
. "$(dirname "$0")/../lib/lib.sh"
. "$SCOPE_SOURCE/tests/e2e/python/pythons.sh"
cp "$SCOPE_SOURCE/tests/e2e/python/generators.py" .

cat >wanted.txt <<'W'
3 __main__.boom
1 __main__.caught
3 __main__.collect
2 __main__.count
8 __main__.count [resumed]
1 __main__.drop
1 __main__.forever
1 __main__.forever [resumed]
1 __main__.leave
1 __main__.main
1 __main__.outer
3 __main__.outer [resumed]
101 __main__.recursive
4 __main__.ticks
W

# Those lines of `count` whose name is in wanted.txt.
only_wanted() {
    awk '{ name = substr($0, index($0, " ") + 1) } NR == FNR { wanted[name]; next } name in wanted' wanted.txt -
}

for python in $PYTHONS; do
    for hook in $(hooks "$python"); do
        what="$(label "$python") $hook"
        record "$hook" g.h5 "$python" generators.py
        equal "$what: status" 3 "$rc"
        equal "$what: silent" "" "$(cat err.txt)"
        count g.h5 >got.txt
        equal "$what: calls" "$(cat wanted.txt)" "$(only_wanted <got.txt)"
        # Until 3.12 closing or dropping a generator that never started runs its frame; a profile function before 3.11
        # cannot tell that from a start.
        starts=$(ncalls g.h5 gen)
        if [ "$hook" = setprofile ] && [ "$(minor "$python")" -lt 11 ]; then between "$what: starts" 3 4 "$starts"
        else equal "$what: starts" 3 "$starts"; fi
        sound "$what" g.h5
    done
done

# A suspended frame is charged nothing (the sleeps of the consumer are not the generator's).
cat >suspended.py <<'P'
import time

def countdown(n):
    while n:
        time.sleep(0.01)
        yield n
        n -= 1

def consume():
    for _ in countdown(5):
        time.sleep(0.02)

consume()
P
record auto s.h5 suspended.py
equal "suspended: calls" "1 5" "$(calls_of s.h5 countdown 'countdown [resumed]')"
between "suspended: active seconds" 0.05 0.14 "$(python3 -c "print($(total s.h5 countdown) + $(total s.h5 'countdown [resumed]'))")"
between "suspended: the consumer's own" 0.10 0.6 "$(own s.h5 consume)"

cat >overlap.py <<'P'
import asyncio, time

async def fetch(k):
    time.sleep(0.010)
    await asyncio.sleep(0.2)
    return k

async def main():
    return sum(await asyncio.gather(*(fetch(k) for k in range(10))))

print(asyncio.run(main()))
P
record auto o.h5 overlap.py
equal "overlapping coroutines: result, calls" "45 10 1" "$(cat out.txt) $(calls_of o.h5 fetch main)"
between "overlapping coroutines: active seconds" 0.10 0.9 "$(total o.h5 fetch)"

# The interpreter ends, modules lose their names, and only then what they hold is closed: that has the name of the start.
cat >late.py <<'P'
def held():
    try:
        yield
    finally:
        [1]
generator = held()
next(generator)
P
for python in $PYTHONS; do
    for hook in $(hooks "$python"); do
        record "$hook" l.h5 "$python" late.py
        what="$(label "$python") $hook, closed at the end"
        equal "$what: status, calls" "0 1 1" "$rc $(calls_of l.h5 __main__.held '__main__.held [resumed]')"
        equal "$what: regions named after files" 0 "$(regions l.h5 | grep -c /)"
        sound "$what" l.h5
    done
done
finish
