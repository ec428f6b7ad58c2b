#include "module.h"
#include "steps.h"
#include "tasks.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- making one -------------------------------------------------------------------------------------------------- */

static int number_in(struct region_object *region, struct recorder *recorder) {
    Py_ssize_t length = 0;
    const char *name = py.PyUnicode_AsUTF8AndSize(region->name, &length);
    const char *file = py_text(region->file), *tags = py_text(region->tags);
    if (!name || region->of->silent) return -1;
    return recorder ? rec_region_in(recorder, name, (size_t)length, file, region->line, tags)
                    : rec_region(name, (size_t)length, file, region->line, tags);
}

static bool is_everybodys(const struct recording *of) { return of->is_default || rec_session(); }

/* Of regions whose calls may be a task's: none that the short way knows. */
static unsigned serial_in_tasks(void) { return rec_default_serial ^ 1u << 31; }

static struct recording_object *everybodys; /* the main interpreter's; NULL: gone, or not made yet */

void region_follow_tasks(void) {
    if (steps_on || !everybodys || !module_in_main_interpreter()) return;
    steps_try();
    if (steps_on) recording_number_anew(everybodys);
}

void region_everybodys(struct recording_object *recording) { everybodys = recording; }

void region_renew(struct region_object *region) {
    const struct recording *of = region->of;
    const bool own = !is_everybodys(of);
    const unsigned serial = own ? of->serial : steps_on ? serial_in_tasks() : rec_default_serial;
    if (region->serial == serial || (own && !of->recorder)) return;
    region->serial = serial;
    region->id = number_in(region, own ? of->recorder : NULL);
}

void region_begin_other(struct region_object *region) {
    region_renew(region);
    if (is_everybodys(region->of)) {
        if (steps_on) task_look();
        rec_begin(region->id);
    } else if (region->of->recorder) {
        rec_begin_in(region->of->recorder, region->id);
    }
}

/* A call that began in another recording ends nowhere. */
void region_end_other(const struct region_object *region) {
    const struct recording *of = region->of;
    if (!is_everybodys(of)) {
        if (of->recorder && region->serial == of->serial) rec_end_in(of->recorder, region->id);
    } else if (region->serial == serial_in_tasks()) {
        task_look();
        rec_end(region->id);
    }
}

struct text {
    char *bytes;
    size_t length, room;
};

static void put(struct text *text, const char *bytes, size_t length) {
    if (text->length + length + 1 > text->room) {
        text->room = (text->room + length + 64) * 2;
        text->bytes = realloc(text->bytes, text->room);
        if (!text->bytes) abort(); /* as out of memory as Python itself would be */
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->bytes[text->length += length] = 0;
}

static void put_json(struct text *text, const char *string) {
    put(text, "\"", 1);
    for (; *string; string++) {
        char escaped[8];
        if (*string == '"' || *string == '\\')
            snprintf(escaped, sizeof escaped, "\\%c", *string);
        else if ((unsigned char)*string < ' ')
            snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned char)*string);
        else
            snprintf(escaped, sizeof escaped, "%c", *string);
        put(text, escaped, strlen(escaped));
    }
    put(text, "\"", 1);
}

/* The JSON array of the strings, as a str; None for None. NULL with an error set. */
static PyObject *tags_text(PyObject *tags) {
    PyObject *none = module_none();
    if (!tags || tags == none) return none;
    py.Py_DecRef(none);
    struct text text = {0};
    PyObject *iterator = py.PyUnicode_AsUTF8(tags) ? NULL : (py.PyErr_Clear(), py.PyObject_GetIter(tags));
    PyObject *result = NULL;
    put(&text, "[", 1);
    for (PyObject *item; iterator && (item = py.PyIter_Next(iterator)); py.Py_DecRef(item)) {
        const char *tag = py.PyUnicode_AsUTF8(item);
        if (!tag) continue;
        if (text.length > 1) put(&text, ", ", 2);
        put_json(&text, tag);
    }
    put(&text, "]", 1);
    if (!iterator || py.PyErr_Occurred()) {
        py.PyErr_Clear();
        py.PyErr_Format(module_exception("PyExc_TypeError"), "tags must be a sequence of strings");
    } else {
        result = py.PyUnicode_FromString(text.bytes);
    }
    py_drop(iterator);
    free(text.bytes);
    return result;
}

