"""ProfilingResults: the recorded regions of a run, and all that can be asked about them."""

import os
import re
import sys
from pathlib import Path

from . import columns, lanes, rows, stack, table, text
from .library import EventDataUnavailableError
from .profile import Profile, Selection, known
from .region import MPIRegion

NS = 1e9
_COST = re.compile(r"cost_\w+_ns")
EVENT_KEYS = ("name", "rank", "call_index", "start", "end", "duration")


def _patterns(patterns):
    if patterns is None:
        return None
    return [re.compile(p) for p in ([patterns] if isinstance(patterns, (str, re.Pattern)) else patterns)]


def _ranks(ranks):
    return None if ranks is None else [ranks] if isinstance(ranks, int) else sorted(set(ranks))


def _pandas(method):
    try:
        import pandas
        return pandas
    except ImportError:
        raise ImportError("%s() needs pandas (Debian: python3-pandas)" % method) from None


class ProfilingResults:
    """A mapping, in the order of the file, from the names of regions to their MPIRegion.

    Made by read_h5(), load() and their like. All durations and times are in seconds. `include` and `exclude` are
    regular expressions, one or several, that match at the beginning of a region's name.
    """

    def __init__(self, profile=None, file_path="", event_data_available=True, is_root=True, metadata=None,
                 num_ranks=0):
        """profile: None for no regions, as a rank has that does not hold the run's data; metadata and num_ranks are
        looked at only then."""
        self._profile = profile or None
        self.file_path = file_path
        self._is_root = is_root
        self._event_data_available = event_data_available
        self._metadata = profile.metadata() if profile else dict(metadata or {})
        self._costs = {key: self._metadata.pop(key) for key in list(self._metadata) if _COST.fullmatch(key)}
        self._num_ranks = profile.num_ranks if profile else num_ranks
        self._regions = {name: MPIRegion(self, number, profile.rows(number))
                         for number, name in enumerate(profile.names)} if profile else {}
        self._own = {}
        self._tables = {}

    @classmethod
    def from_h5(cls, file_path):
        """Reads a profile, of any format."""
        return cls(Profile(file_path), file_path)

    @classmethod
    def empty(cls, file_path="", is_root=False):
        """No regions: of a recording that there is none of, or of a rank that does not hold the run's data."""
        return cls(None, file_path, is_root=is_root)

    # ---- a mapping

    @property
    def region_names(self):
        return list(self._regions)

    def get_region(self, name):
        if name not in self._regions:
            raise KeyError("No region named %r in %s. Available regions: %r" % (name, self._file_path,
                                                                                self.region_names))
        return self._regions[name]

    __getitem__ = get_region

    def __iter__(self):
        """The regions, not their names."""
        return iter(self._regions.values())

    def __contains__(self, name):
        return name in self._regions

    def __len__(self):
        return len(self._regions)

    def __repr__(self):
        return "<%s %r: %d region(s), %d rank(s)>" % (type(self).__name__, self._file_path.name, len(self),
                                                      self.num_ranks)

    def get_regions(self, include=None, exclude=None):
        """Those selected, by their first start; regions without calls, or times, come last."""
        include, exclude = _patterns(include), _patterns(exclude)

        def selected(name):
            wanted = include is None or any(pattern.match(name) for pattern in include)
            return wanted and not (exclude and any(pattern.match(name) for pattern in exclude))

        def first_start(region):
            start = region._stats(False).first_start
            return start if start == start else float("inf")
        return sorted((region for name, region in self._regions.items() if selected(name)), key=first_start)

    def _selection(self, regions, ranks=None):
        return Selection(self._profile, [region._number for region in regions], _ranks(ranks))

    # ---- the run

    @property
    def file_path(self):
        """What the run calls its file; of a run without one, the file that it would have written."""
        return self._file_path

    @file_path.setter
    def file_path(self, path):
        self._file_path = Path(os.fsdecode(path))

    @property
    def metadata(self):
        """A dict; see share/doc/format.md for its keys."""
        return self._metadata

    @property
    def costs(self):
        """What recording a call cost the program, by kind of call and in nanoseconds: keys of the metadata that are kept
        apart from it, such as cost_python_ns."""
        return self._costs

    @property
    def num_ranks(self):
        return self._num_ranks

    @property
    def is_root(self):
        """False for the empty results of the ranks that do not hold the run's data."""
        return self._is_root

    @property
    def has_event_data(self):
        """False after read_h5_summary()."""
        return self._event_data_available

    @property
    def num_nodes(self):
        """Machines of the run; None unknown."""
        nodes = self._metadata.get("num_nodes", 1 if self.num_ranks == 1 else None)
        return nodes if isinstance(nodes, int) else None

    @property
    def label(self):
        """None where none was given. Setting it does not change the file."""
        return self._metadata.get("label") or None

    @label.setter
    def label(self, value):
        self._metadata.pop("label", None)
        if value:
            self._metadata["label"] = str(value)

    @property
    def display_label(self):
        """The label, else the file's name without its ending."""
        return self.label or self._file_path.stem

    def default_title(self):
        title = "%s (%s)" % (text.relative(self._file_path), self._counted_ranks())
        return "%s - %s" % (self.label, title) if self.label else title

    def _counted_ranks(self):
        return "%d rank%s" % (self.num_ranks, "" if self.num_ranks == 1 else "s")

    # ---- times of the run, on its clock

    def _metadata_ns(self, key):
        value = self._metadata.get(key)
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    def _seconds_of(self, key):
        value = self._metadata_ns(key)
        return None if value is None else value / NS

    def _run_times(self):
        if "run" not in self._tables:
            self._tables["run"] = self._profile.run_times() if self._profile else None
        return self._tables["run"]

    def _starts_and_ends(self):
        stats = [region._stats(False) for region in self if region.num_calls]
        return ([s.first_start for s in stats if s.first_start == s.first_start],
                [s.last_end for s in stats if s.last_end == s.last_end])

    @property
    def run_start_time(self):
        """When the run was started; None unknown."""
        return self._seconds_of("start_time_ns")

    @property
    def finalize_time(self):
        return self._seconds_of("finalize_time_ns")

    @property
    def total_time(self):
        """From the start of the run to its end; None unknown."""
        if self.run_start_time is None or self.finalize_time is None:
            return None
        return (self._metadata_ns("finalize_time_ns") - self._metadata_ns("start_time_ns")) / NS

    @property
    def minimum_start_time(self):
        return min(self._starts_and_ends()[0], default=0.0)

    @property
    def maximum_end_time(self):
        return max(self._starts_and_ends()[1], default=0.0)

    @property
    def time_origin(self):
        """What events() and call_stack() measure from: the start of the run, else of the first region."""
        return self.minimum_start_time if self.run_start_time is None else self.run_start_time

    @property
    def startup_time(self):
        """From the start of the run to that of the first region."""
        times = self._run_times()
        return known(times.startup) or 0.0 if times else 0.0

    @property
    def time_span(self):
        """From the first start to the last end of a region."""
        times = self._run_times()
        return known(times.span) or 0.0 if times else 0.0

    def _origin_ns(self, relative, origin):
        if origin is not None:
            return round(origin * NS)
        if not relative:
            return 0
        start = self._metadata_ns("start_time_ns")
        return round(self.minimum_start_time * NS) if start is None else round(start)

    # ---- summaries

    def _summary_row(self, region):
        row = region.get_summary()
        percentiles = {p: getattr(region, p + "_duration") if self.has_event_data else None for p in rows.PERCENTILES}
        row["tags"] = region.tags
        row.update((p + "_duration", value) for p, value in percentiles.items())
        row.update(rank_imbalance=region.rank_imbalance, rank_imbalance_pct=region.rank_imbalance_pct)
        row.update(percentiles, imbalance=region.rank_imbalance_pct)
        return row

    def summary(self, include=None, exclude=None):
        """One dict per region, over all ranks, by first start."""
        return [self._summary_row(region) for region in self.get_regions(include, exclude)]

    def to_dataframe(self, include=None, exclude=None, per_rank=False):
        """summary() as a pandas DataFrame; per_rank: a row for each region and rank."""
        pandas = _pandas("to_dataframe")
        if not per_rank:
            return pandas.DataFrame(self.summary(include, exclude))
        found = []
        for region in self.get_regions(include, exclude):
            for rank in region.ranks:
                row = dict(name=region.name, rank=rank, **region[rank].get_summary())
                for p in rows.PERCENTILES:
                    row[p + "_duration"] = getattr(region[rank], p + "_duration") if self.has_event_data else None
                found.append(row)
        return pandas.DataFrame(found)

    def print_summary(self, include=None, exclude=None, ranks=None, sort="start", title=None, stream=None,
                      suppress_notes=False, columns=None, percentage_mode="coverage", tree=None):
        """Prints the region table, as `scope-profiler inspect` does.

        columns: of region ranks calls total percent parent_percent avg min max first last std p50 p95 p99 imbalance;
        sort: start, name, or one of the columns from total on; title: instead of the file's name in the notes;
        percentage_mode: "coverage", or "exclusive" for shares without nested regions; tree: True, False, or None for
        a tree of up to two million calls.
        """
        if not self._is_root:
            return
        stream = sys.stdout if stream is None else stream
        columns = [columns] if isinstance(columns, str) else columns
        self._check_choice("sort", [sort], rows.SORT_KEYS)
        self._check_choice("percentage_mode", [percentage_mode], ("coverage", "exclusive"))
        if columns is not None:
            if not columns:
                raise ValueError("columns: choose at least one of %s" % ", ".join(table.HEADERS))
            self._check_choice("columns", columns, tuple(table.HEADERS))
        text.put(stream, self._summary_text(self.get_regions(include, exclude), _ranks(ranks), sort, title,
                                            suppress_notes, columns, percentage_mode == "exclusive", tree))

    @staticmethod
    def _check_choice(what, words, choices):
        for word in words:
            if word not in choices:
                raise ValueError("%s %r is none of: %s" % (what, word, ", ".join(choices)))

    def _summary_text(self, regions, ranks, sort, title, suppress_notes, columns, exclusive_share, tree):
        found = rows.Rows()
        if regions:
            full = self.has_event_data and table.needs_calls(columns or (), sort)
            found = rows.build(self._profile, [region._number for region in regions], self._selection(regions, ranks),
                               full, tree if self.has_event_data else False)
        if not found.items:
            return ("  %s\n" % title if title else "") + "  No regions were recorded.\n\n"
        rows.sort(found, sort)
        columns = columns or table.default_columns(found)
        block = table.region_table(found, columns, exclusive_share)
        if found.why_flat:
            block += "  %s\n\n" % text.shown(found.why_flat)
        if suppress_notes:
            return block
        file = text.quoted(text.relative(self._file_path))
        named = title if title is not None else "%s (%s)" % (file, self._counted_ranks())
        return block + table.notes(named, file if self._file_path.is_file() else None, found, columns,
                                   self._profile.has_mpi)

    # ---- single calls

    def _require_events(self, what):
        if not self._event_data_available:
            raise EventDataUnavailableError("%s: %s need single calls, which read_h5_summary() does not read; use "
                                            "read_h5()" % (self._file_path, what))

    def events(self, include=None, exclude=None, ranks=None, relative=True, origin=None):
        """One dict per call: name, rank, call_index, start, end, duration; by region, then rank, then call.

        Times are measured from time_origin; relative=False: on the run's clock; origin: from this time of it. Empty
        where calls were added up instead of kept.
        """
        self._require_events("events()")
        origin_ns, ranks = self._origin_ns(relative, origin), _ranks(ranks)
        return [dict(zip(EVENT_KEYS, (region.name, rank) + event))
                for region in self.get_regions(include, exclude)
                for rank in region.ranks if ranks is None or rank in ranks
                for event in region[rank]._event_rows(origin_ns)]

    def to_events_dataframe(self, include=None, exclude=None, ranks=None, relative=True, origin=None):
        """events() as a pandas DataFrame, made of whole columns."""
        self._require_events("to_events_dataframe()")
        pandas, np = _pandas("to_events_dataframe"), columns.numpy()
        origin_ns, ranks = self._origin_ns(relative, origin), _ranks(ranks)
        parts = {key: [] for key in EVENT_KEYS}
        for region in self.get_regions(include, exclude):
            for rank in region.ranks:
                if ranks is not None and rank not in ranks:
                    continue
                starts, ends = region[rank].start_times_ns, region[rank].end_times_ns
                held = (np.full(len(starts), region.name, dtype=object), np.full(len(starts), rank),
                        np.arange(len(starts)), (starts - origin_ns) / NS, (ends - origin_ns) / NS,
                        (ends - starts) / NS)
                for key, column in zip(EVENT_KEYS, held):
                    parts[key].append(column)
        return pandas.DataFrame({key: np.concatenate(held) if held else [] for key, held in parts.items()},
                                columns=list(EVENT_KEYS))

    def call_stack(self, rank=0, include=None, exclude=None, relative=True, origin=None):
        """The calls of one rank, those around others first: dicts with call_id, name, start, end, duration, depth,
        parent (the call_id of the call around it, or None), call_index, lane. NestingError where calls overlap."""
        self._require_events("call_stack()")
        regions = self.get_regions(include, exclude)
        if not regions or self._profile.is_aggregate:
            return []
        return stack.build(self, rank, self._selection(regions), self._origin_ns(relative, origin))

    def call_graph(self, rank=0, include=None, exclude=None):
        """call_stack() without times: call_id, parent_id, name, call_index, depth."""
        return [{"call_id": call["call_id"], "parent_id": call["parent"], "name": call["name"],
                 "call_index": call["call_index"], "depth": call["depth"]}
                for call in self.call_stack(rank, include, exclude)]

    def _own_times(self, rank):
        """Nanoseconds of each call without those directly within it: name -> column."""
        if rank not in self._own:
            self._require_events("exclusive_durations")
            held = self._profile.nesting(rank)
            self._own[rank] = {}
            for name, region in self._regions.items():
                if rank in region:
                    keep = columns.where_equal(held["region"], region._number)
                    self._own[rank][name] = columns.placed(keep(held["own_ns"]), keep(held["number"]))
        return self._own[rank]

    # ---- threads, tasks, lines

    def _table(self, kind, read):
        if kind not in self._tables:
            origin_ns = self._origin_ns(True, None)
            self._tables[kind] = lanes.by_rank(kind, read() if self._profile else (), origin_ns)
        return self._tables[kind]

    @property
    def threads(self):
        """Rank -> its threads (ThreadInfo); empty where they were not told apart."""
        return self._table(lanes.ThreadInfo, lambda: self._profile.threads())

    @property
    def tasks(self):
        """Rank -> its tasks and greenlets (TaskInfo); empty where there were none."""
        return self._table(lanes.TaskInfo, lambda: self._profile.tasks())

    def lane_label(self, lane, rank=0):
        """A name for the lane of a call of call_stack()."""
        return lanes.label(int(lane), self.threads.get(rank, []), self.tasks.get(rank, []))

    def thread_summary(self, rank=0):
        """One dict per thread: index, name, alive, wall_time, cpu_time, num_calls, and region_time, the time of its
        calls that are not within others."""
        found = {thread.index: [0, 0.0] for thread in self.threads.get(rank, [])}
        if not found:
            return []
        thread_of = {task.index: task.thread_index for task in self.tasks.get(rank, [])}
        for call in self.call_stack(rank):
            lane = call["lane"]
            entry = found.setdefault(thread_of.get(lane, lane) if lane >= 0 else -2 - lane, [0, 0.0])
            entry[0] += 1
            entry[1] += call["duration"] if call["parent"] is None else 0.0
        return [{"index": thread.index, "name": thread.name, "alive": thread.alive, "wall_time": thread.wall_time,
                 "cpu_time": thread.cpu_time, "num_calls": found[thread.index][0],
                 "region_time": found[thread.index][1]} for thread in self.threads[rank]]

    @property
    def line_profile(self):
        """Rank -> records of functions: dicts with region, filename, function, first_lineno, the columns line_numbers,
        hits and times, and unit (a line took times * unit seconds); source and source_first_lineno where kept."""
        if "lines" not in self._tables:
            found = {}
            for rank, record in self._profile.line_records() if self._profile else ():
                found.setdefault(rank, []).append(record)
            self._tables["lines"] = found
        return self._tables["lines"]
