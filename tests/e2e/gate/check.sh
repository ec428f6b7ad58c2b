#!/bin/bash
# check BASE CANDIDATE: the text to the character, limits, budgets, regions that come and go, and every way to refuse.
. "$(dirname "$0")/common.sh"

make_profile a.h5 label=first -- solve=250,250 io=100
make_profile b.h5 -- solve=200,200,200 io=101
run scope-profiler check a.h5 b.h5 --max-regression 5
equal "slower: status" 1 "$rc"
cat >want.txt <<'TEXT'
Baseline: first - a.h5 (1 rank)
Candidate: b.h5 (1 rank)
Regression budget: +5% (total)
Regression check: FAIL
  ╭──────────┬─────────────────┬─────────────────┬─────────┬─────────────╮
  │ region   │ total [s] (a)   │ total [s] (b)   │ delta   │ delta [%]   │
  ├──────────┼─────────────────┼─────────────────┼─────────┼─────────────┤
  │ solve    │ 0.5             │ 0.6             │ +0.1    │ +20%        │
  │ io       │ 0.1             │ 0.101           │ +0.001  │ +1%         │
  ╰──────────┴─────────────────┴─────────────────┴─────────┴─────────────╯
Budget violations: solve
TEXT
same_output "slower: text" want.txt
run scope-profiler check a.h5 b.h5 --max-regression 25
equal "within the limit" 0 "$rc"
contains "said so" "Regression check: PASS" out.txt
lacks "no violations" "violations" out.txt
run scope-profiler check a.h5 b.h5
equal "the default limit is none at all" 1 "$rc"
contains "all that rose" "Budget violations: solve, io" out.txt
contains "the limit" "Regression budget: +0% (total)" out.txt
run scope-profiler check b.h5 a.h5 --max-regression 0; equal "faster" 0 "$rc"
run scope-profiler check a.h5 a.h5 --max-regression 0; equal "the same" 0 "$rc"
run scope-profiler check a.h5 b.h5 --max-regression 5 --warn-only; equal "a warning only" 0 "$rc"
contains "still a failure in words" "Regression check: FAIL" out.txt
run scope-profiler check a.h5 b.h5 --max-regression 5 --metric avg; equal "another metric" 0 "$rc"
run scope-profiler check a.h5 b.h5 --max-regression 10 --metric calls; equal "calls" 1 "$rc"

# The limit is held against the exact change, not the rounded one.
make_profile r.h5 -- main=100; make_profile s.h5 -- main=102.6; make_profile t.h5 -- main=105
run scope-profiler check r.h5 s.h5 --max-regression 2.5; equal "2.6 % over 2.5" 1 "$rc"
run scope-profiler check r.h5 s.h5 --max-regression 2.6; equal "2.6 % over 2.6" 0 "$rc"
run scope-profiler check r.h5 t.h5 --max-regression 5%; equal "exactly the limit" 0 "$rc"
run scope-profiler check r.h5 t.h5 --max-regression 4.999999; equal "a hair above" 1 "$rc"
for bad in -5 abc '' 1e400 nan inf 0x5 5%% '5 m'; do
    refused "limit '$bad'" 2 "--max-regression '$bad'" check r.h5 s.h5 "--max-regression=$bad"
done
for bad in -1ms 1h ms nan ''; do refused "time '$bad'" 2 "--min-time" check r.h5 s.h5 "--min-time=$bad"; done

make_profile tiny1.h5 -- tiny=0.003 main=30; make_profile tiny2.h5 -- tiny=0.005 main=30
run scope-profiler check tiny1.h5 tiny2.h5 --max-regression 30; equal "a tiny region" 1 "$rc"
run scope-profiler check tiny1.h5 tiny2.h5 --max-regression 30 --min-time 1ms; equal "below the least time" 0 "$rc"
contains "which is said" "Below --min-time, not judged: 1 region" out.txt
run scope-profiler check tiny1.h5 tiny2.h5 --max-regression 30 --min-time 1ms --metric avg; equal "below it by any metric" 0 "$rc"
make_profile short1.h5 -- short=5000x0.01; make_profile short2.h5 -- short=5000x0.02
run scope-profiler check short1.h5 short2.h5 --max-regression 30 --min-time 1ms --metric avg
equal "many short calls are no small region" 1 "$rc"
make_profile tiny3.h5 -- tiny=1.5 main=30
run scope-profiler check tiny1.h5 tiny3.h5 --max-regression 30 --min-time 1ms; equal "no longer tiny" 1 "$rc"
refused_small() {
    run scope-profiler check tiny1.h5 tiny2.h5 --include tiny --max-regression 90 --min-time 1ms
    equal "nothing but tiny regions: nothing was compared, as with runs" 2 "$rc"
    contains "and that is said" "Regression check: NOTHING COMPARED" out.txt
}
refused_small

make_profile zero.h5 -- was0=0 both0=0 steady=20,20; make_profile some.h5 -- was0=50 both0=0 steady=20,20
run scope-profiler check zero.h5 some.h5 --max-regression 30
equal "from nothing to something" 1 "$rc"
contains "named" "Budget violations: was0" out.txt
contains "and why" "  New time: was0" out.txt
run scope-profiler check zero.h5 zero.h5 --max-regression 0; equal "nothing on both sides" 0 "$rc"
run scope-profiler check some.h5 zero.h5 --max-regression 0; equal "gone to nothing" 0 "$rc"

