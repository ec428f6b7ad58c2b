/* Recordings: one for everybody, whose regions go wherever rec_begin() does, and independent ones. What they are for,
 * and in which order they are asked, is the package's affair (share/python). */
#include "lines.h"
#include "module.h"
#include "spool.h"
#include "steps.h"
#include "tasks.h"
#include <errno.h>
#include <stdlib.h>

#define THIS ((struct recording_object *)self)

enum { MOST_OPEN = 4096 }; /* calls that are named, or go on, when a recording is completed */

/* The recorder that its regions record into; NULL none. */
static struct recorder *recorder_of(const struct recording *of) {
    struct recorder *session = rec_session();
    return session ? session : of->recorder;
}

static PyObject *os_error(const char *path) {
    return py.PyErr_SetFromErrnoWithFilename(module_exception("PyExc_OSError"), path);
}

/* ---- beginning and ending ---------------------------------------------------------------------------------------- */

static void each_region(PyObject *self, void (*visit)(struct region_object *)) {
    PyObject *name, *region;
    for (Py_ssize_t at = 0; py.PyDict_Next(THIS->regions, &at, &name, &region);) visit((struct region_object *)region);
}

static void number_anew(struct region_object *region) {
    region->serial = 0;
    region_renew(region);
}

void recording_number_anew(struct recording_object *recording) { each_region((PyObject *)recording, number_anew); }

static void take(struct recording *of, struct recorder *recorder) {
    static unsigned serials;
    of->recorder = recorder;
    of->serial = serials += 2;
    if (of->is_default) rec_make_default(recorder);
}

static void leave(struct recording *of) {
    if (of->recorder) rec_close(of->recorder);
    if (of->before) rec_close(of->before);
    of->recorder = of->before = NULL;
    live_free(&of->live);
}

/* open(output, rank, size): the recording begins. */
static PyObject *open_recorder(PyObject *self, PyObject *args, PyObject *names) {
    static char output_name[] = "output", rank_name[] = "rank", size_name[] = "size";
    static char *keywords[] = {output_name, rank_name, size_name, NULL};
    const char *output;
    int rank, size;
    struct recording *of = THIS->of;
    if (!py.PyArg_ParseTupleAndKeywords(args, names, "sii:open", keywords, &output, &rank, &size)) return NULL;
    leave(of);
    struct recorder *recorder = rec_open(output, rank);
    if (!recorder) return os_error(output);
    rec_set_size(recorder, size);
    take(of, recorder);
    if (rec_start(recorder)) return module_none();
    const int error = errno;
    leave(of);
    errno = error;
    return os_error(output);
}

static PyObject *close_recorder(PyObject *self, PyObject *unused) {
    (void)unused;
    leave(THIS->of);
    return module_none();
}

/* Silence, or its end, counts from the next call on; other regions than before may be in the dict. */
static PyObject *number_regions(PyObject *self, PyObject *unused) {
    (void)unused;
    region_forget_recent(THIS);
    recording_number_anew(THIS);
    return module_none();
}

/* ---- completing -------------------------------------------------------------------------------------------------- */

/* next(): what has been recorded is complete, and another recording begins; the spool of the one before, for collect,
 * then collected(). None: it has recorded nothing. */
static PyObject *next_recorder(PyObject *self, PyObject *unused) {
    (void)unused;
    static struct rec_open_call calls[MOST_OPEN]; /* the GIL is held */
    struct recording *of = THIS->of;
    if (!of->recorder || of->before || rec_process_id(of->recorder) == 0) return module_none();
    if (steps_on) tasks_tell_done();
    size_t count = rec_aggregates(of->recorder) ? 0 : live_open_calls(&of->live, of->recorder, calls, MOST_OPEN);
    struct recorder *next = rec_next(of->recorder, calls, count < MOST_OPEN ? count : MOST_OPEN);
    if (!next) return os_error(rec_output_path(of->recorder));
    of->before = of->recorder;
    of->recorder = next;
    of->serial += 1u << 16; /* still even, and its own */
    live_free(&of->live);
    each_region(self, number_anew);
    return py.PyUnicode_FromString(rec_spool_path(of->before));
}

