"""libscope-reader by ctypes: where it is, what it offers, and its errors as exceptions.

The library is entered with the GIL held (PyDLL): neither it nor HDF5 may be in two threads at once.
"""

import ctypes
import os
from ctypes import POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32
from ctypes import c_uint64, c_void_p

try:
    from .made import LIBRARIES  # by the build: where the library is, seen from this directory
except ImportError:
    LIBRARIES = ()

NS = 1e9


class ProfileError(Exception):
    """A profile that cannot be read as such."""


class CorruptProfileError(ProfileError, ValueError):
    """A file that is truncated, or contradicts itself."""


class ProfileSchemaError(ProfileError, ValueError):
    """A file that is no profile, or one of a newer schema."""


class NestingError(ProfileError, ValueError):
    """Calls that overlap without nesting: there is no call tree."""


class EventDataUnavailableError(ProfileError, RuntimeError):
    """A question about single calls, of a profile that was read, or recorded, without them."""


class Error(Structure):
    _fields_ = [("status", c_int), ("message", c_char * 1024)]


class Value(Structure):
    _fields_ = [("key", c_char_p), ("kind", c_int), ("text", c_char_p), ("integer", c_int64), ("real", c_double),
                ("items", POINTER(c_char_p)), ("count", c_size_t)]


class Row(Structure):
    _fields_ = [("region", c_size_t), ("rank", c_uint32), ("calls", c_uint64), ("exclusive_ns", c_int64),
                ("has_summary", c_bool), ("total_ns", c_int64), ("minimum_ns", c_int64), ("maximum_ns", c_int64),
                ("first_ns", c_int64), ("last_ns", c_int64), ("start_minimum_ns", c_int64), ("end_maximum_ns", c_int64),
                ("mean_ns", c_double), ("m2_ns2", c_double), ("source_file", c_char_p), ("source_line", c_int64),
                ("source_text", c_char_p), ("tags", POINTER(c_char_p)), ("num_tags", c_size_t), ("partial", c_bool),
                ("all_calls", c_uint64), ("all_total_ns", c_int64), ("all_minimum_ns", c_int64),
                ("all_maximum_ns", c_int64), ("all_exclusive_ns", c_int64)]


class Stats(Structure):
    _fields_ = [("calls", c_uint64), ("ranks", c_uint32)] + [(name, c_double) for name in (
        "total", "exclusive", "average", "minimum", "maximum", "first", "last", "std", "p50", "p95", "p99",
        "first_start", "last_end", "imbalance", "imbalance_pct", "coverage")]


class RunTimes(Structure):
    _fields_ = [(name, c_double) for name in ("start", "origin", "startup", "span", "total")]


class Node(Structure):
    _fields_ = [("region", c_size_t), ("depth", c_uint32), ("recursive", c_bool), ("has_children", c_bool),
                ("stats", Stats), ("coverage", c_double), ("outermost", c_double)]


class Tree(Structure):
    _fields_ = [("nodes", POINTER(Node)), ("count", c_size_t)]


class Calls(Structure):
    _fields_ = [(name, c_void_p) for name in ("start_ns", "end_ns", "own_ns", "parent", "depth", "region", "number")]


class Thread(Structure):
    _fields_ = [("rank", c_uint32)] + [(name, c_int64) for name in (
        "index", "ident", "native_id", "start_ns", "end_ns", "cpu_ns")] + [("daemon", c_int), ("name", c_char_p)]


class Task(Structure):
    _fields_ = [("rank", c_uint32)] + [(name, c_int64) for name in (
        "index", "thread_index", "created_ns", "done_ns", "steps", "running_ns", "suspended_ns")] + [
        (name, c_char_p) for name in ("kind", "name", "coro_name")]


class Line(Structure):
    _fields_ = [("number", c_int64), ("hits", c_int64), ("time", c_double), ("seconds", c_double)]


class LineRecord(Structure):
    _fields_ = [("rank", c_uint32), ("region", c_char_p), ("function", c_char_p), ("filename", c_char_p),
                ("first_line", c_int64), ("unit", c_double), ("source", c_char_p), ("source_first_line", c_int64),
                ("lines", POINTER(Line)), ("num_lines", c_size_t)]


class LineProfile(Structure):
    _fields_ = [("records", POINTER(LineRecord)), ("count", c_size_t)]


class WriteOptions(Structure):
    _fields_ = [("label", c_char_p), ("compress", c_int), ("indent", c_int), ("ranks", c_int)]


# The C name of each structure, as the header has it.
STRUCTURES = {"spr_error": Error, "spr_value": Value, "spr_row": Row, "spr_stats": Stats, "spr_run_times": RunTimes,
              "spr_node": Node, "spr_tree": Tree, "spr_calls": Calls, "spr_thread": Thread, "spr_task": Task,
              "spr_line": Line, "spr_line_record": LineRecord, "spr_line_profile": LineProfile,
              "spr_write_options": WriteOptions}

TEXT, INTEGER, REAL, TEXT_LIST = range(4)  # enum spr_value_kind
SUMMARY, FULL = range(2)  # enum spr_depth
KEEP, RENUMBER, SHARE = range(3)  # enum spr_ranks
COLUMNS = {name: number for number, name in enumerate(  # enum spr_column
    ("call_ids", "parent_ids", "thread_ids", "task_ids", "await_ns", "gpu_ns"))}

_PROFILE = _SELECTION = c_void_p
_FAILS = "an error is raised where the function does not return 0"
_ARRAY = c_void_p  # of 64-bit integers of the caller's

