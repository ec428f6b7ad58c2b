/* New threads: their names, and hooks that belong to one thread. Interposed: pthread_create (Python's own threads: the
 * parent holds the GIL, and the new thread's state exists already) and PyGILState_Ensure (threads of others that call
 * Python). */
#include "attach.h"
#include "recorder.h"
#include "trace.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))
#define TLS    __thread __attribute__((tls_model("initial-exec")))

int PyGILState_Ensure(void);

/* The calling thread's state while it holds the GIL, NULL otherwise. PyGILState_Check() is no help: it says yes to all
 * once there was a subinterpreter. */
static PyThreadState *state_with_gil(void) {
    if (py.PyThreadState_GetUnchecked) return py.PyThreadState_GetUnchecked();
    if (!py._PyThreadState_UncheckedGet) return NULL;
    PyThreadState *state = py._PyThreadState_UncheckedGet();
    if (py.minor >= 12) return state;
    return state == py.PyGILState_GetThisThreadState() ? state : NULL;
}

/* True when a thread of a Python whose functions are recorded makes another; a hook that is one thread's is told. */
static bool starts_python_thread(void) {
    if (!trace_interpreter() || !py.Py_IsInitialized()) return false;
    PyThreadState *mine = state_with_gil();
    if (!mine || py.interpreter() != trace_interpreter()) return false;
    PyThreadState *newest = py.PyInterpreterState_ThreadHead(trace_interpreter());
    if (trace_wants_threads() && newest && newest != mine) trace_thread(newest);
    return true;
}

/* ---- names ---------------------------------------------------------------------------------------------------------
 */

/* A thread with a name of Python's: how it begins. */
struct named_start {
    void *(*function)(void *);
    void *arg;
    char name[16];
};

static void *start_named(void *argument) {
    struct named_start start = *(struct named_start *)argument;
    free(argument);
    rec_thread_name(start.name);
    return start.function(start.arg);
}

/* The thread object that is starting a thread: `self` of the running Thread.start(). A new reference or NULL. */
static PyObject *thread_object(void) {
    PyObject *frame = (PyObject *)py.PyEval_GetFrame();
    PyObject *code = frame ? py_attribute(frame, "f_code") : NULL;
    PyObject *function = code ? py_attribute(code, "co_name") : NULL, *self = NULL;
    const char *name = py_text(function),
               *module = py_text(py.PyDict_GetItemString(py.PyEval_GetGlobals(), "__name__"));
    if (name && module && strcmp(name, "start") == 0 && strcmp(module, "threading") == 0) {
        PyObject *locals = py_attribute(frame, "f_locals");
        self = locals ? py.PyObject_CallMethod(locals, "get", "s", "self") : NULL;
        py_drop(locals);
    }
    py_drop(function);
    py_drop(code);
    return self;
}

/* NULL: it has no name of Python's. */
static struct named_start *named(void *(*function)(void *), void *arg) {
    struct py_error error = py_error_save();
    struct named_start *start = NULL;
    attach_quiet();
    PyObject *object = py.PyEval_GetGlobals() ? thread_object() : NULL;
    PyObject *name = object ? py_attribute(object, "_name") : NULL;
    const char *text = py_text(name);
    if (text && *text && (start = malloc(sizeof *start))) {
        *start = (struct named_start){.function = function, .arg = arg};
        size_t length = strnlen(text, sizeof start->name - 1);
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) length--; /* not within a character */
        memcpy(start->name, text, length);
    }
    py_drop(name);
    py_drop(object);
    attach_loud();
    py_error_restore(error);
    return start;
}

/* ---- interposed ----------------------------------------------------------------------------------------------------
 */

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *arg) {
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!next) py_symbol(RTLD_NEXT, "pthread_create", &next);
    int saved = errno;
    struct named_start *start = starts_python_thread() ? named(function, arg) : NULL;
    errno = saved;
    int result = start ? next(thread, attributes, start_named, start) : next(thread, attributes, function, arg);
    if (result != 0) free(start);
    return result;
}

typedef int (*ensure_function)(void);

/* The Python's own. Of one that was not entered and is loaded for its callers alone, only they know it. */
static ensure_function find_ensure(const void *caller) {
    ensure_function found = NULL;
    if (attach_found()) py_symbol(py.handle, "PyGILState_Ensure", &found);
    if (!found || found == PyGILState_Ensure) py_symbol(RTLD_NEXT, "PyGILState_Ensure", &found);
    Dl_info where;
    if (found || !dladdr(caller, &where) || !where.dli_fname) return found;
    void *library = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library) py_symbol(library, "PyGILState_Ensure", &found);
    return found == PyGILState_Ensure ? NULL : found;
}

EXPORT int PyGILState_Ensure(void) {
    enum { UNLOCKED = 1 };
    static ensure_function next;
    static TLS PyThreadState *told;
    if (!next) next = find_ensure(__builtin_return_address(0));
    if (!next) return UNLOCKED; /* there is no Python */
    int was = next();
    if (was != UNLOCKED || !trace_wants_threads()) return was;
    PyThreadState *state = py.PyThreadState_Get();
    if (state != told && py.interpreter() == trace_interpreter()) {
        told = state;
        trace_thread(state);
    }
    return was;
}
