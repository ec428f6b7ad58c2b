"""Results, and documents about them, to files."""

import json
import os
import tempfile
from ctypes import byref, c_void_p

from .library import KEEP, SHARE, WriteOptions, encode, library
from .profile import Profile
from .results import ProfilingResults


def write_document(document, path):
    """A dict as JSON, indented by two; the file is replaced when it is complete."""
    directory = os.path.dirname(os.path.abspath(os.fspath(path)))
    os.makedirs(directory, exist_ok=True)
    written = (json.dumps(document, indent=2, allow_nan=False) + "\n").encode("utf-8", "surrogateescape")
    handle, temporary = tempfile.mkstemp(prefix=".scope-profiler-", dir=directory)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(written)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _write(runs, path, label=None, indent=0, compress=0, ranks=KEEP):
    if any(run._profile is None for run in runs):
        raise ValueError("these results hold no data: another rank has them")
    handles = (c_void_p * len(runs))(*(run._profile.handle.value for run in runs))
    options = WriteOptions(None if label is None else encode(label), compress, indent or 0, ranks)
    library().write(handles, len(runs), encode(path), byref(options))


def write_profile(results, path, indent=0, compress=0):
    """Writes results: JSON where the name ends in .json or .json.gz, else HDF5. indent: blanks a level, of JSON;
    compress: 0 none, 1 to 9, of HDF5."""
    _write([results], path, results.label, indent, compress)
    return path


def write_json(results, path, indent=0):
    """Writes results as JSON, compressed where the name ends in .gz."""
    if library().is_json_name(encode(path)):
        return write_profile(results, path, indent)
    directory = os.path.dirname(os.path.abspath(os.fspath(path)))
    with tempfile.TemporaryDirectory(prefix=".scope-profiler-", dir=directory) as beside:
        name = os.path.join(beside, "profile.json.gz" if os.fspath(path).endswith(".gz") else "profile.json")
        write_profile(results, name, indent)
        os.replace(name, path)
    return path


def _joined(first, second, label):
    """Two results as one, in a file that is gone when nobody holds it any more."""
    handle, name = tempfile.mkstemp(prefix="scope-profiler-", suffix=".h5")
    os.close(handle)
    try:
        _write([first, second], name, label, ranks=SHARE)
        return Profile(name)
    finally:
        os.unlink(name)


def merge_results(*results, label=None, file_path=None):
    """Several results as one: ranks stay what they are. ValueError where two have a region of the same name: their
    calls would count twice. Results that are not root are left out; label, file_path: those of the first, if None."""
    if not results:
        raise ValueError("merge_results() needs results")
    roots = [run for run in results if run.is_root and run._profile is not None]
    if not roots:
        return results[0]
    owner = {}
    for run in roots:
        for name in run.region_names:
            if owner.setdefault(name, run) is not run:
                raise ValueError("region %r is in more than one of the results: give one of them another name" % name)
    merged = roots[0]
    for run in roots[1:]:
        path = file_path if file_path is not None else roots[0].file_path
        merged = ProfilingResults(_joined(merged, run, label or roots[0].label), path)
    if merged is roots[0] and (label or file_path is not None):
        merged = ProfilingResults(merged._profile, file_path if file_path is not None else merged.file_path)
        merged.label = label or roots[0].label
    return merged


def _metadata_entry(path):
    results = path if isinstance(path, ProfilingResults) else ProfilingResults.from_h5(path)
    return {"file_path": os.path.abspath(str(results.file_path)), "num_ranks": results.num_ranks,
            "metadata": results.metadata}


def write_metadata_json(paths, output):
    """Writes the metadata of one or several profiles (paths, or results), uncut, and returns the document."""
    several = isinstance(paths, (list, tuple))
    document = {"files": [_metadata_entry(path) for path in (paths if several else [paths])]}
    write_document(document, output)
    return document
