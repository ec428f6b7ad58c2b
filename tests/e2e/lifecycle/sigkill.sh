#!/bin/bash
# 200 programs killed at random moments while two threads record without pause: every file opens, and no call is missing
# that the program had counted in a page of its own.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >busy.c <<'C'
#include "mk.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile unsigned long *counts;
static void *work(void *a)
{
    long n = (long)a;
    int region = sp_region(n ? "one" : "zero");
    for (;;) {
        sp_begin(region);
        sp_end(region);
        counts[n * 8]++;
    }
    return a;
}
int main(int c, char **v)
{
    (void)c;
    int fd = open(v[1], O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, 4096)) return 9;
    counts = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    pthread_t t;
    pthread_create(&t, 0, work, (void *)0);
    pthread_create(&t, 0, work, (void *)1);
    usleep((useconds_t)atol(v[2]));
    kill(getpid(), SIGKILL);
    return 8;
}
C
compile -pthread busy.c -o busy
cat >drive.py <<'P'
import os, random, struct, subprocess, sys
sys.path.insert(0, sys.argv[1])
import h5
random.seed(7)
bad = recorded = lacking = 0
for turn in range(int(sys.argv[2])):
    for name in ("k.h5", "counts"):
        if os.path.exists(name):
            os.remove(name)
    delay = str(random.randrange(300, 6000))
    done = subprocess.run(["scope-profiler", "run", "-q", "-o", "k.h5", "./busy", "counts", delay],
                          stderr=subprocess.PIPE, timeout=60)
    with open("counts", "rb") as file:
        page = file.read()
    counted = struct.unpack_from("Q", page, 0)[0], struct.unpack_from("Q", page, 64)[0]
    if done.returncode != 137:
        bad += 1
        print("turn", turn, "status", done.returncode, done.stderr)
        continue
    if not os.path.exists("k.h5"):
        bad += any(counted)
        lacking += 1
        continue
    profile = h5.Profile("k.h5")
    for name, count in zip(("zero", "one"), counted):
        calls = h5.ncalls(profile.select(name), profile)
        recorded += calls
        if not count <= calls <= count + 1:
            bad += 1
            print("turn", turn, name, "counted", count, "recorded", calls)
print("bad", bad)
print("calls", recorded, "killed before the first event", lacking)
P
python3 -B drive.py "$MK" 200 >out.txt 2>&1
tail -n 5 out.txt
equal "every file opens and holds every counted call" "bad 0" "$(grep '^bad' out.txt)"
between "calls recorded in all" 100000 1e12 "$(awk '/^calls/ { print $2 }' out.txt)"
equal "nothing is left" "" "$(ls -A | grep -e spool -e tmp)"
finish
