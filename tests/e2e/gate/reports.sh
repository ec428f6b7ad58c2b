#!/bin/bash
# JUnit, Markdown, JSON and annotations: well formed whatever a region is called, also where nothing could be compared.
. "$(dirname "$0")/common.sh"
odd='we|rd <&>"x" `y`'
make_profile a.h5 -- "$odd=20,20" ok=20,20 gone=5 $'bell\a=5'; make_profile b.h5 -- "$odd=60,60" ok=20,20 new=5 $'bell\a=5'

junit() { # FILE: "<tests> <failures> <errors> <skipped>" as counted, and as the suite says
    /usr/bin/python3 - "$1" <<'PY'
import sys, xml.etree.ElementTree as E
r = E.parse(sys.argv[1]).getroot()
s = r.find("testsuite")
print(*[len(r.findall(".//" + e)) for e in ("testcase", "failure", "error", "skipped")],
      *[s.get(k) for k in ("tests", "failures", "errors", "skipped")])
PY
}
columns() { awk -F'(^|[^\\\\])[|]' '/^\|/ { print NF }' "$1" | sort -u | wc -l; }

run scope-profiler check a.h5 b.h5 --max-regression 20 --junit o.xml --markdown o.md --json o.json --github
equal "status" 1 "$rc"
equal "JUnit" "5 1 0 2 5 1 0 2" "$(junit o.xml)"
equal "JUnit: the name" "$odd" "$(/usr/bin/python3 -c 'import xml.etree.ElementTree as E
print([t.get("name") for t in E.parse("o.xml").getroot().iter("testcase") if t.find("failure") is not None][0])')"
equal "JUnit: what failed" "slower SLOWER: total [s] 0.04 -> 0.12, +200% (limit +20%)" "$(/usr/bin/python3 -c 'import xml.etree.ElementTree as E
f = next(E.parse("o.xml").getroot().iter("failure")); print(f.get("type"), f.text)')"
equal "Markdown: one number of columns" 1 "$(columns o.md)"
contains "Markdown: the sentence" "**FAILED: 1 region fails" o.md
contains "Markdown: the name" 'we\|rd \<\&\>"x" \`y\`' o.md
equal "JSON: verdicts" "{'ok': 'ok', 'gone': 'missing', 'new': 'new', 'bell\\x07': 'ok', '$odd': 'slower'}" \
    "$(json o.json '{k: v for k, v in sorted(((r["name"], r["verdict"]) for r in d["regions"]), key=lambda p: ["ok", "gone", "new", "bell\a"].index(p[0]) if p[0] in ("ok", "gone", "new", "bell\a") else 9)}')"
equal "JSON: the failing one" "0.04 0.12 2.0 True" \
    "$(json o.json '"%s %s %s %s" % [(r["base"], r["candidate"], round(r["change"], 9), r["fails"]) for r in d["regions"] if r["verdict"] == "slower"][0]')"
equal "JSON: all of it" "failed 1" "$(json o.json 'd["verdict"] + " %d" % d["exit_status"]')"
matches "annotations" '^::error title=we\|rd <&>"x" `y`%3A SLOWER::total \[s\] 0\.04 -> 0\.12, \+200%25 ' out.txt
equal "annotations: one" 1 "$(grep -c '^::' out.txt)"

run scope-profiler check a.h5 b.h5 --max-regression 20 --junit o.xml --markdown o.md
equal "Markdown is appended" 2 "$(grep -c '^### ' o.md)"
equal "JUnit is not" "5 1 0 2 5 1 0 2" "$(junit o.xml)"
run scope-profiler check a.h5 b.h5 --max-regression 20 --json -
cp out.txt only.json; equal "JSON alone on stdout" "failed" "$(json only.json 'd["verdict"]')"
refused "two reports on stdout" 2 "only one" check a.h5 b.h5 --json - --junit -
run scope-profiler check a.h5 b.h5 --max-regression 500 --junit /nowhere/o.xml
equal "a report that cannot be written: status" 2 "$rc"
contains "a report that cannot be written: said" "/nowhere/o.xml" err.txt

