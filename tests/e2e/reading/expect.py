"""expect.py FILE JSON: every statistic that `inspect --json` prints against numpy's on the columns that h5py reads.

Regions, each rank of a region, and the call tree. Exit status 0 and a last line "N values, 0 faults" when all agree to
a relative 1e-12.
"""
import json
import math
import re
import sys

import h5py
import numpy as np


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


class Row:
    """The calls of one region on one rank, as h5py has them."""

    def __init__(self, name, order, rank, start, end, lane, tags):
        self.name, self.order, self.rank, self.tags = name, order, rank, tags
        self.start, self.end, self.lane = start.astype("i8"), end.astype("i8"), lane.astype("i8")


def read_old(file):
    """Schema 1: regions in the order in which the ranks have them, within a rank by name."""
    rows, order = [], {}
    for key in sorted((k for k in file if re.fullmatch(r"rank\d+", k)), key=lambda k: int(k[4:])):
        found = []
        base = file[key + "/regions"]
        base.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Group) and "start_times" in item else None)
        for name in sorted(found):
            group = base[name]
            lane = group["thread_ids"][()] if "thread_ids" in group else np.full(len(group["start_times"]), -1)
            rows.append(Row(name, order.setdefault(name, len(order)), int(key[4:]), group["start_times"][()],
                            group["end_times"][()], lane, [text(t) for t in group.attrs.get("tags", [])]))
    return rows


def read(path):
    with h5py.File(path, "r") as file:
        if "scope_profiler_schema" not in file.attrs:
            return read_old(file)
        names = [text(n) for n in file["region_table/names"][()]]
        index, events = file["rank_region_index"], file["events"]
        rows = []
        for i in range(len(index["ranks"])):
            offset, count = int(index["event_offsets"][i]), int(index["event_counts"][i])
            cut = slice(offset, offset + count)
            if "start_deltas" in events:
                start = np.cumsum(events["start_deltas"][cut])
                end = start + events["durations"][cut]
            else:
                start, end = events["start_times"][cut], events["end_times"][cut]
            lane = events["thread_ids"][cut] if "thread_ids" in events else np.full(count, -1)
            region = int(index["region_ids"][i])
            rows.append(Row(names[region], region, int(index["ranks"][i]), start, end, lane, json.loads(text(index["tags"][i]) or "[]")))
        return rows


# ---- nesting ---------------------------------------------------------------------------------------------------------


class Call:
    def __init__(self, row, number):
        self.row, self.start, self.end = row, int(row.start[number]), int(row.end[number])
        self.own, self.parent, self.number = self.end - self.start, None, number

    def doubled_end(self):
        """A call without length is open at its own moment."""
        return 2 * self.end + (self.start == self.end)


def nest(rows):
    """All calls of one rank, parents before their children, each with its parent and own time."""
    calls = [Call(row, i) for row in rows for i in range(len(row.start))]
    calls.sort(key=lambda c: (c.start, -c.end, c.row.order, c.number))
    stacks = {}
    for call in calls:
        stack = stacks.setdefault(int(call.row.lane[call.number]), [])
        while stack and stack[-1].doubled_end() <= 2 * call.start:
            stack.pop()
        if stack:
            assert call.end <= stack[-1].end, "calls overlap"
            call.parent = stack[-1]
            call.parent.own -= call.end - call.start
        stack.append(call)
    return calls


def covered(intervals):
    whole, reach = 0, None
    for start, end in sorted(intervals):
        start = start if reach is None else max(start, reach)
        whole += max(0, end - start)
        reach = end if reach is None else max(reach, end)
    return whole


# ---- statistics ------------------------------------------------------------------------------------------------------


def statistics(by_rank):
    """by_rank: {rank: (starts, ends, own)} in recording order; seconds."""
    ranks = sorted(by_rank)
    each = {r: (by_rank[r][1] - by_rank[r][0]).astype("f8") for r in ranks}
    pool = np.concatenate([each[r] for r in ranks])
    first = min(ranks, key=lambda r: (by_rank[r][0].min(), r))
    last = min(ranks, key=lambda r: (-by_rank[r][1].max(), r))
    totals = [each[r].sum() for r in ranks if each[r].sum() > 0]
    spread = max(totals) / np.mean(totals) if len(totals) > 1 else 1.0
    p50, p95, p99 = np.percentile(pool, [50, 95, 99])
    seconds = {"total": pool.sum(), "exclusive": sum(by_rank[r][2] for r in ranks), "average": pool.mean(), "min": pool.min(),
               "max": pool.max(), "first": each[first][0], "last": each[last][-1], "std": pool.std(), "p50": p50, "p95": p95,
               "p99": p99, "first_start": by_rank[first][0].min(), "last_end": by_rank[last][1].max(),
               "coverage": sum(covered(zip(by_rank[r][0].tolist(), by_rank[r][1].tolist())) for r in ranks)}
    wanted = {key: value / 1e9 for key, value in seconds.items()}
    return dict(wanted, calls=len(pool), rank_imbalance=spread, imbalance=(spread - 1) * 100)


