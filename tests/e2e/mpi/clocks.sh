#!/bin/bash
# Ranks whose clocks differ are on one time line: no message is there before it was sent. Ranks in time name spaces stand
# for machines that booted at other times.
. "$(dirname "$0")/common.sh"
need_root
unshare -T --monotonic 1 true 2>/dev/null || skip "this kernel has no time name spaces"
mpi_compile "$mpi" -O2 "$programs/pingpong.c" -o pingpong
recorded=(scope-profiler run -q -o c.h5 ./pingpong 10000)
run "${launcher[@]}" -n 1 "${recorded[@]}" : -n 1 unshare -T --monotonic 1000 --boottime 5000 "${recorded[@]}"
equal "status" 0 "$rc"
equal "ranks" "0 1" "$(ranks c.h5 MPI_Recv)"
between "the measured error, in ns" 1 5000 "$(meta c.h5 clock_error_ns)"
ok "no receive ends before its send began" python3 -B - <<'P'
import h5py
with h5py.File("c.h5") as file:
    index, names = file["rank_region_index"], file["region_table/names"].asstr()[:]
    calls = {}
    for rank, region, offset, count in zip(*(index[c][:] for c in ("ranks", "region_ids", "event_offsets", "event_counts"))):
        deltas, durations = (file["events"][c][offset:offset + count].astype("int64") for c in ("start_deltas", "durations"))
        start = deltas.cumsum()
        calls[int(rank), names[region]] = (start, start + durations)
for sender, receiver in ((0, 1), (1, 0)):
    begun, ended = calls[sender, "MPI_Send"][0], calls[receiver, "MPI_Recv"][1]
    assert len(begun) == len(ended) == 10000
    late = (ended - begun).min()
    print(sender, receiver, "shortest way in ns:", late)
    assert 0 <= late < 1e6, late
P
profiled 2 plain.h5 ./pingpong 10
equal "one clock: nothing is measured" error "$(meta plain.h5 clock_error_ns)"
# Some ranks are not recorded: nobody waits for them.
run "${launcher[@]}" -n 1 ./pingpong 10 : -n 2 unshare -T --monotonic 1000 scope-profiler run -q -o some.h5 ./pingpong 10
equal "a rank that is not recorded: status" 0 "$rc"
finish
