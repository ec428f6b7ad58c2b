#include "qualnames.h"
#include <stdio.h>
#include <stdlib.h>

static Py_ssize_t place = -1;

static void forget(void *name) { free(name); }

bool qualnames_up(void) { return (place = py.request_extra(forget)) >= 0; }

const char *qualnames_of(PyObject *code, const char *plain) {
    void *name = NULL;
    py.get_extra(code, place, &name);
    return name ? name : plain;
}

static void tell(PyObject *child, const char *prefix) {
    void *known = NULL;
    char *name;
    py.get_extra(child, place, &known);
    PyObject *plain = known ? NULL : py_attribute(child, "co_name");
    const char *text = plain ? py_text(plain) : NULL;
    if (text && asprintf(&name, "%s%s", prefix, text) >= 0 && py.set_extra(child, place, name) != 0) {
        py.PyErr_Clear();
        free(name);
    }
    py_drop(plain);
}

void qualnames_tell_children(PyObject *code, const char *name, long flags) {
    char prefix[2048];
    if (flags & PY_CO_OPTIMIZED)
        snprintf(prefix, sizeof prefix, "%s.<locals>.", name);
    else if (strcmp(name, "<module>") == 0)
        prefix[0] = 0;
    else
        snprintf(prefix, sizeof prefix, "%s.", name);
    PyObject *constants = py_attribute(code, "co_consts");
    PyObject *code_type = py.PyObject_Type(code);
    Py_ssize_t count = constants ? py.PyTuple_Size(constants) : 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *constant = py.PyTuple_GetItem(constants, i);
        PyObject *type = py.PyObject_Type(constant);
        if (type == code_type) tell(constant, prefix);
        py_drop(type);
    }
    py_drop(code_type);
    py_drop(constants);
}