class Comparison:
    def __init__(self):
        self.values, self.faults = 0, []

    def same(self, where, wanted, got):
        self.values += 1
        if wanted != got:
            self.faults.append("%s: wanted %r, printed %r" % (where, wanted, got))

    def near(self, where, wanted, got, keys):
        for key in keys:
            self.values += 1
            value = got.get(key)
            if value is None or not math.isclose(wanted[key], value, rel_tol=1e-12, abs_tol=0):
                self.faults.append("%s %s: wanted %.17g, printed %r" % (where, key, wanted[key], value))


PER_RANK = ("calls total exclusive average min max first last std p50 p95 p99 first_start last_end coverage").split()
POOLED = PER_RANK + ["imbalance", "rank_imbalance"]


def compare_regions(rows, own, printed, comparison):
    names = [r["name"] for r in printed if r["calls"]]
    comparison.same("regions", sorted({r.name for r in rows}), sorted(names))
    for region in printed:
        mine = {r.rank: r for r in rows if r.name == region["name"]}
        if not mine:
            comparison.same(region["name"] + " calls", 0, region["calls"])
            continue
        data = {rank: (r.start, r.end, own[r]) for rank, r in mine.items()}
        comparison.near(region["name"], statistics(data), region, POOLED)
        comparison.same(region["name"] + " ranks", sorted(mine), region["ranks"])
        comparison.same(region["name"] + " tags", mine[min(mine)].tags, region["tags"])
        for rank in mine:
            comparison.near("%s rank %d" % (region["name"], rank), statistics({rank: data[rank]}), region["per_rank"][str(rank)], PER_RANK)


def build_tree(calls_by_rank):
    """{path: {rank: [calls]}}, whether recursive, and the sum of the outermost calls; a name right below itself is one node."""
    paths, recursive, outermost = {}, set(), {}
    for rank, calls in calls_by_rank.items():
        place = {}
        for call in calls:
            path = place[call.parent] if call.parent else ()
            again = bool(path) and path[-1] == call.row.name
            path = path if again else path + (call.row.name,)
            place[call] = path
            paths.setdefault(path, {}).setdefault(rank, []).append(call)
            if again:
                recursive.add(path)
            else:
                outermost[path] = outermost.get(path, 0) + call.end - call.start
    return paths, recursive, outermost


def compare_tree(calls_by_rank, printed, comparison):
    paths, recursive, outermost = build_tree(calls_by_rank)
    comparison.same("tree", len(paths), len(printed))
    names = []
    for node in printed:
        path = (names[node["parent"]] if node["parent"] is not None else ()) + (node["name"],)
        names.append(path)
        comparison.same("depth of %s" % (path,), len(path) - 1, node["depth"])
        if path not in paths:
            comparison.faults.append("no such path: %s" % (path,))
            continue
        data = {rank: (np.array([c.start for c in calls]), np.array([c.end for c in calls]), sum(c.own for c in calls))
                for rank, calls in paths[path].items()}
        comparison.near(" > ".join(path), statistics(data), node, PER_RANK + ["imbalance"])
        comparison.near(" > ".join(path), {"outermost": outermost[path] / 1e9}, node, ["outermost"])
        comparison.same("%s recursive" % (path,), path in recursive, node["recursive"])
    earliest = {path: min(c.start for calls in ranks.values() for c in calls) for path, ranks in paths.items()}
    for before, after in zip(names, names[1:]):  # siblings by their earliest start
        if len(before) == len(after) and before[:-1] == after[:-1] and earliest[before] > earliest[after]:
            comparison.faults.append("%s stands before %s" % (before, after))


def main(path, document):
    def no_constant(word):
        raise ValueError("%s is no JSON" % word)

    rows = read(path)
    with open(document, encoding="utf-8") as stream:
        printed = json.load(stream, parse_constant=no_constant)["files"][0]
    calls_by_rank, own = {}, {}
    for rank in sorted({r.rank for r in rows}):
        calls_by_rank[rank] = nest([r for r in rows if r.rank == rank])
        for call in calls_by_rank[rank]:
            own[call.row] = own.get(call.row, 0) + call.own
    comparison = Comparison()
    compare_regions(rows, own, printed["regions"], comparison)
    compare_tree(calls_by_rank, printed["tree"], comparison)
    comparison.same("calls", sum(len(r.start) for r in rows), printed["num_calls"])
    print("\n".join(comparison.faults[:40]))
    print("%d values, %d faults" % (comparison.values, len(comparison.faults)))
    return 1 if comparison.faults else 0


sys.exit(main(*sys.argv[1:]))
