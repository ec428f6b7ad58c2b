"""Regions of a Python program, and what was recorded of them.

    import scope_profiler as sp

    @sp.profile
    def step():
        with sp.region("solve"):
            ...

    sp.setup(file_path="profile.h5")    # not under `scope-profiler run`, which has done it
    step()
    sp.finalize()
"""
#: Each part is loaded when it is asked for: who reads profiles does not load the recorder, nor the other way round.
_CALLS = ("finalize", "profile", "profile_region", "region", "run", "session", "setup")

_READING = (
    "EventDataUnavailableError",
    "MPIRegion",
    "NestingError",
    "ProfilingResults",
    "Region",
    "call_stack_children",
    "call_stack_roots",
    "collect_region_statistics",
    "load",
    "merge_results",
    "read_h5",
    "read_h5_summary",
    "read_json",
    "read_profile",
    "write_json",
    "write_profile",
    "write_region_statistics_json",
)

__all__ = ["ProfileManager", "ProfilingOptions", *_CALLS, *_READING]


def _amid_the_import(name):
    """A signal handler or a finalizer that runs while its thread imports the manager may have regions as well: those of
    a run, which need no manager; others have no setup() yet."""
    import sys

    if name != "region" or "scope_profiler.manager" not in sys.modules:
        return None
    core = sys.modules.get("_scope_profiler")
    if core is not None:
        return core.recording.region
    from contextlib import nullcontext

    return lambda *name, **more: nullcontext()


def _find(name):
    if name in _CALLS:
        return getattr(_find("ProfileManager"), name)
    if name == "ProfileManager":
        from scope_profiler.manager import ProfileManager

        return ProfileManager
    if name == "ProfilingOptions":
        from scope_profiler.options import ProfilingOptions

        return ProfilingOptions
    if name in _READING:
        from scope_profiler import reading

        return getattr(reading, name)
    if name == "__version__":
        from scope_profiler._where import VERSION

        return VERSION
    raise AttributeError(f"module 'scope_profiler' has no attribute '{name}'")


def __getattr__(name):
    try:
        value = globals()[name] = _find(name)
        return value
    except ImportError:
        value = _amid_the_import(name)
        if value is None:
            raise
        return value


def __dir__():
    return sorted({*globals(), *__all__})
