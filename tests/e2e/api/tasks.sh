#!/bin/bash
# setup(track_async=True): regions in asyncio tasks are their tasks', in a Python of its own and under `run`. Without it
# those of tasks that regions are seen in.
. "$(dirname "$0")/../lib/lib.sh"
. "$e2e_lib/../python/pythons.sh"
. "$e2e_lib/../api/common.sh"
need python3
tasks() { python3 -B "$e2e_lib/../python/tasks.py" "$1"; }

cat >overlap.py <<'P'
import asyncio, time
import scope_profiler as sp
sp.setup(file_path="own.h5", track_async=True)
async def work(k):
    with sp.region("across"):
        await asyncio.sleep(0.03 * k)
        time.sleep(0.005)
        await asyncio.sleep(0)
        with sp.region("inner"): pass
async def main():
    with sp.region("main"):
        await asyncio.gather(*(work(k) for k in (3, 1, 2)))
with sp.region("outside"): asyncio.run(main())
sp.finalize(verbose=False)
print("done")
P
# A line a region: lanes of its calls, in order of their ends; whether they waited, and were at work for less than 25 ms.
cat >awaited.py <<'P'
import h5py, sys
with h5py.File(sys.argv[1], "r") as f:
    names, g, e = list(f["region_table/names"].asstr()[()]), f["rank_region_index"], f["events"]
    for row, region in enumerate(g["region_ids"][()]):
        part = slice(int(g["event_offsets"][row]), int(g["event_offsets"][row] + g["event_counts"][row]))
        starts, took, waited = e["start_deltas"][part].cumsum(), e["durations"][part], e["await_ns"][part]
        lanes = e["task_ids"][part][(starts + took).argsort()]
        print(names[region], *lanes, *("waited" if w > 25e6 else "-" for w in waited), *(took - waited < 25e6))
P
overlapped() {
    equal "$1: regions" "across 2 3 1 waited waited waited True True True
inner 2 3 1 - - - True True True
main 0 waited True
outside -1 - False" "$(python3 awaited.py "$2" | LC_ALL=C sort)"
    equal "$1: tasks" "main asyncio 2 1 work asyncio 3 2 work asyncio 3 2 work asyncio 3 2" \
        "$(tasks "$2" | sed -E 's/^[^ ]+ ([^ ]+ [^ ]+) [^ ]+ done /\1 /' | xargs)"
    ok "$1: inspect" scope-profiler inspect "$2"
    equal "$1: no problems" "" "$(problems "$2" | tail -n +2)"
}

cat >many.py <<'P'
import asyncio, sys, threading
import scope_profiler as sp
@sp.profile
def leaf(): pass
@sp.profile
async def inner(n):
    leaf()
    await asyncio.sleep(0)
    leaf()
    return n
async def outer(n):
    with sp.region("outer"):
        with sp.region("first"): total = await inner(n)
        async with lock:
            with sp.region("locked"): await asyncio.sleep(0)
        return total + await inner(n)
async def stuck():
    with sp.region("stuck"): await asyncio.sleep(60)
async def fails():
    with sp.region("fails"):
        await asyncio.sleep(0)
        raise ValueError
async def many():
    global lock
    lock = asyncio.Lock()
    loop = asyncio.get_running_loop()
    tasks = [asyncio.ensure_future(outer(n)) for n in range(20)]
    tasks += [asyncio.tasks._PyTask(outer(n), loop=loop) for n in range(20)]
    loop.call_soon(leaf)
    victim, failing = asyncio.ensure_future(stuck()), asyncio.ensure_future(fails())
    total = sum(await asyncio.gather(*tasks))
    loop.call_soon(victim.cancel)
    results = await asyncio.gather(victim, failing, return_exceptions=True)
    return total, [type(r).__name__ for r in results]
async def brief(): leaf()
async def one_by_one():
    for _ in range(300): await asyncio.ensure_future(brief())

run = asyncio.events.Handle._run
sp.setup(file_path="many.h5", track_async=True)
with sp.region("all"): results = [asyncio.run(many())]
thread = threading.Thread(target=lambda: results.append(asyncio.run(many())))
thread.start(); thread.join()
print(*map(str, results), sep="\n")
asyncio.run(one_by_one())
sp.finalize(verbose=False)
# What asyncio was is there again, until regions are seen in tasks.
sp.setup(file_path="plain.h5", replace=True)
assert asyncio.events.Handle._run is run
asyncio.run(one_by_one())
sp.finalize(verbose=False)
print("done")
P
cat >eager.py <<'P'
import asyncio, scope_profiler as sp
sp.setup(file_path="eager.h5", track_async=True)
async def child():
    with sp.region("child"):
        await asyncio.sleep(0)
        with sp.region("leaf"): pass
async def brief():
    with sp.region("brief"): pass
async def parent():
    asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
    with sp.region("parent"):
        tasks = [asyncio.create_task(child(), name="child") for _ in range(2)]
        for _ in range(3): await asyncio.create_task(brief())
        with sp.region("leaf"): pass
        await asyncio.gather(*tasks)
