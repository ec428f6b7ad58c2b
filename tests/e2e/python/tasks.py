"""tasks.py FILE: what of the task lanes of a profile contradicts itself or the events, a line each; then one line a task:
`name coroutine kind thread done steps calls`, in order of name."""
import collections
import sys

import h5py


def main(path):
    with h5py.File(path, "r") as file:
        events = {name: data[()] for name, data in file["events"].items()}
        index = {name: data[()] for name, data in file["rank_region_index"].items()}
        tasks = {name: data[()] for name, data in file["task_table"].items()} if "task_table" in file else {}
        threads = [name.decode() for name in file["thread_table/name"][()]] if "thread_table" in file else []
    if ("task_ids" in events) != bool(tasks) or ("await_ns" in events) != bool(tasks):
        print("columns and table do not come together")
    lanes = collections.defaultdict(list)
    for offset, count in zip(index["event_offsets"], index["event_counts"]):
        start = 0
        for i in range(int(offset), int(offset + count)):
            start += int(events["start_deltas"][i])
            thread = int(events["thread_ids"][i]) if "thread_ids" in events else 0
            waited = int(events["await_ns"][i]) if tasks else 0
            lanes[int(events["task_ids"][i]) if tasks else -1, thread].append((start, start + int(events["durations"][i]), waited))
            if tasks and events["await_ns"][i] > max(0, events["durations"][i]):
                print("a call is suspended for longer than it lasts")
    roots = collections.Counter()
    for (task, thread), calls in sorted(lanes.items()):
        open_calls = []
        for start, end, waited in sorted(calls, key=lambda call: (call[0], -call[1])):
            while open_calls and open_calls[-1] <= start:
                open_calls.pop()
            if open_calls and end > open_calls[-1]:
                print("overlap in the lane of task", task)
            if not open_calls:
                roots[task] += end - start - waited
            open_calls.append(end)
    for i in range(len(tasks.get("index", ()))):
        row = {name: data[i] for name, data in tasks.items()}
        calls = [call for (task, _), found in lanes.items() if task == i for call in found]
        first, last = min(call[0] for call in calls), max(call[1] for call in calls)
        if row["index"] != i or not row["created_ns"] <= first or (row["done_ns"] != -1 and row["done_ns"] < last):
            print("task", i, "does not span its calls")
        if not 0 < roots[i] <= row["running_ns"] + 5 * row["steps"] or row["suspended_ns"] < 0:
            print("task", i, "runs for less than its calls:", roots[i], row["running_ns"])
        if row["done_ns"] != -1 and row["done_ns"] - row["created_ns"] != row["running_ns"] + row["suspended_ns"]:
            print("task", i, "does not add up")
        if len({thread for task, thread in lanes if task == i}) != 1 or (i, row["thread_index"]) not in lanes:
            print("task", i, "is in another thread than its calls")
    for i in sorted(range(len(tasks.get("index", ()))), key=lambda i: tasks["name"][i]):
        calls = sum(len(found) for (task, _), found in lanes.items() if task == i)
        print(tasks["name"][i].decode(), tasks["coro_name"][i].decode(), tasks["kind"][i].decode(),
              threads[tasks["thread_index"][i]], "done" if tasks["done_ns"][i] != -1 else "-", tasks["steps"][i], calls)


main(sys.argv[1])
