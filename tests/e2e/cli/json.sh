#!/bin/bash
# JSON is strict and holds everything; CSV has one column count; both keep every name.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >names.c <<'C'
#include "mk.h"
#include <pthread.h>
static void *body(void *a) { MB("in thread"); ms(2); ME("in thread"); return a; }
int main(void)
{
    const char *n[] = {"a/b", "", " ", "tab\there", "line\nbreak", "comma, \"quote\"", "\xc3\xa9t\xc3\xa9", "\xff\xfe bad", "%s%n"};
    for (int i = 0; i < 9; i++)
        for (int k = 0; k <= i; k++) { MB(n[i]); ME(n[i]); }
    pthread_t t;
    pthread_create(&t, 0, body, 0);
    pthread_join(t, 0);
    MB("outer"); MB("inner"); ms(2); ME("inner"); ME("outer");
    ME("never begun");
    MB("left open");
    return 3;
}
C
compile -pthread names.c -o names
scope-profiler run -q -o n.h5 ./names 2>/dev/null
run scope-profiler inspect n.h5 --json
equal "status" 0 "$rc"
cp out.txt n.json
python3 - >got.txt <<'P'
import base64, json
def no(constant): raise ValueError(constant)
doc = json.load(open("n.json", encoding="utf-8"), parse_constant=no)
one = doc["files"][0]
def name(r): return base64.b64decode(r["name_base64"]) if "name_base64" in r else r["name"].encode()
regions = {name(r): r for r in one["regions"]}
want = [b"a/b", b"", b" ", b"tab\there", b"line\nbreak", b'comma, "quote"', "\u00e9t\u00e9".encode(), b"\xff\xfe bad", b"%s%n"]
print("counts", all(regions[n]["calls"] == i + 1 for i, n in enumerate(want)))
keys = "name ranks calls total exclusive average min max first last std p50 p95 p99 imbalance per_rank tags source cut_off"
print("keys", all(set(keys.split()) <= set(r) for r in one["regions"]))
print("units", doc["units"]["durations"])
tree = one["tree"]
inner = next(t for t in tree if t["name"] == "inner")
print("tree", inner["depth"], tree[inner["parent"]]["name"])
outer = regions[b"outer"]
print("sum", abs(outer["total"] - outer["exclusive"] - regions[b"inner"]["total"]) < 1e-9, outer["per_rank"]["0"]["calls"])
print("process", one["processes"][0]["ended"], one["processes"][0]["complete"])
print("threads", len(one["threads"]))
print("problems", sorted((p["kind"], p["region"], p["count"]) for p in one["problems"]))
print("cut off", regions[b"left open"]["cut_off"], regions[b"never begun"]["calls"], regions[b"never begun"]["average"])
P
cat >want.txt <<'W'
counts True
keys True
units seconds
tree 1 outer
sum True 1
process exit 3 True
threads 2
problems [('cut_off', 'left open', 1), ('end_without_begin', 'never begun', 1)]
cut off 1 0 None
W
equal "the document" "$(cat want.txt)" "$(cat got.txt)"

csv() { python3 -c 'import csv, sys
rows = list(csv.reader(open("out.txt", encoding="utf-8", errors="surrogateescape", newline="")))
print(len(rows) - 1, len({len(r) for r in rows}), rows[0][0])'; }
run scope-profiler inspect n.h5 --csv
equal "CSV: rows, one width" "14 1 file" "$(csv)"
run scope-profiler inspect n.h5 n.h5 --csv
equal "CSV of two files has one head" "28 1 file" "$(csv)"
run scope-profiler inspect n.h5 --csv --threads
equal "CSV of threads" "2 1 file" "$(csv)"
run scope-profiler inspect n.h5 --csv --processes
equal "CSV of processes" "1 1 file" "$(csv)"
run scope-profiler inspect n.h5 nope.h5 --json
equal "a missing file beside a good one" "1 1" "$rc $(python3 -c 'import json; print(len(json.load(open("out.txt"))["files"]))')"
run scope-profiler inspect nope.h5 --json
equal "a missing file alone: no document" "1 " "$rc $(cat out.txt)"

scope-profiler run -q --compress=9 -o s.h5 ./names 2>/dev/null
run scope-profiler inspect s.h5 --json --include outer --ranks 0
equal "selection" "outer" "$(python3 -c 'import json; print(*[r["name"] for r in json.load(open("out.txt"))["files"][0]["regions"]])')"
finish