/* collected(done): the one before can go; done False: what it recorded stays on disk. */
static PyObject *collected(PyObject *self, PyObject *done) {
    struct recorder *before = THIS->of->before;
    if (before && py.PyObject_IsTrue(done) <= 0) rec_keep_spool(before);
    if (before) rec_close(before);
    THIS->of->before = NULL;
    return module_none();
}

/* hold(on): collect finds it complete meanwhile. */
static PyObject *hold(PyObject *self, PyObject *on) {
    if (steps_on) tasks_tell_done();
    if (THIS->of->recorder) rec_hold_still(THIS->of->recorder, py.PyObject_IsTrue(on) > 0);
    return module_none();
}

/* count_lines(on): of functions that are given to count_lines_of(), or decorated, from here on. */
static PyObject *count_lines(PyObject *self, PyObject *on) {
    struct recorder *recorder = recorder_of(THIS->of);
    bool counting = false;
    if (py.PyObject_IsTrue(on) <= 0)
        lines_end();
    else if (recorder && module_in_main_interpreter())
        counting = lines_begin(rec_session() ? NULL : recorder);
    return py.PyBool_FromLong(counting);
}

/* count_lines_of(code, name) */
static PyObject *count_lines_of(PyObject *self, PyObject *args, PyObject *names) {
    (void)self;
    static char code_name[] = "code", region_name[] = "name";
    static char *keywords[] = {code_name, region_name, NULL};
    PyObject *code;
    const char *name;
    if (!py.PyArg_ParseTupleAndKeywords(args, names, "Os:count_lines_of", keywords, &code, &name)) return NULL;
    return py.PyBool_FromLong(lines_wanted() && module_in_main_interpreter() && lines_decide(code, NULL, name) != NULL);
}

