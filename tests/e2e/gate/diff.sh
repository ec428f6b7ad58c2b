#!/bin/bash
# diff: the table to the character, every metric, order and threshold, call paths, more than two files, other forms.
. "$(dirname "$0")/common.sh"

make_profile a.h5 label=first -- solve=250,250 x=1 y=2000
make_profile b.h5 -- solve=200,200,200 z=10 y=2000
run scope-profiler diff a.h5 b.h5
equal "status" 0 "$rc"
cat >want.txt <<'TABLE'
==============================================================================
a: first - a.h5 (1 rank)
b: b.h5 (1 rank)
==============================================================================

Regions (4)
  ╭──────────┬─────────────────┬─────────────────┬─────────┬─────────────╮
  │ region   │ total [s] (a)   │ total [s] (b)   │ delta   │ delta [%]   │
  ├──────────┼─────────────────┼─────────────────┼─────────┼─────────────┤
  │ solve    │ 0.5             │ 0.6             │ +0.1    │ +20%        │
  │ z        │ -               │ 0.01            │ +0.01   │ -           │
  │ x        │ 0.001           │ -               │ -0.001  │ -100%       │
  │ y        │ 2               │ 2               │ +0      │ +0%         │
  ╰──────────┴─────────────────┴─────────────────┴─────────┴─────────────╯

  Only in a: x
  Only in b: z

TABLE
same_output "the table" want.txt

run scope-profiler diff a.h5 b.h5 --include solve --metric calls
cat >want.txt <<'TABLE'
==============================================================================
a: first - a.h5 (1 rank)
b: b.h5 (1 rank)
==============================================================================

Regions (1)
  ╭──────────┬─────────────┬─────────────┬─────────┬─────────────╮
  │ region   │ calls (a)   │ calls (b)   │ delta   │ delta [%]   │
  ├──────────┼─────────────┼─────────────┼─────────┼─────────────┤
  │ solve    │ 2           │ 3           │ +1      │ +50%        │
  ╰──────────┴─────────────┴─────────────┴─────────┴─────────────╯


TABLE
same_output "calls" want.txt

rows() { awk '$1 == "│" && $2 != "region" && $2 != "path" { printf "%s%s", s, $2; s = " " }' out.txt; }
run scope-profiler diff a.h5 b.h5 --sort pct; equal "by percentage, those without one last" "x solve y z" "$(rows)"
run scope-profiler diff a.h5 b.h5 --sort name; equal "by name" "solve x y z" "$(rows)"
run scope-profiler diff a.h5 b.h5 --threshold 1; equal "a threshold keeps rows without percentage" "solve z x" "$(rows)"
run scope-profiler diff a.h5 b.h5 --exclude '[xyz]'; equal "an exclusion" "solve" "$(rows)"
for metric in avg:0.25:0.2 min:0.25:0.2 max:0.25:0.2 p50:0.25:0.2 p95:0.25:0.2 p99:0.25:0.2 imbalance:0:0; do
    IFS=: read -r name first second <<<"$metric"
    run scope-profiler diff a.h5 b.h5 --include solve --metric "$name"
    equal "$name" "$first $second" "$(awk '$2 == "solve" { print $4, $6 }' out.txt)"
done

run scope-profiler diff a.h5 b.h5 --json; cp out.txt d.json
equal "JSON: values" "[0.5, 0.6]" "$(json d.json '[r["values"] for r in d["regions"] if r["name"] == "solve"][0]')"
equal "JSON: states" "{'solve': 'both', 'z': 'new', 'x': 'gone', 'y': 'both'}" \
    "$(json d.json '{r["name"]: r["changes"][0]["state"] for r in d["regions"]}')"
equal "JSON: no percentage" "None None" \
    "$(json d.json '"%s %s" % [(r["values"][0], r["changes"][0]["percent"]) for r in d["regions"] if r["name"] == "z"][0]')"
run scope-profiler diff a.h5 b.h5 --csv
equal "CSV" "region,total_a,total_b,delta_b,delta_percent_b;solve,0.5,0.6,0.1,20" \
    "$(tr -d '\r' <out.txt | head -2 | awk '{ printf "%s%s", s, $0; s = ";" }' | sed 's/0\.0999[0-9]*/0.1/; s/19\.99[0-9]*/20/')"
