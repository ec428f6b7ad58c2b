"""An open profile: what the library knows of it, as Python values. Times are integer nanoseconds, statistics seconds."""

import weakref
from ctypes import byref, c_double, c_size_t, c_uint32, c_void_p

from . import columns
from .library import COLUMNS, FULL, INTEGER, REAL, SUMMARY, TEXT
from .library import Calls, LineProfile, Node, RunTimes, Stats, Tree, encode, library, text

_KINDS = {"depth": "I", "region": "I", "number": "Q"}  # of the columns of Calls; the others are "q"


def known(value):
    """A number of the library; None where it cannot be known."""
    return value if value == value else None


class Selection:
    """Regions (by number) and ranks (None: all) that a question is about."""

    _NO_RANK = 0xffffffff  # for the library, no ranks are all ranks

    def __init__(self, profile, regions, ranks=None):
        regions = (c_size_t * len(regions))(*regions)
        if ranks is not None:
            ranks = [rank for rank in ranks if 0 <= rank < self._NO_RANK] or [self._NO_RANK]
            ranks = (c_uint32 * len(ranks))(*ranks)
        self.handle = c_void_p()
        library().select_regions(profile.handle, regions, len(regions), ranks, len(ranks or ()), byref(self.handle))
        weakref.finalize(self, library().selection_free, self.handle)


def handle_of(selection):
    return selection.handle if selection else None


class Profile:
    """`path`: HDF5, JSON or a native trace; the content says which. The file may be removed while it is open."""

    def __init__(self, path):
        self.handle = c_void_p()
        self.library = library()
        self.library.open(encode(path), byref(self.handle))
        self._close = weakref.finalize(self, self.library.close, self.handle)
        self.num_ranks = self.library.num_ranks(self.handle)
        self.num_calls = self.library.num_calls(self.handle)
        self.is_aggregate = self.library.is_aggregate(self.handle)
        self.is_partial = self.library.is_partial(self.handle)
        self.has_mpi = self.library.has_mpi(self.handle)
        self.names = [text(self.library.region_name(self.handle, number))
                      for number in range(self.library.num_regions(self.handle))]

    def close(self):
        self._close()

    def rows(self, region):
        """The numbers of a region's rows, one a rank, ascending by rank."""
        first, count = c_size_t(), c_size_t()
        self.library.region_rows(self.handle, region, byref(first), byref(count))
        return range(first.value, first.value + count.value)

    def row(self, row):
        """The library's own record: it lives as long as the profile."""
        return self.library.row_at(self.handle, row).contents

    def metadata(self):
        result = {}
        for index in range(self.library.metadata_count(self.handle)):
            value = self.library.metadata_at(self.handle, index).contents
            if value.kind == TEXT:
                held = text(value.text)
            elif value.kind == INTEGER:
                held = value.integer
            elif value.kind == REAL:
                held = value.real
            else:
                held = [text(value.items[i]) for i in range(value.count)]
            result[text(value.key)] = held
        return result

    # ---- statistics

    def row_stats(self, row, full):
        stats = Stats()
        self.library.row_stats(self.handle, row, FULL if full else SUMMARY, byref(stats))
        return stats

    def region_stats(self, region, selection, full):
        stats = Stats()
        self.library.region_stats(self.handle, region, handle_of(selection), FULL if full else SUMMARY, byref(stats))
        return stats

    def percentile(self, region, selection, percent):
        seconds = c_double()
        self.library.region_percentile(self.handle, region, handle_of(selection), percent, byref(seconds))
        return known(seconds.value)

    def run_times(self):
        times = RunTimes()
        self.library.run(self.handle, byref(times))
        return times

    def tree(self, selection, full):
        """The nodes of the call tree, in order."""
        tree = Tree()
        self.library.tree_build(self.handle, handle_of(selection), FULL if full else SUMMARY, byref(tree))
        nodes = [Node.from_buffer_copy(tree.nodes[i]) for i in range(tree.count)]
        self.library.tree_free(byref(tree))
        return nodes

    # ---- calls

    def calls(self, row):
        """Columns of starts and ends of a row."""
        count = self.row(row).calls
        starts, at_starts = columns.empty(count)
        ends, at_ends = columns.empty(count)
        if count:
            self.library.read_calls(self.handle, row, 0, count, at_starts, at_ends, None, None)
        return columns.frozen(starts), columns.frozen(ends)

    def column(self, row, name):
        """One of COLUMNS; None where the file does not have it."""
        if not self.library.has_column(self.handle, row, COLUMNS[name]):
            return None
        count = self.row(row).calls
        values, address = columns.empty(count)
        self.library.read_column(self.handle, row, COLUMNS[name], 0, count, address)
        return columns.frozen(values)

    def nesting(self, rank, selection=None):
        """Columns by the names of Calls: the calls of a rank, in order of their starts."""
        count = self.library.rank_calls(self.handle, rank, handle_of(selection))
        held, calls = {}, Calls()
        for name, _ in Calls._fields_:
            held[name], address = columns.empty(count, _KINDS.get(name, "q"))
            setattr(calls, name, address)
        if count:
            self.library.read_nesting(self.handle, rank, handle_of(selection), byref(calls))
        return held

    # ---- tables

    def threads(self):
        return [self.library.thread_at(self.handle, i).contents
                for i in range(self.library.num_threads(self.handle))]

    def tasks(self):
        return [self.library.task_at(self.handle, i).contents for i in range(self.library.num_tasks(self.handle))]

    def line_records(self):
        """(rank, record) of the functions whose lines were timed; records as the Python tool names their parts."""
        lines = LineProfile()
        self.library.lines_read(self.handle, None, byref(lines))
        result = [(lines.records[i].rank, _line_record(lines.records[i])) for i in range(lines.count)]
        self.library.lines_free(byref(lines))
        return result


def _line_record(record):
    lines = [record.lines[i] for i in range(record.num_lines)]
    result = {
        "region": text(record.region),
        "filename": text(record.filename),
        "function": text(record.function),
        "first_lineno": record.first_line,
        "line_numbers": columns.of([line.number for line in lines], "q"),
        "hits": columns.of([line.hits for line in lines], "q"),
        "times": columns.of([line.time for line in lines], "d"),
        "unit": record.unit,
    }
    if record.source is not None:
        result["source"] = text(record.source)
        result["source_first_lineno"] = record.source_first_line
    return result


def stats_of(starts, ends):
    """Statistics of columns of calls."""
    stats = Stats()
    library().stats_of(_address(starts), _address(ends), len(starts), byref(stats))
    return stats


def percentile_of(starts, ends, percent):
    seconds = c_double()
    library().percentile_of(_address(starts), _address(ends), len(starts), percent, byref(seconds))
    return known(seconds.value)


def _address(column):
    return column.ctypes.data if columns.numpy() else column.buffer_info()[0]
