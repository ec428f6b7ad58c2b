"""Whole scripts, and commands."""
import contextlib
import os
import sys

from scope_profiler.calls import Tracing


@contextlib.contextmanager
def _lines_of_all(recording, only_user_code):
    """Where lines are counted: those of every function that is traced."""
    recording.count_all_lines(True, not only_user_code)
    try:
        yield
    finally:
        recording.count_all_lines(False, not only_user_code)


def run(manager, script_path, script_args, region_name, only_user_code, recursive):
    """See ProfileManager.run_script()."""
    import runpy

    path = os.path.abspath(script_path)
    argv, first = sys.argv, os.path.dirname(path)
    sys.argv = [path, *(script_args or [])]
    if first not in sys.path:
        sys.path.insert(0, first)
    try:
        if not recursive:
            runpy.run_path(path, run_name="__main__")
            return
        region = manager.region(region_name or os.path.basename(path))
        with region, Tracing(manager, only_user_code), _lines_of_all(manager._recording, only_user_code):
            runpy.run_path(path, run_name="__main__")
    finally:
        sys.argv = argv


def command(arguments, output, recursive, everything, mpi_calls):
    """See ProfileManager.profile_command()."""
    import subprocess

    from scope_profiler._core import core

    words = [os.fsdecode(word) for word in arguments]
    if not words:
        raise ValueError("profile_command() needs a command")
    path = os.fsdecode(output) if output is not None else "profiling_data.h5"
    options = ["-q", "-o", path]
    options += ["--recursive"] if recursive or everything else []
    options += ["--all"] if everything else []
    options += ["--mpi-calls"] if mpi_calls else []
    completed = subprocess.run([core.command_path(), "run", *options, "--", *words], check=False)
    completed.profile_results = None
    if completed.returncode == 0 and os.path.exists(path):
        from scope_profiler import reading

        completed.profile_results = reading.load(path)
    return completed
