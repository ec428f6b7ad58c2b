/* Recording Python's function calls: what the user asked for, which hook does it, and the region around it all. */
#include "trace.h"
#include "attach.h"
#include "greenlets.h"
#include "hook.h"
#include "names.h"
#include "recorder.h"
#include "spool.h"
#include "tasks.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define TLS __thread __attribute__((tls_model("initial-exec")))

/* The environment, set by `run`. */
#define ENV_PYTHON "SCOPE_PROFILER_PYTHON"      /* what to record: words with commas between; "functions" */
#define ENV_ALL    "SCOPE_PROFILER_PYTHON_ALL"  /* 1: also the standard library and installed packages */
#define ENV_HOOK   "SCOPE_PROFILER_PYTHON_HOOK" /* auto or a hook's name */

/* The cheapest that is exact first. */
static const struct hook *const hooks[] = {&hook_monitoring, &hook_evalframe, &hook_setprofile};
enum { NUM_HOOKS = sizeof hooks / sizeof *hooks };

static char asked_for[32] = "auto";
static const struct hook *hook; /* at work; NULL none */
static PyInterpreterState *interpreter;

PyInterpreterState *trace_interpreter(void) { return hook ? interpreter : NULL; }
bool trace_wants_threads(void) { return hook && hook->thread; }
void trace_thread(PyThreadState *state) { hook->thread(state); }

/* ---- the region around the program ---------------------------------------------------------------------------------
 */

static int root;
static unsigned root_serial;
static TLS bool in_root;

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static const char *first_of(PyObject *list) {
    const char *text = list ? py_text(py.PyList_GetItem(list, 0)) : NULL;
    py.PyErr_Clear();
    return text;
}

/* As the user would say it: the script's file name, a module's name, -c, -; an embedding program's own name. */
static const char *program_name(const char *event, PyObject *args) {
    const char *what = args && py.PyTuple_Size(args) > 0 ? py_text(py.PyTuple_GetItem(args, 0)) : NULL;
    const char *argument = first_of(py.PySys_GetObject("argv"));
    if (strcmp(event, "cpython.run_file") == 0 && what) return base_name(what);
    if (strcmp(event, "cpython.run_module") == 0 && what && strcmp(what, "__main__") != 0) return what;
    if (strcmp(event, "cpython.run_module") == 0 && argument) return base_name(argument); /* a directory, a zip file */
    if (strcmp(event, "cpython.run_command") == 0) return "-c";
    if (strncmp(event, "cpython.run_", 12) == 0) return "-";
    return program_invocation_short_name;
}

static void begin_root(const char *event, PyObject *args) {
    const char *name = program_name(event, args);
    root = rec_region_chosen(name, strlen(name), NULL, -1, NULL);
    root_serial = rec_default_serial;
    in_root = true;
    rec_begin(root);
}

static void end_root(void) {
    if (in_root && root_serial == rec_default_serial) rec_end(root);
    in_root = false;
}

/* ---- choosing a hook -----------------------------------------------------------------------------------------------
 */

static bool serves(const struct hook *h) { return h->first <= py.minor && (h->last == 0 || py.minor <= h->last); }

static const char *try_hook(const struct hook *h) {
    const char *problem = serves(h) ? h->install(interpreter) : "it is not for this version";
    if (!problem) hook = h;
    return problem;
}

static void choose_hook(void) {
    bool any = strcmp(asked_for, "auto") == 0;
    for (int i = 0; i < NUM_HOOKS && !hook; i++) {
        bool named = strcmp(asked_for, hooks[i]->name) == 0;
        if (!named && (!any || !serves(hooks[i]))) continue;
        const char *problem = try_hook(hooks[i]);
        if (problem)
            rec_warn("Python's functions cannot be recorded by %s in 3.%d: %s", hooks[i]->name, py.minor, problem);
    }
    if (!hook && !any) rec_warn("no Python functions are recorded");
}

/* ---- what attach tells ---------------------------------------------------------------------------------------------
 */

static bool up(PyInterpreterState *which, int64_t id) {
    (void)which;
    if (id != 0) rec_warn("Python functions in subinterpreters are not recorded");
    return true;
}

static const char *without(const char *text, const char *start) {
    const size_t length = strlen(start);
    return strncmp(text, start, length) == 0 ? text + length : text;
}

/* The processes that multiprocessing starts run a line of its own, in which the user's functions are called. The fork
 * server's has one import more from 3.13.13 and 3.14.4 on. */
