"""Regions as a program holds them: context managers, the same object for the same name. Which class they are of says
what is recorded of them; entering and leaving is the compiled part's."""

from scope_profiler._core import core

#: The region that a session is.
ROOT_REGION = "scope_profiler.session"


def _array(numbers):
    """int64 in a numpy array, or in the standard library's where there is no numpy."""
    try:
        import numpy
    except ImportError:
        from array import array

        return array("q", numbers)
    return numpy.array(numbers, dtype=numpy.int64)


class BaseProfileRegion(core.Region):
    """A region: `with region: ...`, or `region.wrap(function)`."""

    __slots__ = ()
    _manager = None

    @property
    def region_name(self):
        return self.name

    @property
    def tags(self):
        if not self._tags:
            return ()
        import json

        return tuple(json.loads(self._tags))

    @property
    def source_file(self):
        return self._file

    @property
    def source_lineno(self):
        return self._line if self._line >= 0 else None

    @property
    def source_text(self):
        """The text of the function or the `with` block, where it is captured."""
        manager = self._manager
        if manager is None or not manager.get_config().capture_region_source or not self._file:
            return None
        from scope_profiler.source import text_at

        return text_at(self._file, self._line)

    @property
    def has_source(self):
        return self._file is not None

    def _numbers(self):
        """Of what is not written yet: calls, and of those that ended total, shortest, longest in ns."""
        return self._manager._recording.numbers(self.name) if self._manager else (0, 0, 0, 0)

    @property
    def num_calls(self):
        """Calls since setup()."""
        earlier = self._manager._completed.get(self.name, 0) if self._manager else 0
        return earlier + self._numbers()[0]

    @property
    def ptr(self):
        """Calls that the next finalize() will write."""
        return self._numbers()[0]

    @property
    def capacity(self):
        """How many calls there would be room for, had the memory grown from setup(buffer_limit=...)."""
        limit = self._manager.get_config().buffer_limit if self._manager else 1
        calls = self.ptr
        while limit < calls:
            limit *= 2
        return limit

    def _moments(self):
        from array import array

        moments = array("q")
        moments.frombytes(self._manager._recording.calls(self.name) if self._manager else b"")
        return moments

    def get_durations_numpy(self):
        """ns of each call that has ended and is not written yet, in the order of their begins."""
        moments = self._moments()
        return _array([end - begin for begin, end in zip(moments[::2], moments[1::2])])

    def get_start_times_numpy(self):
        """ns from setup() on."""
        origin = self._manager.start_time_ns if self._manager else 0
        return _array([begin - origin for begin in self._moments()[::2]])

    def get_end_times_numpy(self):
        origin = self._manager.start_time_ns if self._manager else 0
        return _array([end - origin for end in self._moments()[1::2]])

    def wrap(self, function):
        """The function, its calls being this region's."""
        return self._manager._recording.profile(name=self.name)(function)

    def add_function(self, function):
        """Counts the lines of the function under this region's name while it is open, where lines are counted."""


class DisabledProfileRegion(BaseProfileRegion):
    """Records nothing."""

    __slots__ = ()

    def wrap(self, function):
        return function


class TimeOnlyProfileRegion(BaseProfileRegion):
    """Begin and end of every call."""

    __slots__ = ()


class ThreadedProfileRegion(TimeOnlyProfileRegion):
    """The same; asked for with track_threads. Every region knows its threads."""

    __slots__ = ()


class AggregateProfileRegion(BaseProfileRegion):
    """Count, total, shortest and longest; no single call."""

    __slots__ = ()

    @property
    def stats(self):
        calls, total, least, most = self._numbers()
        return {"count": calls, "total": total, "minimum": least, "maximum": most}


class LineProfilerRegion(TimeOnlyProfileRegion):
    """Begin and end of every call, and the lines of the functions in it."""

    __slots__ = ()

    __enter__ = core.enter_counting_lines
    __exit__ = core.exit_counting_lines

    def add_function(self, function):
        self._manager.region(self.name, [function])

    def get_stats(self):
        """What has been counted for this region's functions."""
        return self._manager._line_stats(self.name)

    def print_stats(self, stream=None):
        """Prints a table for each of them."""
        self.get_stats().print(stream)


def class_for(config):
    """Which class the regions of a run with these settings are of."""
    if config is None or config.deactivate_profiling:
        return DisabledProfileRegion
    if config.use_line_profiler:
        return LineProfilerRegion
    if config.aggregation_mode:
        return AggregateProfileRegion
    if config.track_threads:
        return ThreadedProfileRegion
    return TimeOnlyProfileRegion


class RegionHandle:
    """A region by its name, whatever setup() makes of it: a context manager, and a decorator."""

    def __init__(self, manager, name, functions=None, tags=None):
        self._manager, self.name = manager, name
        self._functions, self._tags = functions, tags

    @property
    def region(self):
        return self._manager.region(self.name, self._functions, self._tags)

    def __enter__(self):
        return self._manager.region(self.name).__enter__()

    def __exit__(self, *error):
        return self._manager.region(self.name).__exit__(*error)

    def __call__(self, function):
        return self._manager.profile(self.name)(function)

    def __getattr__(self, name):
        return getattr(self.region, name)

    def __repr__(self):
        return f"RegionHandle({self.name!r})"


class RegionFactory:
    """Makes `with factory(key=value):`, calls of one region that carry metadata."""

    def __init__(self, manager, name, tags=None):
        self._manager, self.name, self._tags = manager, name, tags

    def __call__(self, **values):
        return _Call(self._manager.region(self.name, tags=self._tags), self._manager.metadata(**values))

    def __repr__(self):
        return f"RegionFactory({self.name!r})"


class _Call:
    """One call of a region, with metadata around it."""

    def __init__(self, region, metadata):
        self._region, self._metadata = region, metadata

    def __enter__(self):
        self._metadata.__enter__()
        return self._region.__enter__()

    def __exit__(self, *error):
        self._region.__exit__(*error)
        return self._metadata.__exit__(*error)
