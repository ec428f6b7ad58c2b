"""Decorated calls that carry more than their times: what they call, and metadata."""
import os
import sys
import threading
from collections import deque
from functools import wraps

from scope_profiler._core import core

_state = threading.local()

#: Scopes of metadata that a manager remembers; there is no place for them in a profile.
_SCOPES = 10000


class Tracing:
    """While it is entered, the Python functions that this thread calls are regions."""

    def __init__(self, manager, only_user_code=False):
        self._manager, self._only_user_code = manager, only_user_code
        self._before = self._ours = None

    def __enter__(self):
        self._before = sys.getprofile()
        if self._manager._recording is core.recording and not self._only_user_code:
            for function in self._manager.decorated_functions():
                core.leave_out(function)
            self._ours = core.trace(True)
        elif core.session() is None or self._manager._recording is core.recording:
            self._ours = True
            sys.setprofile(_tracer(self._manager, self._before, self._only_user_code))

    def __exit__(self, *error):
        if self._ours:
            core.trace(False)
            sys.setprofile(self._before)


def _system_places():
    import site
    import sysconfig

    paths = sysconfig.get_paths()
    places = [paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib") if paths.get(key)]
    for more in (getattr(site, "getsitepackages", list), getattr(site, "getusersitepackages", str)):
        found = more()
        places += [found] if isinstance(found, str) else found
    return tuple(os.path.realpath(place) + os.sep for place in places if place)


def _chooser(manager, only_user_code):
    """Which code is traced: a function of it that remembers."""
    ours = os.path.dirname(os.path.realpath(__file__)) + os.sep
    system = _system_places() if only_user_code else ()
    known = {}

    def choose(code):
        name = code.co_filename
        path = os.path.realpath(name)
        if path.startswith(ours) or (only_user_code and (not name or name[0] == "<" or path.startswith(system))):
            return False
        decorated = (getattr(function, "__code__", None) for function in manager.decorated_functions())
        return code not in decorated

    def is_wanted(code):
        if code not in known:
            known[code] = choose(code)
        return known[code]

    return is_wanted


def _last_of_start(code):
    """Where the frame of a generator or coroutine is at most when it starts; beyond, it goes on after a suspension."""
    import dis
    import inspect

    if not code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return sys.maxsize
    resume = dis.opmap.get("RESUME")
    if resume is None:  # until 3.10 a start is before the first instruction
        return -1
    return next((at for at in range(0, len(code.co_code), 2) if code.co_code[at] == resume), -1)


def _tracer(manager, before, only_user_code):
    """A profile function of Python's: for a recording that is not everybody's, and where only some code is wanted."""
    open_calls, starts = {}, {}
    is_wanted = _chooser(manager, only_user_code)

    def tracer(frame, event, argument):
        if event == "call":
            code = frame.f_code
            if is_wanted(code):
                name = f"{frame.f_globals.get('__name__', '?')}.{getattr(code, 'co_qualname', code.co_name)}"
                if code not in starts:
                    starts[code] = _last_of_start(code)
                if frame.f_lasti > starts[code]:
                    name += " [resumed]"
                region = open_calls[frame] = manager.region(name)
                core.Region.__enter__(region)
        elif event == "return":
            region = open_calls.pop(frame, None)
            if region is not None:
                core.Region.__exit__(region, None, None, None)
        if before is not None:
            before(frame, event, argument)

    return tracer


def traced(manager, decorated, recursive, function):
    """The decorated function; while its outermost call runs, what it calls is recorded as well."""

    @wraps(decorated)
    def call(*args, **kwargs):
        wanted = manager.get_config().recursive_profile if recursive is None else recursive
        if not wanted or getattr(_state, "tracing", False) or not manager.is_active():
            return decorated(*args, **kwargs)
        _state.tracing = True
        try:
            with Tracing(manager):
                return decorated(*args, **kwargs)
        finally:
            _state.tracing = False

    return call


class Metadata:
    """`with` it: what is said of the calls inside."""

    def __init__(self, manager, values):
        self._manager, self._values = manager, values
        self._begin = 0

    def __enter__(self):
        outer = getattr(_state, "metadata", None) or {}
        self._outer, self.values = outer, {**outer, **self._values}
        _state.metadata = self.values
        self._begin = core.clock_ns()
        return self.values

    def __exit__(self, *error):
        _state.metadata = self._outer
        manager = self._manager
        if manager.is_active():
            if manager._metadata is None:
                manager._metadata = deque(maxlen=_SCOPES)
            manager._metadata.append((self._begin, core.clock_ns(), self.values))
        return False


def with_metadata(manager, decorated, metadata, record_outcome):
    """The decorated function; each call with its metadata, and how it ended."""

    @wraps(decorated)
    def call(*args, **kwargs):
        values = metadata(*args, **kwargs) if callable(metadata) else metadata or {}
        if not values and not record_outcome:
            return decorated(*args, **kwargs)
        with manager.metadata(**values) as scope:
            try:
                result = decorated(*args, **kwargs)
            except BaseException as error:
                if record_outcome:
                    scope.update(status="error", exception=type(error).__name__)
                raise
            if record_outcome:
                scope["status"] = "ok"
            return result

    return call
