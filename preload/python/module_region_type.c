/* What a region is to Python: a context manager of which each `with` gets the same two functions. */
#include "module.h"

static PyObject *enter(PyObject *self, PyObject *unused) {
    (void)unused;
    py.Py_IncRef(self);
    region_begin((struct region_object *)self);
    return self;
}

static PyObject *leave(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    (void)args, (void)count;
    region_end((struct region_object *)self);
    return module_none();
}

/* ---- Region.__enter__ and Region.__exit__ ------------------------------------------------------------------------ */

static struct py_method methods[REGION_METHODS] = {
    [REGION_ENTER] = MODULE_METHOD("__enter__", enter, PY_METH_NOARGS, NULL),
    [REGION_EXIT] = MODULE_METHOD("__exit__", leave, PY_METH_FASTCALL, NULL),
};

/* Methods as Python's own bind anew at each `with`: two objects made and dropped again, as much as the rest costs. */
struct region_method_object {
    struct py_head head;
    PyObject *region_type;
    PyObject *name;
    int which;
};
#define METHOD(self) ((struct region_method_object *)(self))

static bool is_region(PyObject *self, PyObject *object) {
    if (object && py.PyType_IsSubtype(py_type(object), METHOD(self)->region_type)) return true;
    py.PyErr_Format(module_exception("PyExc_TypeError"), "%U() needs a region", METHOD(self)->name);
    return false;
}

static PyObject *bind(PyObject *self, PyObject *instance, PyObject *owner) {
    (void)owner;
    if (!instance || instance == (PyObject *)py.none) {
        py.Py_IncRef(self);
        return self;
    }
    if (!is_region(self, instance)) return NULL;
    PyObject **bound = &((struct region_object *)instance)->bound[METHOD(self)->which];
    if (!*bound) *bound = py.PyCFunction_NewEx(&methods[METHOD(self)->which], instance, NULL);
    if (*bound) py.Py_IncRef(*bound);
    return *bound;
}

/* Region.__enter__(region) */
static PyObject *call(PyObject *self, PyObject *args, PyObject *names) {
    (void)names;
    PyObject *region = py.PyTuple_Size(args) > 0 ? py.PyTuple_GetItem(args, 0) : NULL;
    if (!is_region(self, region)) return NULL;
    return METHOD(self)->which == REGION_ENTER ? enter(region, NULL) : leave(region, NULL, 0);
}

static PyObject *method_repr(PyObject *self) {
    return py.PyUnicode_FromFormat("<method %R of scope_profiler.Region>", METHOD(self)->name);
}

static int method_traverse(PyObject *self, int (*visit)(PyObject *, void *), void *data) {
    int stop = 0;
    if (py.minor >= 9) stop = visit(py_type(self), data);
    return stop || !METHOD(self)->region_type ? stop : visit(METHOD(self)->region_type, data);
}

static int method_clear(PyObject *self) {
    PyObject *type = METHOD(self)->region_type;
    METHOD(self)->region_type = NULL;
    py_drop(type);
    return 0;
}

static void method_dealloc(PyObject *self) {
    PyObject *type = py_type(self);
    py.PyObject_GC_UnTrack(self);
    method_clear(self);
    py_drop(METHOD(self)->name);
    py.PyObject_GC_Del(self);
    py.Py_DecRef(type);
}

PyObject *make_region_method_type(void) {
    static struct py_member members[] = {
        {"__name__", PY_T_OBJECT, offsetof(struct region_method_object, name), PY_READONLY, NULL},
        {0},
    };
    struct py_slot slots[] = {{PY_TP_MEMBERS, members},
                              {PY_TP_CALL, (void *)(uintptr_t)call},
                              {PY_TP_DESCR_GET, (void *)(uintptr_t)bind},
                              {PY_TP_REPR, (void *)(uintptr_t)method_repr},
                              {PY_TP_TRAVERSE, (void *)(uintptr_t)method_traverse},
                              {PY_TP_CLEAR, (void *)(uintptr_t)method_clear},
                              {PY_TP_DEALLOC, (void *)(uintptr_t)method_dealloc},
                              {0, NULL}};
    struct py_type_spec spec = {.name = "_scope_profiler.RegionMethod",
                                .size = sizeof(struct region_method_object),
                                .flags = PY_DEFAULT | PY_HAVE_GC,
                                .slots = slots};
    return py.PyType_FromSpec(&spec);
}

