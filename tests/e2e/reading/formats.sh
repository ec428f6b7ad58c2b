#!/bin/bash
# JSON profiles and native traces: written and read by Python's own json, struct and h5py; imported, merged, converted, and
# given to every command.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
compile -pthread "$e2e_lib/../formats/shapes.c" -o shapes
run scope-profiler run -q -o s.h5 ./shapes
for output in s.json s.json.gz S.JSON; do
    run scope-profiler run -q -o $output ./shapes
    equal "a run writes $output" 0 "$rc"
done
cat >look.py <<'P'
"""look.py FILE: what Python's json makes of a profile."""
import gzip, json, sys
def no(constant): raise ValueError(constant)
data = open(sys.argv[1], "rb").read()
packed = data[:2] == b"\x1f\x8b"
doc = json.loads(gzip.decompress(data) if packed else data, parse_constant=no)
regions = {(r["name"], r["rank"]): r for r in doc["regions"]}
outer = regions["outer", 0]
print("packed" if packed else "plain", doc["format"], doc["format_version"], doc["time_unit"], doc["num_ranks"], doc["event_data_available"])
print(len(outer["start_times_ns"]), all(s <= e for s, e in zip(outer["start_times_ns"], outer["end_times_ns"])),
      outer["start_times_ns"] == sorted(outer["start_times_ns"]))
print(regions["located", 0]["source_lineno"], len(doc["threads"]["0"]), doc["metadata"]["mpi_size"], doc["processes"]["0"][0]["ended"])
if packed:
    print(data[4:8] == b"\0\0\0\0", data[3] & 8)  # no time, no name
else:
    print(data.count(b"\n"))
P
python3 look.py s.json >got.txt 2>&1
equal "JSON" "plain scope-profiler-profile 1 nanoseconds 1 True|400 True True|42 3 1 exit 0|1|" "$(tr '\n' '|' <got.txt)"
python3 look.py s.json.gz >got.txt 2>&1
equal "packed JSON" "packed scope-profiler-profile 1 nanoseconds 1 True|400 True True|42 3 1 exit 0|True 0|" "$(tr '\n' '|' <got.txt)"
run scope-profiler merge -q s.h5 -o i.json --indent 2
ok "indented" grep -q '^  "regions": \[$' i.json

