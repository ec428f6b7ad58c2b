"""A region on one rank (Region), and on all ranks that recorded it (MPIRegion). Durations and times are in seconds.

A number that cannot be known, such as a percentile of calls that were added up instead of kept, is None.
"""

from . import columns
from .library import text
from .profile import Selection, known, percentile_of, stats_of

NS = 1e9


def _statistic(name, what, full=False):
    """A property out of the library's statistics; 0.0 without calls."""
    def get(self):
        stats = self._stats(full)
        if not stats.calls:
            return 0.0
        return known(getattr(stats, name))
    return property(get, doc=what)


class _Durations:
    """What Region and MPIRegion share: _stats(full) gives the library's statistics."""

    total_duration = inclusive_duration = _statistic("total", "Time within the region, with what it calls.")
    exclusive_duration = total_exclusive_duration = _statistic(
        "exclusive", "Time within the region itself; None where calls overlap without nesting.")
    average_duration = _statistic("average", "Mean time of a call.")
    min_duration = _statistic("minimum", "Time of the shortest call.")
    max_duration = _statistic("maximum", "Time of the longest call.")
    first_duration = _statistic("first", "Time of the call that was entered first.")
    last_duration = _statistic("last", "Time of the call that was entered last.")
    std_duration = _statistic("std", "Population standard deviation of the calls.")
    first_start_time = _statistic("first_start", "Start of the earliest call, on the run's clock.")
    last_end_time = _statistic("last_end", "End of the latest call, on the run's clock.")
    p50_duration = _statistic("p50", "Median of the calls.", full=True)
    p95_duration = _statistic("p95", "95th percentile of the calls, linear between neighbours.", full=True)
    p99_duration = _statistic("p99", "99th percentile of the calls, linear between neighbours.", full=True)

    @property
    def num_calls(self):
        return self._stats(False).calls

    @property
    def has_timing(self):
        """Whether it has any calls."""
        return self.num_calls > 0

    @property
    def has_source(self):
        return self.source_file is not None

    def percentile_duration(self, percentile):
        """Any percentile, 0 to 100."""
        if not 0 <= percentile <= 100:
            raise ValueError("percentile must be between 0 and 100, not %r" % (percentile,))
        return self._percentile(percentile) if self.num_calls else 0.0