/* count_all_lines(on, everybodys): from here on, or no more; of all functions, or of the program's own. */
static PyObject *count_all_lines(PyObject *self, PyObject *args, PyObject *names) {
    (void)self;
    static char on_name[] = "on", whose_name[] = "everybodys";
    static char *keywords[] = {on_name, whose_name, NULL};
    int on, everybodys;
    if (!py.PyArg_ParseTupleAndKeywords(args, names, "ii:count_all_lines", keywords, &on, &everybodys)) return NULL;
    if (module_in_main_interpreter()) lines_count_all(on, everybodys);
    return module_none();
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

static PyObject *spool(PyObject *self, PyObject *unused) {
    (void)unused;
    struct recorder *recorder = THIS->of->recorder;
    return recorder && rec_process_id(recorder) ? py.PyUnicode_FromString(rec_spool_path(recorder)) : module_none();
}

/* The number of a region in what is recorded into now; 0 none. */
static int number_of(PyObject *self, PyObject *name) {
    struct region_object *region = (struct region_object *)py.PyDict_GetItem(THIS->regions, name);
    if (!region || !recorder_of(THIS->of)) return 0;
    region_renew(region);
    return region->id > 0 ? region->id : 0;
}

/* numbers(name): calls begun; of those that ended total, shortest, longest in ns. */
static PyObject *numbers(PyObject *self, PyObject *name) {
    const int number = number_of(self, name);
    struct live_numbers n = {0};
    if (number) n = live_region_numbers(&THIS->of->live, recorder_of(THIS->of), number);
    return py.Py_BuildValue("(LLLL)", (long long)n.calls, (long long)n.total_ns, (long long)n.min_ns,
                            (long long)n.max_ns);
}

struct gathered {
    int region;
    int64_t *moments;
    size_t count, room;
    bool memory;
};

static void gather(void *context, int region, int64_t begin, int64_t end) {
    struct gathered *g = context;
    if (region != g->region || !g->memory) return;
    if (g->count + 2 > g->room) {
        const size_t room = g->room ? g->room * 2 : 1024;
        int64_t *longer = realloc(g->moments, room * sizeof *longer);
        g->memory = longer != NULL;
        if (!longer) return;
        g->moments = longer;
        g->room = room;
    }
    g->moments[g->count++] = begin;
    g->moments[g->count++] = end;
}

static int by_begin(const void *a, const void *b) {
    const int64_t *p = a, *q = b;
    return p[0] < q[0] ? -1 : p[0] > q[0];
}

/* calls(name): begin and end of each that has ended, int64 ns, in the order of the begins; bytes. */
static PyObject *calls(PyObject *self, PyObject *name) {
    struct recorder *recorder = recorder_of(THIS->of);
    struct gathered g = {.region = number_of(self, name), .memory = true};
    if (g.region && !rec_aggregates(recorder)) g.memory = live_each_call(recorder, gather, &g) && g.memory;
    if (g.moments) qsort(g.moments, g.count / 2, 2 * sizeof *g.moments, by_begin);
    PyObject *bytes = g.memory ? py.PyBytes_FromStringAndSize((char *)g.moments, (Py_ssize_t)(g.count * 8)) : NULL;
    free(g.moments);
    if (!g.memory) py.PyErr_Format(module_exception("PyExc_MemoryError"), "no memory for the calls of %R", name);
    return bytes;
}

static size_t num_open(struct recording *of, int number, const struct rec_open_call *calls, size_t count) {
    struct recorder *recorder = recorder_of(of);
    size_t open = 0;
    if (rec_aggregates(recorder)) return (size_t)rec_sums_open(recorder, number);
    for (size_t i = 0; i < count; i++) open += calls[i].region == (uint32_t)number;
    return open;
}

/* open_regions(): the name of its region for each call that is open on any thread. */
static PyObject *open_regions(PyObject *self, PyObject *unused) {
    (void)unused;
    static struct rec_open_call calls[MOST_OPEN]; /* the GIL is held */
    struct recorder *recorder = recorder_of(THIS->of);
    PyObject *list = py.PyList_New(0), *name, *region;
    size_t count = 0;
    if (recorder && !rec_aggregates(recorder)) count = live_open_calls(&THIS->of->live, recorder, calls, MOST_OPEN);
    if (count > MOST_OPEN) count = MOST_OPEN;
    for (Py_ssize_t at = 0; list && recorder && py.PyDict_Next(THIS->regions, &at, &name, &region);) {
        const int number = ((struct region_object *)region)->id;
        for (size_t n = number > 0 ? num_open(THIS->of, number, calls, count) : 0; n > 0; n--)
            py.PyList_Append(list, name);
    }
    return list;
}

/* mine(): False where a forked child has it from its parent. */
static PyObject *mine(PyObject *self, PyObject *unused) {
    (void)unused;
    return py.PyBool_FromLong(!THIS->of->recorder || rec_is_mine(THIS->of->recorder));
}

static PyObject *get_silent(PyObject *self, void *unused) {
    (void)unused;
    return py.PyBool_FromLong(THIS->of->silent);
}

static int set_silent(PyObject *self, PyObject *value, void *unused) {
    (void)unused;
    THIS->of->silent = value && py.PyObject_IsTrue(value) > 0;
    return 0;
}

/* ---- the type ---------------------------------------------------------------------------------------------------- */

PyObject *recording_new(PyObject *module, bool is_default) {
    struct recording_object *new =
        (struct recording_object *)py.PyType_GenericAlloc(module_state(module)->recording_type, 0);
    if (!new) return NULL;
    void *pages = NULL;
    size_t count = 0;
    new->regions = py.PyDict_New();
    new->decorated = py.PyDict_New();
    new->module = module;
    py.Py_IncRef(module);
    new->region_type = module_state(module)->region_type;
    py.Py_IncRef(new->region_type);
    if (new->regions &&new->decorated && pages_hold(&pages, &count, 1, sizeof *new->of)) {
        new->of = pages;
        new->of->is_default = is_default;
        if (is_default && module_in_main_interpreter()) region_everybodys(new);
        return (PyObject *)new;
    }
    py.Py_DecRef((PyObject *)new);
    return NULL;
}

static void dealloc(PyObject *self) {
    PyObject *type = py_type(self);
    if (THIS->of && THIS->of->is_default && module_in_main_interpreter()) region_everybodys(NULL);
    if (THIS->of) leave(THIS->of);
    region_forget_recent(THIS);
    py_drop(THIS->regions);
    py_drop(THIS->decorated);
    py_drop(THIS->region_type);
    py_drop(THIS->module);
    py.PyObject_Free(self);
    py.Py_DecRef(type);
}

struct py_getset { /* PyGetSetDef */
    const char *name;
    PyObject *(*get)(PyObject *, void *);
    int (*set)(PyObject *, PyObject *, void *);
    const char *doc;
    void *closure;
};

PyObject *make_recording_type(void) {
    static struct py_method methods[] = {
        MODULE_METHOD("region", module_region, PY_METH_FASTCALL_KEYWORDS,
                      "region($self, /, region_name, functions=None, tags=None)\n--\n\n"
                      "The region of this name, to be used in a `with` statement.\n\n"
                      "functions: their lines are counted under the region's name, where lines are counted.\n"
                      "tags: strings, the same ones at each use."),
        MODULE_METHOD("profile", module_profile, PY_METH_VARARGS_KEYWORDS,
                      "profile($self, function_or_name=None, /, *, name=None, tags=None)\n--\n\n"
                      "Decorates a function: its calls are a region, named after it or as given."),
        MODULE_METHOD("open", open_recorder, PY_METH_VARARGS_KEYWORDS, NULL),
        MODULE_METHOD("close", close_recorder, PY_METH_NOARGS, NULL),
        MODULE_METHOD("number_regions", number_regions, PY_METH_NOARGS, NULL),
        MODULE_METHOD("next", next_recorder, PY_METH_NOARGS, NULL),
        MODULE_METHOD("collected", collected, PY_METH_O, NULL),
        MODULE_METHOD("hold", hold, PY_METH_O, NULL),
        MODULE_METHOD("count_lines", count_lines, PY_METH_O, NULL),
        MODULE_METHOD("count_lines_of", count_lines_of, PY_METH_VARARGS_KEYWORDS, NULL),
        MODULE_METHOD("count_all_lines", count_all_lines, PY_METH_VARARGS_KEYWORDS, NULL),
        MODULE_METHOD("spool", spool, PY_METH_NOARGS, NULL),
        MODULE_METHOD("numbers", numbers, PY_METH_O, NULL),
        MODULE_METHOD("calls", calls, PY_METH_O, NULL),
        MODULE_METHOD("open_regions", open_regions, PY_METH_NOARGS, NULL),
        MODULE_METHOD("mine", mine, PY_METH_NOARGS, NULL),
        {0},
    };
    static struct py_member members[] = {
        {"regions", PY_T_OBJECT, offsetof(struct recording_object, regions), PY_READONLY, NULL},
        {"decorated", PY_T_OBJECT, offsetof(struct recording_object, decorated), PY_READONLY, NULL},
        {"region_type", PY_T_OBJECT, offsetof(struct recording_object, region_type), 0, NULL},
        {"lines_in_scopes", PY_T_BOOL, offsetof(struct recording_object, lines_in_scopes), 0, NULL},
        {"undecorated", PY_T_BOOL, offsetof(struct recording_object, undecorated), 0, NULL},
        {0},
    };
    static struct py_getset properties[] = {{"silent", get_silent, set_silent, NULL, NULL}, {0}};
    struct py_slot slots[] = {{PY_TP_METHODS, methods},
                              {PY_TP_MEMBERS, members},
                              {PY_TP_GETSET, properties},
                              {PY_TP_DEALLOC, (void *)(uintptr_t)dealloc},
                              {0, NULL}};
    struct py_type_spec spec = {.name = "_scope_profiler.Recording",
                                .size = sizeof(struct recording_object),
                                .flags = PY_DEFAULT,
                                .slots = slots};
    return py.PyType_FromSpec(&spec);
}
