#!/bin/bash
# Children: each is recorded under its own process, and no call of the parent's is counted twice.
. "$(dirname "$0")/../lib/lib.sh"
. "$SCOPE_SOURCE/tests/e2e/python/pythons.sh"

cat >pool.py <<'P'
import dataclasses, multiprocessing as mp, multiprocessing.util, pickle, sys, time

@dataclasses.dataclass
class Job:
    n: int

def square(job):
    time.sleep(0.002)
    return Job(job.n * job.n)

def begin(all_there):
    all_there.wait() # or one of them might do all the work before the other has begun

def parent_only(): pass

def as_newer_pythons_start_it():
    """The fork server's line as 3.13.13 and 3.14.4 have it, in any Python."""
    real = mp.util.spawnv_passfds
    def start(path, args, passed):
        line = args.index("-c") + 1
        if args[line].startswith("from multiprocessing.forkserver"):
            args[line] = "import sys; " + args[line]
        return real(path, args, passed)
    mp.util.spawnv_passfds = start

if __name__ == "__main__":
    if len(sys.argv) > 2:
        as_newer_pythons_start_it()
    assert pickle.loads(pickle.dumps(Job(3))) == Job(3)
    assert sys.modules["__main__"].Job is Job
    parent_only()
    context = mp.get_context(sys.argv[1])
    all_there = context.Barrier(3)
    with context.Pool(2, begin, (all_there,)) as pool:
        all_there.wait()
        print(sum(j.n for j in pool.map(square, [Job(i) for i in range(12)])))
P
cat >forks.py <<'P'
import os, subprocess, sys, threading

def before(): pass
def child(depth):
    if depth: child(depth - 1)
def after(): pass
def outer():
    before()
    for how in range(6):
        pid = os.fork()
        if pid == 0:
            child(3)
            if how == 0: os._exit(0)
            if how == 1: sys.exit(0)
            if how == 2: os.execv(sys.executable, [sys.executable, "-c", "def replaced(): pass\nreplaced()"])
            if how == 3: return inherited()
            if how == 4: os.kill(os.getpid(), 9)
            if how == 5: os.abort()
        os.waitpid(pid, 0)
    after()
def inherited(): pass
def in_thread(): pass
outer()
if os.getpid() == int(sys.argv[1]) or sys.argv[1] == "0":
    pass
t = threading.Thread(target=in_thread)
t.start()
t.join()
P
cat >started.py <<'P'
import os, subprocess, sys
def mine(): pass
mine()
for _ in range(3):
    subprocess.run([sys.executable, "-c", "def theirs(): pass\ntheirs()"], check=True)
subprocess.run(sys.executable + " -c 'def shell(): pass\nshell()'", shell=True, check=True)
subprocess.run([sys.executable, "-c", "def bare(): pass\nbare()"], env={}, check=True)
P
for python in $PYTHONS; do
    for hook in auto $([ "$python" != /usr/bin/python3 ] || echo setprofile); do
        what="$(label "$python") $hook"
        for how in fork spawn forkserver "forkserver newer"; do
            record $hook p.h5 "$python" pool.py $how
            equal "$what $how: status, result" "0 506" "$rc $(cat out.txt)"
            equal "$what $how: calls" "1 12" "$(calls_of p.h5 parent_only square)"
            equal "$what $how: processes" 3 "$(column p.h5 process_table pid | wc -l)"
            equal "$what $how: unmatched, lost" "0 0" "$(problem p.h5 unmatched) $(problem p.h5 lost)"
        done
        ulimit -c 0
        record $hook f.h5 "$python" forks.py 0
        equal "$what forks: status" 0 "$rc"
        equal "$what forks: calls" "1 24 1 1 1 1 2" "$(calls_of f.h5 before child after outer replaced inherited in_thread)"
        equal "$what forks: unmatched" 0 "$(problem f.h5 unmatched)"
        record $hook s.h5 "$python" started.py
        equal "$what subprocess: calls" "1 3 1" "$(calls_of s.h5 mine theirs shell)"
    done
done
finish
