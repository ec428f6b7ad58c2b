/* extras.h: what is kept in a code object's co_extra, read without asking CPython: that happens at every call. */
#ifndef SCOPE_PROFILER_EXTRAS_H
#define SCOPE_PROFILER_EXTRAS_H

#include "pyapi.h"

extern int extras_place; /* of the pointer in a code object, bytes; 0: CPython is asked */

/* Finds out whether this Python keeps extras as its version is known to. `index`: a place that was given to us, that
 * frees nothing and that NULL may be put into. Leaves no error. */
void extras_try(Py_ssize_t index);

void *extra_ask(PyObject *code, Py_ssize_t index);

/* The same as extra_find() where that needs no call; else NULL. */
static inline void *extra_peek(PyObject *code, Py_ssize_t index) {
    if (__builtin_expect(extras_place == 0, 0)) return NULL;
    const struct {
        Py_ssize_t count;
        void *values[];
    } * extras;
    memcpy(&extras, (const char *)code + extras_place, sizeof extras);
    return extras && index < extras->count ? extras->values[index] : NULL;
}

/* What was put there; NULL nothing. */
static inline void *extra_find(PyObject *code, Py_ssize_t index) {
    return __builtin_expect(extras_place == 0, 0) ? extra_ask(code, index) : extra_peek(code, index);
}

#endif
