#!/bin/bash
# Threads: from their first Python call on, however they are made; daemons that still run at the end; foreign threads.
. "$(dirname "$0")/../lib/lib.sh"
. "$SCOPE_SOURCE/tests/e2e/python/pythons.sh"

cat >many.py <<'P'
import _thread, threading, time
from multiprocessing.pool import ThreadPool

def work(): pass
def raw(done):
    work()
    done.release()
def task(n):
    work()
    return n

threads = [threading.Thread(target=work) for _ in range(100)]
for t in threads: t.start()
for t in threads: t.join()
locks = [_thread.allocate_lock() for _ in range(100)]
for lock in locks:
    lock.acquire()
    _thread.start_new_thread(raw, (lock,))
for lock in locks: lock.acquire()
with ThreadPool(4) as pool: print(sum(pool.map(task, range(200))))

def forever():
    while True: tick()
def tick(): time.sleep(0.001)
threading.Thread(target=forever, daemon=True).start()
time.sleep(0.05)
P
cat >foreign.c <<'C'
#include <pthread.h>
static void *call(void *function) { ((void (*)(void))function)(); return 0; }
void from_a_thread(void (*function)(void)) {
    pthread_t t;
    pthread_create(&t, 0, call, (void *)function);
    pthread_join(t, 0);
}
C
cat >foreign.py <<'P'
import ctypes
CALLBACK = ctypes.CFUNCTYPE(None)
def inner(): pass
@CALLBACK
def callback():
    inner()
library = ctypes.CDLL("./libforeign.so")
for _ in range(3): library.from_a_thread(callback)
P
need gcc
gcc -shared -fPIC foreign.c -o libforeign.so -lpthread || fail "compile"

cat >named.py <<'P'
import threading
def work(): pass
for name in ("io", "a-name-of-more-than-15-bytes", "fourteen-bytes\u00e9"):
    t = threading.Thread(target=work, name=name)
    t.start()
    t.join()
P
for python in $PYTHONS; do
    for all in --recursive --all; do
        record auto n.h5 $all "$python" named.py
        equal "$(label "$python") $all: names" "MainThread io a-name-of-more- fourteen-bytes" "$(column n.h5 thread_table name | xargs)"
    done
done

for python in $PYTHONS; do
    for hook in $(hooks "$python"); do
        what="$(label "$python") $hook"
        record "$hook" m.h5 "$python" many.py
        equal "$what: status, result" "0 19900" "$rc $(cat out.txt)"
        equal "$what: calls" "400 100 200" "$(calls_of m.h5 work raw task)"
        between "$what: the daemon's calls" 5 60 "$(ncalls m.h5 tick)"
        equal "$what: unmatched, lost" "0 0" "$(problem m.h5 unmatched) $(problem m.h5 lost)"
        "$python" -c 'import ctypes' 2>/dev/null || continue
        record "$hook" f.h5 "$python" foreign.py
        # A static python's own PyGILState_Ensure cannot be interposed: a profile function misses foreign threads there.
        if [ "$hook" = setprofile ] && ! ldd "$python" | grep -q libpython; then
            between "$what: foreign threads" 0 3 "$(ncalls f.h5 inner)"
        else
            equal "$what: foreign threads" "3 3" "$(calls_of f.h5 callback inner)"
        fi
    done
done
finish
