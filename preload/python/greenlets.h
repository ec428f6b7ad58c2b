/* greenlets.h: the main thread's greenlets as tasks: the package tells of each switch. */
#ifndef SCOPE_PROFILER_GREENLETS_H
#define SCOPE_PROFILER_GREENLETS_H

#include "pyapi.h"

/* The one that the main thread began with; NULL: none is known. */
PyObject *greenlets_main(void);

/* Recording begins; an audit event; Python ends. */
void greenlets_up(void);
void greenlets_event(const char *event, PyObject *args);
void greenlets_down(void);

#endif
