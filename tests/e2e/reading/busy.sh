#!/bin/bash
# A profile that somebody reads while it is replaced, two runs at once, runs that must leave a good file alone; the same
# for files that are merged.
. "$(dirname "$0")/../lib/lib.sh"
need gcc mkfifo
cat >few.c <<'C'
#include "mk.h"
#include <stdlib.h>
#include <string.h>
int main(int c, char **v) {
    if (c < 2 || !strcmp(v[1], "none")) return 0; /* records nothing */
    for (int i = 0; i < atoi(v[1]); i++) { MB("r"); ms(5); ME("r"); }
    return 0;
}
C
compile few.c -o few
scope-profiler run -q -o out.h5 ./few 10
python3 -c 'import h5py, time, os
f = h5py.File("out.h5", "r"); open("opened", "w").close()
while not os.path.exists("replaced"): time.sleep(0.02)
print(f["rank_region_index/event_counts"][0])' >reader.txt 2>&1 &
reader=$!
await 20 test -e opened
run scope-profiler run -q -o out.h5 ./few 20
equal "a reader has it open: status" 0 "$rc"
equal "and the new calls" 20 "$(ncalls out.h5 r)"
run scope-profiler merge -q out.h5 -o out.h5
equal "a file replaced by itself" "0 20" "$rc $(ncalls out.h5 r)"
touch replaced
wait $reader
equal "the reader keeps the old file" 10 "$(cat reader.txt)"

scope-profiler run -q -o out.h5 ./few 40 & scope-profiler run -q -o out.h5 ./few 60
wait
matches "two at once: one of them, whole" '^(40|60)$' <(ncalls out.h5 r)
scope-profiler merge -q out.h5 -o both.h5 & scope-profiler merge -q out.h5 --label second -o both.h5
wait
ok "two merges at once: a whole file" scope-profiler inspect -q both.h5

cp out.h5 keep.h5
run scope-profiler run -q -o out.h5 ./no-such-program
equal "no such program" 127 "$rc"
ok "the file is kept" cmp out.h5 keep.h5
run scope-profiler run -q -o out.h5 ./few none
contains "nothing recorded is said" "nothing was recorded" err.txt
ok "and the file is kept" cmp out.h5 keep.h5
run scope-profiler merge -q out.h5 no-such.h5 -o keep.h5
equal "a merge that fails" 1 "$rc"
ok "leaves what was there" cmp out.h5 keep.h5

ln -s real.h5 link.h5
scope-profiler run -q -o link.h5 ./few 5
ok "a link stays a link" test -L link.h5
equal "and its file has the calls" 5 "$(ncalls real.h5 r)"
scope-profiler merge -q out.h5 -o link.h5
ok "also for a merge" test -L link.h5
matches "which replaces its file" '^(40|60)$' <(ncalls real.h5 r)
mkfifo pipe.h5
for command in "run -q -o pipe.h5 ./few 5" "merge -q out.h5 -o pipe.h5" "inspect pipe.h5"; do
    # shellcheck disable=SC2086
    RUN_TIMEOUT=10 run scope-profiler $command
    between "a FIFO is refused at once: ${command%% *}" 1 2 "$rc"
    contains "and named: ${command%% *}" "pipe.h5" err.txt
done
equal "no temporary is left" "" "$(find . -name '*.tmp*' -o -name '*.spool*' -o -name '.?*.h5*')"

# A file system without room, and a limit on file sizes.
cat >many.c <<'C'
#include "mk.h"
int main(void) { for (int i = 0; i < 20000; i++) { MB("r"); ME("r"); } return 0; }
C
compile many.c -o many
scope-profiler run -q -o many.h5 ./many
for output in limited.h5 limited.json limited.json.gz; do
    run bash -c "ulimit -f 40; exec scope-profiler merge -q many.h5 -o $output"
    equal "a limit on file sizes: $output" "1 1" "$rc $(grep -c "^scope-profiler: $output: cannot be written: File too large" err.txt)"
    ok "and no file stays: $output" test ! -e $output
done
if [ "$(id -u)" = 0 ] && mkdir full && mount -t tmpfs -o size=40k none full 2>/dev/null; then
    for output in full/x.h5 full/x.json full/x.json.gz; do
        run scope-profiler merge -q many.h5 -o $output
        equal "a full disk: $output" "1 1" "$rc $(grep -c "^scope-profiler: $output: cannot be written: No space left" err.txt)"
        equal "nothing stays: $output" "" "$(ls -A full)"
    done
    umount full
else
    echo "no file system can be mounted: a full disk is not tried"
fi
equal "no temporary is left of those" "" "$(find . -name '*.tmp*')"
finish
