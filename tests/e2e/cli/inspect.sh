#!/bin/bash
# Selection, sorting, columns, several files and wild cards; bad usage is told in one line with the allowed values.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >regions.c <<'C'
#include "mk.h"
int main(void)
{
    const char *n[] = {"solve", "solve[0]", "solver", "a+b", "A.solve", "*"};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k <= i; k++) { MB(n[i]); ms(1); ME(n[i]); }
    return 0;
}
C
compile regions.c -o regions
mkdir d "e m"
for f in d/r1.h5 d/r2.h5 "e m/r 1.h5"; do scope-profiler run -q -o "$f" ./regions; done

shown() { # WHAT STATUS REGIONS ARG...: names of the rows, in order, one blank between
    local what=$1 status=$2 want=$3; shift 3
    run scope-profiler inspect d/r1.h5 --regions-only --columns region,calls "$@"
    equal "$what" "$status $want" "$rc $(awk '$1 == "│" && $3 ~ /^[0-9]+$/ { printf "%s%s", s, $2; s = " " }' out.txt)"
}
shown "all, by their first start" 0 "solve solve[0] solver a+b A.solve *"
shown "a pattern matches at the beginning" 0 "solve solve[0] solver" --include solve
shown "an anchored pattern" 0 "solve" --include '^solve$'
shown "an escaped pattern" 0 "solve[0]" --include 'solve\[0\]'
shown "two patterns" 0 "a+b A.solve" --include 'a\+b' --include A
shown "an exclusion" 0 "a+b A.solve *" --exclude s
shown "a look-ahead" 0 "solve[0]" --include 'solve(?=\[)'
shown "by calls" 0 "* A.solve a+b solver solve[0] solve" --sort calls
shown "by name" 0 "* A.solve a+b solve solve[0] solver" --sort name
shown "rank 0" 0 "solve solve[0] solver a+b A.solve *" --ranks 0
shown "ranks as words" 0 "solve solve[0] solver a+b A.solve *" --ranks 0 0-0

refused() { # WHAT STATUS TEXT ARG...
    local what=$1 status=$2 text=$3; shift 3
    run scope-profiler inspect "$@"
    equal "$what: status and output" "$status " "$rc $(cat out.txt)"
    equal "$what: one line of ours" 1 "$(grep -c '^scope-profiler: ' err.txt)"
    contains "$what: says" "$text" err.txt
}
refused "nothing matches" 1 "no region matches" d/r1.h5 --include nothing_like_this
refused "a broken pattern" 2 "'('" d/r1.h5 --include '('
refused "a bad sort key" 2 "start name total" d/r1.h5 --sort banana
refused "an empty sort key" 2 "start name total" d/r1.h5 --sort ''
refused "a bad column" 2 "parent_percent" d/r1.h5 --columns nope
refused "a rank that is not there" 2 "no such rank: 7 (0-0)" d/r1.h5 --ranks 7
for bad in 0- 3-1 x ''; do refused "ranks '$bad'" 2 "0,2,4-7" d/r1.h5 --ranks "$bad"; done
refused "an unknown source" 2 "solve[0]" d/r1.h5 --source sovle
refused "both halves only" 2 "exclude each other" d/r1.h5 --metadata-only --regions-only
for how in --csv --json; do # rather than leave out in silence what was asked for
    for option in "--columns calls" "--sort total" --overhead; do refused "$option $how" 2 "for the table" d/r1.h5 $option $how; done
done
run scope-profiler inspect d/r1.h5 --columns "$(printf 'total,%.0s' $(seq 67))total" --overhead
equal "as many columns as there can be" "0 " "$rc $(cat err.txt)"
refused "two tables as CSV" 2 "--threads or --processes" d/r1.h5 --csv --threads --processes
refused "a misspelt option" 2 "did you mean --columns" d/r1.h5 --colums x
refused "no file" 2 "which profile"
refused "dashes alone" 2 "which profile" --
refused "a missing file" 1 "nope.h5" nope.h5
refused "a wild card for nothing" 2 "nope*.h5" 'nope*.h5'
long=$(printf 'a%.0s' $(seq 30000))
run scope-profiler inspect d/r1.h5 --include "$long"
between "a very long pattern: no crash" 1 2 "$rc"
begin=$SECONDS
run scope-profiler inspect d/r1.h5 --include '(a*)*(a*)*(a*)*b'
between "a pattern that explodes: no crash" 0 2 "$rc"
between "and no hang" 0 10 $((SECONDS - begin))

