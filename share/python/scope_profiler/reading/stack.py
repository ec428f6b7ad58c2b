"""The calls of one rank, each with the call around it."""

NS = 1e9


def _lanes(region):
    """The lane of each call of a Region; None where all are on one."""
    threads, tasks = region.thread_ids, region.task_ids
    if threads is None and tasks is None:
        return None
    threads = threads.tolist() if threads is not None else [-1] * len(tasks)
    tasks = tasks.tolist() if tasks is not None else [-1] * len(threads)
    return [task if task >= 0 else -2 - thread if thread >= 0 else -1 for thread, task in zip(threads, tasks)]


def build(results, rank, selection, origin_ns):
    """One dict per call; `parent` is the place of the call around it in the list, None at a root."""
    held = results._profile.nesting(rank, selection)
    names, calls, lanes = results._profile.names, [], {}
    for at, (start, end, _, parent, depth, region, number) in enumerate(zip(*(c.tolist() for c in held.values()))):
        name = names[region]
        if region not in lanes:
            lanes[region] = _lanes(results[name][rank])
        calls.append({"call_id": at, "name": name, "start": (start - origin_ns) / NS, "end": (end - origin_ns) / NS,
                      "duration": (end - start) / NS, "depth": depth, "parent": None if parent < 0 else parent,
                      "call_index": number, "lane": lanes[region][number] if lanes[region] else -1})
    return calls


def call_stack_roots(calls):
    """The places of the calls of a call_stack() that have none around them."""
    return [at for at, call in enumerate(calls) if call["parent"] is None]


def call_stack_children(calls):
    """For each call of a call_stack(), the places of those directly within it."""
    children = [[] for _ in calls]
    for at, call in enumerate(calls):
        if call["parent"] is not None:
            children[call["parent"]].append(at)
    return children
