/* What a generator or a coroutine of a decorated function runs, from one suspension to the next. */
#include "module.h"

struct segmenter_object {
    struct py_head head;
    PyObject *segments_type;
    struct region_object *call, *resumed;
    PyObject *send, *throw, *close; /* interned names */
};

struct segments_object {
    struct py_head head;
    PyObject *inner;
    struct segmenter_object *of;
    bool started;
};

/* ---- Segments ---------------------------------------------------------------------------------------------------- */

static struct region_object *next_region(struct segments_object *segments) {
    struct region_object *region = segments->started ? segments->of->resumed : segments->of->call;
    segments->started = true;
    return region;
}

static PyObject *send(PyObject *self, PyObject *value) {
    struct segments_object *segments = (struct segments_object *)self;
    struct region_object *region = next_region(segments);
    region_begin(region);
    PyObject *result = py.PyObject_CallMethodObjArgs(segments->inner, segments->of->send, value, NULL);
    region_end(region);
    return result;
}

/* StopIteration is left set: it carries the result. */
static PyObject *step(PyObject *self) { return send(self, (PyObject *)py.none); }

static PyObject *throw(PyObject * self, PyObject *args) {
    struct segments_object *segments = (struct segments_object *)self;
    PyObject *method = py.PyObject_GetAttr(segments->inner, segments->of->throw);
    if (!method) return NULL;
    struct region_object *region = next_region(segments);
    region_begin(region);
    PyObject *result = py.PyObject_Call(method, args, NULL);
    region_end(region);
    py.Py_DecRef(method);
    return result;
}

/* One that has not begun runs nothing when it is closed. */
static PyObject *close_inner(PyObject *self, PyObject *unused) {
    (void)unused;
    struct segments_object *segments = (struct segments_object *)self;
    const bool runs = segments->started;
    if (runs) region_begin(segments->of->resumed);
    PyObject *result = py.PyObject_CallMethodObjArgs(segments->inner, segments->of->close, NULL);
    if (runs) region_end(segments->of->resumed);
    return result;
}

static PyObject *itself(PyObject *self) {
    py.Py_IncRef(self);
    return self;
}

static int traverse(PyObject *self, int (*visit)(PyObject *, void *), void *data) {
    struct segments_object *segments = (struct segments_object *)self;
    int stop = 0;
    if (py.minor >= 9) stop = visit(py_type(self), data);
    return stop || !segments->inner ? stop : visit(segments->inner, data);
}

static int clear(PyObject *self) {
    struct segments_object *segments = (struct segments_object *)self;
    PyObject *inner = segments->inner;
    segments->inner = NULL;
    py_drop(inner);
    return 0;
}

static void dealloc(PyObject *self) {
    PyObject *type = py_type(self);
    py.PyObject_GC_UnTrack(self);
    clear(self);
    py_drop((PyObject *)((struct segments_object *)self)->of);
    py.PyObject_GC_Del(self);
    py.Py_DecRef(type);
}

PyObject *make_segments_type(void) {
    enum { METH_VARARGS = 1 };
    static struct py_method methods[] = {
        MODULE_METHOD("send", send, PY_METH_O, NULL),
        MODULE_METHOD("throw", throw, METH_VARARGS, NULL),
        MODULE_METHOD("close", close_inner, PY_METH_NOARGS, NULL),
        {0},
    };
    struct py_slot slots[] = {{PY_TP_METHODS, methods},
                              {PY_TP_ITER, (void *)(uintptr_t)itself},
                              {PY_TP_ITERNEXT, (void *)(uintptr_t)step},
                              {PY_TP_AM_AWAIT, (void *)(uintptr_t)itself},
                              {PY_TP_TRAVERSE, (void *)(uintptr_t)traverse},
                              {PY_TP_CLEAR, (void *)(uintptr_t)clear},
                              {PY_TP_DEALLOC, (void *)(uintptr_t)dealloc},
                              {0, NULL}};
    struct py_type_spec spec = {.name = "scope_profiler.Segments",
                                .size = sizeof(struct segments_object),
                                .flags = PY_DEFAULT | PY_HAVE_GC,
                                .slots = slots};
    return py.PyType_FromSpec(&spec);
}

/* ---- Segmenter --------------------------------------------------------------------------------------------------- */

/* segmenter(inner, resumed=False) */
static PyObject *make_segments(PyObject *self, PyObject *args, PyObject *names) {
    (void)names;
    struct segmenter_object *segmenter = (struct segmenter_object *)self;
    struct segments_object *segments = (struct segments_object *)py.PyType_GenericAlloc(segmenter->segments_type, 0);
    if (!segments) return NULL;
    region_follow_tasks();
    segments->inner = py.PyTuple_GetItem(args, 0);
    if (segments->inner) py.Py_IncRef(segments->inner);
    segments->started = py.PyTuple_Size(args) > 1;
    py.Py_IncRef(self);
    segments->of = segmenter;
    if (segments->inner) return (PyObject *)segments;
    py.Py_DecRef((PyObject *)segments);
    return NULL;
}

static void dealloc_segmenter(PyObject *self) {
    struct segmenter_object *segmenter = (struct segmenter_object *)self;
    PyObject *type = py_type(self);
    PyObject *const owned[] = {segmenter->segments_type,
                               (PyObject *)segmenter->call,
                               (PyObject *)segmenter->resumed,
                               segmenter->send,
                               segmenter->throw,
                               segmenter->close};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) py_drop(owned[i]);
    py.PyObject_Free(self);
    py.Py_DecRef(type);
}

PyObject *make_segmenter_type(void) {
    struct py_slot slots[] = {{PY_TP_CALL, (void *)(uintptr_t)make_segments},
                              {PY_TP_DEALLOC, (void *)(uintptr_t)dealloc_segmenter},
                              {0, NULL}};
    struct py_type_spec spec = {.name = "scope_profiler.Segmenter",
                                .size = sizeof(struct segmenter_object),
                                .flags = PY_DEFAULT,
                                .slots = slots};
    return py.PyType_FromSpec(&spec);
}

static struct region_object *resumed_region(struct recording_object *recording, struct region_object *call) {
    PyObject *name = py.PyUnicode_FromFormat("%U [resumed]", call->name);
    struct region_object *region = name ? region_object_get(recording, name, NULL, NULL) : NULL;
    if (region) py.PyDict_SetItem(recording->decorated, name, (PyObject *)region);
    py_drop(name);
    return region;
}

PyObject *segmenter_new(struct recording_object *recording, struct region_object *region) {
    struct module_state *state = module_state(recording->module);
    PyObject *object = py.PyType_GenericAlloc(state->segmenter_type, 0);
    struct segmenter_object *segmenter = (struct segmenter_object *)object;
    if (!object) return NULL;
    py.Py_IncRef(state->segments_type);
    py.Py_IncRef((PyObject *)region);
    segmenter->segments_type = state->segments_type;
    segmenter->call = region;
    segmenter->resumed = resumed_region(recording, region);
    segmenter->send = py.PyUnicode_InternFromString("send");
    segmenter->throw = py.PyUnicode_InternFromString("throw");
    segmenter->close = py.PyUnicode_InternFromString("close");
    if (segmenter->resumed && segmenter->send && segmenter->throw &&segmenter->close) return object;
    py.Py_DecRef(object);
    return NULL;
}
