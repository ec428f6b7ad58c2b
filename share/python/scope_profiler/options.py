"""What setup() can be told, and what it makes of that."""

_BOOL, _TEXT, _PATH, _COUNT, _NAMES = "bool", "text", "path", "count", "names"

#: name: (default, kind)
SETTINGS = {
    "file_path": ("profiling_data.h5", _PATH),
    "label": (None, _TEXT),
    "deactivate_profiling": (False, _BOOL),
    "deactivate_file_output": (False, _BOOL),
    "buffer_limit": (1024, _COUNT),
    "recursive_profile": (False, _BOOL),
    "aggregation_mode": (False, _BOOL),
    "use_line_profiler": (False, _BOOL),
    "use_likwid": (False, _BOOL),
    "use_nvtx": (False, _BOOL),
    "use_gpu_timing": (False, _BOOL),
    "gpu_timing_backend": ("auto", None),
    "perf_events": (None, _NAMES),
    "use_memray": (False, _BOOL),
    "memory_profile_path": (None, _PATH),
    "memray_native_traces": (False, _BOOL),
    "memray_trace_python_allocators": (False, _BOOL),
    "memray_follow_fork": (False, _BOOL),
    "track_threads": (False, _BOOL),
    "track_async": (False, _BOOL),
    "profile_mpi_calls": (False, _BOOL),
    "capture_region_source": (False, _BOOL),
    "metadata_detail": ("minimal", ("minimal", "full")),
    "output_mode": ("auto", ("auto", "direct", "parallel")),
    "hdf5_compression": (None, (None, "gzip", "lzf", "zstd", "auto")),
    "hdf5_compression_level": (None, _COUNT),
    "hdf5_chunk_size": (None, _COUNT),
}

#: Arguments of setup() that are no settings: they may stand in a file or be misspelt all the same.
_ARGUMENTS = ("auto_finalize", "output", "replace", "config_path", "options")

#: Recorded by other means than this profiler has.
_ABSENT = ("use_likwid", "use_nvtx", "use_gpu_timing", "perf_events", "use_memray")

#: These record per call, or by themselves: not together with those on the right.
_CONFLICTS = {
    "aggregation_mode": ("use_line_profiler", "use_likwid", "use_nvtx", "use_gpu_timing", "perf_events"),
    "track_threads": (
        "use_line_profiler",
        "use_likwid",
        "use_nvtx",
        "use_gpu_timing",
        "perf_events",
        "aggregation_mode",
    ),
}

#: Tables of a configuration file, and what stands before the names of theirs as settings.
_TABLES = {"memray": "memray_", "gpu": "gpu_", "hdf5": "hdf5_"}


def unknown_setting(names):
    """The TypeError for names that are no settings."""
    import difflib

    name = sorted(names)[0]
    if name in _ARGUMENTS:
        return TypeError(f"{name!r} is an argument of setup(), not one of its options")
    close = difflib.get_close_matches(name, [*SETTINGS, *_ARGUMENTS], n=1, cutoff=0.4)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return TypeError(f"unknown profiling option {name!r}{hint}")


def _check(name, value):
    kind = SETTINGS[name][1]
    if isinstance(kind, tuple):
        if value not in kind:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, kind))}, not {value!r}")
        return value
    if value is None or kind is None:
        return value
    if kind == _BOOL:
        if value not in (True, False):
            raise ValueError(f"{name} must be True or False, not {value!r}")
        return bool(value)
    if kind == _COUNT:
        least = 0 if name == "hdf5_compression_level" else 1
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            what = "a positive integer" if least else "an integer that is not negative"
            raise ValueError(f"{name} must be {what}, not {value!r}")
        return value
    if kind == _PATH:
        import os

        try:
            path = os.fsdecode(value)
        except TypeError:
            raise ValueError(f"{name} must be a path, not {value!r}") from None
        if not path or "\0" in path:
            raise ValueError(f"{name} must be a path, not {value!r}")
        return path
    if kind == _NAMES:
        names = tuple(value)
        if not names or not all(isinstance(item, str) for item in names):
            raise ValueError(f"{name} must be a list of names, not {value!r}")
        return names
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a string, not {value!r}")
    return value


class ProfilingOptions:
    """Settings that are put together before setup(), and for more than one.

    Takes the same names as setup(); those that are not given stay at their defaults.
    """

    def __init__(self, **settings):
        unknown = set(settings) - set(SETTINGS)
        if unknown:
            raise unknown_setting(unknown)
        self._given = {name: value for name, value in settings.items() if value is not None}

    def __getattr__(self, name):
        if name in SETTINGS:
            return self._given.get(name, SETTINGS[name][0])
        raise AttributeError(name)

    def __setattr__(self, name, value):
        if name != "_given" and name not in SETTINGS:
            raise unknown_setting([name])
        if name == "_given":
            object.__setattr__(self, name, value)
        else:
            self._given[name] = value

    def __eq__(self, other):
        return isinstance(other, ProfilingOptions) and self._given == other._given

    __hash__ = None

    def __repr__(self):
        return f"ProfilingOptions({', '.join(f'{k}={v!r}' for k, v in self._given.items())})"

    def to_kwargs(self):
        """The settings that were given, for setup(**...)."""
        return dict(self._given)


class Config:
    """The settings of a run, all of them, checked."""

    def __init__(self, settings):
        for name, (default, _) in SETTINGS.items():
            setattr(self, name, _check(name, settings.get(name, default)))
        self.track_threads = self.track_threads or self.track_async
        for name, others in _CONFLICTS.items():
            both = [other for other in others if getattr(self, name) and getattr(self, other)]
            if both:
                first = "track_async" if name == "track_threads" and self.track_async else name
                raise ValueError(f"{first} cannot be combined with {both[0]}")
        if not self.deactivate_profiling:
            for name in _ABSENT:
                if getattr(self, name):
                    raise ValueError(f"{name} is not supported: this profiler does not record it")
        self.paused = False

    def __repr__(self):
        return f"Config({', '.join(f'{name}={getattr(self, name)!r}' for name in SETTINGS)})"


def _toml(path):
    try:
        import tomllib as parser
    except ImportError:
        try:
            import tomli as parser
        except ImportError:
            from scope_profiler import plain_toml as parser
    with open(path, "rb") as file:
        try:
            return parser.load(file)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None


def load_profiling_config(path):
    """The settings in the table [profiling] of a TOML file, and in its tables memray, gpu and hdf5."""
    table = _toml(path).get("profiling", {})
    if not isinstance(table, dict):
        raise ValueError(f"{path}: profiling is no table")
    settings = {}
    for name, value in table.items():
        if name in _TABLES and isinstance(value, dict):
            for part, inner in value.items():
                full = part if part in SETTINGS else _TABLES[name] + part
                settings[{"memray_enabled": "use_memray", "gpu_enabled": "use_gpu_timing"}.get(full, full)] = inner
        else:
            settings[name] = value
    unknown = set(settings) - set(SETTINGS) - {"output", "auto_finalize"}
    if unknown:
        raise TypeError(f"{path}: {unknown_setting(unknown)}")
    return settings
