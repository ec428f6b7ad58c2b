"""statistics.py FILE JSON: every statistic that `inspect --json` prints, rebuilt with numpy from the raw columns.

First and last are those of the rank that started first and of the one that ended last; the imbalance is over ranks with
time. Exclusive time is rebuilt by nesting, lane by lane (values.py does the same for the stored totals).
"""
import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import h5  # noqa: E402


def of_pool(durations):
    return {"calls": len(durations), "total": durations.sum(), "average": durations.mean(), "min": durations.min(),
            "max": durations.max(), "std": durations.std(), "p50": np.percentile(durations, 50),
            "p95": np.percentile(durations, 95), "p99": np.percentile(durations, 99)}


def of_row(profile, row):
    durations = (row.end - row.start) / 1e9
    wanted = of_pool(durations)
    wanted.update(first=durations[0], last=durations[-1], first_start=row.start.min() / 1e9, last_end=row.end.max() / 1e9,
                  exclusive=float(h5.own([row], profile)))
    return wanted


def of_region(profile, rows):
    wanted = of_pool(np.concatenate([(r.end - r.start) / 1e9 for r in rows]))
    each = [of_row(profile, r) for r in rows]
    earliest = min(each, key=lambda w: w["first_start"])
    latest = max(each, key=lambda w: w["last_end"])
    totals = [w["total"] for w in each if w["total"] > 0]
    spread = max(totals) / np.mean(totals) if len(totals) > 1 else 1.0
    wanted.update(first=earliest["first"], last=latest["last"], first_start=earliest["first_start"],
                  last_end=latest["last_end"], exclusive=sum(w["exclusive"] for w in each), rank_imbalance=spread,
                  imbalance=(spread - 1) * 100)
    return wanted


def main(path, document):
    faults, compared = [], 0

    def compare(where, wanted, got):
        nonlocal compared
        for key, value in wanted.items():
            compared += 1
            if key not in got or not np.isclose(got[key], value, rtol=1e-9, atol=2e-12):
                faults.append("%s %s: rebuilt %r, printed %r" % (where, key, value, got.get(key)))

    def no_constant(text):
        raise ValueError("%s is no JSON" % text)

    profile = h5.Profile(path)
    with open(document, encoding="utf-8") as text:
        printed = json.load(text, parse_constant=no_constant)["files"][0]["regions"]
    names = []
    for row in profile.rows:
        if row.region not in names:
            names.append(row.region)
    if sorted(names) != sorted(r["name"] for r in printed if r["calls"]):
        faults.append("regions: in the file %s, printed %s" % (sorted(names), sorted(r["name"] for r in printed)))
    for region in printed:
        if region["name"] not in names:  # it has problems alone
            continue
        rows = [r for r in profile.rows if r.region == region["name"]]
        compare(region["name"], of_region(profile, rows), region)
        if region["ranks"] != sorted(r.rank for r in rows):
            faults.append("%s ranks: %s" % (region["name"], region["ranks"]))
        for row in rows:
            compare("%s rank %d" % (row.region, row.rank), of_row(profile, row), region["per_rank"][str(row.rank)])
    print("\n".join(faults + ["%d values compared" % compared, "%d faults" % len(faults)]))


main(*sys.argv[1:])
