#!/bin/bash
# What MPI calls carried comes through `merge`: numbers of ranks, regions, events, call sites and communicators are others there.
. "$(dirname "$0")/common.sh"
mpi_compile "$mpi" -g -Wno-stringop-overflow "$programs/carried.c" -o carried
mpi_compile "$mpi" -O2 "$programs/control.c" -o control
profiled 4 a.h5 ./carried
equal "status" 0 "$rc"
profiled 2 b.h5 ./control

# table FILE FIRST OPTION...: rows of `mpi --csv`, ranks shifted by FIRST where the columns are called so
table() {
    local file=$1 first=$2; shift 2
    scope-profiler mpi --csv "$@" "$file" | tr -d '\r' | awk -F, -v OFS=, -v first="$first" '
        NR == 1 { for (i = 1; i <= NF; i++) is_rank[i] = $i ~ /(^|_)rank$/; next }
        { for (i = 2; i <= NF; i++) if (is_rank[i] && $i != "") $i += first; sub(/^[^,]*,/, ""); print }' | sort
}
for options in "" --compress; do
    # shellcheck disable=SC2086
    run scope-profiler merge -q $options --renumber a.h5 b.h5 a.h5 -o m.h5
    equal "merge $options: status" 0 "$rc"
    lacks "nothing is left out" "left out" err.txt
    ok "matrix $options" diff <(table m.h5 0 --matrix) <( (table a.h5 0 --matrix; table b.h5 4 --matrix; table a.h5 6 --matrix) | sort)
    ok "waits $options" diff <(table m.h5 0 --waits) <( (table a.h5 0 --waits; table b.h5 4 --waits; table a.h5 6 --waits) | sort)
    for ranks in 0-3 6-9; do
        ok "sizes of ranks $ranks $options" diff <(table m.h5 0 --sizes --ranks "$ranks") <(table a.h5 0 --sizes)
        ok "sites of ranks $ranks $options" diff <(table m.h5 0 --sites --ranks "$ranks" | cut -d, -f1-4) <(table a.h5 0 --sites | cut -d, -f1-4)
    done
    ok "the same place is one call site" python3 -B - <<'P'
import h5py
with h5py.File("m.h5") as m, h5py.File("a.h5") as a, h5py.File("b.h5") as b:
    assert len(m["mpi/sites/lines"]) == len(a["mpi/sites/lines"]) + len(b["mpi/sites/lines"])
    assert len(m["mpi/calls/events"]) == 2 * len(a["mpi/calls/events"]) + len(b["mpi/calls/events"])
    names, index = m["region_table/names"].asstr()[:], m["rank_region_index"]
    # Every call's event is one of a function that has its site.
    sites = {(int(s), names[r]) for s, r in zip(m["mpi/functions/sites"][:], m["mpi/functions/region_ids"][:])}
    spans = sorted(zip(index["event_offsets"][:], index["event_counts"][:], index["region_ids"][:]))
    for event, site in zip(m["mpi/calls/events"][:], m["mpi/calls/sites"][:]):
        region = next(names[r] for o, n, r in spans if o <= event < o + n)
        assert (int(site), region) in sites, (event, site, region)
P
done
run scope-profiler merge -q a.h5 -o a.json
contains "JSON has no place for it" "what the MPI calls carried: left out" err.txt
finish
