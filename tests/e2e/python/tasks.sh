#!/bin/bash
# asyncio tasks have lanes of their own: in each of them calls nest, however the tasks take turns.
. "$(dirname "$0")/../lib/lib.sh"
. "$SCOPE_SOURCE/tests/e2e/python/pythons.sh"
tasks() { python3 -B "$SCOPE_SOURCE/tests/e2e/python/tasks.py" "$1"; }
everywhere() { echo "$* MainThread $* loop-0 $* loop-1 $* loop-2"; }

cat >overlap.py <<'P'
import asyncio, time

async def fetch(k):
    time.sleep(0.010)
    await asyncio.sleep(0.1)
    return k

async def main():
    return sum(await asyncio.gather(*(fetch(k) for k in range(10))))

print(asyncio.run(main()))
P
cat >many.py <<'P'
import asyncio, contextvars, random, threading

def leaf(): pass
def loop_only(): leaf()

async def inner(n):
    leaf()
    await asyncio.sleep(0)
    leaf()
    return n

async def middle(n):
    return await inner(n) + await inner(n)

async def ticks(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i

async def outer(n):
    total = await middle(n)
    async for i in ticks(2): total += i
    leaf()
    return total

async def stuck():
    try:
        leaf()
        await asyncio.sleep(60)
    finally:
        leaf()

async def fails():
    await asyncio.sleep(0)
    raise ValueError

async def many():
    tasks = [asyncio.ensure_future(outer(n)) for n in range(20)]
    asyncio.get_running_loop().call_soon(loop_only)
    victim, failing = asyncio.ensure_future(stuck()), asyncio.ensure_future(fails())
    random.Random(4).shuffle(tasks)
    total = sum(await asyncio.gather(*tasks))
    victim.cancel()
    results = await asyncio.gather(victim, failing, return_exceptions=True)
    return total, [type(r).__name__ for r in results]

def in_thread(): results.append(asyncio.run(many()))

results = []
threads = [threading.Thread(target=in_thread, name="loop-%d" % i) for i in range(3)]
for t in threads: t.start()
for t in threads: t.join()
results.append(asyncio.run(many()))
print(len(set(map(str, results))), results[0])

# A coroutine that nobody's task runs, and tasks whose addresses were others' before.
c = inner(1)
c.send(None)
c.close()
async def brief(): leaf()
async def one_by_one():
    for _ in range(300): await asyncio.ensure_future(brief())
asyncio.run(one_by_one())
P
cat >eager.py <<'P'
import asyncio
def leaf(): pass
async def child():
    leaf()
    await asyncio.sleep(0)
    leaf()
async def parent():
    asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
    tasks = [asyncio.create_task(child(), name="child") for _ in range(2)]
    leaf()
    await asyncio.gather(*tasks)
asyncio.run(parent())
P
cat >names.py <<'P'
import asyncio
class Own(asyncio.Task):
    def get_name(self): return counted("own")
def counted(x): return x
async def work(): await asyncio.sleep(0)
async def main():
    loop = asyncio.get_running_loop()
    await loop.create_task(work(), name="ü" * 40)
    await Own(work(), loop=loop, name="mine")
    await asyncio.tasks._PyTask(work(), loop=loop, name="slow")
asyncio.run(main())
P
cat >region.py <<'P'
import asyncio, time, scope_profiler
async def work(k):
    with scope_profiler.region("across"):
        await asyncio.sleep(0.02 * k)
    time.sleep(0.002)
async def main(): await asyncio.gather(*(work(k) for k in (3, 1, 2)))
asyncio.run(main())
P
cat >forks.py <<'P'
import asyncio, os
def leaf(): pass
async def within():
    leaf()
    pid = os.fork()
    leaf()
    await asyncio.sleep(0)
    leaf()
    if pid == 0: os._exit(0)
    os.waitpid(pid, 0)
async def work():
    leaf()
    await asyncio.sleep(0)
asyncio.run(work())
asyncio.run(within())
pid = os.fork()
asyncio.run(work())
if pid: os.waitpid(pid, 0)
P

for python in $PYTHONS; do
    for hook in $(hooks "$python"); do
        what="$(label "$python") $hook"
        record "$hook" o.h5 "$python" overlap.py
        equal "$what: overlap: result, calls" "45 10 10 1" "$(cat out.txt) $(calls_of o.h5 fetch 'fetch [resumed]' main)"
        between "$what: overlap: active seconds" 0.10 0.9 "$(total o.h5 fetch)"
        tasks o.h5 >tasks.txt
        equal "$what: overlap: tasks" "Task-1 main asyncio MainThread done 2" "$(head -n 1 tasks.txt | cut -d' ' -f 1-6)"
        equal "$what: overlap: the others" "10 fetch asyncio MainThread done 2 2" \
            "$(sed 1d tasks.txt | cut -d' ' -f 2- | sort | uniq -c | xargs)"
        between "$what: overlap: suspended seconds" 1.0 9 \
            "$(column o.h5 task_table suspended_ns | sort -n | head -n 10 | awk '{ s += $1 } END { print s / 1e9 }')"
        ok "$what: overlap: inspect" scope-profiler inspect o.h5

        record "$hook" m.h5 "$python" many.py
        equal "$what: many: result" "1 (400, ['CancelledError', 'ValueError'])" "$(cat out.txt)"
        equal "$what: many: calls" "80 161 80 80 161 4 4 4 4" "$(calls_of m.h5 outer inner middle ticks 'inner [resumed]' \
            stuck 'stuck [resumed]' fails loop_only)"
        sound "$what: many" m.h5
        tasks m.h5 >tasks.txt
        lacks "$what: many: lanes nest and agree with the table" "task " tasks.txt
        equal "$what: many: tasks by coroutine, thread" \
            "300 brief MainThread $(everywhere 1 fails) $(everywhere 1 many) 1 one_by_one MainThread $(everywhere 20 outer) $(everywhere 1 stuck)" \
            "$(cut -d' ' -f 2,4 tasks.txt | LC_ALL=C sort | uniq -c | xargs)"
        equal "$what: many: done" "done" "$(cut -d' ' -f 5 tasks.txt | sort -u | xargs)"
        equal "$what: many: steps and calls of an outer" "5 22" "$(grep ' outer ' tasks.txt | cut -d' ' -f 6,7 | sort -u)"
        ok "$what: many: inspect" scope-profiler inspect m.h5

        record "$hook" n.h5 "$python" names.py
        tasks n.h5 >tasks.txt
        equal "$what: names" "Task-1 main mine work slow work $(printf 'ü%.0s' $(seq 32)) work" "$(cut -d' ' -f 1,2 tasks.txt | xargs)"
        equal "$what: naming calls nothing of the program's" 0 "$(ncalls n.h5 counted)"

        record "$hook" f.h5 "$python" forks.py
        equal "$what: fork: status, leaves, tasks by process" "0 8 1 3" \
            "$rc $(ncalls f.h5 leaf) $(column f.h5 task_table ranks | sort | uniq -c | awk '{ print $1 }' | sort | xargs)"
        equal "$what: fork: nothing unmatched" 0 "$(problem f.h5 unmatched)"

        if [ "$(minor "$python")" -ge 12 ]; then
            record "$hook" e.h5 "$python" eager.py
            tasks e.h5 >tasks.txt
            equal "$what: eager tasks run within others' steps" \
                "Task-1 parent asyncio MainThread done 2 3 Task-2 child asyncio MainThread done 2 4 Task-3 child asyncio MainThread done 2 4" "$(xargs <tasks.txt)"
            sound "$what: eager" e.h5
        fi
    done
done

# A region around an await belongs to its task: the others' of the same name do not end it.
for python in $PYTHONS; do
    record auto r.h5 "$python" region.py
    what="$(label "$python"): a region around an await"
    equal "$what: calls" 3 "$(ncalls r.h5 across)"
    python3 - >await.txt <<'P'
import h5py
with h5py.File("r.h5", "r") as f:
    names, g = list(f["region_table/names"].asstr()[()]), f["rank_region_index"]
    row = list(g["region_ids"][()]).index(names.index("across"))
    part = slice(g["event_offsets"][row], g["event_offsets"][row] + g["event_counts"][row])
    starts, durations = f["events/start_deltas"][part].cumsum(), f["events/durations"][part]
    print(*(starts + durations).argsort(), *(0 < f["events/await_ns"][part]), *(f["events/await_ns"][part] <= durations))
P
    equal "$what: which ends first, awaited" "1 2 0 True True True True True True" "$(cat await.txt)"
done

# Greenlets, where they are installed: taking turns in any order.
cat >greenlets.py <<'P'
import greenlet, random
def leaf(n): return n
def deep(n):
    leaf(n)
    main.switch()
    if n: deep(n - 1)
    leaf(n)
def gen(n):
    for i in range(n):
        main.switch()
        yield i
def body(n):
    leaf(n)
    main.switch()
    deep(n % 5)
    for x in gen(n % 3): leaf(x)
    return n
main = greenlet.getcurrent()
running = [greenlet.greenlet(body) for _ in range(100)]
for i, g in enumerate(running): g.switch(i)
choose = random.Random(3).choice
while running:
    choose(running).switch()
    running = [g for g in running if not g.dead]
print("done")
P
for python in $PYTHONS; do
    what="$(label "$python"): greenlets"
    "$python" -c 'import greenlet' 2>/dev/null || { echo "NOT TESTED: $what: they are not here"; continue; }
    for hook in $(hooks "$python"); do
        record "$hook" g.h5 "$python" greenlets.py
        equal "$what: $hook: result, calls" "done 100 300 799 100 99" "$(cat out.txt) $(calls_of g.h5 body deep leaf gen 'gen [resumed]')"
        sound "$what: $hook" g.h5
        tasks g.h5 >tasks.txt
        lacks "$what: $hook: lanes nest and agree with the table" "task " tasks.txt
        equal "$what: $hook: lanes" "100 greenlet MainThread" "$(cut -d' ' -f 3,4 tasks.txt | sort | uniq -c | xargs)"
        ok "$what: $hook: inspect" scope-profiler inspect g.h5
    done
done

# No lanes where there are no tasks, and none are looked for.
echo 'def f(): pass
f()' >none.py
record auto x.h5 none.py
equal "no tasks: columns" "durations start_deltas" "$(python3 -c 'import h5py; f = h5py.File("x.h5"); print(*sorted(f["events"]))')"
finish
