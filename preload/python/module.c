#include "module.h"
#include "attach.h"
#include "hook.h"
#include "lines.h"
#include "names.h"
#include "steps.h"
#include "trace.h"
#include <dlfcn.h>
#include <errno.h>

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

/* ---- functions ------------------------------------------------------------------------------------------------------
 */

static PyObject *new_recording(PyObject *module, PyObject *unused) {
    (void)unused;
    return recording_new(module, false);
}

/* command(arguments): runs the scope-profiler command and waits; its exit status. */
static PyObject *command(PyObject *module, PyObject *arguments) {
    (void)module;
    enum { MOST = 4000 };
    const char *texts[MOST + 1]; /* the strings belong to the tuple, which lives until the end */
    const Py_ssize_t count = py.PyTuple_Size(arguments);
    if (count > MOST) py.PyErr_Format(module_exception("PyExc_ValueError"), "too many arguments");
    if (count < 0 || count > MOST) return NULL;
    for (Py_ssize_t i = 0; i < count; i++)
        if (!(texts[i] = py.PyUnicode_AsUTF8(py.PyTuple_GetItem(arguments, i)))) return NULL;
    texts[count] = NULL;
    PyThreadState *state = py.PyEval_SaveThread();
    const int status = rec_command(texts), error = errno;
    py.PyEval_RestoreThread(state);
    errno = error;
    if (status < 0) return py.PyErr_SetFromErrnoWithFilename(module_exception("PyExc_OSError"), rec_command_path());
    return py.PyLong_FromLong(status);
}

/* session(): the spool of the run that this process belongs to, or None. */
static PyObject *session(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    struct recorder *recorder = rec_session();
    return recorder ? py.PyUnicode_FromString(rec_spool_path(recorder)) : module_none();
}

static PyObject *set_pause(PyObject *module, PyObject *on) {
    (void)module;
    if (py.PyObject_IsTrue(on) > 0)
        rec_pause();
    else
        rec_resume();
    return module_none();
}

/* trace(on): this thread's Python functions are regions. True: they are now, and were not before. */
static PyObject *trace(PyObject *module, PyObject *on) {
    (void)module;
    return py.PyBool_FromLong(module_in_main_interpreter() && hook_setprofile_here(py.PyObject_IsTrue(on) > 0));
}

/* leave_out(function): its calls are not traced. */
static PyObject *leave_out(PyObject *module, PyObject *function) {
    (void)module;
    PyObject *code = py_attribute(function, "__code__");
    if (code && module_in_main_interpreter() && hook_setprofile_ready()) names_leave_out(code);
    py_drop(code);
    return module_none();
}

/* track_tasks(on): what is recorded in an asyncio task is that task's. False: tasks cannot be seen here. */
static PyObject *track_tasks(PyObject *module, PyObject *on) {
    (void)module;
    if (py.PyObject_IsTrue(on) > 0) return py.PyBool_FromLong(module_in_main_interpreter() && steps_begin());
    steps_end();
    return module_none();
}

static PyObject *clock_ns(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    return py.Py_BuildValue("L", (long long)rec_clock_ns());
}

/* configure(key, value): as rec_configure(); value None: as the environment says. */
static PyObject *configure(PyObject *module, PyObject *args, PyObject *names) {
    (void)module;
    static char key_name[] = "key", value_name[] = "value";
    static char *keywords[] = {key_name, value_name, NULL};
    const char *key, *value;
    if (!py.PyArg_ParseTupleAndKeywords(args, names, "sz:configure", keywords, &key, &value)) return NULL;
    if (rec_configure(key, value)) return module_none();
    py.PyErr_Format(module_exception("PyExc_ValueError"), "%s: no such setting, or too long a value", key);
    return NULL;
}

static PyObject *command_path(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    return py.PyUnicode_FromString(rec_command_path());
}

