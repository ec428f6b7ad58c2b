#include "lines_choose.h"
#include "lines_source.h"
#include "module.h"
#include "qualnames.h"
#include "recorder.h"
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ENV_ON "SCOPE_PROFILER_LINES"
#define ENV_FUNCTIONS                                                                                                  \
    "SCOPE_PROFILER_LINE_FUNCTIONS" /* globs, one a line; empty: every function of the program's own */
#define ENV_ALL    "SCOPE_PROFILER_PYTHON_ALL"
#define SOURCE_MAX (1u << 20) /* bytes of a function's text that are kept */
#define LINES_MAX  (1u << 22) /* of one function */

static char *globs; /* NULL: no choice was made */
bool choose_given_alone, choose_everybodys;
static char prefixes[2][PATH_MAX];

bool choose_init(void) {
    const char *on = getenv(ENV_ON), *functions = getenv(ENV_FUNCTIONS), *everything = getenv(ENV_ALL);
    if (!on || strcmp(on, "1") != 0) return false;
    if (functions && *functions) globs = strdup(functions);
    choose_everybodys = everything && strcmp(everything, "1") == 0;
    return true;
}

bool choose_up(void) {
    static const char *const names[] = {"base_prefix", "base_exec_prefix"};
    const char *directory = py_text(py.PySys_GetObject("platlibdir"));
    for (int i = 0; i < 2; i++) {
        const char *prefix = py_text(py.PySys_GetObject(names[i]));
        if (prefix)
            snprintf(prefixes[i], PATH_MAX, "%s/%s/python3.%d/", prefix, directory ? directory : "lib", py.minor);
    }
    return py.minor >= 11 || qualnames_up();
}

/* ---- whose code it is -------------------------------------------------------------------------------------------- */

static bool starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static bool is_installed(const char *path) {
    for (int i = 0; i < 2; i++)
        if (prefixes[i][0] && starts_with(path, prefixes[i])) return true;
    return strstr(path, "/site-packages/") || strstr(path, "/dist-packages/") || starts_with(path, "<frozen");
}

static const char *global(PyObject *globals, const char *name) {
    PyObject *value = globals ? py.PyDict_GetItemString(globals, name) : NULL;
    return value ? py_text(value) : NULL;
}

/* Code that is made of text belongs to whoever made it. */
static bool is_users(const char *path, PyObject *globals) {
    if (path[0] != '<') return !is_installed(path);
    const char *file = global(globals, "__file__"), *module = global(globals, "__name__");
    if (file) return !is_installed(file) && !starts_with(path, "<frozen");
    return module && strcmp(module, "__main__") == 0;
}