# Back and forth: what inspect says stays the same, but for the file itself and names that have no calls.
core() { scope-profiler inspect --json "$1" | python3 -c 'import json, sys
one = json.load(sys.stdin)["files"][0]
for key in ("file", "file_path", "bytes", "schema"): del one[key]
one["regions"] = [r for r in one["regions"] if r["calls"]]
for r in one["regions"]: r.pop("source_text", None)
print(json.dumps(one, sort_keys=True, indent=1))'; }
core s.h5 >want.txt
for chain in "a.json" "a.json.gz" "a.h5" "a.json b.h5" "a.json.gz b.json c.h5"; do
    from=s.h5
    for to in $chain; do scope-profiler merge -q $from -o "$to" && from=$to; done
    core "$from" >got.txt
    ok "the same after $chain" diff want.txt got.txt
done
for command in "inspect" "inspect --csv" "line-profile" "diff s.h5" "check s.h5" "inspect --threads --processes"; do
    # shellcheck disable=SC2086
    run scope-profiler $command a.json.gz
    between "$command reads JSON" 0 1 "$rc"
    equal "$command has no complaint" "" "$(cat err.txt)"
done
head -c -8 a.json.gz >sum.json.gz
printf '\0\0\0\0\0\0\0\0' >>sum.json.gz
run scope-profiler inspect sum.json.gz
equal "a wrong check sum" "scope-profiler: sum.json.gz: cannot be read (incorrect data check)" "$(cat err.txt)"
mv a.json.gz named.h5
ok "the content counts, not the name" scope-profiler inspect -q named.h5

# The example of the library reads all of them, and HDF5 lets it alone.
totals=$SCOPE_BUILD/share/examples/totals
for file in s.h5 a.json named.h5; do
    run "$totals" $file
    equal "the library's example: $file" 0 "$rc"
    matches "has its lines: $file" '^outer +400 calls +[0-9]+\.[0-9]{6} s   p95 [0-9.e-]+ s$' out.txt
done
run "$totals" no-such.h5
equal "and says what is wrong" "1 no-such.h5: No such file or directory" "$rc $(cat err.txt)"

# What Python writes.
python3 - <<'P'
import json
doc = {"format": "scope-profiler-profile", "format_version": 1, "time_unit": "nanoseconds", "exporter": "scope-profiler@0.7.5",
       "num_ranks": 2, "event_data_available": True, "metadata": {"mpi_size": 2, "label": "caf\u00e9 \U0001f600", "load": 1.5, "modules": []},
       "regions": [{"name": "solve\udcff", "rank": r, "tags": ["golden"], "start_times_ns": [10, 20, 40], "end_times_ns": [15, 33, 55 + r]}
                   for r in range(2)], "likwid": {"0": {"x": 1}}, "from_the_future": [1, {"a": None}]}
json.dump(doc, open("python.json", "w"))
P
run scope-profiler inspect --json python.json
equal "Python's JSON" "0 " "$rc $(cat err.txt)"
equal "its numbers" "6 67 b'solve\\xff' café 😀" "$(python3 -c 'import base64, json
one = json.load(open("out.txt"))["files"][0]; r = one["regions"][0]
print(r["calls"], round(r["total"] * 1e9), base64.b64decode(r["name_base64"]), one["metadata"]["label"])')"
scope-profiler merge -q python.json -o python.h5
equal "as HDF5" "6" "$(python3 -c 'import h5py; f = h5py.File("python.h5"); print(int(sum(f["rank_region_index/event_counts"])))')"
python3 -B "$e2e_lib/../formats/values.py" s.h5 >/dev/null && python3 - <<'P' >got.txt
import h5py
with h5py.File("python.h5") as f:
    i = f["rank_region_index"]
    s = i["summary_statistics"][()]
    print(f.attrs["scope_profiler_schema"], f.attrs["storage_layout"], s.dtype.itemsize, list(s["total"]), list(s["first"]), list(i["exclusive_totals"]))
    print(f["events/start_deltas"][()].tolist(), f["events/durations"][()].tolist(), sorted(f["events"]), i["tags"][0].decode())
    print({n: (d.dtype.str if d.dtype.kind != "O" else "text", d.chunks) for n, d in i.items() if n != "summary_statistics"} ==
          {"region_ids": ("<u4", None), "ranks": ("<u4", None), "event_offsets": ("<u8", None), "event_counts": ("<u8", None),
           "source_lines": ("<i8", None), "exclusive_totals": ("<i8", None), "source_files": ("text", None), "source_texts": ("text", None), "tags": ("text", None)})
P
equal "schema 3 as it should be" '3 columnar 88 [33, 34] [5, 5] [33, 34]|[10, 10, 20, 10, 10, 20] [5, 13, 15, 5, 13, 16] ['"'durations', 'start_deltas'"'] ["golden"]|True|' "$(tr '\n' '|' <got.txt)"

# Native traces, a file a rank.
mkdir run other
python3 - <<'P'
import struct
def trace(path, rank, regions, version=2, order="<"):
    with open(path, "wb") as f:
        f.write(b"SCOPEPRF" + struct.pack(order + "iiq", version, rank, len(regions)))
        for name, calls in regions.items():
            f.write(struct.pack(order + "i", len(name)) + name.encode())
            if version == 2:
                f.write(struct.pack(order + "i", 8) + b"solver.c" + struct.pack(order + "i", 7))
            f.write(struct.pack(order + "q", len(calls)) + b"".join(struct.pack(order + "q", c[k]) for k in (0, 1) for c in calls))
for rank in range(3):
    trace("run/app_rank%05d.spt" % rank, rank, {"solve": [(10 + rank, 15), (20, 33), (40, 55)], "io": [(21, 22)]}, 1 + rank % 2, "<>"[rank % 2])
open("run/merged.h5", "wb").write(b"not for us")
open("run/notes.txt", "wb").write(b"nor is this")
trace("other/a.spt", 0, {"x": [(1, 2)]})
trace("other/b.spt", 0, {"y": [(1, 2)]})
P
run scope-profiler import-native run -o n.h5 --label native
equal "import of a directory" "0 " "$rc $(cat err.txt)"
contains "says what it wrote" "Wrote n.h5: 3 files, 12 calls" out.txt
contains "and shows it" "solve (9x)" out.txt
equal "ranks" "0 1 2" "$(ranks n.h5 solve)"
equal "own time of solve on rank 1" "0.000000031" "$(own n.h5 solve 1)"
equal "metadata" "native 2 10 native 3" "$(meta n.h5 source) $(meta n.h5 trace_format_version) $(meta n.h5 start_time_ns) $(meta n.h5 label) $(meta n.h5 mpi_size)"
equal "source lines" "7" "$(python3 -c 'import h5py; print(max(h5py.File("n.h5")["rank_region_index/source_lines"][()]))')"
run scope-profiler import-native -q run/app_rank00002.spt run/app_rank00000.spt run/app_rank00000.spt
equal "files by name, one twice, default output" "0 0 2" "$rc $(ranks profiling_data.h5 solve)"
run scope-profiler import-native other -o o.h5
equal "two files of one rank" "1 1" "$rc $(grep -c 'other/b.spt: holds rank 0, which other/a.spt holds as well; .*sp_init' err.txt)"
ok "nothing was written" test ! -e o.h5
mkdir empty
run scope-profiler import-native empty -o o.h5
equal "an empty directory" "1 1" "$rc $(grep -c '^scope-profiler: empty: ' err.txt)"
scope-profiler import-native -q run -o n.json
equal "import to JSON" 12 "$(python3 -c 'import json; print(sum(len(r["start_times_ns"]) for r in json.load(open("n.json"))["regions"]))')"
run scope-profiler import-native -q run --merge s.h5 -o both.h5
equal "merged with a profile" "0 400 9" "$rc $(ncalls both.h5 outer) $(ncalls both.h5 solve)"
run scope-profiler import-native -q run --merge n.h5 -o twice.h5
equal "a region on both sides" "1 1" "$rc $(grep -c "has a region '" err.txt)"

# The files of single ranks, and of processes that all are rank 0.
for r in 0 1 2; do scope-profiler merge -q run/app_rank0000$r.spt -o part$r.h5; done
run scope-profiler merge -q part2.h5 part0.h5 part1.h5 -o whole.h5
equal "ranks keep their numbers" "0 1 2" "$(ranks whole.h5 solve)"
run scope-profiler merge s.h5 s.h5 -o no.h5
equal "the same rank twice" "1 1" "$rc $(grep -c 's.h5: holds rank 0, which s.h5 holds as well; --renumber' err.txt)"
run scope-profiler merge -q s.h5 s.h5 part2.h5 --renumber --compress -o many.h5
equal "renumbered" "0 1|4" "$(ranks many.h5 outer)|$(ranks many.h5 solve)"
equal "processes and problems come along" "0 1|2" "$(column many.h5 process_table ranks | tr '\n' ' ' | sed 's/ $//')|$(problem many.h5 unmatched)"
equal "mpi_size" 5 "$(meta many.h5 mpi_size)"
equal "compressed" gzip "$(python3 -c 'import h5py; print(h5py.File("many.h5")["events/durations"].compression)')"
run scope-profiler merge s.h5
equal "no output named" "2 1" "$rc $(grep -c 'merge: -o FILE' err.txt)"
finish
