/* lines_choose.h: the facts about a code object that a choice depends on, and what is kept of them. */
#ifndef SCOPE_PROFILER_LINES_CHOOSE_H
#define SCOPE_PROFILER_LINES_CHOOSE_H

#include "lines_count.h"
#include "pyapi.h"

/* Reads the environment. True: lines are to be counted. */
bool choose_init(void);

/* Instead of what the environment says: only functions that the program names, but for while lines_of_all. */
extern bool choose_given_alone;
/* Also functions that are not the program's own. */
extern bool choose_everybodys;

/* The main interpreter is up: learns where the standard library lies. False: code objects give no place. */
bool choose_up(void);

/* The function of a code object, made at its first sight; NULL: not to be counted. region: NULL or given. Error and GIL
 * as in lines_decide(). */
struct lines_function *choose_function(PyObject *code, PyObject *globals, const char *region);

#endif