/* Their time is that of the line that runs them. */
static bool is_comprehension(const char *name) {
    static const char *const names[] = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* Any of the three ways to say which function. */
static bool matches(const char *full, const char *qualified, const char *name) {
    for (const char *at = globs; *at;) {
        char glob[512];
        size_t n = strcspn(at, "\n");
        snprintf(glob, sizeof glob, "%.*s", (int)n, at);
        if (fnmatch(glob, full, 0) == 0 || fnmatch(glob, qualified, 0) == 0 || fnmatch(glob, name, 0) == 0) return true;
        at += n + (at[n] == '\n');
    }
    return false;
}

/* ---- which lines it has ------------------------------------------------------------------------------------------ */

struct range {
    long first, last;
};

static void extend(struct range *range, long line) {
    if (line < 1) return;
    if (line < range->first) range->first = line;
    if (line > range->last) range->last = line;
}

/* 3.8, 3.9: pairs of (bytes of code, signed lines). */
static void read_lnotab(PyObject *code, long first, struct range *range) {
    PyObject *table = py_attribute(code, "co_lnotab");
    char *bytes;
    Py_ssize_t size;
    if (table && py.PyBytes_AsStringAndSize(table, &bytes, &size) == 0)
        for (Py_ssize_t i = 1; i < size; i += 2) extend(range, first += (signed char)bytes[i]);
    py.PyErr_Clear();
    py_drop(table);
}

static void read_co_lines(PyObject *code, struct range *range) {
    PyObject *lines = py.PyObject_CallMethod(code, "co_lines", NULL);
    PyObject *iterator = lines ? py.PyObject_GetIter(lines) : NULL;
    for (PyObject *item; iterator && (item = py.PyIter_Next(iterator)); py.Py_DecRef(item)) {
        PyObject *line = py.PyTuple_GetItem(item, 2);
        long number = line ? py.PyLong_AsLong(line) : -1; /* None: an error, and no line */
        if (number == -1) py.PyErr_Clear();
        extend(range, number);
    }
    py.PyErr_Clear();
    py_drop(iterator);
    py_drop(lines);
}

static struct range lines_of_code(PyObject *code, long first) {
    struct range range = {first, first};
    if (py.minor < 10)
        read_lnotab(code, first, &range);
    else
        read_co_lines(code, &range);
    return range;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static const char *below(const char *path, const char *directory) {
    size_t n = strlen(directory);
    while (n > 1 && directory[n - 1] == '/') n--;
    return n > 1 && strncmp(path, directory, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/* The path as a profile has it. Where it is to tell nothing about the machine: below the current directory, or the
 * longest entry of sys.path, or else its last part. */
static const char *shown_path(const char *path) {
    char directory[PATH_MAX];
    const char *best = NULL, *part;
    if (path[0] == '<' || rec_full_metadata()) return path;
    if (path[0] != '/') return strstr(path, "..") ? strrchr(path, '/') + 1 : path;
    if (getcwd(directory, sizeof directory) && (part = below(path, directory))) return part;
    PyObject *list = py.PySys_GetObject("path"), *entry;
    for (Py_ssize_t i = 0; list && (entry = py.PyList_GetItem(list, i)); i++) {
        const char *text = py_text(entry);
        if (text && (part = below(path, text)) && (!best || part > best)) best = part;
    }
    py.PyErr_Clear();
    return best ? best : strrchr(path, '/') + 1;
}

/* ---- keeping ----------------------------------------------------------------------------------------------------- */

/* What makes two code objects one function: a definition that is run again makes new ones. */
struct definition {
    const char *path, *name, *region;
    struct range range;
    uint32_t first;
    bool suspends;
};

struct kept {
    struct lines_function function;
    char *path;
    struct kept *next; /* in the bucket */
};
enum { BUCKETS = 4096 };
static struct kept *buckets[BUCKETS];

static unsigned bucket_of(const struct definition *d) {
    uint64_t h = 0xcbf29ce484222325u;
    const char *const texts[] = {d->path, d->name};
    for (int i = 0; i < 2; i++)
        for (const char *c = texts[i]; *c; c++) h = (h ^ (unsigned char)*c) * 0x100000001b3u;
    h = (h ^ d->first) * 0x100000001b3u;
    return (unsigned)(h >> 20) % BUCKETS;
}

/* region: NULL for any of them. */
static struct lines_function *find(const struct definition *d, const char *region) {
    for (struct kept *k = buckets[bucket_of(d)]; k; k = k->next) {
        const struct lines_function *f = &k->function;
        if (f->first_line == d->first && f->first_counted == d->range.first &&
            f->lines == (uint32_t)(d->range.last - d->range.first + 1) && strcmp(k->path, d->path) == 0 &&
            strcmp(f->name, d->name) == 0 && (!region || strcmp(f->region, region) == 0))
            return &k->function;
    }
    return NULL;
}

static bool fill(struct kept *k, const struct definition *d) {
    struct lines_function *f = &k->function;
    struct source *source = source_get(d->path);
    f->first_line = d->first;
    f->first_counted = (uint32_t)d->range.first;
    f->lines = (uint32_t)(d->range.last - d->range.first + 1);
    f->statement = malloc(f->lines * sizeof *f->statement);
    k->path = strdup(d->path);
    f->region = strdup(d->region);
    f->name = strdup(d->name);
    f->file = strdup(shown_path(d->path));
    f->encoding = f->source = "";
    f->source_first = d->first;
    f->suspends = d->suspends;
    if (!source || !f->statement || !k->path || !f->region || !f->name || !f->file) return false;
    for (uint32_t i = 0; i < f->lines; i++) {
        uint32_t begins = source_statement(source, f->first_counted + i);
        f->statement[i] = begins > f->first_counted ? begins - f->first_counted : 0;
    }
    if (!source->bytes) return true;
    f->encoding = source->encoding;
    f->source = source_function(source, d->first, (uint32_t)d->range.last, &f->source_length);
    if (f->source_length > SOURCE_MAX) f->source_length = 0;
    return true;
}

static struct lines_function *keep(const struct definition *d) {
    struct lines_function *known = find(d, d->region), *same = find(d, NULL);
    if (known) return known;
    struct kept *k = calloc(1, sizeof *k);
    if (!k || !fill(k, d) || !lines_add(&k->function)) return NULL; /* no memory: nothing is left to give back */
    k->function.head = same ? same->head : &k->function;
    if (same) {
        while (same->also) same = same->also;
        same->also = &k->function;
    }
    unsigned bucket = bucket_of(d);
    k->next = buckets[bucket];
    buckets[bucket] = k;
    return &k->function;
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* Until 3.10 a code object is told its name by the one that makes the function. */
static const char *tell_qualname(PyObject *code, const char *name, long flags) {
    if (py.minor >= 11) return name;
    const char *qualified = qualnames_of(code, name);
    qualnames_tell_children(code, qualified, flags);
    return qualified;
}

static struct lines_function *choose(PyObject *code, PyObject *globals, const char *given, PyObject *texts[3]) {
    const char *path = py_text(texts[0]), *name = py_text(texts[1]), *qualified = py_text(texts[2]);
    const char *module = global(globals, "__name__");
    const long first = py_attribute_long(code, "co_firstlineno", 0), flags = py_attribute_long(code, "co_flags", 0);
    char full[1024];
    if (!path || !name || first < 1 || module_owns_file(path)) return NULL;
    if (!qualified) qualified = tell_qualname(code, name, flags);
    if (!(flags & PY_CO_OPTIMIZED)) return NULL;
    snprintf(full, sizeof full, "%s.%s", module ? module : "?", qualified);
    const bool passed_over = (choose_given_alone && !lines_of_all) || is_comprehension(name) ||
                             (!choose_everybodys && !is_users(path, globals));
    if (!given && passed_over) return NULL;
    if (globs && !matches(full, qualified, name) && !(given && matches(given, given, given))) return NULL;
    struct definition d = {.path = path,
                           .name = name,
                           .region = given ? given : full,
                           .range = lines_of_code(code, first),
                           .first = (uint32_t)first,
                           .suspends = flags & PY_CO_GENERATORS};
    return d.range.last - d.range.first < LINES_MAX ? keep(&d) : NULL;
}

struct lines_function *choose_function(PyObject *code, PyObject *globals, const char *region) {
    struct py_error error = py_error_save();
    PyObject *texts[3] = {py_attribute(code, "co_filename"), py_attribute(code, "co_name"),
                          py.minor >= 11 ? py_attribute(code, "co_qualname") : NULL};
    struct lines_function *f = choose(code, globals, region, texts);
    for (int i = 0; i < 3; i++) py_drop(texts[i]);
    py_error_restore(error);
    return f;
}
