"""answers.py DIRECTORY: asks scope_profiler.reading for what the profiles of profiles.py hold. Any Python, with numpy and
pandas or without."""
import contextlib
import io
import json
import math
import os
import sys

from scope_profiler import reading

os.chdir(sys.argv[1])
S = 1e9
try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None
failures = 0


def same(actual, expected):
    if isinstance(expected, float) and isinstance(actual, (int, float)):
        return math.isclose(actual, expected, rel_tol=1e-12, abs_tol=1e-15)
    if isinstance(expected, (list, tuple)) and isinstance(actual, (list, tuple)):
        return len(actual) == len(expected) and all(map(same, actual, expected))
    if isinstance(expected, dict) and isinstance(actual, dict):
        return list(actual) == list(expected) and all(same(actual[key], expected[key]) for key in expected)
    return type(actual) is type(expected) and actual == expected or (actual is None and expected is None)


def is_(what, actual, expected):
    global failures
    if not same(actual, expected):
        failures += 1
        print("FAIL: %s is %r, not %r" % (what, actual, expected))


def raises(what, kind, words, function, *arguments, **keywords):
    try:
        function(*arguments, **keywords)
    except kind as error:
        is_("what %s says of %r" % (what, words), words in str(error) and "\n" not in str(error), True)
        return
    except Exception as error:
        is_(what, repr(error), kind.__name__)
        return
    is_(what, "no error", kind.__name__)


def seconds(column):
    return [float(value) for value in column]


def mapping(results, name):
    is_("names", results.region_names, ["solve", "outer", "only one"])
    is_("iteration", [region.name for region in results], ["solve", "outer", "only one"])
    is_("len", len(results), 3)
    is_("in", ("solve" in results, "sovle" in results), (True, False))
    is_("repr", repr(results), "<ProfilingResults %r: 3 region(s), 2 rank(s)>" % name)
    raises("an unknown name", KeyError, "No region named 'sovle' in %s. Available regions: ['solve', 'outer', 'only one']"
           % name, lambda: results["sovle"])
    raises("an unknown rank", KeyError, "Ranks with calls: [1]", lambda: results["only one"][0])
    is_("order of starts", [r.name for r in results.get_regions()], ["outer", "solve", "only one"])
    is_("include", [r.name for r in results.get_regions(include="o")], ["outer", "only one"])
    is_("several", [r.name for r in results.get_regions(include=["sol", "only"])], ["solve", "only one"])
    is_("exclude", [r.name for r in results.get_regions(include="o", exclude="on|x")], ["outer"])
    is_("anchored", [r.name for r in results.get_regions(include="uter")], [])


def run_level(results):
    is_("ranks", results.num_ranks, 2)
    is_("label", (results.label, results.display_label), ("two ranks", "two ranks"))
    is_("metadata", {k: results.metadata[k] for k in ("modules", "load", "empty", "mpi_size")},
        {"modules": ["gcc/12", "mpi"], "load": 1.5, "empty": [], "mpi_size": 2})
    is_("costs", (results.costs, "cost_region_ns" in results.metadata), ({"cost_region_ns": 20.5}, False))
    is_("times", (results.run_start_time, results.time_origin, results.startup_time, results.time_span,
                  results.total_time, results.minimum_start_time, results.maximum_end_time),
        (5e-7, 5e-7, 1.0, 10.000000007, 20.0, 1.0000005, 11.000000507))
    is_("root", (results.is_root, results.has_event_data, results.num_nodes), (True, True, 1))


