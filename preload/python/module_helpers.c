/* What is best said in Python: wrappers that are generator and coroutine functions themselves, so that whoever looks at
 * a decorated function finds the kind that it is; and what the builtin module scope_profiler is made of. */
#include "attach.h"
#include "module.h"

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
    "def front(module, core, ours, installed):\n"
    "    scope = module.__dict__\n"
    "    path = [place.rstrip('/') for place in (ours, installed) if place]\n"
    "    if path:\n"
    "        scope['__path__'] = path\n"
    "    if ours:\n"
    "        name = ours + '__init__.py'\n"
    "        with open(name, 'rb') as file:\n"
    "            exec(compile(file.read(), name, 'exec'), scope)\n"
    "    else:\n"
    "        scope['region'] = core.recording.region\n"
    "        scope['profile'] = core.recording.profile\n"
    "    if installed:\n"
    "        scope['__getattr__'] = _beside(installed, scope.get('__getattr__'))\n"
    "    return True\n"
    "\n"
    "def _missing(name):\n"
    "    raise AttributeError(f\"module 'scope_profiler' has no attribute '{name}'\")\n"
    "\n"
    "def _beside(path, ours):\n"
    "    real = []\n"
    "    def load():\n"
    "        import importlib.util\n"
    "        spec = importlib.util.spec_from_file_location(\n"
    "            'scope_profiler', path + '/__init__.py', submodule_search_locations=[path])\n"
    "        real.append(importlib.util.module_from_spec(spec))\n"
    "        try:\n"
    "            spec.loader.exec_module(real[0])\n"
    "        except BaseException:\n"
    "            real.clear()\n"
    "            raise\n"
    "    def __getattr__(name):\n"
    "        if ours is not None:\n"
    "            try:\n"
    "                return ours(name)\n"
    "            except AttributeError:\n"
    "                pass\n"
    "        if name.startswith('__') and name not in ('__version__', '__all__'):\n"
    "            _missing(name)\n"
    "        if not real:\n"
    "            load()\n"
    "        try:\n"
    "            return getattr(real[0], name)\n"
    "        except AttributeError:\n"
    "            _missing(name)\n"
    "    return __getattr__\n";

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
