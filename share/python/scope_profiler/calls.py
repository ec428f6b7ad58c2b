"""Decorated calls that carry more than their times: what they call, and metadata."""
import sys
import threading
from collections import deque
from functools import wraps

from scope_profiler._core import core

_state = threading.local()

#: Scopes of metadata that a manager remembers; there is no place for them in a profile.
_SCOPES = 10000


class _Tracing:
    """While it is entered, the Python functions that this thread calls are regions."""

    def __init__(self, manager):
        self._manager = manager
        self._before = None

    def __enter__(self):
        self._before = sys.getprofile()
        if self._manager._recording is core.recording or core.session() is not None:
            if not core.trace(True):
                self._before = _NOTHING
        else:
            sys.setprofile(_tracer(self._manager, self._before))

    def __exit__(self, *error):
        if self._before is _NOTHING:
            return
        core.trace(False)
        sys.setprofile(self._before)


_NOTHING = object()


def _tracer(manager, before):
    """For a recording that is not everybody's: a profile function of Python's."""
    open_calls = {}
    decorated = manager._decorated_codes()

    def tracer(frame, event, argument):
        if event == "call":
            module = frame.f_globals.get("__name__", "?")
            if not module.startswith("scope_profiler.") and frame.f_code not in decorated:
                name = getattr(frame.f_code, "co_qualname", frame.f_code.co_name)
                region = open_calls[frame] = manager.region(f"{module}.{name}")
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

    @wraps(function)
    def call(*args, **kwargs):
        wanted = manager.get_config().recursive_profile if recursive is None else recursive
        if not wanted or getattr(_state, "tracing", False) or not manager.is_active():
            return decorated(*args, **kwargs)
        _state.tracing = True
        try:
            with _Tracing(manager):
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
