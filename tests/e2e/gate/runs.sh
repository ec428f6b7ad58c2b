#!/bin/bash
# check --base ... --candidate ...: verdicts of runs, notes on how they were made, exit statuses.
. "$(dirname "$0")/common.sh"

# FIRST LAST EACH NAME [key=value...]: runs NAME1.h5 ... of 20 calls of `solve` and of `io`, with a little noise
runs() {
    local i name=$4 each=$3
    for ((i = $1; i <= $2; i++)); do
        make_profile "$name$i.h5" start=$((i * 10 + ${START:-0})) chip=CPU "${@:5}" -- \
            "solve=$(awk -v e="$each" -v i="$i" 'BEGIN { for (k = 0; k < 20; k++) printf "%s%.6f", k ? "," : "", e * (1 + ((i * 7 + k * 5) % 11) / 4000) }')" \
            "io=$(awk -v i="$i" 'BEGIN { for (k = 0; k < 20; k++) printf "%s%.6f", k ? "," : "", 1 + ((i * 5 + k * 3) % 7) / 4000 }')" tiny=0.01
    done
}
runs 1 5 2 base; START=5 runs 1 5 2 same; START=5 runs 1 5 2.2 slow
run scope-profiler check --base base*.h5 --candidate same*.h5
equal "the same: status" 0 "$rc"
contains "the same: said" "PASSED: no region is shown to be slower than its limit." out.txt
contains "the same: what was compared" "5 base runs, 5 candidate runs, 3 regions (2 gated, 1 below 1.0 ms)" out.txt
run scope-profiler check --candidate slow*.h5 --base base*.h5
equal "slower: status" 1 "$rc"
matches "slower: the line" '^  SLOWER   solve +40\.[0-9] ms -> +44\.[0-9] ms +\+10\.[0-9] %  \[\+[0-9.]+, \+1[0-9.]+\] +p 0\.004 +20 calls$' out.txt
matches "slower: the other" '^  ok       io ' out.txt
matches "slower: the verdict" '^FAILED: 1 region fails \(solve \+10\.[0-9] %\)\.$' out.txt
contains "slower: where to look" "where: scope-profiler diff base1.h5 slow1.h5 --by path" out.txt
lacks "they alternated" "one after the other" out.txt
run scope-profiler check --base 'base?.h5' --candidate 'slow?.h5'; equal "quoted wild cards" 1 "$rc"
run scope-profiler check --base slow*.h5 --candidate base*.h5; equal "faster never fails" 0 "$rc"
matches "faster is said" '^  faster   solve ' out.txt
run scope-profiler check --base base*.h5 --candidate slow*.h5 --max-regression 15; equal "a larger limit" 0 "$rc"
run scope-profiler check --base base*.h5 --candidate slow*.h5 --stat total; equal "by totals" 1 "$rc"
run scope-profiler check --base base*.h5 --candidate slow*.h5 --test mann-whitney; equal "by ranks" 1 "$rc"
run scope-profiler check --base base*.h5 --candidate slow*.h5 --warn-only; equal "a warning only" 0 "$rc"
run scope-profiler check --base base*.h5 --candidate slow*.h5 --exclude solve; equal "not looked at" 0 "$rc"
echo 'solve 20%' >budget.txt; run scope-profiler check --base base*.h5 --candidate slow*.h5 --budget budget.txt
equal "a limit of its own" 0 "$rc"
echo 'solve 43ms' >budget.txt; run scope-profiler check --base base*.h5 --candidate slow*.h5 --budget budget.txt --max-regression 50
equal "over its budget" 1 "$rc"
matches "over its budget: the line" '^  OVER     solve .*budget 0\.043 s' out.txt

run scope-profiler check --base base[123].h5 --candidate slow[123].h5; equal "three runs can tell" 1 "$rc"
contains "with a remark" "5 or more a side are recommended" out.txt
run scope-profiler check --base base1.h5 --candidate slow1.h5; equal "one run cannot" 0 "$rc"
matches "so it is unclear" '^  unclear  solve .*\(too few runs\)$' out.txt
contains "and says why" "1 and 1 runs cannot tell a slow-down from chance" out.txt
run scope-profiler check --base base1.h5 --candidate slow1.h5 --strict; equal "unclear fails if asked" 1 "$rc"
START=5 runs 1 5 3 gross; run scope-profiler check --base base1.h5 --candidate gross1.h5; equal "a gross one is seen" 1 "$rc"

