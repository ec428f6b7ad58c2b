#!/usr/bin/python3
"""told.py FILE [REGION...]: in one line, `region=calls` of these regions (of all that have any), then the problems as
`kind:region=count`, then the metadata of sampling; one process for all that a test asks of a file."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "lib"))
import h5  # noqa: E402
import h5py  # noqa: E402

path, *wanted = sys.argv[1:]
counts = {}
for row in h5.Profile(path).rows:
    counts[row.region] = counts.get(row.region, 0) + row.calls()
words = ["%s=%d" % (name, counts.get(name, 0)) for name in wanted or sorted(counts)]
with h5py.File(path, "r") as file:
    names = [h5.text(n) for n in file["region_table/names"][()]]
    problems = {}
    if "problem_table" in file:
        for kind, region, count in zip(*(file["problem_table"][c][()] for c in ("kinds", "region_ids", "counts"))):
            key = "%s:%s" % (h5.KINDS[kind], names[region] if region >= 0 else "?")
            problems[key] = problems.get(key, 0) + int(count)
    words += ["%s=%d" % problem for problem in sorted(problems.items())]
    about = file["metadata"].attrs
    if "sample_every" in about:
        words += ["every=%s" % h5.text(about["sample_every"]), "left=%d" % about["phases_not_recorded"]]
print(" ".join(words))
