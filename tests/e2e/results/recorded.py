"""recorded.py FILE...: what scope_profiler.reading reads is what h5py reads."""
import sys

import h5py
import numpy as np

from scope_profiler import reading

checks = 0


def same(what, ours, theirs):
    global checks
    checks += 1
    if not np.array_equal(ours, theirs):
        sys.exit("%s: %r is not %r" % (what, ours, theirs))


def rows_of_schema_1(file):
    for rank in [name for name in file if name.startswith("rank")]:
        for name, group in file[rank].get("regions", {}).items():
            yield name, int(rank[4:]), group["start_times"][()], group["end_times"][()], {}


def rows(file):
    index, events = file["rank_region_index"], file["events"]
    names = file["region_table/names"].asstr(errors="surrogateescape")[()]
    for row, (region, rank, at, count) in enumerate(zip(*(index[c][()] for c in (
            "region_ids", "ranks", "event_offsets", "event_counts")))):
        part = slice(int(at), int(at + count))
        if "start_deltas" in events:
            starts = np.cumsum(events["start_deltas"][part])
            ends = starts + events["durations"][part]
        else:
            starts, ends = events["start_times"][part], events["end_times"][part]
        extra = {name: events[name][part] for name in ("call_ids", "thread_ids", "task_ids") if name in events}
        yield names[region], int(rank), starts, ends, extra


for path in sys.argv[1:]:
    results = reading.read_h5(path)
    with h5py.File(path) as file:
        found = rows_of_schema_1(file) if "scope_profiler_schema" not in file.attrs else rows(file)
        for name, rank, starts, ends, extra in found:
            region = results[name][rank]
            same("starts of " + name, region.start_times_ns, starts)
            same("ends of " + name, region.end_times_ns, ends)
            same("calls of " + name, region.num_calls, len(starts))
            for column, values in extra.items():
                same(column + " of " + name, getattr(region, column), values)
            durations = (ends - starts) / 1e9
            close = np.allclose([region.total_duration, region.average_duration, region.std_duration, region.p95_duration,
                                 region.percentile_duration(12.5)],
                                [durations.sum(), durations.mean(), durations.std(), np.percentile(durations, 95),
                                 np.percentile(durations, 12.5)], rtol=1e-9, atol=1e-15)
            same("statistics of " + name, close, True)
            if "tags" in file.get("rank_region_index", {}):
                row = [i for i, (r, k) in enumerate(zip(file["rank_region_index/region_ids"], file["rank_region_index/ranks"]))
                       if r == results.region_names.index(name) and k == rank][0]
                tags = file["rank_region_index/tags"].asstr()[row]
                same("tags of " + name, repr(list(region.tags)), repr(__import__("json").loads(tags or "[]")))
        for key, value in file["metadata"].attrs.items() if "metadata" in file else ():
            same("metadata " + key, np.asarray(dict(results.metadata, **results.costs)[key]), np.asarray(value))
print(checks)
