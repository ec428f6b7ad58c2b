#!/bin/bash
# Calls added up: exact sums, whatever ends the process; no more memory for more calls.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/common.sh"
need gcc python3
unset SCOPE_PROFILER_MODE

cat >nest.c <<'C'
#include "mk.h"
#include <stdlib.h>
static void down(int n) { MB("down"); if (n > 1) down(n - 1); ME("down"); }
int main(int c, char **v)
{
    int calls = c > 1 ? atoi(v[1]) : 1000;
    int inner = sp_region("inner");
    MB("outer");
    for (int i = 0; i < 3; i++) { MB("sleep"); ms(20); ME("sleep"); }
    for (int i = 0; i < calls; i++) { sp_begin(inner); sp_end(inner); }
    ms(30);
    ME("outer");
    down(100000);
    for (int i = 0; i < 500; i++) { char name[16]; sprintf(name, "r%d", i); for (int k = 0; k <= i; k++) { MB(name); ME(name); } }
    return 0;
}
C
sed -i '1i #include <stdio.h>' nest.c
compile nest.c -o nest
run scope-profiler run -q --aggregation-mode -o a.h5 ./nest
equal "status, silence" "0 " "$rc $(cat err.txt)"
equal "layout" aggregate "$(python3 -c 'import h5py; v = h5py.File("a.h5").attrs["storage_layout"]; print(v.decode() if isinstance(v, bytes) else v)')"
for want in "1 outer" "3 sleep" "1000 inner" "100000 down" "1 r0" "500 r499"; do
    equal "calls of ${want#* }" "${want% *}" "$(ncalls a.h5 "${want#* }")"
done
between "sleep" 0.06 0.12 "$(total a.h5 sleep)"
between "outer" 0.09 0.16 "$(total a.h5 outer)"
between "outer's own time is without what is within" 0.03 0.05 "$(own a.h5 outer)"
between "a recursive region's own time counts once" 0 0.2 "$(own a.h5 down)"
python3 - a.h5 >columns.txt <<'P'
import sys, h5py
f = h5py.File(sys.argv[1])
index, events = f["rank_region_index"], f["events"]
names = [n.decode() if isinstance(n, bytes) else n for n in f["region_table/names"][()]]
print(all(len(events[c]) == 0 for c in ("start_deltas", "durations")))
i = [names[r] for r in index["region_ids"][()]].index("sleep")
low, high, whole = (int(index["aggregate_" + c][i]) for c in ("minimums", "maximums", "totals"))
print(20e6 <= low <= high < 50e6 and 2 * low + high <= whole <= low + 2 * high)
P
equal "no calls; minimum and maximum" "True True" "$(tr '\n' ' ' <columns.txt | sed 's/ $//')"
run scope-profiler inspect a.h5 --regions-only --include sleep --columns region calls total min max std p50 first last
equal "inspect" 0 "$rc"
matches "what is not known is -" '│ sleep +│ 3|sleep +3 +0\.[0-9]+ +0\.02[0-9]+ +0\.0[0-9]+ +- +- +- +- ' out.txt
run scope-profiler inspect a.h5 --json
equal "JSON" "True None" "$(python3 -c 'import json; d = json.load(open("out.txt"))["files"][0]; r = [r for r in d["regions"] if r["name"] == "sleep"][0]; print(d["aggregate"], r["std"])')"

# The environment, with and without `run`.
SCOPE_PROFILER_MODE=aggregate run scope-profiler run -q -o b.h5 ./nest
same a.h5 b.h5
SCOPE_PROFILER_MODE=aggregate SCOPE_PROFILER_OUTPUT=c.h5 LD_PRELOAD=$SCOPE_PRELOAD run ./nest
same a.h5 c.h5
run scope-profiler run -q -o t.h5 ./nest
same a.h5 t.h5

# Ten million calls more take no more room, in the recording or in the profile.
cat >size.sh <<'S'
"$1" "$2" && du -sb .*.spool-* | cut -f 1
S
for calls in 00001000 10000000; do
    run scope-profiler run -q --aggregation-mode -o s$calls.h5 sh size.sh ./nest $calls
    cp out.txt size$calls.txt
    equal "inner, $calls" $((10#$calls)) "$(ncalls s$calls.h5 inner)"
done
# Times of the session are written as words, which are of some digits more or less.
alike() { between "$1" $(($2 - 100)) $(($2 + 100)) "$3"; }
alike "bytes of the recording" "$(cat size00001000.txt)" "$(cat size10000000.txt)"
alike "bytes of the profile" "$(stat -c %s s00001000.h5)" "$(stat -c %s s10000000.h5)"

# SIGKILL: everything up to the last call that ended. The program counts them in a page of its own.
cat >endless.c <<'C'
#include "mk.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile unsigned long *page;
static void *body(void *a)
{
    int r = sp_region(a ? "two" : "one");
    for (;;) { sp_begin(r); sp_end(r); page[a ? 8 : 0]++; }
}
int main(void)
{
    pthread_t t;
    int fd = open("counts", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (ftruncate(fd, 4096)) return 1;
    page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    MB("around");
    pthread_create(&t, 0, body, (void *)1);
    body(0);
}
C
compile -pthread endless.c -o endless
bad=0
for round in $(seq 11 26); do
    run scope-profiler run -q --aggregation-mode -o k.h5 sh -c "./endless & sleep 0.1$round; kill -9 \$!; wait"
    set -- $(od -v -A n -t u8 -N 72 counts | tr -s ' \n' '  ')
    python3 -B "$(dirname "$MK")/modes/told.py" k.h5 one two around >told.txt
    one=$(sed 's/one=\([0-9]*\) .*/\1/' told.txt) two=$(sed 's/.* two=\([0-9]*\) .*/\1/' told.txt)
    # the call that was under way is cut off and counts as well; its count in the page may not have come any more
    { [ "$one" -ge "$1" ] && [ "$one" -le $(($1 + 2)) ] && [ "$two" -ge "$9" ] && [ "$two" -le $(($9 + 2)) ]; } ||
        { bad=$((bad + 1)); echo "round $round: counted $1 ${9}, in the file $one $two"; }
    contains "killed: what was around is told, round $round" " around=1 cut:around=1" told.txt
    rm -f k.h5
done
equal "SIGKILL: sums up to the last call" 0 "$bad"
finish
