"""Calls of mpi4py's communicators as regions, in a process whose MPI calls nobody records otherwise.

MPI.COMM_WORLD and MPI.COMM_SELF are wrapped where the program finds them, and communicators made of them as well. Names are
those of the tool's native recorders: `mpi:send kind=point-to-point bytes=8 peer=1 root=-1 tag=0 comm=0`.
"""
import sys

from scope_profiler._core import core

_WAIT, _COLLECTIVE, _POINT = "wait", "collective", "point-to-point"

#: method, lower case: (kind, position of its peer, name of that argument, position of the tag)
_OPERATIONS = {
    "send": (_POINT, 1, "dest", 2),
    "isend": (_POINT, 1, "dest", 2),
    "recv": (_POINT, 1, "source", 2),
    "irecv": (_POINT, 1, "source", 2),
    "barrier": (_COLLECTIVE, None, None, None),
    "bcast": (_COLLECTIVE, 1, "root", None),
    "reduce": (_COLLECTIVE, 3, "root", None),
    "allreduce": (_COLLECTIVE, None, None, None),
}
_DEFAULTS = {"recv": -1, "irecv": -1, "bcast": 0, "reduce": 0}
_MAKERS = ("Clone", "Create", "Create_group", "Dup", "Dup_with_info", "Idup", "Split", "Split_type", "Merge")


def _bytes(operation, value, is_buffer):
    """Of a buffer, or of [buffer, ...] as mpi4py takes it; -1 where that is not known."""
    if operation == "barrier":
        return 0
    if isinstance(value, (list, tuple)) and is_buffer and value:
        value = value[0]
    try:
        return memoryview(value).nbytes
    except TypeError:
        return -1


def _argument(args, kwargs, position, name, default):
    if name in kwargs:
        return kwargs[name]
    return args[position] if position is not None and len(args) > position else default


class _Request:
    """A request whose wait is a region of its own."""

    def __init__(self, manager, inner, operation, comm):
        self._manager, self._scope_profiler_inner = manager, inner
        self._operation, self._comm = operation, comm

    def __getattr__(self, name):
        return getattr(self._scope_profiler_inner, name)

    def _wait(self, method, args, kwargs):
        name = f"mpi:wait kind=wait bytes=-1 peer=-1 root=-1 tag=-1 comm={self._comm} request={self._operation}"
        with _region(self._manager, name, "wait", _WAIT, -1, -1, -1, -1, self._comm, self._operation):
            return method(*args, **kwargs)

    def wait(self, *args, **kwargs):
        return self._wait(self._scope_profiler_inner.wait, args, kwargs)

    def Wait(self, *args, **kwargs):
        return self._wait(self._scope_profiler_inner.Wait, args, kwargs)


def _region(manager, name, operation, kind, size, peer, root, tag, comm, request=None):
    region = manager.get_region(name)
    if region is not None:
        return region
    tags = ["mpi", f"mpi.kind:{kind}", f"mpi.operation:{operation}", f"mpi.bytes:{size}", f"mpi.peer:{peer}"]
    tags += [f"mpi.root:{root}", f"mpi.tag:{tag}", f"mpi.communicator:{comm}"]
    tags += [f"mpi.request:{request}"] if request else []
    return manager.region(name, tags=tags)


class _Communicator:
    """A communicator whose calls are regions; everything else is the inner one's."""

    def __init__(self, manager, inner):
        self._manager, self._scope_profiler_inner = manager, inner
        self._number = inner.py2f() if hasattr(inner, "py2f") else 0

    def __getattr__(self, name):
        value = getattr(self._scope_profiler_inner, name)
        if name in _MAKERS:
            return self._maker(value)
        if name.lower() in _OPERATIONS and callable(value):
            return self._operation(name, value)
        return value

    def _maker(self, make):
        def derived(*args, **kwargs):
            args = [getattr(value, "_scope_profiler_inner", value) for value in args]
            made = make(*args, **kwargs)
            return _Communicator(self._manager, made) if hasattr(made, "Get_rank") else made

        return derived

    def _operation(self, name, method):
        operation = name.lower()
        kind, position, argument, tag_position = _OPERATIONS[operation]

        def call(*args, **kwargs):
            value = args[0] if args else kwargs.get("buf", kwargs.get("sendbuf", kwargs.get("obj")))
            other = _argument(args, kwargs, position, argument, _DEFAULTS.get(operation, -1)) if argument else -1
            tag = _argument(args, kwargs, tag_position, "tag", 0 if "send" in operation else -1) if tag_position else -1
            size = _bytes(operation, value, name[0].isupper())
            peer, root = (other, -1) if kind == _POINT else (-1, other)
            peer = peer if peer >= 0 else -1
            text = f"mpi:{operation} kind={kind} bytes={size} peer={peer} root={root} tag={tag} comm={self._number}"
            with _region(self._manager, text, operation, kind, size, peer, root, tag, self._number):
                result = method(*args, **kwargs)
            if operation in ("isend", "irecv"):
                return _Request(self._manager, result, operation, self._number)
            return result

        return call


class _Finder:
    """Wraps mpi4py.MPI's communicators as soon as the program has imported it."""

    def __init__(self, calls):
        self._calls = calls

    def find_spec(self, name, path=None, target=None):
        if name != "mpi4py.MPI" or self._calls.is_looking:
            return None
        self._calls.is_looking = True
        try:
            from importlib.util import find_spec

            spec = find_spec(name)
        finally:
            self._calls.is_looking = False
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            self._calls.wrap(module)

        spec.loader.exec_module = exec_module
        return spec


class MPICalls:
    """From setup(profile_mpi_calls=True) until the next setup(), or the end."""

    def __init__(self, manager):
        self._manager, self._module, self._before = manager, None, {}
        self._finder = None
        self.is_looking = False
        if core.session() is not None:
            return  # the run records every MPI call, whoever makes it
        if "mpi4py.MPI" in sys.modules:
            self.wrap(sys.modules["mpi4py.MPI"])
        else:
            self._finder = _Finder(self)
            sys.meta_path.insert(0, self._finder)

    def wrap(self, module):
        self._module = module
        for name in ("COMM_WORLD", "COMM_SELF"):
            self._before[name] = getattr(module, name)
            setattr(module, name, _Communicator(self._manager, self._before[name]))

    def stop(self):
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        for name, communicator in self._before.items():
            setattr(self._module, name, communicator)
        self._before = {}