def statistics(results):
    solve = results["solve"]
    is_("ranks of solve", (solve.ranks, len(solve), 1 in solve, 2 in solve, list(solve)), ([0, 1], 2, True, False, [0, 1]))
    is_("summary of solve", solve.get_summary(), {
        "name": "solve", "num_ranks": 2, "num_calls": 4, "total_duration": 13.0, "inclusive_duration": 13.0,
        "exclusive_duration": 13.0, "average_duration": 3.25, "min_duration": 2.0, "max_duration": 4.0,
        "first_duration": 4.0, "last_duration": 4.0, "std_duration": math.sqrt(0.6875)})
    is_("percentiles", (solve.p50_duration, solve.p95_duration, solve.p99_duration, solve.percentile_duration(0)),
        (3.5, 4.0, 4.0, 2.0))
    is_("imbalance", (solve.rank_imbalance, solve.rank_imbalance_pct), (8 / 6.5, (8 / 6.5 - 1) * 100))
    is_("by rank", (solve.num_calls_per_rank(), solve.total_durations(), solve.average_durations(), solve.min_durations(),
                    solve.max_durations()),
        ({0: 2, 1: 2}, {0: 5.0, 1: 8.0}, {0: 2.5, 1: 4.0}, {0: 2.0, 1: 4.0}, {0: 3.0, 1: 4.0}))
    is_("source", (solve.source_file, solve.source_lineno, solve.source_text, solve.tags, solve.has_source),
        ("solver.py", 7, "def solve():\n", ("golden", "x"), True))
    is_("no source", (results["outer"].source_file, results["outer"].source_lineno, results["outer"].tags), (None, None, ()))
    is_("rank 0", solve[0].get_summary(), {
        "num_calls": 2, "total_duration": 5.0, "inclusive_duration": 5.0, "exclusive_duration": 5.0,
        "average_duration": 2.5, "min_duration": 2.0, "max_duration": 3.0, "first_duration": 2.0, "last_duration": 3.0,
        "std_duration": 0.5})
    is_("rank 0's median", (solve[0].p50_duration, solve[0].percentile_duration(25), len(solve[0])), (2.5, 2.25, 2))
    is_("times of rank 1", (solve[1].first_start_time, solve[1].last_end_time), (1.5000005, 9.5000005))
    is_("own time", (results["outer"].exclusive_duration, results["outer"][1].exclusive_duration), (5.0, 1.0))
    raises("a percentile", ValueError, "between 0 and 100", solve.percentile_duration, 101)
    row = results.summary(include="solve")[0]
    is_("a row of summary()", {k: row[k] for k in ("name", "num_calls", "p50", "p95_duration", "tags", "imbalance",
                                                  "rank_imbalance")},
        {"name": "solve", "num_calls": 4, "p50": 3.5, "p95_duration": 4.0, "tags": ("golden", "x"),
         "imbalance": (8 / 6.5 - 1) * 100, "rank_imbalance": 8 / 6.5})
    is_("summary's order", [row["name"] for row in results.summary()], ["outer", "solve", "only one"])


def columns_of(results):
    rank0 = results["solve"][0]
    is_("starts", list(map(int, rank0.start_times_ns)), [2000000500, 5000000500])
    is_("ends", list(map(int, rank0.end_times_ns)), [4000000500, 8000000500])
    is_("durations", (seconds(rank0.durations), seconds(rank0.inclusive_durations)), ([2.0, 3.0], [2.0, 3.0]))
    is_("ns", list(map(int, rank0.durations_ns)), [2000000000, 3000000000])
    is_("own", seconds(results["outer"][0].exclusive_durations), [4.0])
    is_("all ranks", seconds(results["solve"].durations), [2.0, 3.0, 4.0, 4.0])
    is_("absent columns", (rank0.call_ids, rank0.thread_ids, rank0.await_times, rank0.threads), (None, None, None, []))
    is_("the kind of column", type(rank0.durations).__name__, "ndarray" if numpy else "array")
    if numpy:
        is_("arithmetic", (rank0.start_times - results.time_origin).round(3).tolist(), [2.0, 5.0])
        raises("columns are kept", ValueError, "read-only", rank0.start_times_ns.__setitem__, 0, 1)


