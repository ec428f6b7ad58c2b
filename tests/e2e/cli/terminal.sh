#!/bin/bash
# In a pipe names are whole and nothing is coloured; on a terminal every line fits; control characters never reach it.
. "$(dirname "$0")/../lib/lib.sh"
need gcc script stty
cat >names.c <<'C'
#include "mk.h"
int main(void)
{
    const char *n[] = {"a_rather_long_region_name_that_no_forty_column_terminal_can_show_on_one_line_together_with_numbers",
                       "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97", "short", "\033[31mred\007", ""};
    for (int i = 0; i < 5; i++) { MB(n[i]); ms(2); ME(n[i]); }
    return 0;
}
C
compile names.c -o names
scope-profiler run -q -o n.h5 ./names
escapes() { grep -c "$(printf '\033')" "$1"; }
scope-profiler inspect n.h5 >pipe.txt
equal "no escapes in a pipe" 0 "$(escapes pipe.txt)"
contains "names are whole in a pipe" "together_with_numbers" pipe.txt
contains "control characters are written out" '\x1b[31mred\x07' pipe.txt
contains "the empty name has one" "(unnamed)" pipe.txt
COLUMNS=40 scope-profiler inspect n.h5 >columns.txt
ok "COLUMNS changes nothing in a pipe" cmp pipe.txt columns.txt
LC_ALL=C scope-profiler inspect n.h5 >c.txt
ok "nor does the locale" cmp pipe.txt c.txt
env -i "$SCOPE_PROFILER" inspect n.h5 >empty.txt
ok "nor an empty environment" cmp pipe.txt empty.txt

tty() { script -qec "stty cols $1 rows 24; $2" /dev/null </dev/null | tr -d '\r'; }
widest() { python3 -c 'import sys, unicodedata
print(max(sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in l.rstrip("\n"))
          for l in open(sys.argv[1], encoding="utf-8")))' "$1"; }
for columns in 40 60 100; do
    tty $columns "scope-profiler inspect n.h5" >tty.txt
    between "widest line of $columns columns" 30 $columns "$(widest tty.txt)"
    matches "numbers are whole" '0\.00[0-9]{4}' tty.txt
done
tty 40 "scope-profiler inspect n.h5" >tty.txt
contains "a cut name ends in an ellipsis" "…" tty.txt
for what in "NO_COLOR=1" "TERM=dumb" "TERM="; do
    tty 120 "env $what scope-profiler inspect n.h5" >tty.txt
    equal "$what: no escapes" 0 "$(escapes tty.txt)"
done
tty 0 "scope-profiler inspect n.h5; echo status \$?" >tty.txt
contains "a terminal of 0 columns" "status 0" tty.txt
contains "shows names whole" "together_with_numbers" tty.txt
tty 3 "scope-profiler inspect n.h5; echo status \$?" >tty.txt
contains "a terminal of 3 columns" "status 0" tty.txt
tty 60 "scope-profiler run -o m.h5 ./names" >tty.txt
between "the summary of a run fits as well" 30 60 "$(widest tty.txt)"

scope-profiler inspect n.h5 >/dev/full 2>err.txt
equal "a full disk is an error" 1 $?
contains "which is told" "standard output" err.txt
for how in --json --csv; do # --json fills no buffer any more when the first write has failed
    scope-profiler inspect n.h5 $how >/dev/full 2>err.txt
    equal "$how: with its cause" "1 scope-profiler: standard output: No space left on device" "$? $(cat err.txt)"
done
bash -c 'scope-profiler inspect n.h5 2>err.txt; echo $? >status.txt' | head -n 1 >/dev/null
equal "a closed pipe is quiet" "" "$(cat err.txt)"
bash -c 'trap "" PIPE; scope-profiler inspect n.h5 --json 2>err.txt; echo $? >status.txt' | true
equal "also where SIGPIPE is ignored" "0 " "$(cat status.txt err.txt | tr '\n' ' ')"
scope-profiler inspect n.h5 >&- 2>err.txt
equal "a closed stdout" "0 " "$? $(cat err.txt)"
finish
