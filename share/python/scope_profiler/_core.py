"""The compiled part: builtin where the program is recorded, else a file of the installation."""
import os
import sys


def _load():
    from importlib.machinery import ExtensionFileLoader, ModuleSpec
    from importlib.util import module_from_spec

    from scope_profiler._where import LIBRARIES

    here = os.path.dirname(os.path.realpath(__file__))
    for place in LIBRARIES:
        path = os.path.normpath(os.path.join(here, place))
        if not os.path.exists(path):
            continue
        loader = ExtensionFileLoader("_scope_profiler", path)
        module = module_from_spec(ModuleSpec("_scope_profiler", loader, origin=path))
        loader.exec_module(module)
        sys.modules["_scope_profiler"] = module
        return module
    raise ImportError(f"scope_profiler: _scope_profiler.so is not where it belongs: {here}/{LIBRARIES[0]}")


try:
    import _scope_profiler as core
except ImportError:
    core = _load()
