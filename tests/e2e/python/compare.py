#!/usr/bin/python3
"""compare.py PROFILE CPROFILE [FILE]: does the profile of `programs.py plain` (or real.py) count what cProfile counted,
subject by subject?

A subject's calls are those that began while its function ran. Of generators, cProfile counts the resumptions as calls:
there ours are added up. A function is known by its module, its qualified name (before 3.11: its name), its line, and its
file without directories, as the profile keeps it. FILE: only functions defined in it are looked at. Prints each
difference; the last line is `N functions, N calls compared, N differ`."""
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


def plain_label(region):
    region = re.sub(r" \[resumed\]$", "", region)
    return re.sub(r" \([^()]*:\d+\)$", "", region)


def recorded(path):
    """{subject: {(file, line): {label: calls}}}"""
    all_rows = list(rows(path))
    counts = {}
    for region, _file, _line, starts, ends in all_rows:
        if "main__.subject_" not in region or region.count(".") != 1:
            continue
        assert len(starts) == 1, region
        subject = counts.setdefault(region.split(".")[1], {})
        for name, source, line, begins, _ in all_rows:
            inside = int(np.searchsorted(begins, ends[0], "right") - np.searchsorted(begins, starts[0], "left"))
            if inside:
                place = subject.setdefault((source, line), {})
                label = plain_label(name)
                place[label] = place.get(label, 0) + inside
    return counts


def is_it(label, modules, name, qualified):
    """A module that ran as the program is recorded as __main__. Of some files the module is not known."""
    starts = tuple(module + "." for module in modules + ("__main__",))
    if modules and qualified:
        return label in [start + name for start in starts]
    return label.endswith("." + name) and (not modules or label.startswith(starts))


def by_function(entries):
    functions = {}
    for source, line, modules, name, calls in entries:
        file = os.path.basename(source)
        key = file, line if file else -1, tuple(modules), name  # without a file there is no line
        functions[key] = functions.get(key, 0) + calls
    # Modules before the packages that they are in, before what is of an unknown module.
    return sorted(functions.items(), key=lambda item: -max(map(len, item[0][2]), default=0))


def compare(subject, ours, theirs, qualified, only):
    functions = calls = differ = 0
    for (source, line, modules, name), wanted in by_function(theirs):
        if only not in (None, source):
            continue
        labels = ours.get((source, line), {})
        got = sum(labels.pop(label) for label in list(labels) if is_it(label, modules, name, qualified))
        functions, calls = functions + 1, calls + wanted
        if wanted != got:
            differ += 1
            print(subject, source, line, modules, name, "cProfile", wanted, "ours", got, labels)
    for (source, line), labels in sorted(ours.items()):
        for label, got in labels.items():
            if only in (None, source):
                differ += 1
                print(subject, source, line, label, "cProfile 0 ours", got)
    return functions, calls, differ


def main():
    ours, theirs = recorded(sys.argv[1]), json.load(open(sys.argv[2]))
    only = sys.argv[3] if len(sys.argv) > 3 else None
    subjects, totals = theirs["subjects"], [0, 0, 0]
    if set(ours) != set(subjects):
        print("subjects:", sorted(set(ours) ^ set(subjects)))
        totals[2] += 1
    for subject in sorted(set(ours) & set(subjects)):
        found = compare(subject, ours[subject], subjects[subject], theirs["qualified"], only)
        totals = [a + b for a, b in zip(totals, found)]
    print("%d functions, %d calls compared, %d differ" % tuple(totals))


main()
