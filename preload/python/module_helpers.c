/* What is best said in Python: wrappers that are generator and coroutine functions themselves, so that whoever looks at
 * a decorated function finds the kind that it is; and the installed package behind the module. */
#include "attach.h"
#include "module.h"
#include <stdio.h>
#include <sys/stat.h>

static const char source[] =
    "def _like(wrapper, function):\n"
    "    annotations = '__annotate__' if hasattr(function, '__annotate__') else '__annotations__'\n"
    "    for name in ('__module__', '__name__', '__qualname__', '__doc__', annotations):\n"
    "        try:\n"
    "            setattr(wrapper, name, getattr(function, name))\n"
    "        except AttributeError:\n"
    "            pass\n"
    "    wrapper.__dict__.update(function.__dict__)\n"
    "    wrapper.__wrapped__ = function\n"
    "    return wrapper\n"
    "\n"
    "def generator(function, segments):\n"
    "    def wrapper(*args, **kwargs):\n"
    "        return (yield from segments(function(*args, **kwargs)))\n"
    "    return _like(wrapper, function)\n"
    "\n"
    "def coroutine(function, segments):\n"
    "    async def wrapper(*args, **kwargs):\n"
    "        return await segments(function(*args, **kwargs))\n"
    "    return _like(wrapper, function)\n"
    "\n"
    "def async_generator(function, segments):\n"
    "    async def wrapper(*args, **kwargs):\n"
    "        inner = function(*args, **kwargs)\n"
    "        step = segments(inner.__anext__())\n"
    "        while True:\n"
    "            try:\n"
    "                item = await step\n"
    "            except StopAsyncIteration:\n"
    "                return\n"
    "            try:\n"
    "                sent = yield item\n"
    "            except GeneratorExit:\n"
    "                await segments(inner.aclose(), True)\n"
    "                raise\n"
    "            except BaseException as error:\n"
    "                step = segments(inner.athrow(error), True)\n"
    "            else:\n"
    "                step = segments(inner.asend(sent), True)\n"
    "    return _like(wrapper, function)\n"
    "\n"
    "_real = []\n"
    "def installed(module, path, name):\n"
    "    if not _real:\n"
    "        import importlib.util\n"
    "        spec = importlib.util.spec_from_file_location(\n"
    "            'scope_profiler', path + '/__init__.py', submodule_search_locations=[path])\n"
    "        _real.append(importlib.util.module_from_spec(spec))\n"
    "        try:\n"
    "            spec.loader.exec_module(_real[0])\n"
    "        except BaseException:\n"
    "            _real.clear()\n"
    "            raise\n"
    "    try:\n"
    "        return getattr(_real[0], name)\n"
    "    except AttributeError:\n"
    "        raise AttributeError(f\"module 'scope_profiler' has no attribute '{name}'\") from None\n";

static PyObject *define(void) {
    PyObject *globals = py.PyDict_New(), *code = NULL, *result = NULL;
    PyObject *name = py.PyUnicode_FromString("scope_profiler");
    attach_quiet();
    if (globals && name && py.PyDict_SetItemString(globals, "__builtins__", py.PyEval_GetBuiltins()) == 0 &&
        py.PyDict_SetItemString(globals, "__name__", name) == 0)
        code = py.Py_CompileString(source, "<frozen scope_profiler>", PY_FILE_INPUT);
    if (code) result = py.PyEval_EvalCode(code, globals, globals);
    attach_loud();
    py_drop(code);
    py_drop(name);
    if (!result) {
        py_drop(globals);
        return NULL;
    }
    py.Py_DecRef(result);
    return globals;
}

PyObject *module_helper(PyObject *module, const char *name) {
    struct module_state *state = module_state(module);
    if (!state->helpers) state->helpers = define();
    return state->helpers ? py.PyDict_GetItemString(state->helpers, name) : NULL;
}

PyObject *module_find_package(void) {
    PyObject *list = py.PySys_GetObject("path"), *entry;
    for (Py_ssize_t i = 0; list && (entry = py.PyList_GetItem(list, i)); i++) {
        char path[4096];
        struct stat about;
        const char *directory = py_text(entry);
        if (!directory) continue;
        const char *slash = *directory ? "/" : "";
        int length = snprintf(path, sizeof path, "%s%sscope_profiler/__init__.py", directory, slash);
        if (length < 0 || length >= (int)sizeof path || stat(path, &about) != 0 || !S_ISREG(about.st_mode)) continue;
        path[length - (int)strlen("/__init__.py")] = 0;
        return py.PyUnicode_FromString(path);
    }
    return NULL;
}
