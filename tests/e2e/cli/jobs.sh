#!/bin/bash
# collect --jobs: the profile is the same, whatever the number of threads. Processes of all sorts: threads, tasks, calls
# within calls of the same region, calls that never end, calls that were added up, a process that was killed.
. "$(dirname "$0")/../lib/lib.sh"
. "$MK/jobs.sh"
need gcc python3
cat >many.c <<'C'
#include "mk.h"
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static void down(int depth) { MB("down"); if (depth) down(depth - 1); ME("down"); }
static void *body(void *a)
{
    for (long i = 0; i < 3000 * (1 + (long)a); i++) { MB("body"); down((int)(i % 5)); ME("body"); }
    MB("never ended");
    return 0;
}
int main(void)
{
    for (long child = 0; child < 5; child++) {
        if (fork()) continue;
        pthread_t threads[3];
        for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, body, (void *)((i + child) % 3));
        for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
        MB("crossed"); MB("over"); ME("crossed"); ME("over"); ME("never begun");
        if (child == 2) kill(getpid(), SIGKILL);
        _exit((int)child);
    }
    MB("all");
    while (wait(0) > 0) continue;
    ME("all");
    return 0;
}
C
cat >turns.py <<'P'
import asyncio
import scope_profiler as sp
async def work(n):
    for _ in range(200):
        with sp.region("work"):
            await asyncio.sleep(0)
async def main():
    await asyncio.gather(*(work(n) for n in range(5)))
asyncio.run(main())
P
compile -pthread many.c -o many
run scope-profiler run -q --keep-spool -o many.h5 ./many
same_by_jobs "threads and killed processes" many.h5
run scope-profiler run -q --keep-spool -o mixed.h5 sh -c './many & python3 turns.py & SCOPE_PROFILER_MODE=aggregate ./many; wait'
equal "tasks" 1000 "$(ncalls mixed.h5 work)"
same_by_jobs "tasks, and calls that were added up" mixed.h5

run scope-profiler run -q --keep-spool -o few.h5 sh -c 'exit 0'
for wrong in 0 -1 two 1x 99999999999; do
    run scope-profiler collect --jobs=$wrong recorded
    equal "--jobs=$wrong: status" 2 "$rc"
    contains "--jobs=$wrong: said" "--jobs: '$wrong' is no number of threads" err.txt
done
run scope-profiler collect -q --keep --jobs 1000000 -o more.h5 recorded
equal "more threads than there may be" 0 "$rc"
run bash -c 'ulimit -n 30; scope-profiler collect -q --keep --jobs 64 -o few.h5 recorded'
ok "more threads than descriptors" python3 "$MK/same_bytes.py" plain1.h5 more.h5 few.h5

# What the file system cannot take is said once, and by all threads together nothing else.
need_root
mkdir small
mount -t tmpfs -o size=200k none small || skip "no mount"
for jobs in 1 7; do
    run scope-profiler collect -q --keep --jobs $jobs -o small/a.h5 recorded
    equal "no space, $jobs threads: status" 1 "$rc"
    equal "no space, $jobs threads: one line" "1 $PWD/small/a.h5: No space left on device" "$(wc -l <err.txt) $(sed -E 's/^scope-profiler: //; s/; what.*//' err.txt)"
    equal "no space, $jobs threads: nothing is left" "" "$(ls -A small)"
done
finish
