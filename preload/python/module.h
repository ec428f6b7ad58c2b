/* module.h: the modules `_scope_profiler` and `scope_profiler`. The first is what the Python package scope_profiler is
 * written on: recordings, regions, decorators. Both are builtin where a program is recorded; elsewhere the package
 * loads the first, built once more, as an extension module of whatever Python it is: there is no header and no library
 * of Python's in it. The shapes that CPython wants to see are those of its stable ABI and of builds with a GIL.
 *
 * module.c makes the modules; what they are made of has a file each. To add a function: a line there. To add a type:
 * a struct and a make_*_type() here, a file, and a line in struct module_state. */
#ifndef SCOPE_PROFILER_MODULE_H
#define SCOPE_PROFILER_MODULE_H

#include "../markers/live.h"
#include "pyapi.h"
#include "recorder.h"

/* ---- shapes of the stable ABI ------------------------------------------------------------------------------------ */

struct py_head { /* every object begins with it */
    Py_ssize_t references;
    PyObject *type;
};

struct py_slot { /* PyType_Slot, PyModuleDef_Slot */
    int slot;
    void *value;
};

struct py_member { /* PyMemberDef */
    const char *name;
    int type;
    Py_ssize_t offset;
    int flags;
    const char *doc;
};

struct py_type_spec { /* PyType_Spec */
    const char *name;
    int size, item_size;
    unsigned flags;
    struct py_slot *slots;
};

struct py_module_def { /* PyModuleDef */
    struct py_head head;
    PyObject *(*init)(void);
    Py_ssize_t index;
    PyObject *copy;
    const char *name, *doc;
    Py_ssize_t state_size;
    struct py_method *methods;
    struct py_slot *slots;
    int (*traverse)(PyObject *module, int (*visit)(PyObject *, void *), void *data);
    int (*clear)(PyObject *module);
    void (*free)(void *module);
};

enum {
    PY_METH_VARARGS_KEYWORDS = 3,
    PY_METH_NOARGS = 4,
    PY_METH_O = 8,
    PY_METH_FASTCALL_KEYWORDS = 0x82,
    PY_TP_AM_AWAIT = 77, /* typeslots.h */
    PY_TP_CALL = 50,
    PY_TP_CLEAR = 51,
    PY_TP_DEALLOC = 52,
    PY_TP_DESCR_GET = 54,
    PY_TP_GETATTRO = 58,
    PY_TP_ITER = 62,
    PY_TP_ITERNEXT = 63,
    PY_TP_METHODS = 64,
    PY_TP_GETSET = 73,
    PY_TP_REPR = 66,
    PY_TP_SETATTRO = 69,
    PY_TP_TRAVERSE = 71,
    PY_TP_MEMBERS = 72,
    PY_TP_FREE = 74,
    PY_MOD_EXEC = 2,
    PY_MOD_MULTIPLE_INTERPRETERS = 3,
    PY_MOD_GIL = 4,
    PY_T_INT = 1,
    PY_T_OBJECT = 6,
    PY_T_BOOL = 14,
    PY_T_SSIZE = 19,
    PY_READONLY = 1,
    PY_DEFAULT = 1 << 18, /* type flags */
    PY_BASE_TYPE = 1 << 10,
    PY_HAVE_GC = 1 << 14,
    PY_HAVE_VECTORCALL = 1 << 11,
    PY_METHOD_DESCRIPTOR = 1 << 17,
};

#define MODULE_METHOD(name, function, flags, doc)                                                                      \
    { name, (void (*)(void))(function), flags, doc }

/* ---- the module's own ----------------------------------------------------------------------------------------------
 */

struct module_state { /* of one interpreter's _scope_profiler; references are its own */
    PyObject *recording_type, *region_type, *region_method_type, *profiled_type, *segmenter_type, *segments_type;
    PyObject *recording; /* the one whose regions everybody's are */
    PyObject *helpers;   /* dict: what module_helpers.c defines, NULL until it is needed */
};

static inline struct module_state *module_state(PyObject *module) { return py.PyModule_GetState(module); }
static inline PyObject *py_type(const void *object) { return ((const struct py_head *)object)->type; }
PyObject *module_none(void);                    /* a new reference to None */
PyObject *module_exception(const char *symbol); /* borrowed: "PyExc_ValueError" */

/* Where regions go. Never freed, since regions point to it. */
struct recording {
    struct recorder *recorder; /* its own; NULL: the session's, or none */
    struct recorder *before;   /* complete, and waits to be collected */
    bool is_default;           /* rec_begin() and rec_end() are its own */
    bool silent;               /* its regions record nothing */
    unsigned serial;           /* even: of `recorder`, where it is not the default one */
    struct live live;
};

enum { RECENT_REGIONS = 32 };

