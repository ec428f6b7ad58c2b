/* attach.h: getting into a Python. The rooms that want to (function tracing, lines, the module) say so before the
 * program starts, from a constructor; where none does, nothing is looked up and nothing is hooked.
 *
 * How: CPython takes audit hooks before it is initialised, so one is added when the process starts (or, for a libpython
 * that is loaded later or initialised again, when CPython calls setlocale(), which it does before anything else). */
#ifndef SCOPE_PROFILER_ATTACH_H
#define SCOPE_PROFILER_ATTACH_H

#include "pyapi.h"

/* Constructors that call attach_add() have this priority: after the recorder's, before attach's own. */
#define ATTACH_ADD_PRIORITY 110

/* What a room is told. Any member may be NULL. All but `found` are called with the GIL held and no error set, and must
 * leave none; audit events that they cause themselves reach no room. */
struct attach_room {
    /* What the user misses when the Python here cannot be entered, such as "functions"; NULL: nothing need be said. */
    const char *records;
    /* `py` is filled in; Python is not initialised: PyImport_AppendInittab works, hardly anything else. Called once for
     * each initialisation. */
    void (*found)(void);
    /* The first event of an interpreter; id 0 is the main one. The interpreter may be half built (`site` is being
     * imported: import nothing). False: not yet, ask again at the next event. */
    bool (*up)(PyInterpreterState *interpreter, int64_t id);
    /* The program itself begins: before the first statement of a script, -c, -m or stdin; with an embedded Python, at
     * the first event. `event` is the audit event (such as "cpython.run_file") and its arguments. After `up` of
     * interpreter 0, once for each initialisation. */
    void (*start)(const char *event, PyObject *args);
    /* Every event from then on, of all interpreters. It must be quick. */
    void (*event)(const char *event, PyObject *args);
    /* The main interpreter ends: the last event there is. Modules are gone. */
    void (*down)(void);
};

/* `room` stays the caller's and must live for ever. */
void attach_add(const struct attach_room *room);

/* Calls of Python functions made by hooks stand between these: their audit events are nobody's business. Per thread;
 * they nest. */
void attach_quiet(void);
void attach_loud(void);

/* True when this process has found its Python. */
bool attach_found(void);

#endif
