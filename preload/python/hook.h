/* hook.h: what a way of seeing Python's function calls offers. trace.c chooses one. */
#ifndef SCOPE_PROFILER_HOOK_H
#define SCOPE_PROFILER_HOOK_H

#include "names.h"
#include "pyapi.h"

struct hook {
    const char *name; /* as --python-hook takes it */
    int first, last;  /* minor versions where it can work; last 0: all later ones */
    /* Starts recording. names_up() has been called, the GIL is held, no error is set or may be left. NULL, or why it
     * cannot; then another one is tried. */
    const char *(*install)(PyInterpreterState *interpreter);
    /* The members below may be NULL. A new thread is about to run Python code for the first time: its thread state. */
    void (*thread)(PyThreadState *state);
    /* Every audit event. */
    void (*event)(const char *event, PyObject *args);
    /* In the child of a fork, in the thread that is left. */
    void (*forked)(void);
    /* Python ends. */
    void (*down)(void);
};

/* From here on this thread's functions are recorded, those of the standard library and of packages as well; off: no
 * more. False: they are recorded anyway, or cannot be. */
bool hook_setprofile_here(bool on);
/* False: that would do nothing. */
bool hook_setprofile_ready(void);

extern const struct hook hook_setprofile, hook_evalframe, hook_monitoring;

#endif