def calls(results):
    is_("events", results.events(include="solve", ranks=1), [
        {"name": "solve", "rank": 1, "call_index": 0, "start": 1.5, "end": 5.5, "duration": 4.0},
        {"name": "solve", "rank": 1, "call_index": 1, "start": 5.5, "end": 9.5, "duration": 4.0}])
    is_("on the clock", results.events(include="only", relative=False)[0]["start"], 11.0000005)
    is_("from the first region", results.events(include="outer", origin=results.minimum_start_time)[0]["start"], 0.0)
    is_("number of events", len(results.events()), 7)
    is_("a region's events", results["solve"].events(ranks=[0, 5])[1]["start"], 5.0000005)
    stack = results.call_stack(rank=1)
    is_("stack", [(c["name"], c["depth"], c["parent"], c["call_index"], c["lane"]) for c in stack],
        [("outer", 0, None, 0, -1), ("solve", 1, 0, 0, -1), ("solve", 1, 0, 1, -1), ("only one", 0, None, 0, -1)])
    is_("its times", {k: stack[1][k] for k in ("call_id", "start", "end", "duration")},
        {"call_id": 1, "start": 1.5, "end": 5.5, "duration": 4.0})
    is_("roots, children", (reading.call_stack_roots(stack), reading.call_stack_children(stack)),
        ([0, 3], [[1, 2], [], [], []]))
    is_("filtered", [(c["name"], c["depth"]) for c in results.call_stack(1, exclude="outer")],
        [("solve", 0), ("solve", 0), ("only one", 0)])
    is_("graph", results.call_graph(1)[2], {"call_id": 2, "parent_id": 0, "name": "solve", "call_index": 1, "depth": 1})
    is_("no such rank", results.call_stack(rank=9), [])


def frames(results):
    if not pandas:
        raises("without pandas", ImportError, "python3-pandas", results.to_dataframe)
        return
    frame = results.to_dataframe()
    is_("frame", frame[["name", "num_calls", "p95_duration"]].values.tolist(),
        [["outer", 2, 9.0], ["solve", 4, 4.0], ["only one", 1, 7e-9]])
    per_rank = results.to_dataframe(include="solve", per_rank=True)
    is_("per rank", per_rank[["name", "rank", "total_duration"]].values.tolist(), [["solve", 0, 5.0], ["solve", 1, 8.0]])
    events = results.to_events_dataframe(include="solve")
    is_("events' columns", list(events.columns), ["name", "rank", "call_index", "start", "end", "duration"])
    is_("events' rows", events.values.tolist(), [list(event.values()) for event in results.events(include="solve")])
    is_("no events", results.to_events_dataframe(include="nothing").shape, (0, 6))


def documents(results):
    document = reading.collect_region_statistics(results, include="solve")
    fields = {"average": 3.25, "min": 2.0, "max": 4.0, "first": 4.0, "last": 4.0, "std": math.sqrt(0.6875), "total": 13.0}
    found = document["files"][0]["region_statistics"]["solve"]
    is_("statistics", {k: v for k, v in found.items() if k != "per_rank"},
        dict({"count": 4}, **{k + "_duration_seconds": v for k, v in fields.items()}))
    is_("per rank", {k: v["total_duration_seconds"] for k, v in found["per_rank"].items()}, {"0": 5.0, "1": 8.0})
    is_("around them", (document["units"], document["common_regions"], document["files"][0]["label"]),
        ({"durations": "seconds"}, ["solve"], "two ranks"))
    one = reading.collect_region_statistics([results, results], ranks=1)
    is_("one rank", one["files"][1]["region_statistics"]["solve"]["total_duration_seconds"], 8.0)
    is_("labels are told apart", [file["label"] for file in one["files"]], ["two ranks (1)", "two ranks (2)"])
    is_("a rank without it", reading.collect_region_statistics(results, ranks=0)["files"][0]["region_statistics"]["only one"],
        dict([("count", 0)] + [(k + "_duration_seconds", None) for k in fields] + [("per_rank", {})]))
    written = reading.write_region_statistics_json(results, os.path.join("made", "statistics.json"))
    with open(os.path.join("made", "statistics.json")) as file:
        is_("as written", json.load(file), json.loads(json.dumps(written)))
    payload = reading.write_metadata_json(["ranks.json"], "metadata.json")
    with open("metadata.json") as file:
        is_("metadata document", (json.load(file), payload["files"][0]["num_ranks"],
                                  payload["files"][0]["file_path"]), (payload, 2, os.path.abspath("ranks.json")))


