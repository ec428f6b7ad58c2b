#!/usr/bin/python3
"""profile.py FILE [key=value...] -- REGION[@RANK]=CALLS...: writes a profile with h5py alone, as other tools write them.

CALLS: durations in ms, commas between; NxD stands for N calls of D. Calls of a rank follow each other; a region written
as OUTER//INNER=... lies within the calls of OUTER, evenly.

Keys: ranks (mpi_size), label, chip, start (seconds: of timestamp and clock), length (seconds), ended (of the process),
complete (0: not recorded to its end), cut (REGION:COUNT, calls cut off), aggregate (1: no single calls), huge (calls: each
region has so many in its row, all equal, and the events of the file are not written at all).
"""
import datetime
import sys

import h5py
import numpy as np

MS = 1000000
SUMMARY = np.dtype([(n, "<i8") for n in ("total", "minimum", "maximum", "first", "last", "start_minimum", "end_maximum")]
                   + [("gpu_count", "<u8"), ("gpu_total", "<i8"), ("mean", "<f8"), ("m2", "<f8")])


def durations(text):
    values = []
    for part in text.split(","):
        count, _, each = part.rpartition("x")
        values += [round(float(each) * MS)] * int(count or 1)
    return np.array(values, dtype=np.int64)


def place(rows, now):
    """Starts of the calls of one rank; nested ones lie within the calls of the row they name."""
    for row in rows:
        if row["outer"] is None:
            row["start"] = now + np.concatenate(([0], np.cumsum(row["calls"][:-1] + 100)))
            now = int(row["start"][-1] + row["calls"][-1]) + 1000
    for row in rows:
        if row["outer"] is None:
            continue
        outer = next(r for r in rows if r["name"] == row["outer"])
        share = len(row["calls"]) // len(outer["calls"])
        row["start"] = np.concatenate([
            s + np.concatenate(([0], np.cumsum(row["calls"][i * share:(i + 1) * share - 1])))
            for i, s in enumerate(outer["start"])])
    return now


def summary(row):
    calls, start = row["calls"], row["start"]
    mean = float(calls.mean())
    return (calls.sum(), calls.min(), calls.max(), calls[0], calls[-1], start.min(), (start + calls).max(), 0, 0, mean,
            float(((calls - mean) ** 2).sum()))


def huge_summary(row, count):
    each = int(row["calls"][0])
    return (each * count, each, each, each, each, 0, each * count, 0, 0, float(each), 0.0)


def main():
    path, words = sys.argv[1], sys.argv[2:]
    cut = words.index("--")
    keys = dict(w.split("=", 1) for w in words[:cut])
    rows, text = [], h5py.string_dtype("utf-8")
    for word in words[cut + 1:]:
        name, _, calls = word.rpartition("=")
        base, at, rank = name.rpartition("@")
        name, rank = (base, int(rank)) if at and rank.isdigit() else (name, 0)
        outer, slash, inner = name.partition("//")
        rows.append({"name": inner if slash else name, "outer": outer if slash else None, "rank": rank,
                     "calls": durations(calls)})
    names = list(dict.fromkeys(r["name"] for r in rows))
    start = float(keys.get("start", 0))
    for rank in sorted({r["rank"] for r in rows}):
        place([r for r in rows if r["rank"] == rank], int(start * 1e9))
    rows.sort(key=lambda r: (r["rank"], names.index(r["name"])))
    huge = int(keys.get("huge", 0))
    counts = np.array([huge or len(r["calls"]) for r in rows], dtype=np.uint64)
    aggregate = keys.get("aggregate") == "1"

    with h5py.File(path, "w") as file:
        file.attrs["scope_profiler_schema"] = 3
        file.attrs["storage_layout"] = "aggregate" if aggregate else "columnar"
        metadata = file.create_group("metadata").attrs
        metadata["mpi_size"] = int(keys.get("ranks", max(r["rank"] for r in rows) + 1))
        if "label" in keys:
            metadata["label"] = keys["label"]
        if "chip" in keys:
            metadata["chip_information"] = keys["chip"]
        if "start" in keys:
            moment = datetime.datetime.fromtimestamp(1.7e9 + start, datetime.timezone.utc)
            metadata["timestamp"] = moment.isoformat(timespec="microseconds")
            metadata["start_time_ns"] = int(start * 1e9)
            metadata["finalize_time_ns"] = int((start + float(keys.get("length", 1))) * 1e9)
        file.create_dataset("region_table/names", data=names, dtype=text)
        index = file.create_group("rank_region_index")
        index["region_ids"] = np.array([names.index(r["name"]) for r in rows], dtype=np.uint32)
        index["ranks"] = np.array([r["rank"] for r in rows], dtype=np.uint32)
        summaries = [huge_summary(r, huge) if huge else summary(r) for r in rows]
        if aggregate:
            index["aggregate_counts"] = counts
            for column, field in (("totals", 0), ("minimums", 1), ("maximums", 2), ("exclusives", 0)):
                index["aggregate_" + column] = np.array([s[field] for s in summaries], dtype=np.int64)
            return
        index["event_offsets"] = (np.cumsum(counts) - counts).astype(np.uint64)
        index["event_counts"] = counts
        index["source_lines"] = np.full(len(rows), -1, dtype=np.int64)
        index["exclusive_totals"] = np.full(len(rows), -1, dtype=np.int64)
        for column, value in (("source_files", ""), ("source_texts", ""), ("tags", "[]")):
            index.create_dataset(column, data=[value] * len(rows), dtype=text)
        index["summary_statistics"] = np.array(summaries, dtype=SUMMARY)
        events = file.create_group("events")
        if huge:
            create = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            create.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            create.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
            space = h5py.h5s.create_simple((int(counts.sum()),))
            for column in (b"start_deltas", b"durations"):
                h5py.h5d.create(events.id, column, h5py.h5t.STD_I64LE, space, create)
        else:
            events["start_deltas"] = np.concatenate([np.diff(r["start"], prepend=0) for r in rows])
            events["durations"] = np.concatenate([r["calls"] for r in rows])
        if "ended" in keys or "complete" in keys:
            table = file.create_group("process_table")
            for column, value in (("pid", 4711), ("parent_pid", 1), ("mpi_rank", -1), ("node", 0), ("start_ns", 0),
                                  ("end_ns", 10), ("incomplete_since_ns", -1)):
                table[column] = np.array([value], dtype=np.int64)
            table["ranks"] = np.array([0], dtype=np.uint32)
            table["complete"] = np.array([int(keys.get("complete", 1))], dtype=np.int8)
            for column, value in (("command", "app"), ("ended", keys.get("ended", "exit 0")),
                                  ("problem", "" if keys.get("complete", "1") == "1" else "the disk was full")):
                table.create_dataset(column, data=[value], dtype=text)
        if "cut" in keys:
            region, count = keys["cut"].split(":")
            table = file.create_group("problem_table")
            table["ranks"] = np.array([0], dtype=np.uint32)
            table["region_ids"] = np.array([names.index(region)], dtype=np.int64)
            table["kinds"] = np.array([1], dtype=np.uint32)
            table["counts"] = np.array([int(count)], dtype=np.uint64)
            table["at_exit"] = np.array([0], dtype=np.int64)
            table["open_ns"] = np.array([5], dtype=np.int64)


main()
