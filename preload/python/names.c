#include "names.h"
#include "attach.h"
#include "module.h"
#include "places.h"
#include "qualnames.h"
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

Py_ssize_t names_index = -1;

/* ---- the user's filter ---------------------------------------------------------------------------------------------
 */

static bool record_all, command_is_library;
static struct globs {
    char *list[256];
    int count;
} include, exclude;

static void split(struct globs *globs, const char *lines) {
    char *copy = lines ? strdup(lines) : NULL;
    for (char *line = copy, *rest; line && globs->count < 256; line = rest) {
        rest = strchr(line, '\n');
        if (rest) *rest++ = 0;
        if (*line) globs->list[globs->count++] = line;
    }
}

void names_configure(bool all, const char *include_lines, const char *exclude_lines) {
    record_all = all;
    split(&include, include_lines);
    split(&exclude, exclude_lines);
}

void names_command_is_library(void) { command_is_library = true; }
bool names_want_library(void) { return record_all; }

static bool matches(const struct globs *globs, const char *name) {
    for (int i = 0; i < globs->count; i++)
        if (fnmatch(globs->list[i], name, FNM_NOESCAPE) == 0) return true;
    return false;
}

static bool wanted(const char *name) {
    return (include.count == 0 || matches(&include, name)) && !matches(&exclude, name);
}

/* ---- whose code it is ----------------------------------------------------------------------------------------------
 */

/* Where the standard library lies: directories with a slash at the end. */
static char library[3][4096];

static void find_library(void) {
    static const char *const prefixes[] = {"base_prefix", "base_exec_prefix"};
    const char *lib = py_text(py.PySys_GetObject("platlibdir")); /* 3.9 */
    for (int i = 0; i < 2; i++) {
        const char *prefix = py_text(py.PySys_GetObject(prefixes[i]));
        if (prefix) snprintf(library[i], sizeof library[i], "%s/%s/python3.%d/", prefix, lib ? lib : "lib", py.minor);
    }
    const char *itself = py_text(py.PySys_GetObject("_stdlib_dir")); /* 3.11; right also in a build directory */
    if (itself && *itself) snprintf(library[2], sizeof library[2], "%s/", itself);
}

static bool is_library_file(const char *file) {
    for (size_t i = 0; i < sizeof library / sizeof *library; i++)
        if (library[i][0] && strncmp(file, library[i], strlen(library[i])) == 0) return true;
    return strncmp(file, "<frozen", 7) == 0 || strstr(file, "/site-packages/") || strstr(file, "/dist-packages/");
}

/* Code that was made by exec() or eval() has no file of its own: it belongs where its globals come from. */
static bool is_library(const char *file, PyObject *globals, const char *module) {
    if (file[0] != '<') return is_library_file(file);
    if (strncmp(file, "<frozen", 7) == 0) return true;
    const char *from = globals ? py_text(py.PyDict_GetItemString(globals, "__file__")) : NULL;
    if (from) return is_library_file(from);
    if (command_is_library && strcmp(file, "<string>") == 0) return true;
    return module && strcmp(module, "__main__") != 0; /* namedtuple() and its like name a module that does not exist */
}

/* ---- naming --------------------------------------------------------------------------------------------------------
 */

struct identity {
    PyObject *file_object, *name_object;
    const char *file, *name, *module;
    int line;
    long flags;
};

static struct identity identify(PyObject *code, PyObject *globals) {
    struct identity id = {.file_object = py_attribute(code, "co_filename"),
                          .name_object = py_attribute(code, py.minor >= 11 ? "co_qualname" : "co_name"),
                          .flags = py_attribute_long(code, "co_flags", 0),
                          .line = (int)py_attribute_long(code, "co_firstlineno", -1)};
    id.file = py_text(id.file_object);
    id.name = py_text(id.name_object);
    if (py.minor < 11) id.name = qualnames_of(code, id.name);
    if (!id.file) id.file = "?";
    if (!id.name) id.name = "?";
    id.module = globals ? py_text(py.PyDict_GetItemString(globals, "__name__")) : NULL;
    return id;
}

static bool is_lambda(const char *name) {
    const char *last = strrchr(name, '.');
    return strcmp(last ? last + 1 : name, "<lambda>") == 0;
}

/* NULL: not to be recorded. */
static struct place *find_place(const struct identity *id, PyObject *globals) {
    char name[4096];
    if (module_owns_file(id->file)) return NULL; /* how we do it is nobody's business */
    if (!record_all && is_library(id->file, globals, id->module)) return NULL;
    snprintf(name, sizeof name, "%s.%s", id->module ? id->module : id->file, id->name);
    return wanted(name) ? place_of(name, id->file, id->line, is_lambda(id->name)) : NULL;
}

static name_word word_of(const struct place *place, long flags) {
    name_word word = (uint64_t)(rec_default_serial & 0x7fff) << 48;
    if (flags & PY_CO_GENERATORS) word |= NAME_GENERATOR;
    if (flags & PY_CO_COROUTINES) word |= NAME_COROUTINE;
    if (!place) return word | NAME_SKIPPED;
    return word | (uint64_t)place->resumed << 23 | (uint64_t)place->region;
}

name_word names_learn(PyObject *code, PyObject *globals) {
    int saved = errno;
    struct py_error error = py_error_save();
    attach_quiet();
    struct identity id = identify(code, globals);
    struct place *place = find_place(&id, globals);
    name_word word = word_of(place, id.flags);
    if (py.minor < 11) qualnames_tell_children(code, id.name, id.flags);
    py_drop(id.file_object);
    py_drop(id.name_object);
    py.set_extra(code, names_index, (void *)(uintptr_t)word);
    attach_loud();
    py_error_restore(error);
    errno = saved;
    return word;
}

/* Its place is that of its calls, whatever its module is called by now: at the end, modules have lost their names. */
int names_learn_resumed(PyObject *code, name_word word) {
    struct place *place = place_with(name_region(word));
    if (!place) return 0;
    int saved = errno;
    struct py_error error = py_error_save();
    place_resumed(place);
    word |= (uint64_t)place->resumed << 23;
    py.set_extra(code, names_index, (void *)(uintptr_t)word);
    py_error_restore(error);
    errno = saved;
    return place->resumed;
}

bool names_up(void) {
    find_library();
    names_index = py.request_extra(NULL);
    if (names_index >= 0) extras_try(names_index);
    return names_index >= 0 && (py.minor >= 11 || qualnames_up());
}

void names_leave_out(PyObject *code) {
    if (names_index < 0) return;
    name_word word = word_of(NULL, py_attribute_long(code, "co_flags", 0));
    py.set_extra(code, names_index, (void *)(uintptr_t)word);
}

void names_put_in(PyObject *code, int region) {
    const struct place place = {.region = region};
    if (names_index >= 0) py.set_extra(code, names_index, (void *)(uintptr_t)word_of(&place, 0));
}

void names_forked(void) { places_forked(); }
