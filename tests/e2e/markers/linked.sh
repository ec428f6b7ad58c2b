#!/bin/bash
# A program that is linked with the library records without being asked, and under `run` goes into the run's file.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
libdir=$(dirname "$SCOPE_PRELOAD")
cat >linked.c <<'C'
#include <scope_profiler.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **arguments) {
    if (sp_init("mine", 2)) return 9;
    int solve = sp_region("solve");
    for (int i = 0; i < 5; i++) { sp_begin(solve); sp_end(solve); }
    sp_profiler *p = sp_create("side", 0);
    int inner = sp_profiler_region(p, "inner");
    for (int i = 0; i < 4; i++) { sp_profiler_begin(p, inner); sp_profiler_end(p, inner); }
    if (count > 1 && chdir("/")) return 8;
    if (sp_profiler_flush(p) || !sp_profiler_is_active(p)) return 7;
    sp_profiler_begin(p, inner);
    if (sp_profiler_flush(p)) return 6;
    sp_profiler_end(p, inner);
    if (sp_profiler_finalize(p)) return 5;
    if (sp_profiler_is_active(p) != 0) return 4;
    sp_region_stats stats;
    if (sp_profiler_get_region_stats(p, inner, &stats) || stats.calls != 5) return 3;
    sp_destroy(p);
    if (sp_finalize()) return 2;
    if (sp_num_calls(solve) != 5) return 1;
    puts(sp_output_path());
    return 0;
}
C
gcc -DSP_LINKED -Wl,--as-needed "-I$SCOPE_SOURCE/share/include" linked.c -L"$libdir" -lscope-profiler \
    -Wl,-rpath,"$libdir" -o linked || fail "link"
contains "the library is needed" libscope-profiler.so <(readelf -d linked)
run ./linked
equal "on its own" "0 mine_rank00002.h5" "$rc $(cat out.txt err.txt)"
equal "files" "mine_rank00002.h5 side_rank00000.h5" "$(echo *.h5)"
equal "calls" "5 5" "$(ncalls mine_rank00002.h5 solve) $(ncalls side_rank00000.h5 inner)"
equal "the rank it gave" 2 "$(ranks mine_rank00002.h5 solve)"
equal "nothing is left" 0 "$(find . -name '.*spool*' | wc -l)"

rm -f ./*.h5
run ./linked elsewhere
equal "relative to where it was begun" "0 mine_rank00002.h5 side_rank00000.h5" "$rc $(echo *.h5)"

rm -f ./*.h5
run scope-profiler run -q -o run.h5 ./linked
equal "under run" "0 $PWD/run.h5" "$rc $(cat out.txt err.txt)"
equal "the run's file alone" run.h5 "$(echo *.h5)"
equal "everything is in it" "5 5" "$(ncalls run.h5 solve) $(ncalls run.h5 inner)"

# A handle of before is good for the next recording, and knows its place there.
cat >again.c <<'C'
#include <scope_profiler.h>
int main(void) {
    if (sp_init("first", 0)) return 9;
    int other = sp_region("other"), placed = SP_REGION_AT("placed");
    sp_begin(placed), sp_end(placed);
    if (sp_finalize() || sp_init("second", 0)) return 8;
    sp_begin(other), sp_end(other), sp_begin(placed), sp_end(placed);
    return sp_finalize();
}
C
gcc -DSP_LINKED "-I$SCOPE_SOURCE/share/include" again.c -L"$libdir" -lscope-profiler -Wl,-rpath,"$libdir" -o again || fail "link"
run ./again
equal "two recordings" "0 1 1 1" "$rc $(ncalls first_rank00000.h5 placed) $(ncalls second_rank00000.h5 placed) $(ncalls second_rank00000.h5 other)"
for file in first second; do
    equal "$file: the place" "again.c 4" "$(column ${file}_rank00000.h5 rank_region_index source_files | grep again) $(column ${file}_rank00000.h5 rank_region_index source_lines | grep -v -e -1)"
done

cat >endings.c <<'C'
#include <scope_profiler.h>
#include <stdlib.h>
int main(int count, char **arguments) {
    (void)arguments;
    if (sp_init("end", 0)) return 9;
    int r = sp_region("open"), s = sp_region("whole");
    sp_begin(s); sp_end(s); sp_begin(r);
    if (count == 1) return 0;              /* never finalized */
    if (sp_finalize()) return 1;           /* one call open */
    return sp_profiler_last_error(sp_default_profiler()) == SP_ERR_OPEN_SCOPES ? 0 : 2;
}
C
gcc -DSP_LINKED "-I$SCOPE_SOURCE/share/include" endings.c -L"$libdir" -lscope-profiler -Wl,-rpath,"$libdir" -o endings
run ./endings finalize
equal "open at finalize: status" 0 "$rc"
contains "open at finalize: said" "open: 1 call open at exit" err.txt
equal "calls that were whole" 1 "$(ncalls end_rank00000.h5 whole)"
rm -f ./*.h5
run ./endings
equal "no finalize: no file, one line" "0 1" "$rc $(wc -l <err.txt)"
not_ok "no file" test -e end_rank00000.h5
spool=$(sed -n 's/.*`scope-profiler collect \(.*\)`.*/\1/p' err.txt)
ok "the line's command works" scope-profiler collect -q "$spool"
equal "and recovers the calls" 1 "$(ncalls end_rank00000.h5 whole)"

cat >unwritable.c <<'C'
#include <scope_profiler.h>
int main(void) {
    if (sp_init("nowhere/x", 0) == 0 && sp_region("a") >= 0) { int a = sp_region("a"); sp_begin(a); sp_end(a); return sp_finalize() == SP_ERR_IO ? 0 : 1; }
    return 0;
}
C
gcc -DSP_LINKED "-I$SCOPE_SOURCE/share/include" unwritable.c -L"$libdir" -lscope-profiler -Wl,-rpath,"$libdir" -o unwritable
run ./unwritable
equal "an impossible place: the program goes on" 0 "$rc"
contains "one line names the place" "nowhere/" err.txt
equal "one line" 1 "$(wc -l <err.txt)"

finish
