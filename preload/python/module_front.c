/* The builtin module `scope_profiler`: there before any installed package of that name. It is our package, which lies
 * beside this object; without it, regions and decorators alone. What it has not is an installed package's. */
#include "attach.h"
#include "module.h"
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool is_package(const char *directory) {
    char path[PATH_MAX];
    struct stat about;
    const int length = snprintf(path, sizeof path, "%s__init__.py", directory);
    return length < (int)sizeof path && stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

const char *module_directory(void) {
    static const char *const places[] = {SCOPE_PYTHON_FROM_LIB, "../share/python"}; /* installed; in the build folder */
    static char found[PATH_MAX];
    static bool looked;
    char library[PATH_MAX], path[2 * PATH_MAX], real[PATH_MAX];
    Dl_info self;
    if (looked) return found;
    looked = true;
    if (!dladdr(found, &self) || !realpath(self.dli_fname, library)) return found;
    const char *beside = dirname(library);
    for (size_t i = 0; i < sizeof places / sizeof *places && !*found; i++) {
        snprintf(path, sizeof path, "%s/%s/scope_profiler", beside, places[i]);
        if (realpath(path, real) && strlen(real) + 2 < sizeof found) {
            snprintf(found, sizeof found, "%s/", real);
            if (!is_package(found)) *found = 0;
        }
    }
    return found;
}

/* An installed package of our name on sys.path that is not ours; a new str or NULL, no error is left. */
static PyObject *find_installed(void) {
    PyObject *list = py.PySys_GetObject("path"), *entry, *result = NULL;
    for (Py_ssize_t i = 0; list && !result && (entry = py.PyList_GetItem(list, i)); i++) {
        char path[PATH_MAX], real[PATH_MAX];
        const char *directory = py_text(entry);
        if (!directory) continue;
        const char *slash = *directory ? "/" : "";
        int length = snprintf(path, sizeof path, "%s%sscope_profiler/", directory, slash);
        if (length < 0 || length >= (int)sizeof path || !is_package(path) || !realpath(path, real)) continue;
        const size_t bytes = strlen(real);
        if (strncmp(module_directory(), real, bytes) == 0 && strcmp(module_directory() + bytes, "/") == 0) continue;
        path[length - 1] = 0;
        result = py.PyUnicode_FromString(path);
    }
    py.PyErr_Clear();
    return result;
}

static int execute(PyObject *module) {
    attach_quiet();
    PyObject *core = py.PyImport_ImportModule("_scope_profiler");
    PyObject *helper = core ? module_helper(core, "front") : NULL;
    PyObject *installed = find_installed();
    PyObject *ours = py.PyUnicode_FromString(module_directory());
    PyObject *done = helper && ours ? py.PyObject_CallFunctionObjArgs(helper, module, core, ours,
                                                                      installed ? installed : (PyObject *)py.none, NULL)
                                    : NULL;
    attach_loud();
    py_drop(ours);
    py_drop(installed);
    py_drop(core);
    py_drop(done);
    return done ? 0 : -1;
}

PyObject *module_front(void) {
    static struct py_slot slots[4] = {{PY_MOD_EXEC, NULL}};
    static struct py_module_def definition = {
        .head = {.references = 1},
        .name = "scope_profiler",
        .doc = "Regions of a program that is being recorded by `scope-profiler run`.",
        .slots = slots,
    };
    int (*function)(PyObject *) = execute;
    size_t n = 1;
    memcpy(&slots[0].value, &function, sizeof function);
    if (py.minor >= 12) slots[n++] = (struct py_slot){PY_MOD_MULTIPLE_INTERPRETERS, (void *)2};
    if (py.minor >= 13) slots[n++] = (struct py_slot){PY_MOD_GIL, (void *)0};
    slots[n] = (struct py_slot){0, NULL};
    return py.PyModuleDef_Init(&definition);
}