static struct py_method functions[] = {
    MODULE_METHOD("Recording", new_recording, PY_METH_NOARGS, NULL),
    MODULE_METHOD("configure", configure, PY_METH_VARARGS_KEYWORDS, NULL),
    MODULE_METHOD("command", command, PY_METH_O, NULL),
    MODULE_METHOD("command_path", command_path, PY_METH_NOARGS, NULL),
    MODULE_METHOD("session", session, PY_METH_NOARGS, NULL),
    MODULE_METHOD("pause", set_pause, PY_METH_O, NULL),
    MODULE_METHOD("trace", trace, PY_METH_O, NULL),
    MODULE_METHOD("leave_out", leave_out, PY_METH_O, NULL),
    MODULE_METHOD("track_tasks", track_tasks, PY_METH_O, NULL),
    MODULE_METHOD("clock_ns", clock_ns, PY_METH_NOARGS, NULL),
    {0},
};

/* ---- making it -----------------------------------------------------------------------------------------------------
 */

static bool add(PyObject *module, const char *name, PyObject *object) {
    if (!object) return false;
    py.Py_IncRef(object);
    return py.PyModule_AddObject(module, name, object) == 0;
}

static bool add_line_methods(PyObject *module) {
    static const char *const names[REGION_METHODS] = {"enter_counting_lines", "exit_counting_lines"};
    for (int which = 0; which < REGION_METHODS; which++) {
        PyObject *method = make_line_method(which);
        const bool added = add(module, names[which], method);
        py_drop(method);
        if (!added) return false;
    }
    return true;
}

static int execute(PyObject *module) {
    struct module_state *state = module_state(module);
    *state = (struct module_state){.recording_type = make_recording_type(),
                                   .region_type = make_region_type(),
                                   .region_method_type = make_region_method_type(),
                                   .profiled_type = make_profiled_type(),
                                   .segmenter_type = make_segmenter_type(),
                                   .segments_type = make_segments_type()};
    bool made = state->recording_type && state->region_type && state->region_method_type && state->profiled_type &&
                state->segmenter_type && state->segments_type &&
                region_methods_add(state->region_type, state->region_method_type) &&
                (state->recording = recording_new(module, true));
    return made && add(module, "Region", state->region_type) && add(module, "recording", state->recording) &&
                   add_line_methods(module)
               ? 0
               : -1;
}

#define EACH_REFERENCE(state, reference)                                                                               \
    PyObject **const references[] = {&(state)->recording,          &(state)->recording_type, &(state)->region_type,    \
                                     &(state)->region_method_type, &(state)->profiled_type,  &(state)->segmenter_type, \
                                     &(state)->segments_type,      &(state)->helpers};                                 \
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
        .name = "_scope_profiler",
        .doc = "What scope_profiler is written on.",
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

/* Objects have another shape there. */
static bool is_free_threaded(void) { return strstr(py.Py_GetVersion(), "free-threading") != NULL; }

static void found(void) {
    if (is_free_threaded()) return;
    py.PyImport_AppendInittab("_scope_profiler", init);
    py.PyImport_AppendInittab("scope_profiler", module_front);
}

static const struct attach_room room = {.found = found, .down = steps_down};

__attribute__((constructor(ATTACH_ADD_PRIORITY))) static void begin(void) {
    if (rec_session()) attach_add(&room);
}

/* ---- loaded as an extension module, in a process that is not recorded ---------------------------------------------
 */

/* A libpython may be loaded for itself alone: then it is the caller. */
static bool find_python(const void *caller) {
    Dl_info where;
    if (py.handle) return true;
    if (dlsym(RTLD_DEFAULT, "Py_GetVersion")) return py_load(RTLD_DEFAULT, NULL);
    void *library = dladdr(caller, &where) ? dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    return library && py_load(library, NULL);
}

__attribute__((visibility("default"))) PyObject *PyInit__scope_profiler(void);
PyObject *PyInit__scope_profiler(void) {
    if (!find_python(__builtin_return_address(0))) return NULL;
    rec_set_python(py.Py_GetVersion());
    if (!is_free_threaded()) return init();
    py.PyErr_Format(module_exception("PyExc_ImportError"), "scope_profiler: free-threaded Pythons are not supported");
    return NULL;
}
