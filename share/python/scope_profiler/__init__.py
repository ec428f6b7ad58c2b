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
from scope_profiler.manager import ProfileManager
from scope_profiler.options import ProfilingOptions

setup = ProfileManager.setup
session = ProfileManager.session
region = ProfileManager.region
profile = ProfileManager.profile
profile_region = ProfileManager.profile_region
finalize = ProfileManager.finalize
run = ProfileManager.run

#: What reads profiles is loaded when it is asked for.
_READING = (
    "MPIRegion",
    "ProfilingResults",
    "Region",
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

__all__ = [
    "ProfileManager",
    "ProfilingOptions",
    "finalize",
    "profile",
    "profile_region",
    "region",
    "run",
    "session",
    "setup",
    *_READING,
]


def __getattr__(name):
    if name in _READING:
        from scope_profiler import reading

        return getattr(reading, name)
    if name == "__version__":
        from scope_profiler._where import VERSION

        return VERSION
    raise AttributeError(f"module 'scope_profiler' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *__all__})
