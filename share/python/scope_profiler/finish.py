"""finalize(): the recording becomes a profile. One command writes them all; here it is told of what, and where to."""
import os

from scope_profiler import launch
from scope_profiler._core import core

_GZIP_DEFAULT = 4
FINALIZED = "finalized"


def _compression(config):
    """gzip is the one that every reader of HDF5 has: the others are asked for and it is given."""
    if config.hdf5_compression is None:
        return []
    level = config.hdf5_compression_level
    return [f"--compress={_GZIP_DEFAULT if level is None else min(level, 9)}"]


def _collect(spools, path, config, keep):
    """Writes the profile; an OSError where that fails, the command having said why."""
    if not spools:
        return
    arguments = ["collect", "-qq", "-o", path, *_compression(config)]
    if config.label:
        arguments.append(f"--label={config.label}")
    if keep:
        arguments.append("--keep")
    status = core.command((*arguments, "--", *spools))
    if status != 0:
        raise OSError(f"{path}: the profile could not be written; what was recorded is in {', '.join(spools)}")


def _together(world, spool, path, config, keep):
    """Every rank's recording in one file; the error, if there was one, on every rank."""
    spools = world.gather(spool)
    problem = None
    if world.rank == 0:
        try:
            _collect([s for s in spools if s], path, config, keep)
        except OSError as error:
            problem = error
    return world.share(problem)


def _complete(manager, world):
    """With a file: what is recorded from here on is the next one's."""
    config, recording = manager._config, manager._recording
    written = {name: region.num_calls for name, region in recording.regions.items()}
    for name in recording.open_regions():
        written[name] -= 1  # the next finalize()'s
    spool = recording.next()
    if manager._lines is not None:
        manager._lines.restart()
    problem = _together(world, spool, config.file_path, config, keep=False)
    recording.collected(problem is None)
    if problem is not None:
        raise problem
    manager._completed = written
    return config.file_path


def _look(manager, world):
    """In memory: a look at it, and it goes on."""
    recording = manager._recording
    path = os.path.join(manager._memory, "profile.h5")
    recording.hold(True)
    problem = _together(world, recording.spool(), path, manager._config, keep=True)
    recording.hold(False)
    if problem is not None:
        raise problem
    return path


def _empty(manager, is_root):
    """The results of a recording that there is none of; what the ranks of an MPI program get that are not 0."""
    from scope_profiler import reading

    return reading.ProfilingResults({}, manager.get_config().file_path, is_root=is_root)


def so_far(manager):
    """The results of what is being recorded, which goes on; None where there is nothing."""
    from scope_profiler import places

    spool = core.session() or manager._recording.spool()
    if spool is None:
        return None
    directory = places.make()
    path = os.path.join(directory, "profile.h5")
    held = core.session() is None
    try:
        if held:
            manager._recording.hold(True)
        status = core.command(("collect", "-qq", "--keep", "-o", path, "--", spool))
        return _read(path, manager._config.file_path) if status == 0 else None
    finally:
        if held:
            manager._recording.hold(False)
        places.remove(directory)


def finalize(manager, verbose, return_results, verbose_line_profiler):
    """See ProfileManager.finalize()."""
    config = manager._config
    if not manager._configured or config.deactivate_profiling or not manager._recording.mine():
        return _empty(manager, True) if return_results else None
    if core.session() is not None:
        manager._state = FINALIZED  # the run writes the profile, when it ends
        results = so_far(manager) if return_results and launch.world().size == 1 else None
        return results or (_empty(manager, True) if return_results else None)
    world = launch.world()
    in_memory = config.deactivate_file_output
    path = (_look if in_memory else _complete)(manager, world)
    manager._state = FINALIZED
    manager._auto_finalize = False
    if world.rank != 0:
        return _empty(manager, False) if return_results else None
    results = None
    if (return_results or verbose or manager._lines is not None) and os.path.exists(path):
        results = _read(path, config.file_path)
    if manager._lines is not None and results is not None:
        manager._lines.written = results.line_profile.get(0, [])
    if verbose and results is not None:
        _print(results, world.size, in_memory)
    if verbose_line_profiler:
        _print_lines(manager)
    return results


def _read(path, name):
    from scope_profiler import reading

    results = reading.read_profile(path)
    results.file_path = name
    return results


def _print(results, ranks, in_memory):
    if not in_memory:
        results.print_summary()
        return
    plural = "" if ranks == 1 else "s"
    results.print_summary(title=f"{results.display_label} (in memory, {ranks} rank{plural})")


def _print_lines(manager):
    if manager._lines is None:
        return
    for name in manager._recording.regions:
        manager._line_stats(name).print()
