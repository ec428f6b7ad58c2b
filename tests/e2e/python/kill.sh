#!/bin/bash
# Killed at random moments: every call that had finished is in the file. And: ten million calls take no memory.
. "$(dirname "$0")/../lib/lib.sh"
. "$SCOPE_SOURCE/tests/e2e/python/pythons.sh"

cat >endless.py <<'P'
import mmap, struct, sys
with open(sys.argv[1], "w+b") as f:
    f.truncate(4096)
    page = mmap.mmap(f.fileno(), 4096)
def work(): pass
n = 0
while True:
    work()
    n += 1
    page[:8] = struct.pack("=Q", n)
P
kills=50
set -- $PYTHONS
lost=0 unread=0 started=0
for i in $(seq $kills); do
    python=${!#}
    [ $((i % 2)) = 0 ] || python=$1
    rm -f k.h5 page
    scope-profiler run -q --recursive -o k.h5 "$python" endless.py page 2>/dev/null &
    runner=$!
    await 20 test -s page
    sleep 0.$((RANDOM % 3))$((RANDOM % 10))
    pkill -KILL -P $runner
    wait $runner
    finished=$(python3 -c 'import struct; print(struct.unpack("=Q", open("page", "rb").read(8))[0])')
    recorded=$(ncalls k.h5 work)
    [ "$recorded" != error ] || unread=$((unread + 1))
    [ "$recorded" -ge "$finished" ] 2>/dev/null && [ "$recorded" -le $((finished + 1)) ] || { echo "$i: $finished finished, $recorded recorded"; lost=$((lost + 1)); }
    [ "$finished" = 0 ] || started=$((started + 1))
done
equal "$kills kills: calls lost, files that cannot be read" "0 0" "$lost $unread"
between "kills that met a program at work" $((kills / 2)) $kills $started

cat >flat.py <<'P'
import resource, sys
def f(): pass
def g(): yield
def run(n):
    for _ in range(n): f()
    for _ in range(n // 100): list(g())
run(100000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
run(int(sys.argv[1]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
P
for python in $PYTHONS; do
    n=1000000
    [ "$python" != /usr/bin/python3 ] || n=10000000
    RUN_TIMEOUT=200 record auto flat.h5 "$python" flat.py $n
    equal "$(label "$python"): $n calls" "$((n + 100000)) $((n / 100 + 1000)) $((n / 100 + 1000))" \
        "$(calls_of flat.h5 f g 'g [resumed]')"
    between "$(label "$python"): KiB more than before them" 0 1024 "$(cat out.txt)"
done
finish