struct recording_object {
    struct py_head head;
    struct recording *of;
    PyObject *module;
    PyObject *regions;     /* dict: name -> region */
    PyObject *decorated;   /* the same, of those that functions are decorated with: they outlive a setup */
    PyObject *region_type; /* of new regions */
    bool undecorated;      /* profile() gives functions back as they are */
    bool lines_in_scopes;  /* functions that a region is given are counted while it is open, with a `with` */
    struct region_object *recent[RECENT_REGIONS]; /* of `regions`, by the address of their names */
};
PyObject *make_recording_type(void);
PyObject *recording_new(PyObject *module, bool is_default);
/* Every region of it will ask for its number again. */
void recording_number_anew(struct recording_object *recording);

enum { REGION_ENTER, REGION_EXIT, REGION_METHODS };

/* A region as the program holds it: a context manager, the same object for the same name. It keeps no state of a call:
 * threads and recursion may enter it at will. */
struct region_object {
    struct py_head head;
    int id;
    unsigned serial; /* rec_default_serial, or that of its recording, whose number `id` is */
    struct recording *of;
    PyObject *name; /* str */
    PyObject *tags; /* str: a JSON array, or None */
    PyObject *file; /* str or None: where it was first named */
    int line;
    PyObject *functions; /* dict of code objects: those whose lines are counted while it is open; NULL none */
    PyObject *seen;      /* dict of code objects: those that it was entered in; NULL none */
    PyObject *bound[REGION_METHODS]; /* __enter__ and __exit__ of this region, from their first use on */
};
PyObject *make_region_type(void);
/* The type of Region.__enter__ and Region.__exit__, and the two. */
PyObject *make_region_method_type(void);
bool region_methods_add(PyObject *region_type, PyObject *region_method_type);

/* The recording's dict of regions has changed. */
void region_forget_recent(struct recording_object *recording);

/* The recording's region of this name (str), made at its first use; a new reference. tags: a sequence of str, None or
 * NULL. code: whose place it gets, NULL: that of the running frame. NULL with an error set. */
struct region_object *region_object_get(struct recording_object *recording, PyObject *name, PyObject *tags,
                                        PyObject *code);
/* What it does where its number is another recorder's, or its recording is not the default one. */
void region_begin_other(struct region_object *region);
void region_end_other(const struct region_object *region);
/* Where asyncio is there by now, what is recorded in a task is that task's from here on. */
void region_follow_tasks(void);
/* The recording whose regions may be tasks', NULL none. */
void region_everybodys(struct recording_object *recording);
/* Gives it a number now, in the order of the regions' names. */
void region_renew(struct region_object *region);

static inline void region_begin(struct region_object *region) {
    if (__builtin_expect(region->serial == rec_default_serial, 1))
        rec_begin(region->id);
    else
        region_begin_other(region);
}
static inline void region_end(const struct region_object *region) {
    if (__builtin_expect(region->serial == rec_default_serial, 1))
        rec_end(region->id);
    else
        region_end_other(region);
}

/* Methods of recordings: region(name, functions=None, tags=None) */
PyObject *module_region(PyObject *recording, PyObject *const *args, Py_ssize_t count, PyObject *names);
/* profile(function), profile(name=None, *, tags=None) */
PyObject *module_profile(PyObject *recording, PyObject *args, PyObject *names);

/* A decorated plain function: called as the function is, and otherwise as good as the function itself. */
PyObject *make_profiled_type(void);
PyObject *profiled_new(PyObject *module, PyObject *function, struct region_object *region);

/* Generators and coroutines: each stretch that one runs is a call, the first of its function's region, those after a
 * suspension of `<region> [resumed]`. A Segmenter makes a Segments of a generator, coroutine or awaitable; that stands
 * in for it in `yield from` and `await`. */
PyObject *make_segmenter_type(void);
PyObject *make_segments_type(void);
PyObject *segmenter_new(struct recording_object *recording, struct region_object *region);

/* The function `name` of the helpers, which are written in Python: borrowed; NULL with an error set. */
PyObject *module_helper(PyObject *module, const char *name);

/* The directory of our package, "" where this object lies without it; with a slash behind it. */
const char *module_directory(void);
/* True for a file of our package. */
static inline bool module_owns_file(const char *file) {
    const char *directory = module_directory();
    return *directory && strncmp(file, directory, strlen(directory)) == 0;
}

/* The innermost frame that is not our package's; a new reference or NULL. */
PyObject *module_users_frame(void);

/* The builtin module scope_profiler. */
PyObject *module_front(void);

/* What code objects remember is known there alone. */
bool module_in_main_interpreter(void);

/* Counts the lines of a function under a region's name, where lines are counted: at every call, and while the region is
 * open. */
void module_count_lines(PyObject *function, struct region_object *region);
bool region_count_lines(struct region_object *region, PyObject *function);

/* What __enter__ and __exit__ are of regions that count lines: functions, to be bound as methods. */
PyObject *make_line_method(int which);

#endif
