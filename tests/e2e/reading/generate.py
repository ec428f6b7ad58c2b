"""generate.py SEED FILE: a profile of random calls, written with h5py alone, in the way that the seed chooses.

1 to 8 ranks, one to three threads a rank, recursion, calls without length, calls of one moment, tags, ranks that lack
regions; schema 1, 2 or 3, with and without stored summaries, ids and exclusive times, compressed or not.
"""
import json
import random
import sys

import h5py
import numpy as np

TEXT = h5py.string_dtype()
NAMES = ["main", "solve", "step", "walk", "io/read", "solve[0]", "caf\u00e9", "mpi:send kind=x bytes=8"]


class Maker:
    """Calls of one rank: a random tree on each thread, in the order in which they are entered."""

    def __init__(self, rng, rank):
        self.rng, self.rank, self.calls = rng, rank, []  # (region, start, end, thread)

    def grow(self, begin, end, depth, thread, around):
        """Fills [begin, end] with calls and what is between them."""
        now = begin
        while now < end and len(self.calls) < 1500:
            now += self.rng.choice([0, 0, 1, 5, 100, 1000])
            length = self.rng.choice([0, 0, 1, 7, 50, 1000, 20000, 300000, 4000000])
            if now + length > end:
                break
            region = around if around is not None and self.rng.random() < 0.3 else self.rng.randrange(len(NAMES))
            self.calls.append((region, now, now + length, thread))
            if length > 1 and depth < 8 and self.rng.random() < 0.8:
                self.grow(now, now + length, depth + 1, thread, region)
            now += length
            if self.rng.random() < 0.01:
                break

    def make(self, threads):
        for thread in range(threads):
            begin = 10 ** 12 + self.rng.randrange(10 ** 6)
            self.grow(begin, begin + 40_000_000, 0, thread, None)
        if not self.calls:
            self.calls.append((0, 10 ** 12, 10 ** 12 + 17, 0))
        self.calls.sort(key=lambda c: (c[1], -c[2]))
        return self.calls


def rows_of(rng, ranks, threads):
    rows = {}
    for rank in range(ranks):
        if ranks > 2 and rank == 1 and rng.random() < 0.5:
            continue  # a rank that recorded nothing
        for region, start, end, thread in Maker(rng, rank).make(threads):
            rows.setdefault((rank, region), []).append((start, end, thread))
    return [(rank, region, np.array(calls, "i8").T) for (rank, region), calls in sorted(rows.items())]


def tags_of(region):
    return ["golden", "tag \"%d\"" % region] if region % 2 else []


def write_old(file, rows, threads):
    """Schema 1: a group for each rank and region."""
    for rank, region, (start, end, thread) in rows:
        group = file.create_group("rank%d/regions/%s" % (rank, NAMES[region]))
        group["start_times"], group["end_times"] = start, end
        if threads > 1:
            group["thread_ids"] = thread
        if tags_of(region):
            group.attrs.create("tags", tags_of(region), dtype=TEXT)


def summary_of(start, end):
    duration = end - start
    return (duration.sum(), duration.min(), duration.max(), duration[0], duration[-1], start.min(), end.max(), 0, 0,
            duration.mean(), ((duration - duration.mean()) ** 2).sum())


SUMMARY = np.dtype([(n, "i8") for n in ("total", "minimum", "maximum", "first", "last", "start_minimum", "end_maximum")] +
                   [("gpu_count", "u8"), ("gpu_total", "i8"), ("mean", "f8"), ("m2", "f8")])


def write_columns(rng, file, schema, rows, threads):
    file.attrs["scope_profiler_schema"] = schema
    file.attrs["storage_layout"] = "columnar"
    file.create_dataset("region_table/names", data=NAMES, dtype=TEXT)
    options = {"chunks": (64,), "compression": "gzip", "shuffle": True} if rng.random() < 0.3 else {}
    counts = [r[2].shape[1] for r in rows]
    events = file.create_group("events")
    join = lambda pieces: np.concatenate(pieces) if pieces else np.zeros(0, "i8")
    if schema == 3:
        events.create_dataset("start_deltas", data=join([np.diff(r[2][0], prepend=0) for r in rows]), **options)
        events.create_dataset("durations", data=join([r[2][1] - r[2][0] for r in rows]), **options)
    else:
        events.create_dataset("start_times", data=join([r[2][0] for r in rows]), **options)
        events.create_dataset("end_times", data=join([r[2][1] for r in rows]), **options)
    if threads > 1:
        events.create_dataset("thread_ids", data=join([r[2][2] for r in rows]), **options)
    index = file.create_group("rank_region_index")
    index["region_ids"] = np.array([r[1] for r in rows], "u4")
    index["ranks"] = np.array([r[0] for r in rows], "u4")
    index["event_counts"] = np.array(counts, "u8")
    index["event_offsets"] = np.array(np.cumsum([0] + counts)[:-1], "u8")
    index["source_lines"] = np.full(len(rows), -1, "i8")
    for name, value in (("source_files", lambda r: ""), ("source_texts", lambda r: ""), ("tags", lambda r: json.dumps(tags_of(r[1])))):
        index.create_dataset(name, data=[value(r) for r in rows], dtype=TEXT)
    if rng.random() < 0.5:
        index["summary_statistics"] = np.array([summary_of(r[2][0], r[2][1]) for r in rows], SUMMARY)


def main(seed, path):
    rng = random.Random(int(seed))
    ranks, threads = rng.randint(1, 8), rng.randint(1, 3)
    rows = rows_of(rng, ranks, threads)
    schema = rng.choice([1, 2, 3, 3, 3])
    with h5py.File(path, "w") as file:
        file.create_group("metadata").attrs["mpi_size"] = ranks
        if schema == 1:
            write_old(file, rows, threads)
        else:
            write_columns(rng, file, schema, rows, threads)
    print(schema, ranks, threads, sum(r[2].shape[1] for r in rows))


main(*sys.argv[1:])
