#!/bin/bash
# An existing file, a reader that has it open, two runs at once: always a whole file, never a mixture, nothing left over.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >some.c <<'C'
#include "mk.h"
#include <stdlib.h>
int main(int c, char **v)
{
    for (int i = 0; c > 1 && i < atoi(v[1]); i++) { MB("r"); ms(2); ME("r"); }
    return 0;
}
C
compile some.c -o some
run scope-profiler run -q -o out.h5 ./some 10
equal "first run" "0 10" "$rc $(ncalls out.h5 r)"

python3 - <<'P' &
import h5py, os, time
with h5py.File("out.h5", "r") as f:
    open("opened", "w").close()
    while not os.path.exists("replaced"):
        time.sleep(0.02)
    print(int(f["rank_region_index/event_counts"][0]), file=open("reader.txt", "w"))
P
await 20 test -e opened
run scope-profiler run -q -o out.h5 ./some 20
equal "a reader holds the old file" "0 20" "$rc $(ncalls out.h5 r)"
touch replaced
wait
equal "the reader keeps it" 10 "$(cat reader.txt)"

scope-profiler run -q -o out.h5 ./some 40 &
scope-profiler run -q -o out.h5 ./some 60 &
wait
matches "two at once: one of them, whole" '^(40|60)$' <(ncalls out.h5 r)
cp out.h5 keep.h5
run scope-profiler run -o out.h5 ./no-such-program
equal "a failed start" 127 "$rc"
ok "keeps the file" cmp out.h5 keep.h5
run scope-profiler run -o out.h5 ./some
equal "a run that records nothing" 0 "$rc"
matches "says so" 'scope-profiler: .*record' err.txt
ok "and keeps the file" cmp out.h5 keep.h5

ln -s real.h5 link.h5
run scope-profiler run -q -o link.h5 ./some 5
equal "a link to nothing: status" 0 "$rc"
ok "stays a link" test -L link.h5
equal "its target is the profile" 5 "$(ncalls real.h5 r)"
run scope-profiler run -q -o link.h5 ./some 6
equal "a link to a file" "0 6" "$rc $(ncalls real.h5 r)"
ok "stays a link again" test -L link.h5

(umask 027; scope-profiler run -q -o mode.h5 ./some 1)
equal "mode by the caller's umask" 640 "$(stat -c %a mode.h5)"
chmod 444 mode.h5
run scope-profiler run -q -o mode.h5 ./some 2
equal "a read-only file is replaced, its directory allows it" "0 2" "$rc $(ncalls mode.h5 r)"
equal "nothing is left over" "" "$(ls -A | grep -e spool -e tmp)"
finish
