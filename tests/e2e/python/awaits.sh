#!/bin/bash
# Regions that stay open over an await or a yield: one call each, and what is around them nests, in a task's lane or not.
. "$(dirname "$0")/../lib/lib.sh"
. "$e2e_lib/../python/pythons.sh"
need python3
cat >awaits.py <<'P'
import asyncio, os, sys, time
import scope_profiler as sp
if len(sys.argv) > 2:
    sp.setup(file_path=sys.argv[2])
@sp.profile
async def fetch(k):
    with sp.region("wait"):
        await asyncio.sleep(0.02)
        await asyncio.sleep(0.02)
    time.sleep(0.001)
    await asyncio.sleep(0)
    return k
async def inner(k):
    with sp.region("held"):
        await asyncio.sleep(0.01)
        with sp.region("brief"):
            pass
async def plain(k):
    with sp.region("outer"):
        await inner(k)
async def late():
    with sp.region("late"):
        await asyncio.sleep(60)
def numbers():
    with sp.region("yields"):
        yield 1
        yield 2
async def main():
    assert await asyncio.gather(*(fetch(k) for k in range(5))) == list(range(5))
    await asyncio.gather(*(plain(k) for k in range(5)))
    try:
        await asyncio.wait_for(asyncio.ensure_future(late()), 0.001)
    except asyncio.TimeoutError:
        pass
    if sys.argv[1] == "ends":
        return
    waiting = [asyncio.ensure_future(late()) for _ in range(3)]
    await asyncio.sleep(0.01)
    os._exit(3)
asyncio.run(main())
assert list(numbers()) == [1, 2]
sp.finalize(verbose=False)
P
# The rows of the table with their calls, blanks between; without the script's own and those of main().
tree() {
    scope-profiler inspect "$1" --regions-only --columns region,calls | grep -vE '\(own\)|awaits.py|__main__.(<module>|main)' |
        sed -nE 's/^  │ (.*[^ ]) +([0-9]+) +│$/\1 \2/p' | sed -E 's/ +/ /g' | xargs -d '\n' | sed 's/ *$//'
}
regions="fetch 5 └─ wait 5 fetch [resumed] 5"
untraced="$regions outer 5 └─ held 5 │ └─ brief 5 late 1 yields 1"
functions="│ └─ __main__.numbers 1 │ │ └─ yields 1 $regions __main__.plain 5 └─ outer 5 │ └─ __main__.inner 5 │ │ └─ held 5 │ │ │ └─ brief 5 __main__.late 1 └─ late 1"
for python in $PYTHONS; do
    name=$(label "$python")
    case $name in 3.9* | 3.10* | 3.11*) continue ;; esac
    run scope-profiler run -q --python "$python" -o a.h5 awaits.py ends
    equal "$name: status, stderr" "0 " "$rc $(cat err.txt)"
    equal "$name: regions nest" "$untraced" "$(tree a.h5)"
    sound "$name" a.h5
    between "$name: what waits is told as waiting" 0.2 60 "$(sum a.h5 wait)"
    for hook in $(hooks "$python"); do
        run scope-profiler run -q --recursive --python-hook "$hook" --python "$python" -o f.h5 awaits.py ends
        equal "$name: $hook: with functions: status, stderr" "0 " "$rc $(cat err.txt)"
        equal "$name: $hook: functions nest" "$functions" "$(tree f.h5)"
        sound "$name: $hook" f.h5
    done
    run env PYTHONPATH="${SCOPE_BUILD:-$(dirname "$SCOPE_PROFILER")/..}/share/python" "$python" awaits.py ends own.h5
    equal "$name: the program's own recording: status" "0 " "$rc $(cat err.txt)"
    equal "$name: its regions nest" "$untraced" "$(tree own.h5)"
    sound "$name: its own" own.h5
done

# What was suspended when the process ended is cut off, and nothing else is wrong with it.
run scope-profiler run -q --recursive -o k.h5 awaits.py dies
equal "status" 3 "$rc"
equal "calls" "4 4" "$(ncalls k.h5 late) $(ncalls k.h5 __main__.late)"
equal "problems" "cut 3 cut 3" "$(for r in late __main__.late; do for p in cut overlap unmatched; do n=$(problem k.h5 $p $r); [ "$n" = 0 ] || echo $p "$n"; done; done | xargs)"
run scope-profiler run -q --aggregation-mode -o s.h5 awaits.py ends
equal "added up: status, calls" "0 5 5" "$rc $(ncalls s.h5 wait) $(ncalls s.h5 held)"
finish