class Region(_Durations):
    """The calls of a region on one rank, as `results[name][rank]` gives them.

    Columns of calls (`durations`, `start_times_ns`, ...) are numpy arrays where numpy is installed, array.array
    otherwise, in the order in which the calls were entered. They are read when they are first asked for, and kept.
    """

    def __init__(self, results, row):
        self._results = results
        self._profile = results._profile
        self._row = row
        self._held = {}
        self._found = {}
        self._about = self._profile.row(row)

    name = property(lambda self: self._profile.names[self._about.region])
    rank = property(lambda self: self._about.rank)
    source_file = property(lambda self: text(self._about.source_file), doc="Where it is defined; None unknown.")
    source_text = property(lambda self: text(self._about.source_text), doc="Its text; None when not captured.")

    @property
    def source_lineno(self):
        return self._about.source_line if self._about.source_line >= 0 else None

    @property
    def tags(self):
        return tuple(text(self._about.tags[i]) for i in range(self._about.num_tags))

    def _stats(self, full):
        if full:
            self._results._require_events("percentiles of %r" % self.name)
        if full not in self._found:
            self._found[full] = self._profile.row_stats(self._row, full)
        return self._found[full]

    def _percentile(self, percentile):
        self._results._require_events("percentiles of %r" % self.name)
        if self._profile.is_aggregate or self._about.partial:
            return None
        starts, ends = self._times()
        return percentile_of(starts, ends, percentile)

    # ---- columns

    def _times(self):
        if "times" not in self._held:
            self._results._require_events("the calls of %r" % self.name)
            aggregate = self._profile.is_aggregate
            none = columns.empty(0)[0]
            self._held["times"] = (none, none) if aggregate else self._profile.calls(self._row)
        return self._held["times"]

    def _column(self, name):
        if name not in self._held:
            self._results._require_events("the calls of %r" % self.name)
            self._held[name] = self._profile.column(self._row, name)
        return self._held[name]

    @property
    def start_times_ns(self):
        return self._times()[0]

    @property
    def end_times_ns(self):
        return self._times()[1]

    @property
    def durations_ns(self):
        starts, ends = self._times()
        return columns.difference(ends, starts)

    @property
    def start_times(self):
        return columns.seconds(self.start_times_ns)

    @property
    def end_times(self):
        return columns.seconds(self.end_times_ns)

    @property
    def durations(self):
        return columns.seconds(self.durations_ns)

    inclusive_durations = durations

    @property
    def exclusive_durations(self):
        """Of each call, without the calls directly within it. NestingError where they overlap."""
        return columns.seconds(self._results._own_times(self.rank)[self.name])

    @property
    def call_ids(self):
        """Numbers of the calls within their rank; None where the file has none."""
        return self._column("call_ids")

    @property
    def parent_ids(self):
        """Numbers of the calls around them, -1 at a root; None where the file has none."""
        return self._column("parent_ids")

    @property
    def thread_ids(self):
        """`index` in results.threads; None where no threads were told apart."""
        return self._column("thread_ids")

    @property
    def task_ids(self):
        """`index` in results.tasks, -1 outside of tasks; None where there were none."""
        return self._column("task_ids")

    @property
    def await_times(self):
        """How long the task was suspended within each call, in seconds; None where there were no tasks."""
        suspended = self._column("await_ns")
        return None if suspended is None else columns.seconds(suspended)

    @property
    def threads(self):
        """The different thread_ids."""
        return [] if self.thread_ids is None else columns.distinct(self.thread_ids)

    def for_thread(self, index):
        """The calls of one thread, as a Region of their own."""
        return ThreadRegion(self, index)

    def events(self, origin=0.0):
        """One dict per call: call_index, start, end, duration in seconds; times measured from `origin`."""
        return [dict(zip(("call_index", "start", "end", "duration"), event))
                for event in self._event_rows(round(origin * NS))]

    def _event_rows(self, origin_ns):
        starts, ends = (column.tolist() for column in self._times())
        for index, (start, end) in enumerate(zip(starts, ends)):
            yield index, (start - origin_ns) / NS, (end - origin_ns) / NS, (end - start) / NS

    # ---- the whole

    def get_summary(self):
        """The statistics as a dict."""
        return {name: getattr(self, name) for name in (
            "num_calls", "total_duration", "inclusive_duration", "exclusive_duration", "average_duration",
            "min_duration", "max_duration", "first_duration", "last_duration", "std_duration")}

    def __len__(self):
        return self.num_calls

    def __repr__(self):
        return "<%s %r on rank %d: %d call(s), %.6g s>" % (
            type(self).__name__, self.name, self.rank, self.num_calls, self.total_duration)


class ThreadRegion(Region):
    """Those calls of a Region that one thread made. Its exclusive time is not known."""

    def __init__(self, whole, thread):
        super().__init__(whole._results, whole._row)
        threads = whole.thread_ids
        if threads is None:
            raise ValueError("the threads of %r were not told apart" % whole.name)
        self._whole = whole
        self._keep = columns.where_equal(threads, thread)

    def _times(self):
        if "times" not in self._held:
            self._held["times"] = tuple(self._keep(column) for column in self._whole._times())
        return self._held["times"]

    def _column(self, name):
        column = self._whole._column(name)
        return None if column is None else self._keep(column)

    @property
    def exclusive_durations(self):
        return columns.seconds(self._keep(self._results._own_times(self.rank)[self.name]))

    def _stats(self, full):
        if not self._found:
            self._found[True] = stats_of(*self._times())
        return self._found[True]

    def _percentile(self, percentile):
        return percentile_of(*self._times(), percentile)


