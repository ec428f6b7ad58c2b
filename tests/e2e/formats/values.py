"""values.py FILE: the derived values that a profile stores, rebuilt from its raw columns."""
import datetime
import sys

import h5py
import numpy as np


def nesting(rows):
    """exclusive ns of every row of one rank, by a stack over its calls, lane by lane."""
    calls = []
    for number, (start, end, lane) in rows.items():
        calls += zip(lane.tolist(), start.tolist(), (-end).tolist(), [number] * len(start))
    own, stack, lane_now = dict.fromkeys(rows, 0), [], None
    for lane, start, minus_end, number in sorted(calls):
        if lane != lane_now:
            stack, lane_now = [], lane
        while stack and stack[-1][0] <= start:
            stack.pop()
        assert not stack or -minus_end <= stack[-1][0], "calls of one lane overlap"
        own[number] += -minus_end - start
        if stack:
            own[stack[-1][1]] -= -minus_end - start
        stack.append((-minus_end, number))
    return own


def main(path):
    faults = []

    def same(what, want, got):
        if want != got:
            faults.append("%s: stored %s, rebuilt %s" % (what, got, want))

    with h5py.File(path, "r") as file:
        index = {name: data[()] for name, data in file["rank_region_index"].items()}
        events = {name: data[()] for name, data in file["events"].items()}
        names = [name.decode() for name in file["region_table/names"][()]]
        meta = dict(file["metadata"].attrs)
        ranks = {}
        offset = 0
        for number in range(len(index["ranks"])):
            name, stored = names[index["region_ids"][number]], index["summary_statistics"][number]
            count = int(index["event_counts"][number])
            same(name + " offset", offset, int(index["event_offsets"][number]))
            cut = slice(offset, offset + count)
            offset += count
            start = np.cumsum(events["start_deltas"][cut])
            duration = events["durations"][cut]
            lane = events["thread_ids"][cut] if "thread_ids" in events else np.zeros(count, "i8")
            ranks.setdefault(int(index["ranks"][number]), {})[number] = (start, start + duration, lane)
            rebuilt = {"total": duration.sum(), "minimum": duration.min(), "maximum": duration.max(), "first": duration[0],
                       "last": duration[-1], "start_minimum": start.min(), "end_maximum": (start + duration).max(),
                       "gpu_count": 0, "gpu_total": 0}
            for field, value in rebuilt.items():
                same("%s %s" % (name, field), int(value), int(stored[field]))
            for field, value in (("mean", duration.mean()), ("m2", duration.var() * count)):
                if not np.isclose(stored[field], value, rtol=1e-9, atol=1e-6):
                    same("%s %s" % (name, field), value, stored[field])
            if start.min() < meta["start_time_ns"] or (start + duration).max() > meta["finalize_time_ns"]:
                faults.append("%s: calls outside the run" % name)
        same("length of the event columns", offset, len(events["durations"]))
        pairs = list(zip(index["ranks"].tolist(), index["region_ids"].tolist()))
        same("rows by rank, then region", sorted(pairs), pairs)
        for rows in ranks.values():
            for number, value in nesting(rows).items():
                same(names[index["region_ids"][number]] + " exclusive", value, int(index["exclusive_totals"][number]))
        moment = datetime.datetime.fromisoformat(meta["timestamp"])
        age = (datetime.datetime.now(datetime.timezone.utc) - moment).total_seconds()
        if not 0 <= age < 600 or len(meta["timestamp"]) != len("2026-10-22T06:38:32.031523+00:00"):
            faults.append("timestamp %s" % meta["timestamp"])
        same("total_cores", meta["mpi_size"] * meta["omp_num_threads"], meta["total_cores"])
    print("\n".join(faults + ["%d faults" % len(faults)]))


main(*sys.argv[1:])
