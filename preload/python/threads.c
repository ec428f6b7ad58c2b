/* New threads, for hooks that belong to one thread. Interposed: pthread_create (Python's own threads: the parent holds
 * the GIL, and the new thread's state exists already) and PyGILState_Ensure (threads of others that call Python). */
#include "attach.h"
#include "recorder.h"
#include "trace.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#define EXPORT __attribute__((visibility("default")))
#define TLS    __thread __attribute__((tls_model("initial-exec")))

/* The calling thread's state while it holds the GIL, NULL otherwise. PyGILState_Check() is no help: it says yes to all
 * once there was a subinterpreter. */
static PyThreadState *state_with_gil(void) {
    if (py.PyThreadState_GetUnchecked) return py.PyThreadState_GetUnchecked();
    if (!py._PyThreadState_UncheckedGet) return NULL;
    PyThreadState *state = py._PyThreadState_UncheckedGet();
    if (py.minor >= 12) return state;
    return state == py.PyGILState_GetThisThreadState() ? state : NULL;
}

static void announce(void) {
    if (!trace_wants_threads() || !py.Py_IsInitialized()) return;
    PyThreadState *mine = state_with_gil();
    if (!mine || py.interpreter() != trace_interpreter()) return;
    PyThreadState *newest = py.PyInterpreterState_ThreadHead(trace_interpreter());
    if (newest && newest != mine) trace_thread(newest);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *arg) {
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!next) py_symbol(RTLD_NEXT, "pthread_create", &next);
    int saved = errno;
    announce();
    errno = saved;
    return next(thread, attributes, function, arg);
}

EXPORT int PyGILState_Ensure(void) {
    enum { UNLOCKED = 1 };
    static int (*next)(void);
    static TLS PyThreadState *told;
    if (!next) py_symbol(attach_found() ? py.handle : RTLD_NEXT, "PyGILState_Ensure", &next);
    if (next == PyGILState_Ensure) next = NULL;
    if (!next) py_symbol(RTLD_NEXT, "PyGILState_Ensure", &next);
    int was = next();
    if (was != UNLOCKED || !trace_wants_threads()) return was;
    PyThreadState *state = py.PyThreadState_Get();
    if (state != told && py.interpreter() == trace_interpreter()) {
        told = state;
        trace_thread(state);
    }
    return was;
}
