/* Regions that count lines: those of the function that a `with` stands in, and of others that the region was given,
 * while it is open. */
#include "lines.h"
#include "module.h"
#include <stdlib.h>

#define TLS __thread __attribute__((tls_model("initial-exec")))

/* Functions that are counted in this thread by regions that are open, by the order of their begins. A region's have a
 * NULL below them. */
struct scope {
    const struct region_object *region;
    struct lines_function *function;
    bool here; /* its lines are told for this scope's sake */
};
static TLS struct {
    struct scope *scopes;
    size_t count, room;
} held;

static bool push(struct scope scope) {
    if (held.count == held.room) {
        const size_t room = held.room ? held.room * 2 : 16;
        struct scope *longer = realloc(held.scopes, room * sizeof *longer);
        if (!longer) return false;
        held.scopes = longer;
        held.room = room;
    }
    held.scopes[held.count++] = scope;
    return true;
}

/* A thread that has left all of them keeps no memory: nobody tells when it ends. */
static void give_room_back(void) {
    if (held.count) return;
    free(held.scopes);
    held.scopes = NULL;
    held.room = 0;
}

static bool note(PyObject **dict, PyObject *code) {
    if (!*dict && !(*dict = py.PyDict_New())) return false;
    return py.PyDict_SetItem(*dict, code, py.none) == 0;
}

static PyObject *code_of(PyObject *function) {
    PyObject *inner = py_attribute(function, "__wrapped__");
    PyObject *code = py_attribute(inner ? inner : function, "__code__");
    py_drop(inner);
    return code;
}

bool region_count_lines(struct region_object *region, PyObject *function) {
    PyObject *code = code_of(function);
    const bool noted = code && note(&region->functions, code);
    py_drop(code);
    return noted;
}

static bool count(const struct region_object *region, PyObject *code) {
    struct lines_function *function = lines_scope_begin(code, py_text(region->name));
    if (!function || push((struct scope){region, function, false})) return function != NULL;
    lines_scope_end(function);
    return false;
}

/* The function that the `with` stands in. Its first time there makes it known, and is not counted. */
static bool count_caller(struct region_object *region, PyObject *code) {
    if (region->seen && py.PyDict_GetItem(region->seen, code)) return count(region, code);
    struct lines_function *function = lines_scope_begin(code, py_text(region->name));
    if (!function) return false;
    lines_scope_end(function);
    note(&region->seen, code);
    return false;
}

static PyObject *enter(PyObject *self, PyObject *object) {
    (void)self;
    struct region_object *region = (struct region_object *)object;
    if (lines_wanted() && module_in_main_interpreter() && push((struct scope){.region = region})) {
        const size_t place = held.count - 1;
        PyObject *frame = module_users_frame(), *code = frame ? py_attribute(frame, "f_code") : NULL;
        PyObject *other, *none;
        for (Py_ssize_t at = 0; region->functions && py.PyDict_Next(region->functions, &at, &other, &none);)
            if (other != code) count(region, other);
        if (code && count_caller(region, code)) held.scopes[place].here = lines_here(true);
        py.PyErr_Clear();
        py_drop(code);
        py_drop(frame);
    }
    py.Py_IncRef(object);
    region_begin(region);
    return object;
}

/* What the newest open `with` of the region counts. */
static void end_scope(const struct region_object *region) {
    size_t from = held.count;
    while (from > 0 && (held.scopes[from - 1].region != region || held.scopes[from - 1].function)) from--;
    if (from == 0) return;
    size_t to = from--;
    if (held.scopes[from].here) lines_here(false);
    for (; to < held.count && held.scopes[to].region == region && held.scopes[to].function; to++)
        lines_scope_end(held.scopes[to].function);
    memmove(&held.scopes[from], &held.scopes[to], (held.count - to) * sizeof *held.scopes);
    held.count -= to - from;
    give_room_back();
}

static PyObject *leave(PyObject *self, PyObject *const *args, Py_ssize_t number) {
    (void)self;
    if (number < 1) return NULL; /* it is bound */
    region_end((struct region_object *)args[0]);
    end_scope((struct region_object *)args[0]);
    return module_none();
}

PyObject *make_line_method(int which) {
    static struct py_method methods[REGION_METHODS] = {
        [REGION_ENTER] = MODULE_METHOD("__enter__", enter, PY_METH_O, NULL),
        [REGION_EXIT] = MODULE_METHOD("__exit__", leave, PY_METH_FASTCALL, NULL),
    };
    PyObject *function = py.PyCFunction_NewEx(&methods[which], NULL, NULL);
    PyObject *method = function ? py.PyInstanceMethod_New(function) : NULL;
    py_drop(function);
    return method;
}