static bool starts_helper(const char *event, PyObject *args) {
    static const char line[] = "from multiprocessing.";
    const char *command = strcmp(event, "cpython.run_command") == 0 ? py_text(py.PyTuple_GetItem(args, 0)) : NULL;
    return command && strncmp(without(command, "import sys; "), line, sizeof line - 1) == 0;
}

/* ---- what a recorded call costs ----------------------------------------------------------------------------------
 */

/* Calls among Python functions: calls from C would miss what a hook costs the interpreter. No builtins are needed. */
#define STRING_OF(number) #number
#define TEXT_OF(number)   STRING_OF(number)
static const char cost_source[] = "def nothing():\n"
                                  "    pass\n"
                                  "def many():\n"
                                  "    n = 0\n"
                                  "    while n < " TEXT_OF(REC_COST_CALLS) ":\n"
                                                                           "        n += 1\n"
                                                                           "        nothing()\n";

static void call_many(void *globals, int count) {
    (void)count; /* what stands in the text */
    py_drop(py.PyObject_CallFunctionObjArgs(py.PyDict_GetItemString(globals, "many"), NULL));
}

/* The globals of the two functions; NULL with no error set. */
static PyObject *make_functions(void) {
    enum { FILE_INPUT = 257 };
    PyObject *globals = py.PyDict_New();
    PyObject *code = globals ? py.Py_CompileString(cost_source, "<scope-profiler>", FILE_INPUT) : NULL;
    PyObject *done = code ? py.PyEval_EvalCode(code, globals, globals) : NULL;
    const bool made = done && py.PyDict_GetItemString(globals, "nothing") && py.PyDict_GetItemString(globals, "many");
    py_drop(done);
    py_drop(code);
    py.PyErr_Clear();
    if (made) return globals;
    py_drop(globals);
    return NULL;
}

/* bare: before there was a hook. */
static void measure(PyObject *globals, uint64_t bare) {
    PyObject *nothing = py_attribute(py.PyDict_GetItemString(globals, "nothing"), "__code__");
    PyObject *many = py_attribute(py.PyDict_GetItemString(globals, "many"), "__code__");
    if (nothing && many && rec_join()) {
        names_put_in(nothing, 1);
        names_leave_out(many);
        rec_cost(REC_COST_PYTHON, call_many, bare, globals);
    }
    py_drop(nothing);
    py_drop(many);
    py.PyErr_Clear();
}

static void start(const char *event, PyObject *args) {
    interpreter = py.interpreter();
    if (!names_up()) {
        rec_warn("no Python functions are recorded: code objects take no mark of ours");
        return;
    }
    PyObject *functions = make_functions();
    const uint64_t bare = functions ? rec_cost_bare(call_many, functions) : 0;
    choose_hook();
    if (hook) tasks_up();
    if (hook) greenlets_up();
    py.PyErr_Clear();
    if (hook && functions) measure(functions, bare);
    py_drop(functions);
    bool helper = starts_helper(event, args);
    if (helper) names_command_is_library();
    if (hook) rec_thread_name("MainThread");
    if (hook && (!helper || names_want_library())) begin_root(event, args);
}

static void on_event(const char *event, PyObject *args) {
    if (hook) tasks_event(event, args);
    if (hook) greenlets_event(event, args);
    if (hook && hook->event) hook->event(event, args);
}

static void down(void) {
    if (hook && hook->down) hook->down();
    greenlets_down();
    tasks_down();
    end_root();
    hook = NULL;
}

static void forked(void) {
    in_root = false;
    names_forked();
    tasks_forked();
    if (hook && hook->forked) hook->forked();
}

static const struct attach_room room = {
    .records = "functions", .up = up, .start = start, .event = on_event, .down = down};

static bool asked(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ',') && (at[length] == 0 || at[length] == ',')) return true;
    return false;
}

__attribute__((constructor(ATTACH_ADD_PRIORITY))) static void begin(void) {
    if (!asked(getenv(ENV_PYTHON), "functions") || !rec_active()) return;
    const char *all = getenv(ENV_ALL), *name = getenv(ENV_HOOK);
    names_configure(all && strcmp(all, "1") == 0, getenv(SPOOL_ENV_INCLUDE), getenv(SPOOL_ENV_EXCLUDE));
    if (name && *name && strlen(name) < sizeof asked_for) strcpy(asked_for, name);
    pthread_atfork(NULL, NULL, forked);
    attach_add(&room);
}