class MPIRegion(_Durations):
    """A region over all ranks: `region[rank]` is its Region on one of them; statistics are of the calls of all."""

    def __init__(self, results, number, rows, selection=None):
        self._results = results
        self._number = number
        self._rows = rows
        self._selection = selection
        self._found = {}
        self._regions = None
        self.name = results._profile.names[number]
        self.color = None  # for charts that want to agree on one

    @property
    def regions(self):
        """Rank -> Region, ascending by rank."""
        if self._regions is None:
            made = (Region(self._results, row) for row in self._rows)
            self._regions = {region.rank: region for region in made}
        return self._regions

    def _stats(self, full):
        if full:
            self._results._require_events("percentiles of %r" % self.name)
        if full not in self._found:
            self._found[full] = self._results._profile.region_stats(self._number, self._selection, full)
        return self._found[full]

    def _percentile(self, percentile):
        self._results._require_events("percentiles of %r" % self.name)
        return self._results._profile.percentile(self._number, self._selection, percentile)

    @property
    def ranks(self):
        """The ranks that recorded it, ascending."""
        return list(self.regions)

    def of_ranks(self, ranks):
        """The region as if only these ranks had recorded it."""
        chosen = [row for row in self._rows if self._results._profile.row(row).rank in ranks]
        selection = Selection(self._results._profile, [self._number], sorted(ranks))
        return MPIRegion(self._results, self._number, chosen, selection)

    def _first(self, is_there, name):
        """An attribute of the first rank whose row has it: of thousands of ranks, no Region is made for that."""
        row = next((row for row in self._rows if is_there(self._results._profile.row(row))), None)
        return None if row is None else getattr(Region(self._results, row), name)

    @property
    def source_file(self):
        """Where it is defined; None unknown."""
        return self._first(lambda about: about.source_file, "source_file")

    @property
    def source_lineno(self):
        return self._first(lambda about: about.source_line >= 0, "source_lineno")

    @property
    def source_text(self):
        """Its text; None when not captured."""
        return self._first(lambda about: about.source_text is not None, "source_text")

    @property
    def tags(self):
        return self._first(lambda about: about.num_tags, "tags") or ()

    @property
    def rank_imbalance(self):
        """The largest total of a rank over the mean of the ranks' totals."""
        return self._stats(False).imbalance

    @property
    def rank_imbalance_pct(self):
        """By how many per cent the busiest rank is above the mean; 0.0 with fewer than two."""
        return self._stats(False).imbalance_pct

    def _by_rank(self, name):
        return {rank: getattr(self.regions[rank], name) for rank in self.ranks}

    def num_calls_per_rank(self):
        return self._by_rank("num_calls")

    def total_durations(self):
        return self._by_rank("total_duration")

    def average_durations(self):
        return self._by_rank("average_duration")

    def min_durations(self):
        return self._by_rank("min_duration")

    def max_durations(self):
        return self._by_rank("max_duration")

    @property
    def durations(self):
        """Those of all ranks, rank after rank."""
        return columns.joined([self.regions[rank].durations for rank in self.ranks], "d")

    inclusive_durations = durations

    @property
    def exclusive_durations(self):
        return columns.joined([self.regions[rank].exclusive_durations for rank in self.ranks], "d")

    def events(self, ranks=None, origin=0.0):
        """One dict per call: name, rank, call_index, start, end, duration. ranks: a number, several, or None for all."""
        chosen = self.ranks if ranks is None else [ranks] if isinstance(ranks, int) else list(ranks)
        return [dict(name=self.name, rank=rank, **event)
                for rank in chosen if rank in self.regions for event in self.regions[rank].events(origin)]

    def get_summary(self):
        """The statistics as a dict."""
        summary = {"name": self.name, "num_ranks": len(self)}
        summary.update((name, getattr(self, name)) for name in (
            "num_calls", "total_duration", "inclusive_duration", "exclusive_duration", "average_duration",
            "min_duration", "max_duration", "first_duration", "last_duration", "std_duration"))
        return summary

    def __getitem__(self, rank):
        if rank not in self.regions:
            raise KeyError("Region %r has no calls on rank %r. Ranks with calls: %r" % (self.name, rank, self.ranks))
        return self.regions[rank]

    def __contains__(self, rank):
        return rank in self.regions

    def __iter__(self):
        """The ranks, ascending."""
        return iter(self.ranks)

    def __len__(self):
        return len(self._rows)

    def __repr__(self):
        return "<MPIRegion %r: %d rank(s), %d call(s), %.6g s>" % (
            self.name, len(self), self.num_calls, self.total_duration)
