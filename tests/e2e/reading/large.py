"""large.py FILE CALLS [threads]: a profile of very many calls, made of numpy's random numbers, a part of it at a time.

Two regions, one within the other; with `threads` each region's calls are those of three threads one after the other, so
that they are far from the order of their starts. Prints the percentiles, own time and coverage that are to be found.
"""
import json
import sys

import h5py
import numpy as np

TEXT = h5py.string_dtype()
NAMES = ["solve", "inner"]
SUMMARY = np.dtype([(n, "i8") for n in ("total", "minimum", "maximum", "first", "last", "start_minimum", "end_maximum")] +
                   [("gpu_count", "u8"), ("gpu_total", "i8"), ("mean", "f8"), ("m2", "f8")])


def summary(start, duration):
    mean = duration.mean()
    return (duration.sum(), duration.min(), duration.max(), duration[0], duration[-1], start.min(), (start + duration).max(), 0, 0, mean,
            float(((duration - mean) ** 2).sum()))


def main(path, calls, lanes):
    half, rng = calls // 2, np.random.default_rng(7)
    inner = rng.integers(100, 1_000_000, half)
    outer = inner + 20
    start = np.zeros(half, "i8")
    np.cumsum((outer + 5)[:-1], out=start[1:])
    start += 10 ** 12
    thread = np.zeros(half, "i8")
    if lanes > 1:
        thread = np.arange(half) % lanes
        order = np.argsort(thread, kind="stable")
        inner, outer, start, thread = inner[order], outer[order], start[order], thread[order]
    found = {}
    with h5py.File(path, "w") as file:
        file.attrs["scope_profiler_schema"], file.attrs["storage_layout"] = 3, "columnar"
        file.create_group("metadata").attrs["mpi_size"] = 1
        file.create_dataset("region_table/names", data=NAMES, dtype=TEXT)
        events = file.create_group("events")
        columns = {name: events.create_dataset(name, (2 * half,), "i8") for name in ("start_deltas", "durations")}
        if lanes > 1:
            columns["thread_ids"] = events.create_dataset("thread_ids", (2 * half,), "i8")
        rows = []
        for k, (begin, duration) in enumerate(((start, outer), (start + 10, inner))):
            cut = slice(k * half, (k + 1) * half)
            columns["start_deltas"][cut] = np.diff(begin, prepend=0)
            columns["durations"][cut] = duration
            if lanes > 1:
                columns["thread_ids"][cut] = thread
            rows.append(summary(begin, duration))
            p50, p95, p99 = np.percentile(duration, [50, 95, 99])
            found[NAMES[k]] = {"p50": p50 / 1e9, "p95": p95 / 1e9, "p99": p99 / 1e9, "coverage": int(duration.sum()) / 1e9,
                               "exclusive": (20 * half if k == 0 else int(inner.sum())) / 1e9, "calls": half}
        index = file.create_group("rank_region_index")
        index["region_ids"], index["ranks"] = np.arange(2, dtype="u4"), np.zeros(2, "u4")
        index["event_offsets"], index["event_counts"] = np.array([0, half], "u8"), np.array([half, half], "u8")
        index["source_lines"], index["exclusive_totals"] = np.full(2, -1), np.full(2, -1)
        for name, value in (("source_files", ""), ("source_texts", ""), ("tags", "[]")):
            index.create_dataset(name, data=[value] * 2, dtype=TEXT)
        index["summary_statistics"] = np.array(rows, SUMMARY)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], int(float(sys.argv[2])), 3 if sys.argv[3:] == ["threads"] else 1)
