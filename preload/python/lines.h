/* lines.h: which functions' lines are counted, and what their back ends share. */
#ifndef SCOPE_PROFILER_LINES_H
#define SCOPE_PROFILER_LINES_H

#include "extras.h"
#include "lines_count.h"

/* A way to be told of lines. Which one serves is a matter of the version. */
struct lines_backend {
    /* Begins; the main interpreter is up. 1 done, 0 not yet, -1 it cannot be done here (told). */
    int (*install)(PyInterpreterState *interpreter);
    /* An audit event; NULL when none matters. */
    void (*event)(const char *event);
    /* `code` has been chosen, just before its call: NULL when nothing is to be done. */
    void (*chosen)(PyObject *code);
    /* Functions that were passed over before are told of again; NULL: they are anyway. */
    void (*again)(void);
    /* Lines of the frame that runs are told from here on, or no more. Of on: true where they were not before. NULL:
     * they are where its code has been chosen. */
    bool (*here)(bool on);
};
extern const struct lines_backend lines_monitoring; /* 3.12 and later: sys.monitoring, for the chosen functions alone */
extern const struct lines_backend lines_trace;      /* until 3.11: tracing on and off around the chosen functions */

extern Py_ssize_t lines_extra; /* place of ours in a code object, -1 none */

/* Decides about a code object that has not been seen, `globals` (borrowed, may be NULL) are its function's. region:
 * NULL, or the name that the program gave, which also chooses it. Needs the GIL; keeps a pending error. NULL: not
 * chosen. */
struct lines_function *lines_decide(PyObject *code, PyObject *globals, const char *region);

/* Counts the lines of `code` under the name of `region`, whatever else counts them, until lines_scope_end(). NULL: they
 * cannot be counted. The GIL is held, no error is set. */
struct lines_function *lines_scope_begin(PyObject *code, const char *region);
void lines_scope_end(struct lines_function *function);
/* As `here` above; false where it is NULL. */
bool lines_here(bool on);

/* What a code object remembers of a decision against it. */
#define LINES_NOT_COUNTED ((struct lines_function *)1)
#define LINES_NOT_GIVEN   ((struct lines_function *)2) /* to be decided again while all are counted */

enum lines_answer { LINES_UNKNOWN, LINES_NO, LINES_YES };

/* What was decided before. */
static inline enum lines_answer lines_known(PyObject *code, struct lines_function **function) {
    void *extra = extra_find(code, lines_extra);
    *function = extra;
    if (extra == LINES_NOT_GIVEN && !lines_of_all) *function = extra = LINES_NOT_COUNTED;
    return !extra || extra == LINES_NOT_GIVEN ? LINES_UNKNOWN : extra == LINES_NOT_COUNTED ? LINES_NO : LINES_YES;
}

/* Counts, from here on and into this recorder (NULL: the session's), the lines of the functions that lines_decide() is
 * given a region for, and of no others. False: it cannot be done here. The GIL is held. */
struct recorder;
bool lines_begin(struct recorder *into);
void lines_end(void);

/* On, after lines_begin(): beside them every function of the program's own, or with `everybodys` every other as well,
 * is counted until this is turned off. The GIL is held. */
void lines_count_all(bool on, bool everybodys);

/* True while the process counts lines. For the module: a decorated function is counted under its region's name. */
bool lines_wanted(void);

#endif
