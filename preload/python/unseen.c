/* How: the instruction keeps the function's version, a number that functions get when first needed, in 16 bits, and is
 * not used when the number needs more. So the next number to be given is made large. It is a static variable of the
 * interpreter: it is found by its value, which new functions tell. */
#include "unseen.h"
#include <link.h>
#include <stdlib.h>

enum {
    FUNCTION_VERSION = 128, /* offset in PyFunctionObject of 3.11 */
    BEYOND = 1 << 16,
    MAX_PLACES = 4096,
    ROUNDS = 4,
};

static PyObject *run(const char *source) {
    PyObject *code = py.Py_CompileString(source, "<trial>", PY_FILE_INPUT), *globals = py.PyDict_New();
    PyObject *result = code && globals ? py.PyEval_EvalCode(code, globals, globals) : NULL;
    py.PyErr_Clear();
    py_drop(code);
    if (!result) {
        py_drop(globals);
        return NULL;
    }
    py.Py_DecRef(result);
    return globals;
}

bool unseen_try(int *expected) {
    static const char source[] = "class C:\n"
                                 "    def __getitem__(self, key): pass\n"
                                 "def f():\n"
                                 "    c = C()\n"
                                 "    for i in range(64): c[i]\n"
                                 "f()\n";
    *expected = 1 + 1 + 1 + 64;
    PyObject *globals = run(source);
    py_drop(globals);
    return globals != NULL;
}

/* The version that a function new by then was given; 0 when it got none. */
static uint32_t newest_version(void) {
    PyObject *globals = run("def f():\n"
                            "    def g(): pass\n"
                            "    for i in range(64): g()\n"
                            "    return g\n"
                            "g = f()\n");
    if (!globals) return 0;
    uint32_t version = 0;
    PyObject *function = py.PyDict_GetItemString(globals, "g");
    if (function) memcpy(&version, (char *)function + FUNCTION_VERSION, sizeof version);
    py.Py_DecRef(globals);
    return version;
}

/* ---- finding it ----------------------------------------------------------------------------------------------------
 */

struct search {
    uint32_t value;
    uint32_t *places[MAX_PLACES];
    int count; /* -1: too many */
};

static bool is_the_interpreter(const struct dl_phdr_info *object) {
    uintptr_t inside;
    memcpy(&inside, &py._PyEval_EvalFrameDefault, sizeof inside);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && inside - (object->dlpi_addr + part->p_vaddr) < part->p_memsz) return true;
    }
    return false;
}

static int search_object(struct dl_phdr_info *object, size_t size, void *argument) {
    struct search *search = argument;
    (void)size;
    if (!is_the_interpreter(object)) return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_W)) continue;
        uintptr_t start = (object->dlpi_addr + part->p_vaddr + 3) & ~(uintptr_t)3;
        uintptr_t end = object->dlpi_addr + part->p_vaddr + part->p_memsz;
        for (uint32_t *at = (uint32_t *)start; (uintptr_t)(at + 1) <= end; at++) {
            if (*at != search->value) continue;
            if (search->count == MAX_PLACES) {
                search->count = -1;
                return 1;
            }
            search->places[search->count++] = at;
        }
    }
    return 1;
}

static void keep_those_with(struct search *search, uint32_t value) {
    int kept = 0;
    for (int i = 0; i < search->count; i++)
        if (*search->places[i] == value) search->places[kept++] = search->places[i];
    search->count = kept;
}

static uint32_t *next_version(void) {
    uint32_t version = newest_version(), *found = NULL;
    struct search *search = version ? calloc(1, sizeof *search) : NULL;
    if (!search) return NULL;
    search->value = version + 1;
    dl_iterate_phdr(search_object, search);
    for (int i = 0; i < ROUNDS && search->count > 0; i++) {
        version = newest_version();
        keep_those_with(search, version + 1);
    }
    if (version && search->count == 1) found = search->places[0];
    free(search);
    return found;
}

bool unseen_prevent(void) {
    uint32_t *next = next_version();
    if (!next) return false;
    if (*next < BEYOND) *next = BEYOND;
    return newest_version() >= BEYOND;
}
