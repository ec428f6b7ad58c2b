"""Files to results. All of these take HDF5, JSON and native traces alike: the content says what a file is."""

from .library import ProfileSchemaError
from .profile import Profile
from .results import ProfilingResults


def _refuse_reports(path):
    """A report is made from a profile and does not hold it."""
    try:
        with open(path, "rb") as file:
            start = file.read(512).lstrip().lower()
    except OSError:
        return  # the reader says why
    if start.startswith((b"<!doctype html", b"<html")):
        raise ProfileSchemaError("%s: an HTML report; give the profile that it was made from" % path)


def load(path):
    """Results of a profile, whatever its format and its name."""
    _refuse_reports(path)
    return ProfilingResults(Profile(path), path)


def read_h5(path):
    """Results of a profile. The index is read at once, calls when they are asked for."""
    return load(path)


def read_h5_summary(path):
    """Results without single calls: asking for them is an EventDataUnavailableError. Statistics come from the index
    alone, whatever the number of calls."""
    return ProfilingResults(Profile(path), path, event_data_available=False)


def read_json(path):
    """Results of a JSON profile."""
    return load(path)


def read_profile(path):
    """Results of a profile, JSON or HDF5."""
    return load(path)
