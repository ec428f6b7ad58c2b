#!/usr/bin/python3
"""compare.py PROFILE CPROFILE [FILE]: does the profile of `programs.py plain` count what cProfile counted, subject by subject?

A subject's calls are those that began while its function ran. Of generators, cProfile counts the resumptions as calls:
there ours are added up. Files are known by their names without directories, as the profile keeps them. FILE: only
functions defined in it are looked at. Prints each difference; the last line is
`N functions, N calls compared, N differ`."""
import json
import os
import re
import sys

import h5py
import numpy as np


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def rows(path):
    """(region, source file, source line, sorted starts, ends) of every row."""
    with h5py.File(path) as file:
        names = [text(n) for n in file["region_table/names"][()]]
        index = file["rank_region_index"]
        for region, offset, count, source, line in zip(
            index["region_ids"][()],
            index["event_offsets"][()],
            index["event_counts"][()],
            index["source_files"][()],
            index["source_lines"][()],
        ):
            cut = slice(int(offset), int(offset + count))
            starts = np.cumsum(file["events/start_deltas"][cut])
            yield names[region], text(source), int(line), starts, starts + file["events/durations"][cut]


def plain_name(region):
    region = re.sub(r" \[resumed\]$", "", region)
    region = re.sub(r" \([^()]*:\d+\)$", "", region)
    return region.rsplit(".", 1)[-1]


def recorded(path):
    all_rows = list(rows(path))
    counts = {}
    for region, _file, _line, starts, ends in all_rows:
        if "main__.subject_" not in region or region.count(".") != 1:
            continue
        assert len(starts) == 1, region
        subject = counts.setdefault(region.split(".")[1], {})
        for name, source, line, begins, _ in all_rows:
            inside = int(np.searchsorted(begins, ends[0], "right") - np.searchsorted(begins, starts[0], "left"))
            key = source, line, plain_name(name)
            if inside and source:
                subject[key] = subject.get(key, 0) + inside
    return counts


def main():
    ours, theirs = recorded(sys.argv[1]), json.load(open(sys.argv[2]))
    only = sys.argv[3] if len(sys.argv) > 3 else None
    functions = calls = differ = 0
    if set(ours) != set(theirs):
        print("subjects:", sorted(set(ours) ^ set(theirs)))
        differ += 1
    for subject in sorted(set(ours) & set(theirs)):
        wanted = {}
        for source, line, name, count in theirs[subject]:
            key = os.path.basename(source), line, name
            if only in (None, key[0]):
                wanted[key] = wanted.get(key, 0) + count
        got = {key: count for key, count in ours[subject].items() if only in (None, key[0])}
        for key in sorted(set(wanted) | set(got)):
            functions += 1
            calls += wanted.get(key, 0)
            if wanted.get(key, 0) != got.get(key, 0):
                differ += 1
                print(subject, key, "cProfile", wanted.get(key, 0), "ours", got.get(key, 0))
    print("%d functions, %d calls compared, %d differ" % (functions, calls, differ))


main()