make_profile old.h5 -- solve=10 gone=10; make_profile new.h5 -- solve=10 added=10
run scope-profiler check old.h5 new.h5; equal "others come and go" 0 "$rc"
contains "the missing are told" "  Missing from the candidate: gone" out.txt
contains "the new are told" "  New in the candidate: added" out.txt
run scope-profiler check old.h5 new.h5 --fail-on-new; equal "new ones fail" 1 "$rc"
contains "named when new" "Budget violations: added" out.txt
run scope-profiler check old.h5 new.h5 --fail-on-missing; equal "missing ones fail" 1 "$rc"
contains "named when missing" "Budget violations: gone" out.txt
make_profile other.h5 -- another=10
run scope-profiler check old.h5 other.h5; equal "nothing in common" 2 "$rc"
contains "never a pass" "Regression check: NOTHING COMPARED" out.txt

cat >budget.txt <<'B'
# limits of our own
solve$      25 %
io.*        0.5%
so          0.7s

B
run scope-profiler check a.h5 b.h5 --max-regression 5 --budget budget.txt
equal "a budget: status" 1 "$rc"
contains "a budget: io has less, solve more" "Budget violations: io" out.txt
matches "a budget: what io may" '^  io: total \[s\] .* \(limit ' out.txt
echo 'solve 550 ms' >seconds.txt
run scope-profiler check a.h5 b.h5 --max-regression 50 --budget seconds.txt; equal "over its time" 1 "$rc"
contains "over its time: which" "budget 0.55 s)" out.txt
run scope-profiler check a.h5 b.h5 --max-regression 50 --budget seconds.txt --metric calls
equal "a time for a number of calls" "0 scope-profiler: seconds.txt:1: a time does not limit --metric calls" "$rc $(cat err.txt)"
echo 'solve 1.5' >seconds.txt
run scope-profiler check a.h5 b.h5 --max-regression 50 --budget seconds.txt; equal "within its time" 0 "$rc"
echo 'sovle 5%' >typo.txt
run scope-profiler check a.h5 b.h5 --max-regression 50 --budget typo.txt
equal "a budget of nothing passes" 0 "$rc"
contains "but is told" "typo.txt:1: no region matches 'sovle'" err.txt
run scope-profiler check a.h5 b.h5 --max-regression 50 --budget typo.txt --fail-on-missing
equal "a budget of nothing fails" 1 "$rc"
printf 'solve\n' >bad.txt; refused "a line without limit" 2 "bad.txt:1:" check a.h5 b.h5 --budget bad.txt
printf '\n( 5%%\n' >bad.txt; refused "a line with a bad pattern" 2 "bad.txt:2: pattern '('" check a.h5 b.h5 --budget bad.txt
printf 'x -5%%\n' >bad.txt; refused "a line with a bad limit" 2 "bad.txt:1:" check a.h5 b.h5 --budget bad.txt
head -c 5000 /dev/zero | tr '\0' a >bad.txt; refused "an endless line" 2 "bad.txt:1:" check a.h5 b.h5 --budget bad.txt
refused "no budget file" 2 "none.txt" check a.h5 b.h5 --budget none.txt

make_profile two.h5 ranks=2 -- solve@0=10 solve@1=10
refused "other numbers of ranks" 2 "2 ranks, but a.h5 has 1" check a.h5 two.h5
make_profile chip1.h5 chip=One -- solve=10; make_profile chip2.h5 chip=Two -- solve=10
refused "another processor" 2 "chip2.h5: recorded on another processor (Two) than chip1.h5 (One)" check chip1.h5 chip2.h5
run scope-profiler check chip1.h5 chip2.h5 --allow-different-machine; equal "another processor, allowed" 0 "$rc"
run scope-profiler check chip1.h5 a.h5 --max-regression 9999; equal "a processor that is not known" 0 "$rc"
refused "the other way round" 2 "a.h5: 1 rank, but two.h5 has 2" check two.h5 a.h5
refused "and of runs" 2 "a.h5: 1 rank, but two.h5 has 2" check --base two.h5 --candidate a.h5
run scope-profiler check two.h5 a.h5 --allow-different-ranks --include solve; equal "compared all the same" 1 "$rc"
make_profile killed.h5 ended='signal 9' -- solve=250,250 io=100
refused "a run that was killed" 2 "ended: signal 9" check a.h5 killed.h5 --max-regression 5
run scope-profiler check a.h5 killed.h5 --max-regression 5 --allow-incomplete; equal "allowed" 0 "$rc"
make_profile partly.h5 complete=0 -- solve=250,250 io=100
refused "a run that was not recorded to its end" 2 "the disk was full" check partly.h5 a.h5
make_profile cut.h5 cut=solve:1 -- solve=250,250 io=100
run scope-profiler check a.h5 cut.h5 --max-regression 5
contains "calls that were cut off are told" "solve: 1 of 2 not ended" out.txt
make_profile sums.h5 aggregate=1 -- solve=250,250 io=100
run scope-profiler check sums.h5 a.h5; equal "aggregates have totals" 0 "$rc"
refused "but no percentiles" 2 "p95 of 'io' is not known" check sums.h5 a.h5 --metric p95

refused "a missing file" 2 "nope.h5" check nope.h5 b.h5 --max-regression 5
refused "one file" 2 "base and a candidate" check a.h5
refused "three files" 2 "several after --base" check a.h5 b.h5 r.h5
refused "a misspelt option" 2 "did you mean --max-regression" check a.h5 b.h5 --max-regresion 20
refused "an option that there is not" 2 "--format" check a.h5 b.h5 --format xml
refused "a rule for runs" 2 "are for --base and --candidate" check a.h5 b.h5 --alpha 0.1
refused "a pattern for nothing" 2 "matches the patterns" check a.h5 b.h5 --include nothing
echo no >text.h5; refused "no profile" 2 "text.h5" check a.h5 text.h5
finish
