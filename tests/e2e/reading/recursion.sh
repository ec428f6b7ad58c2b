#!/bin/bash
# A function that calls itself, and two that call each other: their time is counted once wherever a total could be taken
# for a share of the run, and no percentage exceeds 100.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >walk.c <<'C'
#include "mk.h"
#include <stdio.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static void walk(int depth) {
    MB("walk");
    ms(2);
    if (depth) { walk(depth - 1); walk(depth - 1); }
    ME("walk");
}
static void odd(int n);
static void even(int n) { MB("even"); ms(5); if (n) odd(n - 1); ME("even"); }
static void odd(int n) { MB("odd"); ms(5); if (n) even(n - 1); ME("odd"); }
int main(void) {
    MB("scope_profiler.session");
    double t = now();
    walk(6);
    double w = now();
    even(9);
    double e = now();
    ME("scope_profiler.session");
    printf("%.6f %.6f\n", w - t, e - w);
    return 0;
}
C
compile walk.c -o walk
run scope-profiler run -q -o w.h5 ./walk
equal "status" 0 "$rc"
read -r walk_s even_s <out.txt
equal "calls" "127 5 5" "$(ncalls w.h5 walk) $(ncalls w.h5 even) $(ncalls w.h5 odd)"

cat >views.py <<'P'
import json, re, sys
walk_s, even_s = float(sys.argv[1]), float(sys.argv[2])
doc = json.load(open("w.json"))["files"][0]
regions = {r["name"]: r for r in doc["regions"]}
tree = {(t["depth"], t["name"]): t for t in doc["tree"]}
wall = doc["run"]["span"]
def check(what, good):
    print("ok" if good else "BAD", what)
check("walk: its coverage is the wall time", abs(regions["walk"]["coverage"] - walk_s) < 0.05 * walk_s + 1e-3)
check("walk: its total is the sum of all calls", regions["walk"]["total"] > 3 * walk_s)
check("even, odd: coverage within the wall time", regions["even"]["coverage"] <= even_s + 1e-3 and regions["odd"]["coverage"] <= even_s + 1e-3)
check("even: coverage is the whole of it", abs(regions["even"]["coverage"] - even_s) < 0.05 * even_s + 1e-3)
node = tree[1, "walk"]
check("the tree's node is marked and counts outermost calls", node["recursive"] and abs(node["outermost"] - walk_s) < 0.05 * walk_s + 1e-3)
check("own times add up to no more than the wall time", sum(r["exclusive"] for r in doc["regions"]) <= wall * (1 + 1e-9))
check("all coverage is within the wall time", all(r["coverage"] <= wall * (1 + 1e-9) for r in doc["regions"]))
P
scope-profiler inspect --json w.h5 >w.json
python3 views.py "$walk_s" "$even_s" >got.txt
lacks "views of the numbers" BAD got.txt

no_more_than_100() { # WHAT ARG...: every percentage that inspect prints
    local what=$1; shift
    scope-profiler inspect --regions-only "$@" >table.txt
    equal "$what: percentages" "0" "$(grep -o '[0-9.]*%' table.txt | awk '$1 + 0 > 100.000001' | wc -l)"
}
no_more_than_100 "the tree" w.h5 --columns region,calls,percent,parent_percent,total
between "there are percentages" 10 200 "$(grep -c '%' table.txt)"
total_of() { scope-profiler inspect --regions-only w.h5 --columns region,calls,total | awk -v n="$1" '$2 ~ /└/ && $3 == n { print $NF == "│" ? $(NF - 1) : $NF; exit }'; }
between "the row of walk" "$(awk "BEGIN { print $walk_s * 0.95 - 0.001 }")" "$(awk "BEGIN { print $walk_s * 1.05 + 0.001 }")" "$(total_of walk)"
contains "says that it calls itself" "walk ↻" <(scope-profiler inspect w.h5)
contains "and what that means" "their time is counted once" <(scope-profiler inspect w.h5)

# The flat view, from a stored summary alone: a share that cannot be known is not shown.
python3 - <<'P'
import h5py, numpy as np
with h5py.File("w.h5") as file:
    names = [n.decode() for n in file["region_table/names"][()]]
    index = {k: v[()] for k, v in file["rank_region_index"].items()}
with h5py.File("flat.h5", "w") as file:  # aggregated: no single calls
    text = h5py.string_dtype()
    file.attrs["scope_profiler_schema"] = 3
    file.attrs["storage_layout"] = "aggregate"
    file.create_dataset("region_table/names", data=names, dtype=text)
    group = file.create_group("rank_region_index")
    s = index["summary_statistics"]
    group["region_ids"], group["ranks"], group["aggregate_counts"] = index["region_ids"], index["ranks"], index["event_counts"]
    for key, column in (("totals", s["total"]), ("minimums", s["minimum"]), ("maximums", s["maximum"]), ("exclusives", index["exclusive_totals"])):
        group["aggregate_" + key] = column
    file.create_group("events")
P
run scope-profiler inspect --regions-only flat.h5 --columns region,percent,total
equal "aggregated" 0 "$rc"
no_more_than_100 "aggregated" flat.h5 --columns region,percent,total
finish
