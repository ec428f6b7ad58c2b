#!/bin/bash
# No terminal, a narrow one, one that says it has no columns: names are whole in a pipe and cut on a terminal, numbers are
# whole everywhere, and nothing is coloured that should not be. For every command that prints a table.
. "$(dirname "$0")/../lib/lib.sh"
need gcc script stty
cat >names.c <<'C'
#include "mk.h"
int main(void) {
    MB("a_rather_long_region_name_that_no_forty_column_terminal_can_show_on_one_line_together_with_numbers"); ms(5);
    ME("a_rather_long_region_name_that_no_forty_column_terminal_can_show_on_one_line_together_with_numbers");
    MB("\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97"); ms(5); ME("\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97");
    MB("short"); ms(5); ME("short");
    return 0;
}
C
compile names.c -o names
scope-profiler run -q -o n.h5 ./names
cp n.h5 m.h5
tty() { script -qec "stty cols $1 rows 24; $2" /dev/null </dev/null | tr -d '\r'; }
escapes() { grep -c "$(printf '\033')"; }
widest() { python3 -c 'import sys, unicodedata
print(max(sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in l.rstrip("\n"))
          for l in sys.stdin))'; }
for command in "inspect n.h5" "inspect --regions-only --processes --threads n.h5" "merge n.h5 -o out.h5" "diff n.h5 m.h5"; do
    scope-profiler $command >pipe.txt 2>/dev/null
    equal "$command: no escapes in a pipe" 0 "$(escapes <pipe.txt)"
    contains "$command: the name is whole in a pipe" "together_with_numbers" pipe.txt
    COLUMNS=40 scope-profiler $command 2>/dev/null | cmp - pipe.txt
    check "$command: COLUMNS changes nothing" "${PIPESTATUS[1]}"
    env -i "$SCOPE_PROFILER" $command 2>/dev/null | cmp - pipe.txt
    check "$command: nor does an empty environment" "${PIPESTATUS[1]}"
    LC_ALL=C scope-profiler $command 2>/dev/null | cmp - pipe.txt
    check "$command: nor the C locale" "${PIPESTATUS[1]}"
    tty 0 "scope-profiler $command; echo status \$?" >tty.txt
    contains "$command: a terminal of 0 columns" "status 0" tty.txt
    for columns in 120; do
        equal "$command: NO_COLOR" 0 "$(tty $columns "NO_COLOR=1 scope-profiler $command" | escapes)"
        equal "$command: TERM=dumb" 0 "$(tty $columns "TERM=dumb scope-profiler $command" | escapes)"
    done
done
for command in "inspect n.h5" "merge n.h5 -o out.h5"; do
    tty 40 "scope-profiler $command" | sed 's/\x1b\[[0-9;]*m//g' >tty.txt
    between "$command: widest line of 40 columns" 20 40 "$(widest <tty.txt)"
    contains "$command: the name is cut" "…" tty.txt
    matches "$command: wide characters count two" '│ 漢字漢字' tty.txt
    matches "$command: numbers are whole" '0\.00[0-9]{4} ' tty.txt
done
# Every number of the pipe is there whole, and no line of the table is wider than the terminal.
numbers() { grep -oE '[-+]?[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?( ms|%)?' | LC_ALL=C sort; }
rows() { grep -E '^( +[^ ]|[│╭├╰])' | grep -vE '^  (Only|New)'; }
for name in i j k l; do scope-profiler run -q -o $name.h5 ./names; done
for command in "inspect --regions-only n.h5" "diff n.h5 k.h5" "check n.h5 k.h5" "check --base i.h5 j.h5 --candidate k.h5 l.h5"; do
    scope-profiler $command 2>/dev/null | rows | numbers >whole.txt
    for columns in 40 60 80; do
        tty $columns "scope-profiler $command" | sed 's/\x1b\[[0-9;]*m//g' | rows >tty.txt
        equal "$command: numbers on $columns columns" "" "$(numbers <tty.txt | diff - whole.txt)"
        between "$command: widest line of $columns" 15 $columns "$(widest <tty.txt)"
    done
done
finish