bool region_methods_add(PyObject *region_type, PyObject *region_method_type) {
    for (int which = 0; which < REGION_METHODS; which++) {
        PyObject *method = py.PyType_GenericAlloc(region_method_type, 0);
        if (!method) return false;
        py.Py_IncRef(region_type);
        METHOD(method)->region_type = region_type;
        METHOD(method)->name = py.PyUnicode_FromString(methods[which].name);
        METHOD(method)->which = which;
        const int error = py.PyObject_SetAttrString(region_type, methods[which].name, method);
        py.Py_DecRef(method);
        if (error) return false;
    }
    return true;
}

/* ---- Region ------------------------------------------------------------------------------------------------------ */

static int traverse(PyObject *self, int (*visit)(PyObject *, void *), void *data) {
    const struct region_object *region = (struct region_object *)self;
    int stop = 0;
    if (py.minor >= 9) stop = visit(py_type(self), data);
    PyObject *const owned[] = {region->functions, region->seen};
    for (int i = 0; i < 2 && !stop; i++)
        if (owned[i]) stop = visit(owned[i], data);
    for (int i = 0; i < REGION_METHODS && !stop; i++)
        if (region->bound[i]) stop = visit(region->bound[i], data);
    return stop;
}

static int clear(PyObject *self) {
    struct region_object *region = (struct region_object *)self;
    for (int i = 0; i < REGION_METHODS; i++) {
        PyObject *bound = region->bound[i];
        region->bound[i] = NULL;
        py_drop(bound);
    }
    return 0;
}

static void dealloc(PyObject *self) {
    struct region_object *region = (struct region_object *)self;
    PyObject *type = py_type(self);
    py.PyObject_GC_UnTrack(self);
    clear(self);
    py_drop(region->functions);
    py_drop(region->seen);
    py_drop(region->name);
    py_drop(region->tags);
    py_drop(region->file);
    void (*release)(void *); /* a class made in Python has another one */
    void *slot = py.PyType_GetSlot(type, PY_TP_FREE);
    memcpy(&release, &slot, sizeof release);
    release(self);
    py.Py_DecRef(type);
}

static PyObject *repr(PyObject *self) {
    return py.PyUnicode_FromFormat("<scope_profiler.Region %R>", ((struct region_object *)self)->name);
}

PyObject *make_region_type(void) {
    static struct py_member members[] = {
        {"name", PY_T_OBJECT, offsetof(struct region_object, name), PY_READONLY, NULL},
        {"_tags", PY_T_OBJECT, offsetof(struct region_object, tags), PY_READONLY, NULL},
        {"_file", PY_T_OBJECT, offsetof(struct region_object, file), PY_READONLY, NULL},
        {"_functions", PY_T_OBJECT, offsetof(struct region_object, functions), PY_READONLY, NULL},
        {"_seen", PY_T_OBJECT, offsetof(struct region_object, seen), PY_READONLY, NULL},
        {"_line", PY_T_INT, offsetof(struct region_object, line), PY_READONLY, NULL},
        {0},
    };
    struct py_slot slots[] = {{PY_TP_MEMBERS, members},
                              {PY_TP_TRAVERSE, (void *)(uintptr_t)traverse},
                              {PY_TP_CLEAR, (void *)(uintptr_t)clear},
                              {PY_TP_DEALLOC, (void *)(uintptr_t)dealloc},
                              {PY_TP_REPR, (void *)(uintptr_t)repr},
                              {0, NULL}};
    struct py_type_spec spec = {.name = "_scope_profiler.Region",
                                .size = sizeof(struct region_object),
                                .flags = PY_DEFAULT | PY_BASE_TYPE | PY_HAVE_GC,
                                .slots = slots};
    return py.PyType_FromSpec(&spec);
}
