"""pages.py NAME FILE: a profile with the numbers of a page of the Python tool's manual, written with h5py.

recursive, script, steps, line: calls are (region, start, end) in nanoseconds on one rank.
"""
import sys

import h5py
import numpy as np

TEXT = h5py.string_dtype()


def series(begin, gap, durations):
    calls = []
    for duration in durations:
        calls.append((begin, begin + duration))
        begin += duration + gap
    return calls


def steps():
    """setup, then five time steps of an assembly and a solution each."""
    step = [7166206, 11126769, 15124428, 7122461, 11120710]
    solve = [3061126, 3060675, 3060025, 3060285, 3058693]
    own = [10530, 10530, 10530, 10530, 10528]
    regions = {"assemble": [], "setup": [(0, 20074563)], "timestep": [], "solve": []}
    now = 22874563
    for whole, part, rest in zip(step, solve, own):
        assembled = whole - part - rest
        regions["timestep"].append((now, now + whole))
        regions["assemble"].append((now + 1, now + 1 + assembled))
        regions["solve"].append((now + 2 + assembled, now + 2 + assembled + part))
        now += whole + 5000
    return regions


PAGES = {
    "recursive": {"entry": [(0, 2190600)], "__main__.middle": [(20000, 2173400)],
                  "__main__.leaf": series(25000, 1000, [1068500, 1068500])},
    "recursive-2": {"entry": [(0, 2202000)], "__main__.middle": [(11000, 2191000)],
                    "__main__.leaf": series(20000, 1000, [1077500, 1077500])},
    "script": {"my_script.py": [(0, 5528700)], "__main__.<module>": [(2300000, 5514000)],
               "__main__.main": [(2310000, 5501000)], "__main__.leaf": series(2320000, 1000, [1054400] * 3)},
    "steps": steps(),
    "line": {"hot_function": [(0, 10928000)]},
}

SOURCE = """@sp.profile("hot_function")
def hot_function(n):
    total = 0.0
    for i in range(n):
        total += i**0.5
    time.sleep(0.001)
    return total
"""


def write_lines(file):
    record = file.create_group("rank0/line_profile/0")
    record.attrs["region"] = record.attrs["function"] = "hot_function"
    record.attrs["filename"] = "line_demo.py"
    record.attrs["first_lineno"] = 7
    record.attrs["unit"] = 1e-09
    record.attrs["source"] = SOURCE
    record.attrs["source_first_lineno"] = 7
    record["line_numbers"] = np.arange(9, 14)
    record["hits"] = np.array([1, 20001, 20000, 1, 1])
    record["times"] = np.array([782.0, 2690250.0, 3552994.0, 1066700.0, 1733.0])


def main(name, path):
    regions = PAGES[name]
    counts = [len(calls) for calls in regions.values()]
    starts = [np.array([c[0] for c in calls]) for calls in regions.values()]
    ends = [np.array([c[1] for c in calls]) for calls in regions.values()]
    with h5py.File(path, "w") as file:
        file.attrs["scope_profiler_schema"] = 3
        file.attrs["storage_layout"] = "columnar"
        file.create_group("metadata").attrs["mpi_size"] = 1
        file.create_dataset("region_table/names", data=list(regions), dtype=TEXT)
        file["events/start_deltas"] = np.concatenate([np.diff(s, prepend=0) for s in starts])
        file["events/durations"] = np.concatenate([e - s for s, e in zip(starts, ends)])
        index = file.create_group("rank_region_index")
        index["region_ids"] = np.arange(len(regions), dtype="u4")
        index["ranks"] = np.zeros(len(regions), "u4")
        index["event_counts"] = np.array(counts, "u8")
        index["event_offsets"] = np.array(np.cumsum([0] + counts)[:-1], "u8")
        index["source_lines"] = np.full(len(regions), -1)
        for column, value in (("source_files", ""), ("source_texts", ""), ("tags", "[]")):
            index.create_dataset(column, data=[value] * len(regions), dtype=TEXT)
        if name == "line":
            write_lines(file)


main(*sys.argv[1:])