def written_again(results, name):
    results.label = "another"
    for output in ("w.h5", "w.json", "w.json.gz"):
        reading.write_profile(results, output)
        again = reading.load(output)
        is_(output, (again.label, again.region_names, again.events()), ("another", results.region_names, results.events()))
    results.label = None
    is_("without a label", results.display_label, os.path.splitext(name)[0])
    reading.write_json(results, "odd.name", indent=2)
    with open("odd.name") as file:
        is_("JSON whatever the name", json.load(file)["regions"][0]["name"], "solve")
    os.remove("w.json")
    is_("a file may go while it is open", len(again.events()), 7)


def merging(results):
    other = reading.read_h5("recursive.json")
    nothing = reading.ProfilingResults(file_path="x.h5", is_root=False)
    merged = reading.merge_results(results, other, nothing, label="both")
    is_("merged", (merged.label, merged.num_ranks, sorted(merged.region_names), len(merged.events())),
        ("both", 2, ["leaf", "only one", "outer", "scope_profiler.session", "solve", "walk"], 13))
    is_("of one region", merged["walk"].total_duration, 160e-9)
    is_("no results of their own", reading.merge_results(nothing).is_root, False)
    raises("a region twice", ValueError, "'solve' is in more than one", reading.merge_results, results,
           reading.read_h5("ranks.json"))
    raises("nothing", ValueError, "needs results", reading.merge_results)
    is_("empty", (len(nothing), nothing.num_ranks, nothing.events(), nothing.summary(), nothing.time_span,
                  nothing.threads, nothing.line_profile, nothing.call_stack()), (0, 0, [], [], 0.0, {}, {}, []))


def lanes():
    results = reading.load("lanes.json")
    work = results["work"][0]
    is_("columns", (list(map(int, work.thread_ids)), list(map(int, work.task_ids)), seconds(work.await_times)),
        ([0, 1, 0, 1], [-1, -1, -1, 0], [0.0, 0.0, 0.0, 2.0]))
    is_("threads", [(t.index, t.name, t.ident, t.native_id, t.daemon, t.start_time, t.end_time, t.wall_time, t.cpu_time, t.alive)
                    for t in results.threads[0]],
        [(0, "MainThread", 11, 21, False, 0.0, None, None, 9.0, True),
         (1, "worker", 12, 22, True, 1.0, 17.0, 16.0, 4.0, False)])
    is_("tasks", [(t.kind, t.name, t.coro_name, t.thread_index, t.steps, t.running_time, t.awaiting_time, t.created_time,
                   t.done_time) for t in results.tasks[0]],
        [("asyncio", "Task-1", "app.fetch", 1, 2, 1.0, 2.0, 13.0, 16.0)])
    is_("own times, lane by lane", seconds(work.exclusive_durations), [8.0, 10.0, 2.0, 3.0])
    is_("of one thread", (work.threads, work.for_thread(0).num_calls, seconds(work.for_thread(0).durations),
                          work.for_thread(0).average_duration, work.for_thread(1).p50_duration,
                          work.for_thread(1).percentile_duration(100), seconds(work.for_thread(0).exclusive_durations)),
        ([0, 1], 2, [10.0, 2.0], 6.0, 6.5, 10.0, [8.0, 2.0]))
    is_("lanes", [(c["call_index"], c["lane"], c["parent"]) for c in results.call_stack()],
        [(0, -2, None), (1, -3, None), (2, -2, 0), (3, 0, None)])
    is_("their names", [results.lane_label(lane) for lane in (0, -2, -3, -1, 7, -9)],
        ["Task-1 (fetch) on worker", "MainThread", "worker", "unknown lane", "task 7", "thread 7"])
    is_("thread summary", results.thread_summary(), [
        {"index": 0, "name": "MainThread", "alive": True, "wall_time": None, "cpu_time": 9.0, "num_calls": 2,
         "region_time": 10.0},
        {"index": 1, "name": "worker", "alive": False, "wall_time": 16.0, "cpu_time": 4.0, "num_calls": 2,
         "region_time": 13.0}])


