#!/bin/bash
# The file as others see it: names, types and attributes are those of the format, the stored derived values are those of
# the raw columns, and h5dump reads all of it.
. "$(dirname "$0")/../lib/lib.sh"
need gcc h5dump h5stat
here=$e2e_lib/../formats
compile -pthread "$here/shapes.c" -o shapes
faults() { python3 -B "$here/$1.py" "${@:2}" >faults.txt 2>&1; sed 's/^/    /' faults.txt; tail -n 1 faults.txt; }
is_clean() { equal "$1" "0 faults" "$(faults "${@:2}" | tail -n 1)"; cat faults.txt; }

for compress in "" --compress; do
    run scope-profiler run -q $compress --label formats -o s.h5 ./shapes
    equal "run $compress" 0 "$rc"
    is_clean "layout $compress" schema s.h5 "$here/layout.txt"
    is_clean "values $compress" values s.h5
    run h5dump -H s.h5
    equal "h5dump -H $compress" 0 "$rc"
    for text in "H5T_STD_U32LE" "H5T_STD_U64LE" "H5T_STD_I64LE" "STRPAD H5T_STR_NULLTERM" "CSET H5T_CSET_UTF8"; do
        contains "its types hold $text" "$text" out.txt
    done
    run h5dump s.h5
    equal "h5dump of all $compress" "0 0" "$rc $(wc -c <err.txt)"
done
equal "schema" 3 "$(python3 -c 'import h5py; print(h5py.File("s.h5").attrs["scope_profiler_schema"])')"
equal "layout name" columnar "$(python3 -c 'import h5py; print(h5py.File("s.h5").attrs["storage_layout"])')"
equal "counts" "400 900 21 100 1 1 1 1" "$(for r in outer inner recursive threaded located with/slash.and\ dot ü€ whole; do
    ncalls s.h5 "$r"; done | xargs)"
equal "never ended, never begun" "1 1" "$(problem s.h5 cut "never ended") $(problem s.h5 unmatched "never begun")"
equal "threads" 3 "$(column s.h5 thread_table index | wc -l)"
python3 - >located.txt <<'P'
import h5py
with h5py.File("s.h5", "r") as f:
    names = list(f["region_table/names"].asstr()[()])
    print(names[:3])
    g = f["rank_region_index"]
    row = list(g["region_ids"][()]).index(names.index("located"))
    print(g["source_files"].asstr()[row], g["source_lines"][row], g["tags"].asstr()[row], repr(g["source_texts"].asstr()[row]))
    row = list(g["region_ids"][()]).index(names.index("recursive"))
    print(g["source_lines"][row])
P
equal "regions in the order of their creation" "['whole', 'outer', 'inner']" "$(sed -n 1p located.txt)"
equal "a source location, without directories" "located.c 42 [] ''" "$(sed -n 2p located.txt)"
equal "no source location" "-1" "$(sed -n 3p located.txt)"

# A process of one thread, balanced: no table that has nothing to say.
echo '#include "mk.h"
int main(void) { for (int i = 0; i < 100000; i++) { MB("one"); ME("one"); } return 0; }' >one.c
compile one.c -o one
run scope-profiler run -q -o one.h5 ./one
equal "absent where there is nothing to say" "events metadata process_table rank_region_index region_table" \
    "$(python3 -c 'import h5py; print(*sorted(h5py.File("one.h5")))')"
equal "event columns of one thread" "durations start_deltas" "$(python3 -c 'import h5py; print(*sorted(h5py.File("one.h5")["events"]))')"
between "bytes a call" 16 17 "$(awk "BEGIN { print $(stat -c %s one.h5) / 100000 }")"
echo '#include "mk.h"
int main(void) { MB("one"); ME("one"); return 0; }' >least.c
compile least.c -o least
run scope-profiler run -q -o least.h5 ./least
between "bytes of the smallest profile" 1000 32768 "$(stat -c %s least.h5)"
between "and on the disk" 1000 65536 "$(($(stat -c %b least.h5) * 512))"
equal "event columns are contiguous" None "$(python3 -c 'import h5py; print(h5py.File("one.h5")["events/durations"].chunks)')"
run scope-profiler run -q --compress=9 -o packed.h5 ./one
equal "compressed: filters" "gzip True" "$(python3 -c 'import h5py; d = h5py.File("packed.h5")["events/durations"]; print(d.compression, d.shuffle)')"
equal "compressed: calls" 100000 "$(ncalls packed.h5 one)"
between "compressed: smaller by" 2.5 1000 "$(awk "BEGIN { print $(stat -c %s one.h5) / $(stat -c %s packed.h5) }")"
finish
