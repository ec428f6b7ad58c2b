"""columns.py FILE: seconds (processor time, minimum of 5) to have the starts and ends of all calls as numpy arrays, by
scope_profiler.reading and by h5py with numpy's cumsum; and of the total and average of all regions, by
read_h5_summary() and from the arrays."""
import sys
import time

import h5py
import numpy as np

from scope_profiler import reading


def ours(path):
    results = reading.read_h5(path)
    return [(region.start_times_ns, region.end_times_ns) for mpi in results for region in mpi.regions.values()]


def theirs(path):
    with h5py.File(path) as file:
        index, events = file["rank_region_index"], file["events"]
        found = []
        for offset, count in zip(index["event_offsets"][()].astype(int), index["event_counts"][()].astype(int)):
            starts = np.cumsum(events["start_deltas"][offset:offset + count])
            found.append((starts, starts + events["durations"][offset:offset + count]))
    return found


def summary(path):
    return sum(region.total_duration + region.average_duration for region in reading.read_h5_summary(path))


def summary_of_arrays(path):
    durations = [ends - starts for starts, ends in theirs(path)]
    return sum(d.sum() / 1e9 + d.mean() / 1e9 for d in durations)


def seconds(function, path):
    found = []
    for _ in range(5):
        begin = time.process_time()
        function(path)
        found.append(time.process_time() - begin)
    return min(found)


for function in (ours, theirs, summary, summary_of_arrays):
    print(seconds(function, sys.argv[1]))
