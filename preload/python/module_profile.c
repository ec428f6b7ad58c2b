/* profile(): the decorator, and what a decorated plain function is. */
#include "attach.h"
#include "module.h"
#include "names.h"

/* ---- decorated functions ----------------------------------------------------------------------------------------- */

struct profiled_object {
    struct py_head head;
    PyObject *(*vectorcall)(PyObject *self, PyObject *const *args, size_t count, PyObject *names);
    PyObject *(*inner)(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
    PyObject *function;
    struct region_object *region;
    PyObject *weak_references;
};

static PyObject *call_vector(PyObject *self, PyObject *const *args, size_t count, PyObject *names) {
    struct profiled_object *profiled = (struct profiled_object *)self;
    region_begin(profiled->region);
    PyObject *result = profiled->inner(profiled->function, args, count, names);
    region_end(profiled->region);
    return result;
}

static PyObject *call_tuple(PyObject *self, PyObject *args, PyObject *names) {
    struct profiled_object *profiled = (struct profiled_object *)self;
    region_begin(profiled->region);
    PyObject *result = py.PyObject_Call(profiled->function, args, names);
    region_end(profiled->region);
    return result;
}

static PyObject *bind(PyObject *self, PyObject *instance, PyObject *owner) {
    (void)owner;
    if (instance && instance != (PyObject *)py.none) return py.PyMethod_New(self, instance);
    py.Py_IncRef(self);
    return self;
}

/* Attributes are the function's, but for those by which the two differ. */
static PyObject *get_attribute(PyObject *self, PyObject *name) {
    static const char *const own[] = {"__class__", "__call__", "__get__", "__reduce__", "__reduce_ex__"};
    struct profiled_object *profiled = (struct profiled_object *)self;
    const char *text = py_text(name);
    if (text && strcmp(text, "__wrapped__") == 0) {
        py.Py_IncRef(profiled->function);
        return profiled->function;
    }
    for (size_t i = 0; text && i < sizeof own / sizeof *own; i++)
        if (strcmp(text, own[i]) == 0) return py.PyObject_GenericGetAttr(self, name);
    return py.PyObject_GetAttr(profiled->function, name);
}

static int set_attribute(PyObject *self, PyObject *name, PyObject *value) {
    return py.PyObject_SetAttr(((struct profiled_object *)self)->function, name, value);
}

static PyObject *repr(PyObject *self) {
    return py.PyUnicode_FromFormat("<profiled %R>", ((struct profiled_object *)self)->function);
}

/* By its name, as functions are pickled. */
static PyObject *reduce(PyObject *self, PyObject *unused) {
    (void)unused;
    return py.PyObject_GetAttrString(((struct profiled_object *)self)->function, "__qualname__");
}

static int traverse(PyObject *self, int (*visit)(PyObject *, void *), void *data) {
    struct profiled_object *profiled = (struct profiled_object *)self;
    int stop = 0;
    if (py.minor >= 9) stop = visit(py_type(self), data);
    return stop || !profiled->function ? stop : visit(profiled->function, data);
}

static int clear(PyObject *self) {
    struct profiled_object *profiled = (struct profiled_object *)self;
    PyObject *function = profiled->function;
    profiled->function = NULL;
    py_drop(function);
    return 0;
}

static void dealloc(PyObject *self) {
    struct profiled_object *profiled = (struct profiled_object *)self;
    PyObject *type = py_type(self);
    py.PyObject_GC_UnTrack(self);
    if (profiled->weak_references) py.PyObject_ClearWeakRefs(self);
    clear(self);
    py_drop((PyObject *)profiled->region);
    py.PyObject_GC_Del(self);
    py.Py_DecRef(type);
}

PyObject *make_profiled_type(void) {
    static struct py_member members[] = {
        {"__vectorcalloffset__", PY_T_SSIZE, offsetof(struct profiled_object, vectorcall), PY_READONLY, NULL},
        {"__weaklistoffset__", PY_T_SSIZE, offsetof(struct profiled_object, weak_references), PY_READONLY, NULL},
        {0},
    };
    static struct py_method methods[] = {
        MODULE_METHOD("__reduce__", reduce, PY_METH_NOARGS, NULL),
        {0},
    };
    const bool vector = py.minor >= 9; /* before, a type made from a spec cannot say where the pointer is */
    struct py_slot slots[] = {
        {PY_TP_CALL, vector ? (void *)(uintptr_t)py.PyVectorcall_Call : (void *)(uintptr_t)call_tuple},
        {PY_TP_DESCR_GET, (void *)(uintptr_t)bind},
        {PY_TP_GETATTRO, (void *)(uintptr_t)get_attribute},
        {PY_TP_SETATTRO, (void *)(uintptr_t)set_attribute},
        {PY_TP_REPR, (void *)(uintptr_t)repr},
        {PY_TP_TRAVERSE, (void *)(uintptr_t)traverse},
        {PY_TP_CLEAR, (void *)(uintptr_t)clear},
        {PY_TP_DEALLOC, (void *)(uintptr_t)dealloc},
        {PY_TP_METHODS, methods},
        {vector ? PY_TP_MEMBERS : 0, members},
        {0, NULL},
    };
    struct py_type_spec spec = {
        .name = "scope_profiler.Profiled",
        .size = sizeof(struct profiled_object),
        .flags = PY_DEFAULT | PY_HAVE_GC | (vector ? PY_HAVE_VECTORCALL | PY_METHOD_DESCRIPTOR : 0),
        .slots = slots,
    };
    return py.PyType_FromSpec(&spec);
}

/* 3.9 and 3.10 have no function that calls anything with a vector and keywords as a tuple. */
static PyObject *call_by_dict(PyObject *function, PyObject *const *args, size_t count, PyObject *names) {
    const size_t positional = count & ~((size_t)1 << (8 * sizeof(size_t) - 1));
    PyObject *keywords = names ? py.PyDict_New() : NULL;
    if (names && !keywords) return NULL;
    for (Py_ssize_t i = 0; names && i < py.PyTuple_Size(names); i++)
        if (py.PyDict_SetItem(keywords, py.PyTuple_GetItem(names, i), args[positional + (size_t)i]) != 0) {
            py.Py_DecRef(keywords);
            return NULL;
        }
    PyObject *result = py.PyObject_VectorcallDict(function, args, count, keywords);
    py_drop(keywords);
    return result;
}

PyObject *profiled_new(PyObject *module, PyObject *function, struct region_object *region) {
    PyObject *object = py.PyType_GenericAlloc(module_state(module)->profiled_type, 0);
    struct profiled_object *profiled = (struct profiled_object *)object;
    if (!object) return NULL;
    py.Py_IncRef(function);
    py.Py_IncRef((PyObject *)region);
    profiled->function = function;
    profiled->region = region;
    profiled->vectorcall = call_vector;
    if (py._PyFunction_Vectorcall && py_type(function) == (PyObject *)py.function_type)
        profiled->inner = py._PyFunction_Vectorcall;
    else
        profiled->inner = py.PyObject_Vectorcall ? py.PyObject_Vectorcall : call_by_dict;
    return object;
}

/* ---- decorating -------------------------------------------------------------------------------------------------- */

struct decoration {
    struct recording_object *recording;
    PyObject *name, *tags; /* borrowed; None or not given */
};

static bool given(PyObject *value) { return value && value != (PyObject *)py.none; }

/* Which helper wraps a function of that kind; NULL: a plain one. */
static const char *helper_for(long flags) {
    enum { GENERATOR = 0x20, COROUTINE = 0x80, ITERABLE_COROUTINE = 0x100, ASYNC_GENERATOR = 0x200 };
    if (flags & COROUTINE) return "coroutine";
    if (flags & ASYNC_GENERATOR) return "async_generator";
    return flags & (GENERATOR | ITERABLE_COROUTINE) ? "generator" : NULL;
}

static PyObject *wrap_suspending(struct recording_object *recording, const char *kind, PyObject *function,
                                 struct region_object *region) {
    PyObject *helper = module_helper(recording->module, kind);
    PyObject *segmenter = helper ? segmenter_new(recording, region) : NULL;
    PyObject *wrapper = segmenter ? py.PyObject_CallFunctionObjArgs(helper, function, segmenter, NULL) : NULL;
    py_drop(segmenter);
    return wrapper;
}

static PyObject *wrap(const struct decoration *how, PyObject *function, PyObject *code, struct region_object *region) {
    const char *kind = code ? helper_for(py_attribute_long(code, "co_flags", 0)) : NULL;
    if (code && module_in_main_interpreter())
        names_leave_out(code); /* its calls are this region's, not another's as well */
    module_count_lines(function, region);
    return kind ? wrap_suspending(how->recording, kind, function, region)
                : profiled_new(how->recording->module, function, region);
}

/* A partial, or an object that can be called, has no name of its own. */
static PyObject *name_of(PyObject *function) {
    PyObject *name = py.PyObject_GetAttrString(function, "__name__");
    if (name) return name;
    py.PyErr_Clear();
    py.PyErr_Format(module_exception("PyExc_TypeError"), "profile() needs a name for the region of %R", function);
    return NULL;
}

static PyObject *decorate_function(const struct decoration *how, PyObject *function) {
    PyObject *code = py_attribute(function, "__code__");
    PyObject *name = given(how->name) ? how->name : name_of(function);
    struct region_object *region = name ? region_object_get(how->recording, name, how->tags, code) : NULL;
    PyObject *result = NULL;
    if (region && how->recording->undecorated) {
        py.Py_IncRef(function);
        result = function;
    } else if (region && py.PyDict_SetItem(how->recording->decorated, region->name, (PyObject *)region) == 0) {
        result = wrap(how, function, code, region);
    }
    py_drop((PyObject *)region);
    if (!given(how->name)) py_drop(name);
    py_drop(code);
    return result;
}

/* A function, or a static or class method around one. */
static PyObject *decorate(const struct decoration *how, PyObject *target) {
    PyObject *inside = py.PyCallable_Check(target) ? NULL : py_attribute(target, "__func__");
    PyObject *type = py_type(target);
    bool is_method = type == (PyObject *)py.staticmethod_type || type == (PyObject *)py.classmethod_type;
    if (is_method && !inside) inside = py_attribute(target, "__func__");
    PyObject *result = NULL;
    if (is_method && inside) {
        PyObject *function = decorate_function(how, inside);
        if (function) result = py.PyObject_CallFunctionObjArgs(type, function, NULL);
        py_drop(function);
    } else if (py.PyCallable_Check(target) && !py.PyType_IsSubtype(type, py.type_type)) {
        result = decorate_function(how, target);
    } else {
        py.PyErr_Format(module_exception("PyExc_TypeError"), "profile() decorates functions and methods, not %R",
                        target);
    }
    py_drop(inside);
    return result;
}

/* ---- profile() --------------------------------------------------------------------------------------------------- */

/* The decorator of profile("name"): its self is (recording, name, tags). */
static PyObject *decorate_later(PyObject *self, PyObject *target) {
    const struct decoration how = {(struct recording_object *)py.PyTuple_GetItem(self, 0), py.PyTuple_GetItem(self, 1),
                                   py.PyTuple_GetItem(self, 2)};
    return decorate(&how, target);
}

static PyObject *decorator(const struct decoration *how) {
    static struct py_method method = MODULE_METHOD("profile", decorate_later, PY_METH_O, NULL);
    PyObject *none = (PyObject *)py.none;
    PyObject *self =
        py.PyTuple_Pack(3, (PyObject *)how->recording, how->name ? how->name : none, how->tags ? how->tags : none);
    PyObject *function = self ? py.PyCFunction_NewEx(&method, self, NULL) : NULL;
    py_drop(self);
    return function;
}

PyObject *module_profile(PyObject *self, PyObject *args, PyObject *names) {
    static char first_name[] = "", name_name[] = "name", tags_name[] = "tags";
    static char *keywords[] = {first_name, name_name, tags_name, NULL};
    PyObject *first = NULL, *name = NULL, *tags = NULL;
    if (!py.PyArg_ParseTupleAndKeywords(args, names, "|O$OO:profile", keywords, &first, &name, &tags)) return NULL;
    const bool is_name = given(first) && py_type(first) == (PyObject *)py.unicode_type;
    const struct decoration how = {(struct recording_object *)self, is_name ? first : name, tags};
    return given(first) && !is_name ? decorate(&how, first) : decorator(&how);
}
