/* qualnames.h: qualified names before Python 3.11, whose code objects know only their plain name. A function's code
 * lies among the constants of the code that makes it, which runs first: it hands its own name down. */
#ifndef SCOPE_PROFILER_QUALNAMES_H
#define SCOPE_PROFILER_QUALNAMES_H

#include "pyapi.h"

/* Once for each initialisation of Python; false without a place in code objects. */
bool qualnames_up(void);

/* What the code was told, else `plain`. Lives as long as the code object, or as `plain`. */
const char *qualnames_of(PyObject *code, const char *plain);

/* Names the functions and classes that this code will make. */
void qualnames_tell_children(PyObject *code, const char *name, long flags);

#endif
