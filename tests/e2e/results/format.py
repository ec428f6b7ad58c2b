"""format.py FILE...: the rules of the Python tool's file format that its reader relies on, looked at with h5py: types, which
columns stand together, what refers to what. What we have beyond it is not looked at. Prints what is wrong."""
import json
import sys

import h5py
import numpy as np

INDEX = {"region_ids": "u4", "ranks": "u4", "event_offsets": "u8", "event_counts": "u8", "source_lines": "i8",
         "exclusive_totals": "i8", "source_files": "text", "source_texts": "text", "tags": "text"}
SUMS = {"aggregate_counts": "u8", "aggregate_totals": "i8", "aggregate_minimums": "i8", "aggregate_maximums": "i8",
        "aggregate_exclusives": "i8"}
EXTRA = ("call_ids", "parent_ids", "thread_ids", "task_ids", "await_ns", "gpu_durations")
SUMMARY = [("total", "i8"), ("minimum", "i8"), ("maximum", "i8"), ("first", "i8"), ("last", "i8"), ("start_minimum", "i8"),
           ("end_maximum", "i8"), ("gpu_count", "u8"), ("gpu_total", "i8"), ("mean", "f8"), ("m2", "f8")]
THREADS = {"ranks": "u4", "index": "i8", "ident": "i8", "native_id": "i8", "daemon": "i1", "start_ns": "i8", "end_ns": "i8",
           "cpu_ns": "i8", "name": "text"}
TASKS = {"ranks": "u4", "index": "i8", "thread_index": "i8", "created_ns": "i8", "done_ns": "i8", "steps": "i8",
         "running_ns": "i8", "suspended_ns": "i8", "kind": "text", "name": "text", "coro_name": "text"}
MINIMAL = {"timestamp": "text", "platform": "text", "chip_information": "text", "scope_profiler_version": "text",
           "omp_num_threads": "i8", "mpi_size": "i8", "total_cores": "i8", "num_nodes": "i8", "start_time_ns": "i8",
           "finalize_time_ns": "i8"}
LINES = {"line_numbers": "i8", "hits": "i8", "times": "f8"}
LINE_ATTRIBUTES = {"region": "text", "filename": "text", "function": "text", "first_lineno": "i8", "unit": "f8"}
faults = []


def fault(*words):
    faults.append(" ".join(map(str, words)))


def kind(of):
    text = h5py.check_string_dtype(of.dtype)
    if text:
        good = text.length is None and text.encoding == "utf-8" and of.get_type().get_strpad() == h5py.h5t.STR_NULLTERM
        return "text" if good else "text, but not variable UTF-8"
    return of.dtype.str.lstrip("<|")


def attributes(of, where, wanted):
    for name, type_ in wanted.items():
        if name not in of.attrs:
            fault(where, "has no attribute", name)
        elif kind(of.attrs.get_id(name)) != type_ or of.attrs.get_id(name).shape != ():
            fault(where, name, "is", kind(of.attrs.get_id(name)), of.attrs.get_id(name).shape)


def columns(group, wanted):
    """Types and one length; the length."""
    lengths = set()
    for name, type_ in wanted.items():
        if name not in group:
            fault(group.name, "has no", name)
        elif kind(group[name].id) != type_ or group[name].ndim != 1:
            fault(group[name].name, "is", kind(group[name].id), group[name].shape)
        else:
            lengths.add(len(group[name]))
    if len(lengths) > 1:
        fault(group.name, "has columns of lengths", lengths)
    return max(lengths, default=0)


def summary(row, starts, durations):
    ends = starts + durations
    wanted = (durations.sum(), durations.min(), durations.max(), durations[0], durations[-1], starts.min(), ends.max(), 0, 0)
    if tuple(row)[:9] != wanted or not np.allclose([row["mean"], row["m2"]],
                                                  [durations.mean(), durations.var() * len(durations)], rtol=1e-6, atol=1):
        fault("summary", row, "is not", wanted)


def rows(file, names):
    index, events = file["rank_region_index"], file["events"]
    count = columns(index, INDEX)
    total = columns(events, dict.fromkeys(["start_deltas", "durations"] + [c for c in EXTRA if c in events], "i8"))
    statistics = index["summary_statistics"]
    if [(n, statistics.dtype[n].str.lstrip("<")) for n in statistics.dtype.names] != SUMMARY or statistics.dtype.itemsize != 88:
        fault("summary_statistics is", statistics.dtype)
    at, pairs = 0, []
    for i in range(count):
        region, rank, offset, calls = (int(index[c][i]) for c in ("region_ids", "ranks", "event_offsets", "event_counts"))
        pairs.append((rank, region))
        if region >= names or offset != at or not calls:
            fault("row", i, "region", region, "offset", offset, "calls", calls)
        at += calls
        part = slice(offset, offset + calls)
        starts, durations = np.cumsum(events["start_deltas"][part]), events["durations"][part]
        if (durations < 0).any() or (starts[0] <= 0):
            fault("row", i, "has odd times")
        summary(statistics[i], starts, durations)
        if not all(isinstance(tag, str) for tag in json.loads(index["tags"].asstr()[i])):
            fault("row", i, "tags", index["tags"][i])
    if at != total or len(set(pairs)) != len(pairs) or [p[0] for p in pairs] != sorted(p[0] for p in pairs):
        fault("rows hold", at, "of", total, "calls:", pairs)
    return pairs


def references(file, pairs):
    events = file["events"]
    if ("call_ids" in events) != ("parent_ids" in events):
        fault("one of call_ids and parent_ids alone")
    for column, table in (("thread_ids", "thread_table"), ("task_ids", "task_table")):
        if (column in events) != (table in file):
            fault(column, "and", table, "do not come together")
        if column not in events:
            continue
        columns(file[table], THREADS if table == "thread_table" else TASKS)
        known = set(zip(file[table]["ranks"], file[table]["index"]))
        for i, (rank, _) in enumerate(pairs):
            offset, calls = (int(file["rank_region_index"][c][i]) for c in ("event_offsets", "event_counts"))
            found = {(rank, v) for v in np.unique(events[column][offset:offset + calls]) if v >= 0}
            if not found <= known:
                fault(column, "refers to", found - known)


def lines(file):
    for rank in [name for name in file if name.startswith("rank") and name[4:].isdigit()]:
        for number, record in file[rank].get("line_profile", {}).items():
            columns(record, LINES)
            attributes(record, record.name, LINE_ATTRIBUTES)
            if not number.isdigit() or not len(record["hits"]) or (record["line_numbers"][()] < record.attrs["first_lineno"]).any():
                fault(record.name, "is odd")


def look(path):
    with h5py.File(path) as file:
        attributes(file, "/", {"scope_profiler_schema": "i8", "storage_layout": "text"})
        attributes(file["metadata"], "/metadata", MINIMAL)
        if file.attrs["scope_profiler_schema"] != 3 or len(file["metadata"]):
            fault("schema", file.attrs["scope_profiler_schema"], "or metadata with members")
        names = file["region_table/names"]
        if kind(names.id) != "text":
            fault("names are", kind(names.id))
        if file.attrs["storage_layout"] == "aggregate":
            columns(file["rank_region_index"], dict({"region_ids": "u4", "ranks": "u4"}, **SUMS))
            if any(len(column) for column in file["events"].values()):
                fault("events in an aggregate file")
        else:
            references(file, rows(file, len(names)))
        lines(file)


for name in sys.argv[1:]:
    before = len(faults)
    look(name)
    faults[before:] = ["%s: %s" % (name, text) for text in faults[before:]]
print("\n".join(faults + ["%d faults" % len(faults)]))