PyObject *module_users_frame(void) {
    PyObject *frame = (PyObject *)py.PyEval_GetFrame();
    if (frame) py.Py_IncRef(frame);
    while (frame) {
        PyObject *code = py_attribute(frame, "f_code"), *file = code ? py_attribute(code, "co_filename") : NULL;
        const char *path = py_text(file);
        const bool ours = path && module_owns_file(path);
        py_drop(file);
        py_drop(code);
        if (!ours) return frame;
        PyObject *back = py_attribute(frame, "f_back");
        py.Py_DecRef(frame);
        frame = back;
        if (frame == (PyObject *)py.none) {
            py.Py_DecRef(frame);
            return NULL;
        }
    }
    return NULL;
}

/* Where a region is defined: at a function, or where the program is now. */
static void locate(struct region_object *region, PyObject *code) {
    PyObject *frame = code ? NULL : module_users_frame(), *running = frame ? py_attribute(frame, "f_code") : NULL;
    if (code) region->line = (int)py_attribute_long(code, "co_firstlineno", -1);
    if (frame) region->line = (int)py_attribute_long(frame, "f_lineno", -1);
    if (code || running) region->file = py_attribute(code ? code : running, "co_filename");
    py_drop(running);
    py_drop(frame);
}

/* What is behind a NUL would not be recorded, and names that differ there would be one region. False with an error set,
 * also where the name is no text (a lone surrogate, as in file names that are not UTF-8). */
static bool can_be_named(PyObject *name) {
    Py_ssize_t length = 0;
    const char *text = py.PyUnicode_AsUTF8AndSize(name, &length);
    if (text && strlen(text) == (size_t)length) return true;
    if (text)
        py.PyErr_Format(module_exception("PyExc_ValueError"), "the name of a region holds no NUL, but %R does", name);
    return false;
}

static struct region_object *make(struct recording_object *recording, PyObject *name, PyObject *tags, PyObject *code) {
    if (!can_be_named(name)) return NULL;
    region_follow_tasks();
    struct region_object *region = (struct region_object *)py.PyType_GenericAlloc(recording->region_type, 0);
    if (!region) return NULL;
    py.Py_IncRef(name);
    region->of = recording->of;
    region->name = name;
    region->line = -1;
    locate(region, code);
    region->tags = tags_text(tags);
    if (!region->tags || !py.PyUnicode_AsUTF8(name) ||
        py.PyDict_SetItem(recording->regions, name, (PyObject *)region) != 0) {
        py.Py_DecRef((PyObject *)region);
        return NULL;
    }
    region_renew(region);
    return region;
}

/* Other tags than those that the region was made with are a mistake of the program's; the first ones may come late. */
static bool agree(struct region_object *region, PyObject *tags) {
    PyObject *none = module_none(), *text = tags_text(tags);
    bool good = text != NULL;
    if (text && text != none) {
        const char *old = py_text(region->tags), *new = py_text(text);
        if (old && new &&strcmp(old, new) != 0) {
            good = false;
            py.PyErr_Format(module_exception("PyExc_ValueError"), "region %R has the tags %U already, not %U",
                            region->name, region->tags, text);
        }
    }
    py_drop(text);
    py.Py_DecRef(none);
    return good;
}

struct region_object *region_object_get(struct recording_object *recording, PyObject *name, PyObject *tags,
                                        PyObject *code) {
    if (py_type(name) != (PyObject *)py.unicode_type && !py.PyUnicode_AsUTF8(name)) {
        py.PyErr_Clear();
        py.PyErr_Format(module_exception("PyExc_TypeError"), "the name of a region must be a str, not %R", name);
        return NULL;
    }
    struct region_object *region = (struct region_object *)py.PyDict_GetItem(recording->regions, name);
    if (!region) return make(recording, name, tags, code);
    if (tags && !agree(region, tags)) return NULL;
    py.Py_IncRef((PyObject *)region);
    return region;
}

/* ---- region() ---------------------------------------------------------------------------------------------------- */

