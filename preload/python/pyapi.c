#include "pyapi.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct py_api py;

enum need { MAY_LACK, NEEDED };

static const struct {
    const char *name;
    size_t place; /* in struct py_api */
    int since, last;
    enum need need;
} functions[] = {
#define PY_ENTRY(since, last, need, result, name, arguments) {#name, offsetof(struct py_api, name), since, last, need},
    PY_FUNCTIONS(PY_ENTRY)
#undef PY_ENTRY
};

void py_symbol(void *handle, const char *name, void *pointer) {
    void *symbol = dlsym(handle, name);
    memcpy(pointer, &symbol, sizeof symbol);
}

/* The version's words, "3.11.2 (main, ...) ..." */
static const char *version_text(void *handle) {
    const char *(*version)(void);
    py_symbol(handle, "Py_GetVersion", &version);
    return version ? version() : "";
}

static void find_objects(void) {
    static const struct {
        const char *name;
        size_t place;
    } objects[] = {{"_Py_NoneStruct", offsetof(struct py_api, none)},
                   {"PyUnicode_Type", offsetof(struct py_api, unicode_type)},
                   {"PyFunction_Type", offsetof(struct py_api, function_type)},
                   {"PyStaticMethod_Type", offsetof(struct py_api, staticmethod_type)},
                   {"PyClassMethod_Type", offsetof(struct py_api, classmethod_type)},
                   {"PyType_Type", offsetof(struct py_api, type_type)}};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        py_symbol(py.handle, objects[i].name, (char *)&py + objects[i].place);
}

static void choose_names(void) {
    bool old = py.minor < 12;
    py.interpreter = py.minor < 9 ? py._PyInterpreterState_Get : py.PyInterpreterState_Get;
    py.request_extra = old ? py._PyEval_RequestCodeExtraIndex : py.PyUnstable_Eval_RequestCodeExtraIndex;
    py.get_extra = old ? py._PyCode_GetExtra : py.PyUnstable_Code_GetExtra;
    py.set_extra = old ? py._PyCode_SetExtra : py.PyUnstable_Code_SetExtra;
}

/* The words of a build without the GIL: its objects are laid out differently, and nothing here takes locks. */
static bool is_free_threaded(const char *version) { return strstr(version, "free-threading build") != NULL; }

bool py_load(void *handle, char why[128]) {
    char ignored[128];
    if (!why) why = ignored;
    why[0] = 0;
    int major = 0, minor = 0;
    const char *version = version_text(handle);
    if (sscanf(version, "%d.%d", &major, &minor) != 2 || major > 3) return false;
    if (major < 3 || minor < 8) {
        snprintf(why, 128, "it is version %d.%d, and 3.8 is the oldest that can be entered", major, minor);
        return false;
    }
    if (is_free_threaded(version)) {
        snprintf(why, 128, "it is a free-threaded build, and those cannot be entered");
        return false;
    }
    struct py_api found = {.minor = minor, .handle = handle};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(handle, functions[i].name);
        bool here = functions[i].since <= minor && (functions[i].last == 0 || minor <= functions[i].last);
        if (!function && here && functions[i].need == NEEDED) {
            snprintf(why, 128, "it does not offer %s", functions[i].name);
            return false;
        }
        memcpy((char *)&found + functions[i].place, &function, sizeof function);
    }
    py = found;
    choose_names();
    find_objects();
    return true;
}

const char *py_text(PyObject *object) {
    const char *text = object ? py.PyUnicode_AsUTF8(object) : NULL;
    if (!text) py.PyErr_Clear();
    return text;
}

PyObject *py_attribute(PyObject *object, const char *name) {
    PyObject *value = py.PyObject_GetAttrString(object, name);
    if (!value) py.PyErr_Clear();
    return value;
}

long py_attribute_long(PyObject *object, const char *name, long otherwise) {
    PyObject *value = py_attribute(object, name);
    if (!value) return otherwise;
    long number = py.PyLong_AsLong(value);
    if (number == -1 && py.PyErr_Occurred()) {
        py.PyErr_Clear();
        number = otherwise;
    }
    py.Py_DecRef(value);
    return number;
}

void py_drop(PyObject *object) {
    if (object) py.Py_DecRef(object);
}

struct py_error py_error_save(void) {
    struct py_error e;
    py.PyErr_Fetch(&e.type, &e.value, &e.traceback);
    return e;
}

void py_error_restore(struct py_error e) { py.PyErr_Restore(e.type, e.value, e.traceback); }
