"""Where recordings lie that no file is wanted of: in memory, as a directory of a file system that is."""
import os

_PREFIX = "scope-profiler."

#: Endings of formats that are not written, as the command has them (cli/launch/output.c).
FOREIGN_ENDINGS = (
    "html htm xml svg png pdf jpg jpeg gif csv tsv txt md xlsx yml yaml toml prof pstats gz bz2 xz zst zip".split()
)


def _root():
    shared = "/dev/shm"
    if os.access(shared, os.W_OK | os.X_OK):
        return shared
    import tempfile

    return tempfile.gettempdir()


def _is_dead(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass
    return False


def _sweep(root):
    """What killed processes of this user left behind."""
    for entry in os.scandir(root):
        pid = entry.name[len(_PREFIX):].split(".")[0] if entry.name.startswith(_PREFIX) else ""
        if pid.isdigit() and _is_dead(int(pid)) and entry.stat(follow_symlinks=False).st_uid == os.geteuid():
            remove(entry.path)


def check(path):
    """An OSError or ValueError where no profile can be made of that name: at the end it would be too late."""
    import errno

    ending = os.path.splitext(path)[1]
    if ending[1:].lower() in FOREIGN_ENDINGS and not path.lower().endswith(".json.gz"):
        raise ValueError(f"{path}: a profile is HDF5 (.h5) or JSON (.json, .json.gz), no {ending} file")
    directory = os.path.dirname(path)
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, "is no file", path)
    if not os.path.isdir(directory):
        code = errno.ENOTDIR if os.path.exists(directory) else errno.ENOENT
    elif not os.access(directory, os.W_OK | os.X_OK):
        code = errno.EACCES
    else:
        return
    raise OSError(code, os.strerror(code), directory)


def make():
    """A directory of this process alone."""
    root = _root()
    try:
        _sweep(root)
    except OSError:
        pass
    path = os.path.join(root, f"{_PREFIX}{os.getpid()}.{os.urandom(6).hex()}")
    os.mkdir(path, 0o700)
    return path


def remove(path):
    import shutil

    shutil.rmtree(path, ignore_errors=True)
