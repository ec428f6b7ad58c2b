#!/bin/bash
# Bad patterns, bad sort keys, bad ranks, wild cards: told in one line with what would be right, for every command that
# takes them; a pattern that matches nothing is not an empty success.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >regions.c <<'C'
#include "mk.h"
int main(void) {
    const char *n[] = {"solve", "solve[0]", "solver", "a+b", "A.solve", "*"};
    for (int i = 0; i < 6; i++) { MB(n[i]); ms(2); ME(n[i]); }
    return 0;
}
C
compile regions.c -o regions
mkdir d "e m"
for f in d/r1.h5 d/r2.h5 "e m/r 1.h5"; do scope-profiler run -q -o "$f" ./regions; done
names() { # WHAT WANT ARG...: the regions that are shown
    local what=$1 want=$2; shift 2
    run scope-profiler inspect --json d/r1.h5 "$@"
    equal "$what" "0 $want" "$rc $(python3 -c 'import json; print(*sorted(r["name"] for r in json.load(open("out.txt"))["files"][0]["regions"]), sep="|")')"
}
names "at the beginning" 'solve|solve[0]|solver' --include 'solve'
names "anchored at both ends" 'solve' --include '^solve$'
names "brackets escaped" 'solve[0]' --include 'solve\[0\]'
names "a plus escaped" 'a+b' --include 'a\+b'
names "anywhere" 'A.solve|solve|solve[0]|solver' --include '.*solve'
names "a look-ahead" 'solve|solve[0]|solver' --include '(?=solve)'
names "a digit" 'solve[0]' --include '.*\d+'
refused() { # WHAT STATUS TEXT ARG...
    local what=$1 status=$2 text=$3; shift 3
    RUN_TIMEOUT=20 run scope-profiler "$@"
    equal "$what: status, nothing shown, one line" "$status 0 1" "$rc $(grep -c . out.txt) $(grep -c '^scope-profiler: ' err.txt)"
    contains "$what: says" "$text" err.txt
}
for command in inspect diff check; do
    files=d/r1.h5
    nothing=1
    [ $command = inspect ] || files="d/r1.h5 d/r2.h5"
    [ $command = check ] && nothing=2 # 1 is a verdict there
    # shellcheck disable=SC2086
    refused "$command: an open bracket" 2 "'('" $command $files --include '('
    # shellcheck disable=SC2086
    refused "$command: matches nothing" $nothing "matches the patterns" $command $files --include 'nothing_like_this'
    # shellcheck disable=SC2086
    refused "$command: no such rank" 2 "d/r1.h5: no such rank: 7" $command $files --ranks 7
    # shellcheck disable=SC2086
    refused "$command: a range without an end" 2 "0,2,4-7" $command $files --ranks 0-
done
for bad in 3-1 x ''; do refused "ranks '$bad'" 2 "0,2,4-7" inspect d/r1.h5 --ranks "$bad"; done
for bad in banana ''; do refused "sort '$bad'" 2 "start name total calls" inspect d/r1.h5 --sort "$bad"; done
refused "sort of diff" 2 "delta" diff d/r1.h5 d/r2.h5 --sort banana
RUN_TIMEOUT=20 run scope-profiler inspect d/r1.h5 --include "$(printf 'a%.0s' $(seq 30000))"
between "a pattern of 30000 characters: no crash" 0 2 "$rc"
begin=$(date +%s%N)
RUN_TIMEOUT=20 run scope-profiler inspect d/r1.h5 --include '(a*)*(a*)*(a*)*b'
between "nested stars: no hang" 0 2000 $((($(date +%s%N) - begin) / 1000000))
between "and no crash" 0 2 "$rc"
files() { grep -c ' rank(s), ' out.txt; }
run scope-profiler inspect d/*.h5 "e m/r 1.h5"
equal "three files, with a blank in a name" "0 3" "$rc $(files)"
run scope-profiler inspect 'd/*.h5'
equal "a quoted wild card" "0 2" "$rc $(files)"
run scope-profiler merge -q 'd/*.h5' --renumber -o merged.h5
equal "of merge, too" "0 2" "$rc $(ranks merged.h5 solve | wc -w)"
refused "a wild card for nothing" 2 "no file matches" inspect 'x*.h5'
refused "no argument" 2 "which profile" inspect
refused "dashes alone" 2 "which profile" inspect --
finish
