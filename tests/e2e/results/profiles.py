"""profiles.py: writes the JSON profiles of these tests into this directory, with nothing but json. Times in ns."""
import json

S = 1000000000
ORIGIN = 500  # the start of the run on its clock


def region(name, rank, calls, **more):
    starts, ends = [ORIGIN + s for s, _ in calls], [ORIGIN + e for _, e in calls]
    return dict({"name": name, "rank": rank, "start_times_ns": starts, "end_times_ns": ends}, **more)


def write(name, regions, **more):
    metadata = {"mpi_size": 1 + max(r["rank"] for r in regions), "start_time_ns": ORIGIN,
                "finalize_time_ns": ORIGIN + 20 * S}
    metadata.update(more.pop("metadata", {}))
    document = {"format": "scope-profiler-profile", "format_version": 1, "time_unit": "nanoseconds",
                "exporter": "scope-profiler@0.7.5", "num_ranks": metadata["mpi_size"], "event_data_available": True,
                "metadata": metadata, "regions": regions}
    document.update(more)
    with open(name, "w") as file:
        json.dump(document, file)


# Two ranks: solve on rank 0 takes 2 and 3 s, on rank 1 twice 4 s; all within outer. Named in another order than run.
SOLVE = {"source_file": "solver.py", "source_lineno": 7, "source_text": "def solve():\n", "tags": ["golden", "x"]}
write("ranks.json", [
    region("solve", 0, [(2 * S, 4 * S), (5 * S, 8 * S)], **SOLVE),
    region("solve", 1, [(1 * S + S // 2, 5 * S + S // 2), (5 * S + S // 2, 9 * S + S // 2)], **SOLVE),
    region("outer", 0, [(1 * S, 10 * S)]),
    region("outer", 1, [(1 * S, 10 * S)]),
    region("only one", 1, [(11 * S, 11 * S + 7)]),
], metadata={"label": "two ranks", "num_nodes": 1, "modules": ["gcc/12", "mpi"], "load": 1.5, "empty": [], "cost_region_ns": 20.5})

# One rank, two threads and a task: their calls overlap.
write("lanes.json", [
    region("work", 0, [(0, 10 * S), (2 * S, 12 * S), (3 * S, 5 * S), (13 * S, 16 * S)], thread_ids=[0, 1, 0, 1],
           task_ids=[-1, -1, -1, 0], await_ns=[0, 0, 0, 2 * S]),
], threads={"0": [
    {"index": 0, "name": "MainThread", "ident": 11, "native_id": 21, "daemon": False, "start_ns": ORIGIN,
     "end_ns": -1, "cpu_ns": 9 * S},
    {"index": 1, "name": "worker", "ident": 12, "native_id": 22, "daemon": True, "start_ns": ORIGIN + S,
     "end_ns": ORIGIN + 17 * S, "cpu_ns": 4 * S}]},
    tasks={"0": [{"index": 0, "kind": "asyncio", "name": "Task-1", "coro_name": "app.fetch", "thread_index": 1,
                  "created_ns": ORIGIN + 13 * S, "done_ns": ORIGIN + 16 * S, "steps": 2, "running_ns": S,
                  "suspended_ns": 2 * S}]})

# Calls of one lane that overlap.
write("overlap.json", [region("a", 0, [(0, 10)]), region("b", 0, [(5, 15)])])

# Calls that call themselves, and are not in order of time in the file.
write("recursive.json", [
    region("walk", 0, [(60, 70), (0, 100), (10, 50), (20, 30)]),
    region("leaf", 0, [(22, 24)]),
    region("scope_profiler.session", 0, [(0, 200)]),
])

# Calls that were added up.
write("sums.json", [{"name": name, "rank": 0, "aggregate": {"count": n, "total": t, "minimum": 1, "maximum": 9 * S,
                                                            "exclusive": t - 5}}
                    for name, n, t in (("tick", 100000, 10 * S), ("tock", 1, 9 * S))])

write("lines.json", [region("hot", 0, [(0, S)])], line_profile={"0": [
    {"region": "hot", "filename": "demo.py", "function": "hot_function", "first_lineno": 7, "line_numbers": [9, 11],
     "hits": [1, 20000], "times": [782.0, 3552990.0], "unit": 1e-9}]})