def others():
    overlap = reading.load("overlap.json")
    raises("overlapping calls", reading.NestingError, "overlap without nesting", overlap.call_stack)
    is_("their own times", overlap["a"].exclusive_duration, None)
    recursive = reading.load("recursive.json")
    is_("order of recording", list(map(int, recursive["walk"][0].start_times_ns)), [560, 500, 510, 520])
    is_("own times in it", [round(v * 1e9) for v in recursive["walk"][0].exclusive_durations], [10, 50, 30, 8])
    sums = reading.load("sums.json")
    tick = sums["tick"]
    is_("sums", (tick.num_calls, tick.total_duration, tick.average_duration, tick.min_duration, tick.exclusive_duration,
                 tick.std_duration, tick.p50_duration, tick.first_duration, tick.percentile_duration(10)),
        (100000, 10.0, 1e-4, 1e-9, 9.999999995, None, None, None, None))
    is_("no calls", (sums.events(), sums.call_stack(), len(tick.durations), len(sums.summary())), ([], [], 0, 2))
    summary = reading.read_h5_summary("ranks.json")
    is_("summary alone", (summary.has_event_data, summary["solve"].total_duration, summary.summary()[1]["p95"]),
        (False, 13.0, None))
    for what, ask in (("events", summary.events), ("stack", summary.call_stack),
                      ("durations", lambda: summary["solve"].durations),
                      ("percentiles", lambda: summary["solve"].p50_duration),
                      ("a rank's", lambda: summary["solve"][0].p95_duration)):
        raises(what, reading.EventDataUnavailableError, "read_h5()", ask)
    records = reading.load("lines.json").line_profile
    record = {k: list(v) if k in ("line_numbers", "hits", "times") else v for k, v in records[0][0].items()}
    is_("lines", {k: [float(x) for x in v] if isinstance(v, list) else v for k, v in record.items()}, {
        "region": "hot", "filename": "demo.py", "function": "hot_function", "first_lineno": 7, "line_numbers": [9.0, 11.0],
        "hits": [1.0, 20000.0], "times": [782.0, 3552990.0], "unit": 1e-9})
    raises("no file", FileNotFoundError, "no-such.h5", reading.read_h5, "no-such.h5")
    raises("no profile", reading.ProfileSchemaError, "answers.txt", reading.load, "answers.txt")
    with open("report.html", "w") as file:
        file.write("\n<!DOCTYPE html><html></html>")
    raises("a report", reading.ProfileSchemaError, "report", reading.load, "report.html")
    with open("cut.h5", "wb") as file:
        file.write(open("w.h5", "rb").read()[:3000])
    raises("a cut file", reading.ProfileError, "cut.h5", reading.read_h5, "cut.h5")
    raises("a full directory", OSError, "no/such/x.json", reading.write_profile, summary, "no/such/x.json")


def tables(results):
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        results.print_summary(suppress_notes=True)
    is_("to stdout", stream.getvalue().split("\n")[1], "  │ region           total [s]    │")
    raises("a sort key", ValueError, "sort 'banana' is none of: start, name", results.print_summary, sort="banana")
    raises("a column", ValueError, "columns 'x' is none of: region, ranks", results.print_summary, columns=["region", "x"])
    raises("no column", ValueError, "at least one", results.print_summary, columns=[])
    stream = io.StringIO()
    results.print_summary(include="nothing", stream=stream, title="a title")
    is_("nothing selected", stream.getvalue(), "  a title\n  No regions were recorded.\n\n")
    results.print_summary(include="solve", ranks=[1], columns="total", stream=stream, suppress_notes=True)
    is_("one rank", "│ 8.000000    │" in stream.getvalue(), True)
    narrow = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    results.print_summary(stream=narrow, title="t", columns=["region"])
    narrow.flush()
    is_("a stream that cannot", narrow.buffer.getvalue().count(b"?") > 20, True)
    results._is_root = False
    results.print_summary(stream=None)  # prints nothing


with open("answers.txt", "w") as file:
    file.write("text")
for name in ("ranks.json", "ranks.h5"):
    results = reading.load(name)
    for ask in (lambda r: mapping(r, name), run_level, statistics, columns_of, calls, frames, tables):
        ask(results)
    results = reading.load(name)
    documents(results)
    merging(results)
    written_again(results, name)
lanes()
others()
print("numpy" if numpy else "no numpy", "pandas" if pandas else "no pandas", failures, "failed")
sys.exit(failures > 0)