make_profile zero.h5 -- was0=0 both0=0 steady=20; make_profile some.h5 -- was0=50 both0=0 steady=20
run scope-profiler check zero.h5 some.h5 --json o.json --junit o.xml
equal "new time: no infinity in JSON" "None True" \
    "$(json o.json '"%s %s" % [(r["change"], r["new_time"]) for r in d["regions"] if r["name"] == "was0"][0]')"
contains "new time: said in JUnit" "new time" o.xml

run scope-profiler check a.h5 nope.h5 --junit o.xml --markdown o.md --json o.json
equal "a missing file: status" 2 "$rc"
equal "a missing file: JUnit" "1 0 1 0 1 0 1 0" "$(junit o.xml)"
equal "a missing file: JSON" "not_compared 2" "$(json o.json 'd["verdict"] + " %d" % d["exit_status"]')"
contains "a missing file: Markdown" "**NOT COMPARED" o.md
contains "a missing file: the cause is in the report" "NOT COMPARED: nope.h5: No such file or directory" o.xml
equal "a missing file: and in JSON" "NOT COMPARED: nope.h5: No such file or directory" "$(json o.json 'd["sentence"]')"
lacks "a missing file: nothing unnamed in Markdown" "unnamed" o.md

# Readers drop the second of two cases with one name
make_profile c.h5 -- $'x\ny=5' $'x\ty=5' $'x\ry=5'
run scope-profiler check c.h5 c.h5 --junit o.xml
equal "JUnit: names stay different" "x\\n y x\\r y x\\t y" "$(/usr/bin/python3 -c 'import xml.etree.ElementTree as E
print(*sorted(t.get("name").replace("y", " y") for t in E.parse("o.xml").getroot().iter("testcase")))')"
for report in json junit; do refused "annotations within $report" 2 "--github" check a.h5 b.h5 --$report - --github; done
run scope-profiler check a.h5 b.h5 --json o.json --github; equal "annotations beside a file" 1 "$rc"

for i in 1 2 3; do
    make_profile s$i.h5 start=$((10 * i)) -- solve=20x2.00$i "$odd=20x1.00$i" tiny=0.1
    make_profile t$i.h5 start=$((10 * i + 5)) -- solve=20x2.40$i "$odd=20x1.00$((4 - i))" tiny=0.1 new=3
done
run scope-profiler check --base s?.h5 --candidate t?.h5 --junit o.xml --markdown m.md --json o.json --github
equal "runs: status" 1 "$rc"
equal "runs: JUnit" "4 1 0 2 4 1 0 2" "$(junit o.xml)"
equal "runs: Markdown" 1 "$(columns m.md)"
equal "runs: evidence" "0.05 0.05 20 3 [20, 20] 1.2" \
    "$(json o.json '"%s %s %s %s %s %.1f" % [(r["p"], r["p_adjusted"], d["rule"]["labellings"], r["base_runs"], r["base_calls"], r["ratio"]) for r in d["regions"] if r["verdict"] == "slower"][0]')"
matches "runs: annotation" '^::error title=solve%3A SLOWER::40\.[0-9] ms -> 48\.[0-9] ms \+[0-9.]+ %25 \[' out.txt

# More regions than GitHub shows
many=(); for i in $(seq 15); do many+=("r$i=10"); done; make_profile m1.h5 -- "${many[@]}"
many=(); for i in $(seq 15); do many+=("r$i=20"); done; make_profile m2.h5 -- "${many[@]}"
run scope-profiler check m1.h5 m2.h5 --github
equal "at most ten annotations" 10 "$(grep -c '^::' out.txt)"
contains "and how many more" "and 6 more regions" out.txt
many=(); for i in $(seq 300); do many+=("r$i=10"); done; make_profile m1.h5 -- "${many[@]}"
many=(); for i in $(seq 300); do many+=("r$i=20"); done; make_profile m2.h5 -- "${many[@]}"
run scope-profiler check m1.h5 m2.h5 --markdown long.md
equal "at most 200 rows" 200 "$(grep -c '^| SLOWER' long.md)"
contains "and how many are cut" "100 more rows are not shown" long.md
finish