static bool count_lines_of(PyObject *functions, struct region_object *region, bool in_scopes) {
    PyObject *iterator = py.PyObject_GetIter(functions);
    for (PyObject *item; iterator && (item = py.PyIter_Next(iterator)); py.Py_DecRef(item)) {
        if (in_scopes)
            region_count_lines(region, item);
        else
            module_count_lines(item, region);
    }
    py_drop(iterator);
    return !py.PyErr_Occurred();
}

enum { NAME, FUNCTIONS, TAGS, ARGUMENTS };
static const char *const argument_names[ARGUMENTS] = {"region_name", "functions", "tags"};

static bool take_keyword(PyObject *values[ARGUMENTS], const char *keyword, PyObject *value) {
    for (int i = 0; i < ARGUMENTS; i++) {
        const bool is_name = i == NAME && strcmp(keyword, "name") == 0;
        if (!is_name && strcmp(keyword, argument_names[i]) != 0) continue;
        if (values[i])
            py.PyErr_Format(module_exception("PyExc_TypeError"), "region() got two values for '%s'", keyword);
        values[i] = value;
        return !py.PyErr_Occurred();
    }
    py.PyErr_Format(module_exception("PyExc_TypeError"), "region() has no argument '%s'", keyword);
    return false;
}

static PyObject *region_with(struct recording_object *recording, PyObject *const *args, Py_ssize_t count,
                             PyObject *names) {
    PyObject *values[ARGUMENTS] = {0}, *none = module_none();
    py.Py_DecRef(none); /* it does not go away */
    if (count > ARGUMENTS) {
        py.PyErr_Format(module_exception("PyExc_TypeError"), "region() takes a name, functions and tags");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) values[i] = args[i];
    for (Py_ssize_t i = 0; names && i < py.PyTuple_Size(names); i++) {
        const char *keyword = py_text(py.PyTuple_GetItem(names, i));
        if (!take_keyword(values, keyword ? keyword : "?", args[count + i])) return NULL;
    }
    if (!values[NAME]) {
        py.PyErr_Format(module_exception("PyExc_TypeError"), "region() needs a name");
        return NULL;
    }
    struct region_object *region = region_object_get(recording, values[NAME], values[TAGS], NULL);
    const bool more = values[FUNCTIONS] && values[FUNCTIONS] != none;
    /* A decorated function's calls are no scopes. */
    const bool in_scopes = recording->lines_in_scopes && !py.PyDict_GetItem(recording->decorated, values[NAME]);
    if (region && more && !count_lines_of(values[FUNCTIONS], region, in_scopes)) {
        py.Py_DecRef((PyObject *)region);
        return NULL;
    }
    return (PyObject *)region;
}

/* A `with` names its region by one and the same str each time, and mostly by that which the region was made with:
 * looking at its address is enough. */
static struct region_object **recent_place(struct recording_object *recording, const PyObject *name) {
    const uintptr_t address = (uintptr_t)name;
    return &recording->recent[(address >> 4 ^ address >> 9) % RECENT_REGIONS];
}

static void remember(struct recording_object *recording, struct region_object *region) {
    struct region_object **place = recent_place(recording, region->name);
    py.Py_IncRef((PyObject *)region);
    py_drop((PyObject *)*place);
    *place = region;
}

void region_forget_recent(struct recording_object *recording) {
    for (int i = 0; i < RECENT_REGIONS; i++) {
        struct region_object *region = recording->recent[i];
        recording->recent[i] = NULL;
        py_drop((PyObject *)region);
    }
}

PyObject *module_region(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
    struct recording_object *recording = (struct recording_object *)self;
    const bool plain = count == 1 && !names;
    if (__builtin_expect(plain, 1)) {
        struct region_object *recent = *recent_place(recording, args[0]);
        if (__builtin_expect(recent && recent->name == args[0], 1)) {
            py.Py_IncRef((PyObject *)recent);
            return (PyObject *)recent;
        }
    }
    PyObject *region = region_with(recording, args, count, names);
    if (region && plain && ((struct region_object *)region)->name == args[0])
        remember(recording, (struct region_object *)region);
    return region;
}
