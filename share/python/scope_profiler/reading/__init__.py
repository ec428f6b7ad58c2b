"""Reading profiles: what was recorded, as Python objects.

    results = read_h5("profiling_data.h5")
    results.print_summary()
    results["solve"][0].durations

Everything that a number means is in the reader library (libscope-reader); this package asks it. It works by itself:
nothing of the recording is needed.
"""

from .library import CorruptProfileError, EventDataUnavailableError, NestingError, ProfileError, ProfileSchemaError
from .opening import load, read_h5, read_h5_summary, read_json, read_profile
from .region import MPIRegion, Region
from .results import ProfilingResults
from .stack import call_stack_children, call_stack_roots
from .statistics import collect_region_statistics, write_region_statistics_json
from .writing import merge_results, write_json, write_metadata_json, write_profile

__all__ = [
    "CorruptProfileError", "EventDataUnavailableError", "MPIRegion", "NestingError", "ProfileError",
    "ProfileSchemaError", "ProfilingResults", "Region", "call_stack_children", "call_stack_roots",
    "collect_region_statistics", "load", "merge_results", "read_h5", "read_h5_summary", "read_json", "read_profile",
    "write_json", "write_metadata_json", "write_profile", "write_region_statistics_json",
]