START=1000 runs 1 5 2.2 later; run scope-profiler check --base base*.h5 --candidate later*.h5
contains "one side after the other" "one after the other; alternate them" out.txt
START=5 runs 1 5 2 extra ended='signal 9'
refused "a killed run" 2 "ended: signal 9" check --base base*.h5 --candidate extra*.h5
run scope-profiler check --base base*.h5 --candidate extra*.h5 --allow-incomplete; equal "a killed run, allowed" 0 "$rc"
START=5 runs 1 5 2 other; for i in 1 2 3 4 5; do make_profile other$i.h5 start=$((i * 10 + 5)) chip=Other -- solve=20x2; done
refused "another processor" 2 "another processor (Other)" check --base base*.h5 --candidate other*.h5
run scope-profiler check --base base*.h5 --candidate other*.h5 --allow-different-machine; equal "allowed" 0 "$rc"
for i in 1 2 3; do make_profile ranks$i.h5 start=$((i * 10 + 5)) -- solve@0=20x3 solve@1=20x3; done
refused "other ranks" 2 "2 ranks, but" check --base base*.h5 --candidate ranks*.h5
run scope-profiler check --base base*.h5 --candidate ranks*.h5 --allow-different-ranks
equal "other ranks never fail" 0 "$rc"
contains "and it is said" "Numbers of ranks differ" out.txt
cp base1.h5 copy.h5
refused "a run twice" 2 "the same run as" check --base base1.h5 base2.h5 copy.h5 --candidate slow*.h5
for i in 1 2 3; do make_profile cut$i.h5 start=$((i * 10 + 5)) cut=solve:1 -- solve=20x2 once=3; done
run scope-profiler check --base base[123].h5 --candidate cut*.h5
matches "cut off calls leave it unclear" '^  unclear  solve .*\(calls were cut off\)' out.txt
matches "a new one of one call" '^  new      once .* 1 call$' out.txt
contains "missing regions are listed" "missing  io " out.txt
run scope-profiler check --base base[123].h5 --candidate cut*.h5 --fail-on-missing; equal "and fail if asked" 1 "$rc"
run scope-profiler check --base cut*.h5 --candidate base[123].h5 --fail-on-new; equal "new ones, too" 1 "$rc"
make_profile only.h5 start=7 -- another=5
run scope-profiler check --base base1.h5 --candidate only.h5; equal "nothing in common" 2 "$rc"
contains "nothing in common: said" "NOT COMPARED: no region is on both sides." out.txt
run scope-profiler check --base base1.h5 --candidate same1.h5 --include tiny; equal "too small, all of them" 2 "$rc"

refused "base alone" 2 "--base needs --candidate" check --base base1.h5
refused "candidate alone" 2 "--candidate needs --base" check --candidate base1.h5
refused "a word too many" 2 "or none does" check base1.h5 --base base2.h5 --candidate same1.h5
refused "a metric" 2 "runs take --stat" check --base base1.h5 --candidate same1.h5 --metric avg
refused "a bad alpha" 2 "--alpha '0.5'" check --base base1.h5 --candidate same1.h5 --alpha 0.5
refused "a missing run" 2 "nope.h5" check --base base1.h5 nope.h5 --candidate same1.h5

# From nothing to something: no ratio, by any test
for i in 1 2 3 4 5; do
    make_profile none$i.h5 start=$((10 * i)) -- was0=10x0 solve=20x2.00$i
    make_profile some$i.h5 start=$((10 * i + 5)) -- was0=10x0.5 solve=20x2.00$i
done
for rule in "" "--stat total" "--test mann-whitney"; do
    run scope-profiler check --base none?.h5 --candidate some?.h5 $rule
    equal "new time fails${rule:+, $rule}" 1 "$rc"
    matches "and is called so${rule:+, $rule}" '^  SLOWER   was0 +0 ns -> +5\.0 ms +new time +p 0\.004 +10 calls$' out.txt
done
finish
