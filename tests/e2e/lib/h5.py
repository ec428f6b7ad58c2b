#!/usr/bin/python3
"""h5.py QUERY FILE ...: a profile's raw columns, read with h5py and numpy alone; knows nothing of our own reader.

Queries: ncalls|total|own|sum FILE REGION [RANK], ranks FILE REGION, regions FILE, meta FILE KEY, table FILE GROUP,
calls FILE (one line a row: rank, calls, sum of durations in ns, region; tab-separated), column FILE GROUP COLUMN (its
values, one a line), problem FILE KIND [REGION] (how many of that kind: unmatched, cut, overlap, lost).
"""
import sys

import h5py
import numpy as np


def text(value):
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


class Row:
    """The calls of one region on one rank."""

    def __init__(self, region, rank, start, end, lane):
        self.region, self.rank, self.start, self.end, self.lane = region, rank, start, end, lane
        self.sums = None  # (calls, total ns, own ns) instead of the three before, in a file without calls

    def calls(self):
        return self.sums[0] if self.sums else len(self.start)

    def total(self):
        return self.sums[1] if self.sums else int((self.end - self.start).sum())


class Profile:
    """A schema-3 file, every row decoded."""

    def __init__(self, path):
        self.file = h5py.File(path, "r")
        schema = self.file.attrs["scope_profiler_schema"]
        if int(schema) != 3:
            raise ValueError("schema %r" % schema)
        names = [text(n) for n in self.file["region_table/names"][()]]
        index = self.file["rank_region_index"]
        if text(self.file.attrs.get("storage_layout", "columnar")) == "aggregate":
            self.rows = self.sums(names, index)
            return
        events = self.file["events"]
        deltas, durations = events["start_deltas"], events["durations"]
        threads = events.get("thread_ids")
        self.rows = []
        columns = (index[c][()] for c in ("region_ids", "ranks", "event_offsets", "event_counts"))
        for region, rank, offset, count in zip(*columns):
            cut = slice(int(offset), int(offset) + int(count))
            start = np.cumsum(deltas[cut])
            if len(start) != count:
                raise ValueError("row %s claims more events than there are" % names[region])
            lane = threads[cut] if threads is not None else np.full(int(count), -1)
            self.rows.append(Row(names[region], int(rank), start, start + durations[cut], lane))

    @staticmethod
    def sums(names, index):
        """Rows of a file without calls: as many calls as it says, the totals apart."""
        columns = ["region_ids", "ranks"] + ["aggregate_" + c for c in ("counts", "totals", "exclusives", "minimums",
                                                                        "maximums")]
        rows = []
        for region, rank, count, whole, own_ns, low, high in zip(*(index[c][()] for c in columns)):
            if not 0 <= low <= high <= whole or own_ns > whole:
                raise ValueError("row %s contradicts itself" % names[region])
            row = Row(names[region], int(rank), None, None, None)
            row.sums = int(count), int(whole), int(own_ns)
            rows.append(row)
        return rows

    def select(self, region, rank=None):
        rows = [r for r in self.rows if r.region == region]
        rows = rows or [r for r in self.rows if r.region.rsplit(".", 1)[-1] == region]
        return [r for r in rows if rank is None or r.rank == rank]


def ncalls(rows, _profile):
    return sum(r.calls() for r in rows)


def plain_sum(rows, _profile):
    return "%.9f" % (sum(r.total() for r in rows) / 1e9)


def covered(intervals):
    """ns that the intervals cover, overlaps counted once."""
    whole, reach = 0, None
    for start, end in sorted(intervals):
        start = start if reach is None else max(start, reach)
        whole += max(0, end - start)
        reach = end if reach is None else max(reach, end)
    return whole


def total(rows, _profile):
    whole = 0
    if any(r.sums for r in rows):
        return plain_sum(rows, _profile)
    for row in rows:
        for lane in np.unique(row.lane):
            mask = row.lane == lane
            whole += covered(zip(row.start[mask].tolist(), row.end[mask].tolist()))
    return "%.9f" % (whole / 1e9)


def own(rows, profile):
    """Exclusive seconds by nesting: every call's time less that of its direct children, lane by lane."""
    whole = 0
    if any(r.sums for r in rows):
        return "%.9f" % (sum(r.sums[2] for r in rows) / 1e9)
    for rank in {r.rank for r in rows}:
        wanted = {r.region for r in rows}
        calls = []
        for row in (r for r in profile.rows if r.rank == rank):
            zipped = zip(row.lane.tolist(), row.start.tolist(), row.end.tolist())
            calls += [(lane, s, -e, row.region) for lane, s, e in zipped]
        stack, lane_now = [], None
        for lane, start, minus_end, region in sorted(calls):
            if lane != lane_now:
                stack, lane_now = [], lane
            while stack and stack[-1][0] <= start:
                stack.pop()
            duration = -minus_end - start
            if stack and stack[-1][1] in wanted:
                whole -= duration
            if region in wanted:
                whole += duration
            stack.append((-minus_end, region))
    return "%.9f" % (whole / 1e9)


def ranks(rows, _profile):
    return " ".join(str(r) for r in sorted({r.rank for r in rows}))


ROW_QUERIES = {"ncalls": ncalls, "total": total, "own": own, "sum": plain_sum, "ranks": ranks}


def table(path, group):
    with h5py.File(path, "r") as file:
        if group not in file:
            return
        columns = {name: data[()] for name, data in file[group].items()}
        print("\t".join(columns))
        for values in zip(*columns.values()):
            print("\t".join(text(v) for v in values))


KINDS = ("unmatched", "cut", "overlap", "lost")


def problem(path, kind, region=None):
    with h5py.File(path, "r") as file:
        if "problem_table" not in file:
            return 0
        names = [text(n) for n in file["region_table/names"][()]]
        columns = (file["problem_table"][c][()] for c in ("kinds", "region_ids", "counts"))
        return sum(int(count) for k, r, count in zip(*columns)
                   if k == KINDS.index(kind) and (region is None or (r >= 0 and names[r] == region)))


def main(query, path, *rest):
    if query == "table":
        table(path, rest[0])
    elif query == "column":
        with h5py.File(path, "r") as file:
            if rest[0] in file:
                print("\n".join(text(v) for v in file[rest[0]][rest[1]][()]))
    elif query == "problem":
        print(problem(path, *rest))
    elif query == "meta":
        with h5py.File(path, "r") as file:
            print(text(file["metadata"].attrs[rest[0]]))
    elif query == "regions":
        print("\n".join(sorted({r.region for r in Profile(path).rows if r.calls()})))
    elif query == "calls":
        for row in Profile(path).rows:
            print(row.rank, row.calls(), row.total(), row.region, sep="\t")
    else:
        profile = Profile(path)
        rows = profile.select(rest[0], int(rest[1]) if len(rest) > 1 else None)
        print(ROW_QUERIES[query](rows, profile))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Exception as error:  # every fault of a file is one word on stdout, which no assertion takes for a number
        print("error")
        print("h5.py: %s: %s: %s" % (sys.argv[2:3], type(error).__name__, error), file=sys.stderr)
        sys.exit(1)