# name: (result, argument types); those of _FAILS have one more, the error.
_FUNCTIONS = {
    "spr_open": (_FAILS, [c_char_p, POINTER(_PROFILE)]),
    "spr_close": (None, [_PROFILE]),
    "spr_format": (c_int, [_PROFILE]),
    "spr_schema": (c_int, [_PROFILE]),
    "spr_is_aggregate": (c_bool, [_PROFILE]),
    "spr_is_partial": (c_bool, [_PROFILE]),
    "spr_num_ranks": (c_uint32, [_PROFILE]),
    "spr_has_mpi": (c_bool, [_PROFILE]),
    "spr_num_calls": (c_uint64, [_PROFILE]),
    "spr_metadata_count": (c_size_t, [_PROFILE]),
    "spr_metadata_at": (POINTER(Value), [_PROFILE, c_size_t]),
    "spr_num_regions": (c_size_t, [_PROFILE]),
    "spr_region_name": (c_char_p, [_PROFILE, c_size_t]),
    "spr_row_at": (POINTER(Row), [_PROFILE, c_size_t]),
    "spr_region_rows": (None, [_PROFILE, c_size_t, POINTER(c_size_t), POINTER(c_size_t)]),
    "spr_read_calls": (_FAILS, [_PROFILE, c_size_t, c_uint64, c_uint64, _ARRAY, _ARRAY, _ARRAY, _ARRAY]),
    "spr_has_column": (c_bool, [_PROFILE, c_size_t, c_int]),
    "spr_read_column": (_FAILS, [_PROFILE, c_size_t, c_int, c_uint64, c_uint64, _ARRAY]),
    "spr_rank_calls": (c_uint64, [_PROFILE, c_uint32, _SELECTION]),
    "spr_read_nesting": (_FAILS, [_PROFILE, c_uint32, _SELECTION, POINTER(Calls)]),
    "spr_select_regions": (_FAILS, [_PROFILE, POINTER(c_size_t), c_size_t, POINTER(c_uint32), c_size_t,
                                    POINTER(_SELECTION)]),
    "spr_selection_free": (None, [_SELECTION]),
    "spr_row_stats": (_FAILS, [_PROFILE, c_size_t, c_int, POINTER(Stats)]),
    "spr_region_stats": (_FAILS, [_PROFILE, c_size_t, _SELECTION, c_int, POINTER(Stats)]),
    "spr_region_percentile": (_FAILS, [_PROFILE, c_size_t, _SELECTION, c_double, POINTER(c_double)]),
    "spr_stats_of": (_FAILS, [_ARRAY, _ARRAY, c_uint64, POINTER(Stats)]),
    "spr_percentile_of": (_FAILS, [_ARRAY, _ARRAY, c_uint64, c_double, POINTER(c_double)]),
    "spr_run": (_FAILS, [_PROFILE, POINTER(RunTimes)]),
    "spr_tree_build": (_FAILS, [_PROFILE, _SELECTION, c_int, POINTER(Tree)]),
    "spr_tree_free": (None, [POINTER(Tree)]),
    "spr_num_threads": (c_size_t, [_PROFILE]),
    "spr_thread_at": (POINTER(Thread), [_PROFILE, c_size_t]),
    "spr_num_tasks": (c_size_t, [_PROFILE]),
    "spr_task_at": (POINTER(Task), [_PROFILE, c_size_t]),
    "spr_lines_read": (_FAILS, [_PROFILE, _SELECTION, POINTER(LineProfile)]),
    "spr_lines_free": (None, [POINTER(LineProfile)]),
    "spr_write": (_FAILS, [POINTER(_PROFILE), c_size_t, c_char_p, POINTER(WriteOptions)]),
    "spr_is_json_name": (c_bool, [c_char_p]),
}

_EXCEPTIONS = (None, FileNotFoundError, ProfileSchemaError, ProfileSchemaError, CorruptProfileError,
               EventDataUnavailableError, NestingError, MemoryError, ValueError, OSError)  # by enum spr_status


def text(value):
    """A str of the library's bytes; any bytes come back by encode()."""
    return None if value is None else value.decode("utf-8", "surrogateescape")


def encode(value):
    """The library's bytes of a str or a path."""
    value = os.fspath(value)
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")


def _raise(error):
    known = 0 < error.status < len(_EXCEPTIONS)
    kind = _EXCEPTIONS[error.status] if known else ValueError
    raise kind(error.message.decode("utf-8", "replace"))


def _failing(function):
    def call(*arguments):
        error = Error()
        if function(*arguments, byref(error)):
            _raise(error)
    return call


class Library:
    """The functions of _FUNCTIONS, without their prefix."""

    def __init__(self, path):
        library = ctypes.PyDLL(path)
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            fails = result is _FAILS
            function.restype = c_int if fails else result
            function.argtypes = arguments + [POINTER(Error)] if fails else arguments
            setattr(self, name[len("spr_"):], _failing(function) if fails else function)


def _candidates():
    named = os.environ.get("SCOPE_PROFILER_READER")
    if named:
        return [named]
    here = os.path.dirname(os.path.abspath(__file__))
    beside = [os.path.normpath(os.path.join(here, path)) for path in LIBRARIES]
    return [path for path in beside if os.path.exists(path)] + ["libscope-reader.so.0"]


def _load():
    problems = []
    for path in _candidates():
        try:
            return Library(path)
        except (OSError, AttributeError) as problem:  # AttributeError: another version, which lacks a function
            problems.append("%s (%s)" % (path, problem))
    raise ImportError("scope_profiler: the reader library cannot be loaded: " + "; ".join(problems))


_library = None


def library():
    """The library, loaded when it is first needed."""
    global _library
    if _library is None:
        _library = _load()
    return _library