equal "CSV: an absent side is empty" "z,,0.01,0.01," "$(tr -d '\r' <out.txt | grep ^z)"
run scope-profiler diff a.h5 b.h5 --markdown
equal "Markdown: one number of columns" 1 "$(awk -F'[|]' '/^\|/ { print NF }' out.txt | sort -u | wc -l)"
contains "Markdown: a row" "| solve | 0.5 | 0.6 | +0.1 | +20% |" out.txt

make_profile c.h5 -- solve=750 z=5
run scope-profiler diff a.h5 b.h5 c.h5
equal "three files: status" 0 "$rc"
contains "three files: each against the first" "│ solve    │ 0.5             │ 0.6             │ +20%            │ 0.75            │ +50%            │" out.txt
contains "three files: only in" "  Only in c, not a: z" out.txt
contains "three files: gone" "  Only in a, not c: x, y" out.txt

make_profile p.h5 -- one=100 two=100 one//solve=10
make_profile q.h5 -- one=100 two=100 two//solve=10
run scope-profiler diff p.h5 q.h5 --by path
equal "paths" 0 "$rc"
contains "a path that is gone" "│ one > solve │ 0.01            │ -               │ -0.01   │ -100%       │" out.txt
contains "a path that is new" "│ two > solve │ -               │ 0.01            │ +0.01   │ -           │" out.txt
run scope-profiler diff p.h5 q.h5 --include solve
contains "by region nothing changed" "│ solve    │ 0.01            │ 0.01            │ +0      │ +0%         │" out.txt

make_profile zero.h5 -- was0=0 both0=0 steady=20
make_profile some.h5 -- was0=50 both0=0 steady=20
run scope-profiler diff zero.h5 some.h5
contains "new time has no percentage" "│ was0     │ 0               │ 0.05            │ +0.05   │ -           │" out.txt
contains "new time is named" "  New time: was0" out.txt
run scope-profiler diff some.h5 zero.h5
contains "time that is gone" "│ was0     │ 0.05            │ 0               │ -0.05   │ -100%       │" out.txt
for form in --json --csv --markdown; do
    run scope-profiler diff zero.h5 some.h5 $form
    equal "$form: no NaN or infinity" 0 "$(grep -ciwE 'nan|inf|infinity' out.txt)"
done

make_profile killed.h5 ended='signal 9' cut=solve:2 -- solve=5,5,5
run scope-profiler diff a.h5 killed.h5
contains "calls that were cut off are told" "solve: 2 of 3 not ended" out.txt
contains "of which file" "Problems of b:" out.txt
make_profile partly.h5 complete=0 -- solve=5
run scope-profiler diff partly.h5 a.h5
contains "a process that is not complete is told" "is not complete: the disk was full" out.txt

make_profile sums.h5 aggregate=1 -- solve=5,5
run scope-profiler diff sums.h5 a.h5 --include solve --metric p95
contains "a percentile that nobody knows" "│ solve    │ -             │ 0.25" out.txt
refused "no paths of an aggregate" 1 "sums.h5" diff sums.h5 a.h5 --by path
refused "one file" 2 "two profiles or more" diff a.h5
refused "no file" 2 "which profiles" diff
refused "a missing file" 1 "nope.h5" diff a.h5 nope.h5
refused "a bad metric" 2 "total avg min max p50 p95 p99 imbalance calls" diff a.h5 b.h5 --metric sum
refused "a bad order" 2 "delta pct name" diff a.h5 b.h5 --sort size
refused "a bad threshold" 2 "--threshold '-1'" diff a.h5 b.h5 --threshold=-1
refused "two forms" 2 "exclude each other" diff a.h5 b.h5 --json --csv
refused "a bad pattern" 2 "'('" diff a.h5 b.h5 --include '('
refused "no such region" 1 "matches the patterns" diff a.h5 b.h5 --include nothing
refused "no such rank" 2 "no such rank: 3" diff a.h5 b.h5 --ranks 3
finish
