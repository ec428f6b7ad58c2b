#include "module.h"
#include "attach.h"
#include "lines.h"
#include "names.h"

PyObject *module_none(void) {
    py.Py_IncRef(py.none);
    return py.none;
}

PyObject *module_exception(const char *symbol) {
    PyObject **exception;
    py_symbol(py.handle, symbol, &exception);
    return exception ? *exception : NULL;
}

bool module_in_main_interpreter(void) { return py.PyInterpreterState_GetID(py.interpreter()) == 0; }

void module_count_lines(PyObject *function, struct region_object *region) {
    if (!lines_wanted() || !module_in_main_interpreter()) return;
    PyObject *code = py_attribute(function, "__code__"), *globals = py_attribute(function, "__globals__");
    const char *name = py_text(region->name);
    if (code && name) lines_decide(code, globals, name);
    py_drop(globals);
    py_drop(code);
}

/* What the module does not have is the installed package's. Names that the import system asks for are not worth loading
 * it. */
static PyObject *from_package(PyObject *module, PyObject *name) {
    struct module_state *state = module_state(module);
    const char *text = py_text(name);
    bool internal =
        text && strncmp(text, "__", 2) == 0 && strcmp(text, "__version__") != 0 && strcmp(text, "__all__") != 0;
    PyObject *helper = internal ? NULL : module_helper(module, "installed");
    if (helper) return py.PyObject_CallFunctionObjArgs(helper, module, state->package, name, NULL);
    if (!py.PyErr_Occurred())
        py.PyErr_Format(module_exception("PyExc_AttributeError"), "module 'scope_profiler' has no attribute '%U'",
                        name);
    return NULL;
}

static struct py_method functions[] = {
    MODULE_METHOD("region", module_region, PY_METH_FASTCALL_KEYWORDS,
                  "region($module, /, name, tags=None, functions=None)\n--\n\n"
                  "The region of this name, to be used in a `with` statement.\n\n"
                  "tags: strings, the same ones at each use. functions: their lines are counted under the region's\n"
                  "name, where lines are counted."),
    MODULE_METHOD("profile", module_profile, PY_METH_VARARGS_KEYWORDS,
                  "profile($module, function_or_name=None, /, *, name=None, tags=None)\n--\n\n"
                  "Decorates a function: its calls are a region, named after it or as given."),
    {0},
};

/* ---- making it -----------------------------------------------------------------------------------------------------
 */

static bool add(PyObject *module, const char *name, PyObject *object) {
    if (!object) return false;
    py.Py_IncRef(object);
    return py.PyModule_AddObject(module, name, object) == 0;
}

/* `import scope_profiler.x` finds the installed package's x. */
static bool add_package(PyObject *module, struct module_state *state) {
    state->package = module_find_package();
    py.PyErr_Clear();
    if (!state->package) return true;
    static struct py_method method = MODULE_METHOD("__getattr__", from_package, PY_METH_O, NULL);
    PyObject *path = py.Py_BuildValue("[O]", state->package), *function = py.PyCFunction_NewEx(&method, module, NULL);
    bool added = add(module, "__path__", path) && add(module, "__getattr__", function);
    py_drop(function);
    py_drop(path);
    return added;
}

static int execute(PyObject *module) {
    struct module_state *state = module_state(module);
    *state = (struct module_state){.regions = py.PyDict_New(),
                                   .region_type = make_region_type(),
                                   .profiled_type = make_profiled_type(),
                                   .segmenter_type = make_segmenter_type(),
                                   .segments_type = make_segments_type()};
    bool made =
        state->regions && state->region_type && state->profiled_type && state->segmenter_type && state->segments_type;
    return made && add(module, "Region", state->region_type) && add_package(module, state) ? 0 : -1;
}

#define EACH_REFERENCE(state, reference)                                                                               \
    PyObject **const references[] = {&(state)->regions,        &(state)->region_type,   &(state)->profiled_type,       \
                                     &(state)->segmenter_type, &(state)->segments_type, &(state)->helpers,             \
                                     &(state)->package};                                                               \
    for (size_t i_ = 0; i_ < sizeof references / sizeof *references && ((reference) = references[i_], true); i_++)

static int traverse(PyObject *module, int (*visit)(PyObject *, void *), void *data) {
    struct module_state *state = module_state(module);
    PyObject **reference;
    int stop;
    if (!state) return 0;
    EACH_REFERENCE(state, reference) if (*reference && (stop = visit(*reference, data))) return stop;
    return 0;
}

static int clear(PyObject *module) {
    struct module_state *state = module_state(module);
    PyObject **reference;
    if (!state) return 0;
    EACH_REFERENCE(state, reference) {
        PyObject *object = *reference;
        *reference = NULL;
        py_drop(object);
    }
    return 0;
}

static void release(void *module) { clear(module); }

static PyObject *init(void) {
    static struct py_slot slots[4] = {{PY_MOD_EXEC, NULL}};
    static struct py_module_def definition = {
        .head = {.references = 1},
        .name = "scope_profiler",
        .doc = "Regions of a program that is being recorded by `scope-profiler run`.",
        .state_size = sizeof(struct module_state),
        .methods = functions,
        .slots = slots,
        .traverse = traverse,
        .clear = clear,
        .free = release,
    };
    int (*function)(PyObject *) = execute;
    size_t n = 1;
    memcpy(&slots[0].value, &function, sizeof function);
    if (py.minor >= 12) slots[n++] = (struct py_slot){PY_MOD_MULTIPLE_INTERPRETERS, (void *)2}; /* a GIL each is fine */
    if (py.minor >= 13) slots[n++] = (struct py_slot){PY_MOD_GIL, (void *)0};                   /* it is used */
    slots[n] = (struct py_slot){0, NULL};
    return py.PyModuleDef_Init(&definition);
}

static void found(void) {
    if (strstr(py.Py_GetVersion(), "free-threading")) return; /* objects have another shape there */
    py.PyImport_AppendInittab("scope_profiler", init);
}

static const struct attach_room room = {.found = found};

__attribute__((constructor(ATTACH_ADD_PRIORITY))) static void begin(void) {
    if (rec_session()) attach_add(&room);
}
