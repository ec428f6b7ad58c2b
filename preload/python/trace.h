/* trace.h: recording Python's function calls, for the files that see threads begin. */
#ifndef SCOPE_PROFILER_TRACE_H
#define SCOPE_PROFILER_TRACE_H

#include "pyapi.h"

/* True when somebody wants to be told of new threads. */
bool trace_wants_threads(void);
/* A thread of the main interpreter is about to run Python code for the first time. */
void trace_thread(PyThreadState *state);

/* The main interpreter, once recording has begun; else NULL. */
PyInterpreterState *trace_interpreter(void);

#endif