asyncio.run(parent())
sp.finalize(verbose=False)
print("done")
P
cat >forks.py <<'P'
import asyncio, os, scope_profiler as sp
sp.setup(file_path="forks.h5", track_async=True)
async def work():
    with sp.region("before"): await asyncio.sleep(0)
    pid = os.fork()
    with sp.region("after"): pass
    if pid == 0: os._exit(0)
    os.waitpid(pid, 0)
asyncio.run(work())
sp.finalize(verbose=False)
print("done")
P
# finalize() amid tasks: calls that are open in them are the next one's.
cat >amid.py <<'P'
import asyncio, os, scope_profiler as sp
sp.setup(file_path="amid.h5", track_async=True)
async def work(k):
    with sp.region("open"):
        await asyncio.sleep(0)
        with sp.region("first"): pass
        await finalized.wait()
        await asyncio.sleep(0.03 * k)
        with sp.region("late"): pass
async def main():
    global finalized
    finalized = asyncio.Event()
    tasks = [asyncio.ensure_future(work(k)) for k in (2, 1, 3)]
    with sp.region("main"):
        await asyncio.sleep(0.01)
        sp.finalize(verbose=False)
        os.rename("amid.h5", "before.h5")
        finalized.set()
        await asyncio.gather(*tasks)
    took = [d / 1e9 for d in sp.region("open").get_durations_numpy()]
    assert len(took) == 3 and took[0] - took[1] > 0.02 and took[2] - took[0] > 0.02, took
with sp.region("outside"): asyncio.run(main())
sp.finalize(verbose=False)
print("done")
P

# asyncio's C part: those of 3.9 and 3.10 are like 3.8's and 3.11's.
for python in $PYTHONS; do
    name=$(label "$python")
    case $name in 3.9* | 3.10* | 3.11*) continue ;; esac
    for file in overlap many forks amid; do
        api "$python" -W error::RuntimeWarning $file.py
        well "$name: $file"
        cp out.txt $file.txt
    done
    overlapped "$name" own.h5
    equal "$name: many: result" "(760, ['CancelledError', 'ValueError'])" "$(sort -u many.txt | head -n 1)"
    tasks many.h5 >tasks.txt
    lacks "$name: many: lanes nest and agree with the table" "task " tasks.txt
    equal "$name: many: tasks with their calls" "300 brief done 1 2 fails done 1 80 outer done 11 2 stuck done 1" \
        "$(awk '{ print $2, $5, $7 }' tasks.txt | LC_ALL=C sort | uniq -c | xargs)"
    equal "$name: many: calls" "80 80 80 160 160 622 1" \
        "$(calls_of many.h5 outer first locked inner 'inner [resumed]' leaf all | xargs)"
    equal "$name: many: no problems" "" "$(problems many.h5 | tail -n +2)"
    equal "$name: tasks that nobody asked for" "300 300" "$(ncalls plain.h5 leaf) $(column plain.h5 task_table index | wc -l)"
    equal "$name: fork: calls, tasks; the child's rest of the step is nobody's" "1 2 1" "$(ncalls forks.h5 before) $(ncalls forks.h5 after) $(column forks.h5 task_table index | wc -l)"
    equal "$name: amid: before, after" "3 0 0 0 0 | 0 3 3 1 1" \
        "$(calls_of before.h5 first late open main outside | xargs) | $(calls_of amid.h5 first late open main outside | xargs)"
    equal "$name: amid: lanes, by their ends" "open 2 1 3" "$(python3 awaited.py amid.h5 | grep '^open' | cut -d' ' -f 1-4)"
    equal "$name: amid: no problems" "" "$(problems before.h5 | tail -n +2)$(problems amid.h5 | tail -n +2)"
    if [ "$(minor "$python")" -ge 12 ]; then
        api "$python" eager.py
        well "$name: eager"
        equal "$name: eager tasks run within others' steps" "brief done 1 1 brief done 1 1 brief done 1 1 child done 2 2 child done 2 2 parent done 2 2" \
            "$(tasks eager.h5 | awk '{ print $2, $5, $6, $7 }' | LC_ALL=C sort | xargs)"
        equal "$name: eager: no problems" "" "$(problems eager.h5 | tail -n +2)"
    fi
    rm -f ./*.h5

    run scope-profiler run -q --python "$python" -o run.h5 overlap.py
    well "$name: under run"
    overlapped "$name: under run" run.h5
    rm -f ./*.h5
done

# Functions are traced: their coroutines have told it already.
run scope-profiler run -q --recursive -o traced.h5 overlap.py
equal "with functions: status, lanes" "0 across 2 3 1 waited waited waited True True True" "$rc $(python3 awaited.py traced.h5 | grep '^across')"
tasks traced.h5 >tasks.txt
equal "with functions: steps" "main 2 work 3 work 3 work 3" "$(grep asyncio tasks.txt | cut -d' ' -f 2,6 | xargs)"

# A recording of a manager's own has no tasks, and that is said.
cat >own.py <<'P'
import scope_profiler as sp
sp.ProfileManager().setup(output=None, track_async=True)
P
api /usr/bin/python3 own.py
equal "a manager's own: status, told" "0 1" "$rc $(grep -c '^scope-profiler: track_async' err.txt)"
finish
