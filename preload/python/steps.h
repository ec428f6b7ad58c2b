/* steps.h: steps of asyncio tasks, as event loops run them, where no function is traced: regions in a task are the
 * task's. Seen in asyncio's own loops; with others a task is looked up where its regions begin and end, and seems to
 * run from there until another one is seen. */
#ifndef SCOPE_PROFILER_STEPS_H
#define SCOPE_PROFILER_STEPS_H

#include "pyapi.h"

extern bool steps_on;

/* Of all tasks. Imports asyncio. False, without an error: tasks cannot be seen here (told). The GIL is held, the
 * interpreter is the main one. */
bool steps_begin(void);
/* For each steps_begin() that was true. */
void steps_end(void);
/* Of tasks that regions are seen in, from when asyncio is there; to be called now and then until steps_on. Imports
 * nothing and tells nothing. The GIL is held; the pending exception is kept. */
void steps_try(void);
/* Python ends. */
void steps_down(void);

#endif
