"""The threads and tasks that calls were made on. Times are in seconds since the start of the run; None unknown."""

from .library import text

NS = 1e9


def _since(origin_ns, moment):
    return None if moment < 0 else (moment - origin_ns) / NS


class ThreadInfo:
    """A thread of one rank; `index` is what Region.thread_ids refer to."""

    def __init__(self, thread, origin_ns):
        self.index, self.ident, self.native_id = thread.index, thread.ident, thread.native_id
        self.name = text(thread.name)
        self.daemon = bool(thread.daemon)
        self.start_time = _since(origin_ns, thread.start_ns)
        self.end_time = _since(origin_ns, thread.end_ns)
        self.cpu_time = _since(0, thread.cpu_ns)

    @property
    def alive(self):
        """It had not ended when the recording did."""
        return self.end_time is None

    @property
    def wall_time(self):
        return None if self.alive or self.start_time is None else self.end_time - self.start_time

    def __repr__(self):
        return "<ThreadInfo %d %r>" % (self.index, self.name)


class TaskInfo:
    """An asyncio task, or a greenlet, of one rank; `index` is what Region.task_ids refer to."""

    def __init__(self, task, origin_ns):
        self.index, self.thread_index, self.steps = task.index, task.thread_index, task.steps
        self.kind, self.name, self.coro_name = text(task.kind), text(task.name), text(task.coro_name)
        self.created_time = _since(origin_ns, task.created_ns)
        self.done_time = _since(origin_ns, task.done_ns)
        self.running_time = _since(0, task.running_ns)
        self.awaiting_time = self.suspended_time = _since(0, task.suspended_ns)

    def __repr__(self):
        return "<TaskInfo %d %r>" % (self.index, self.name)


def by_rank(kind, rows, origin_ns):
    """Rank -> list, by index."""
    result = {}
    for row in rows:
        result.setdefault(row.rank, []).append(kind(row, origin_ns))
    for infos in result.values():
        infos.sort(key=lambda info: info.index)
    return dict(sorted(result.items()))


def label(lane, threads, tasks):
    """A name for a lane: a task's index; -2 - the index of a thread; -1 where calls were not told apart."""
    if lane >= 0:
        task = next((task for task in tasks if task.index == lane), None)
        if task is None:
            return "task %d" % lane
        thread = label(-2 - task.thread_index, threads, tasks)
        return "%s (%s) on %s" % (task.name, task.coro_name.rsplit(".", 1)[-1], thread)
    if lane == -1:
        return "unknown lane"
    return next((thread.name for thread in threads if thread.index == -2 - lane), "thread %d" % (-2 - lane))
