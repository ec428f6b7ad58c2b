#!/bin/bash
# Tables come out to the character as the manual of the Python tool has them, from files with the same numbers.
. "$(dirname "$0")/../lib/lib.sh"
here=$e2e_lib/../reading
table() { sed -n '/^  ╭─*╮$/,/^  ╰─*╯$/p' | sed '/^  ╰/q'; } # the first box, which has no heading
same() { # WHAT FILE: the table of `inspect` is the one on stdin
    cat >want.txt
    scope-profiler inspect --regions-only "$2" | table >got.txt
    ok "$1" diff want.txt got.txt
}
for page in recursive recursive-2 script steps line; do
    python3 -B "$here/pages.py" $page $page.h5 || fail "$page cannot be made"
done

same "functions within functions" recursive.h5 <<'T'
  ╭──────────────────────────────────────────╮
  │ region                     total [s]     │
  ├──────────────────────────────────────────┤
  │ entry                      0.002191      │
  │ └─ (own)                      0.000037   │
  │ └─ __main__.middle            0.002153   │
  │ │ └─ (own)                      0.000016 │
  │ │ └─ __main__.leaf (2x)         0.002137 │
  ╰──────────────────────────────────────────╯
T
same "the same, of another run" recursive-2.h5 <<'T'
  ╭──────────────────────────────────────────╮
  │ region                     total [s]     │
  ├──────────────────────────────────────────┤
  │ entry                      0.002202      │
  │ └─ (own)                      0.000022   │
  │ └─ __main__.middle            0.002180   │
  │ │ └─ (own)                      0.000025 │
  │ │ └─ __main__.leaf (2x)         0.002155 │
  ╰──────────────────────────────────────────╯
T
same "a script" script.h5 <<'T'
  ╭──────────────────────────────────────────────╮
  │ region                       total [s]       │
  ├──────────────────────────────────────────────┤
  │ my_script.py                 0.005529        │
  │ └─ (own)                        0.002315     │
  │ └─ __main__.<module>            0.003214     │
  │ │ └─ (own)                        0.000023   │
  │ │ └─ __main__.main                0.003191   │
  │ │ │ └─ (own)                        0.000028 │
  │ │ │ └─ __main__.leaf (3x)           0.003163 │
  ╰──────────────────────────────────────────────╯
T
same "time steps" steps.h5 <<'T'
  ╭─────────────────────────────────╮
  │ region              total [s]   │
  ├─────────────────────────────────┤
  │ setup               0.020075    │
  │ timestep (5x)       0.051661    │
  │ └─ (own)               0.000053 │
  │ └─ assemble (5x)       0.036307 │
  │ └─ solve (5x)          0.015301 │
  ╰─────────────────────────────────╯
T
same "one region" line.h5 <<'T'
  ╭─────────────────────────────╮
  │ region          total [s]   │
  ├─────────────────────────────┤
  │ hot_function    0.010928    │
  ╰─────────────────────────────╯
T

cat >want.txt <<'T'
Line profile: line.h5

Rank 0 | hot_function | hot_function (line_demo.py:7)
╭────────┬────────┬────────────┬───────────────┬──────────┬─────────────────────╮
│ line   │ hits   │ time [s]   │ per hit [s]   │ % time   │ source              │
├────────┼────────┼────────────┼───────────────┼──────────┼─────────────────────┤
│ 9      │ 1      │ 7.82e-07   │ 7.82e-07      │ 0.01     │ total = 0.0         │
│ 10     │ 20001  │ 0.00269025 │ 1.34506e-07   │ 36.79    │ for i in range(n):  │
│ 11     │ 20000  │ 0.00355299 │ 1.7765e-07    │ 48.59    │     total += i**0.5 │
│ 12     │ 1      │ 0.0010667  │ 0.0010667     │ 14.59    │ time.sleep(0.001)   │
│ 13     │ 1      │ 1.733e-06  │ 1.733e-06     │ 0.02     │ return total        │
╰────────┴────────┴────────────┴───────────────┴──────────┴─────────────────────╯
T
scope-profiler line-profile line.h5 >got.txt
ok "lines" diff <(cat want.txt) <(sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' got.txt)

# The box of notes names the commands that there are; what they are called and where they stand is the page's.
scope-profiler --list-options | awk -F'\t' '$1 == "command" { print $2 }' >commands.txt
python3 - >want.txt <<'P'
PAGE = """Summary: steps.h5 (1 rank)

Explore:
  Inspect: scope-profiler inspect steps.h5
  TUI:     scope-profiler tui steps.h5

Visualize and export:
  Plot:    scope-profiler plot default steps.h5 -o plots --show
  Report:  scope-profiler report steps.h5 -o report.html
  Export:  scope-profiler export plot-data steps.h5 -o data
  Lines:   scope-profiler line-profile steps.h5

Compare runs:
  Diff:    scope-profiler diff BASE.h5 CANDIDATE.h5
  Check:   scope-profiler check BASE.h5 CANDIDATE.h5

Durations are in seconds.
Regions may nest, so the summed total can exceed the wall-clock time."""
commands = open("commands.txt").read().split()
lines = [l for l in PAGE.splitlines() if " scope-profiler " not in l or l.split(" scope-profiler ")[1].split()[0] in commands]
width = max(map(len, lines))
print("  ╭─ Info " + "─" * (width - 5) + "╮")
for line in lines:
    print("  │ " + line.ljust(width) + " │")
print("  ╰" + "─" * (width + 2) + "╯")
P
scope-profiler inspect --regions-only steps.h5 | sed -n '/^  ╭─ Info/,/^  ╰/p' >got.txt
ok "notes" diff want.txt got.txt

scope-profiler inspect --json steps.h5 >steps.json
python3 - >got.txt <<'P'
import json, math
regions = {r["name"]: r for r in json.load(open("steps.json"))["files"][0]["regions"]}
def near(region, **wanted):
    for key, value in wanted.items():
        if not math.isclose(regions[region][key], value, rel_tol=1e-12):
            print(region, key, value, regions[region][key])
near("timestep", calls=5, total=0.051660574, average=0.010332114799999998, min=0.007122461, max=0.015124428,
     std=0.0029847773632117624, exclusive=5.2648e-05, first=0.007166206, last=0.01112071, p95=0.0143248962)
near("solve", calls=5, total=0.015300804, average=0.0030601608, min=0.003058693, max=0.003061126, first=0.003061126,
     last=0.003058693, p95=0.0030610358)
near("setup", calls=1, total=0.020074563, exclusive=0.020074563, p95=0.020074563)
near("assemble", calls=5, total=0.036307122, exclusive=0.036307122)
for r in regions.values():
    if r["imbalance"] != 0:
        print(r["name"], "imbalance", r["imbalance"])
P
equal "the page's numbers" "" "$(cat got.txt)"
equal "order of the regions" "setup timestep assemble solve" "$(scope-profiler inspect --regions-only --sort start --columns region,calls steps.h5 |
    table | awk '$1 == "│" && $2 != "region" { sub(/└─/, ""); if ($2 != "(own)") printf "%s%s", s, $2; s = " " }')"
finish
