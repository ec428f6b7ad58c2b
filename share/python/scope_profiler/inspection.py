"""Where programs that were written for the Python tool look for write_metadata_json()."""

from scope_profiler.reading import write_metadata_json

__all__ = ["write_metadata_json"]