files() { grep -c ' rank(s), ' out.txt; }
run scope-profiler inspect d/*.h5 "e m/r 1.h5"
equal "three files, blanks kept" "0 3" "$rc $(files)"
contains "named for a shell" "inspect 'e m/r 1.h5'" out.txt
run scope-profiler inspect 'd/*.h5'
equal "a quoted wild card" "0 2" "$rc $(files)"
run scope-profiler inspect d/r1.h5 nope.h5 d/r2.h5
equal "one of three is missing: the others are shown" "1 2" "$rc $(files)"

run scope-profiler inspect d/r1.h5 --metadata-only
contains "metadata" "scope_profiler_version" out.txt
lacks "metadata only" "total [s]" out.txt
run scope-profiler inspect d/r1.h5 -q --export-metadata meta.json
equal "quiet export" "0 " "$rc $(cat out.txt)"
equal "the export" 1 "$(python3 -c 'import json; print(json.load(open("meta.json"))["files"][0]["metadata"]["mpi_size"])')"
run scope-profiler inspect d/r1.h5 --export-metadata missing/meta.json
equal "an export that cannot be written" 1 "$rc"
contains "is named" "missing/meta.json" err.txt
mkdir out
cd out || exit 1
run scope-profiler inspect "$OLDPWD/d/r1.h5" --export-metadata -
equal "an export to stdout is all of it" "0 same" "$rc $(diff out.txt ../meta.json && echo same)"
for how in --json --csv; do
    run scope-profiler inspect ../d/r1.h5 --export-metadata - $how
    equal "$how beside it" "2 " "$rc $(cat out.txt)"
done
RUN_TIMEOUT=10 run bash -c 'scope-profiler inspect ../d/r1.h5 --export-metadata - >/dev/full'
equal "an export that stdout has no place for" "1 1" "$rc $(grep -c 'standard output' err.txt)"
for name in - x.html x.csv; do
    for command in "run ../regions" "merge ../d/r1.h5" "import-native ../d/r1.h5" "run --repeat 2 ../regions"; do
        set -- $command
        run scope-profiler "$1" -o $name "${@:2}"
        equal "$1 -o $name" "2 1 " "$rc $(grep -c "^scope-profiler: $name: " err.txt) $(cat out.txt)"
    done
done
scope-profiler run -q --keep-spool -o k.h5 ../regions
for name in - x.html; do
    run scope-profiler collect .k.h5.spool-* -o $name
    equal "collect -o $name" "2 1 1" "$rc $(grep -c "^scope-profiler: $name: " err.txt) $(ls -d .k.h5.spool-* | wc -l)"
done
equal "and no file was made" "err.txt k.h5 out.txt" "$(ls | xargs)"
cd .. || exit 1

run scope-profiler inspect d/r1.h5 --source solve --processes
contains "sources" "Source (1)" out.txt
matches "processes" '│ 0 .* exit 0 .* complete .* regions ' out.txt

run scope-profiler
equal "no arguments" 1 "$rc"
contains "what to do first" "scope-profiler run ./app" err.txt
run scope-profiler --version
matches "the version" '^scope-profiler [0-9.]+$' out.txt
run scope-profiler inpsect
equal "a misspelt command" 2 "$rc"
contains "is recognised" "did you mean inspect" err.txt
for c in run inspect line-profile diff check mpi collect import-native merge; do
    run scope-profiler "$c" --help
    cp out.txt help.txt
    run scope-profiler help "$c"
    equal "help $c is $c --help" "0  " "$rc $(cat err.txt) $(diff out.txt help.txt)"
done
run scope-profiler help
equal "help alone is --help" "0 " "$rc $(scope-profiler --help | diff - out.txt)"
run scope-profiler inpsect
cp err.txt misspelt.txt
run scope-profiler help inpsect
equal "help of no command: as the command" "2  " "$rc $(cat out.txt) $(diff err.txt misspelt.txt)"
run scope-profiler help run inspect
equal "help of two" "2 1" "$rc $(grep -c '^scope-profiler: help' err.txt)"
for c in run inspect collect; do
    run scope-profiler "$c" --help
    equal "help of $c fits a screen" "0 1" "$rc $(($(wc -l <out.txt) <= 48))"
    between "and its width" 20 92 "$(wc -L <out.txt)"
done
finish
