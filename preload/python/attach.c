#include "attach.h"
#include "recorder.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT   __attribute__((visibility("default")))
#define TLS      __thread __attribute__((tls_model("initial-exec")))
#define MAX_ROOM 8

static const struct attach_room *rooms[MAX_ROOM];
static int num_rooms;
#define EACH_ROOM(room) for (int i_ = 0; i_ < num_rooms && ((room) = rooms[i_], true); i_++)

static bool attached; /* the hook is in */
static bool cleared;  /* Python was finalised and has forgotten it */
static bool started;

static TLS int quiet;
static TLS PyInterpreterState *seen; /* the interpreter that this thread's last event came from */

void attach_add(const struct attach_room *room) {
    if (num_rooms < MAX_ROOM) rooms[num_rooms++] = room;
}
void attach_quiet(void) { quiet++; }
void attach_loud(void) { quiet--; }
bool attach_found(void) { return attached; }

/* ---- the hook's own memory ----------------------------------------------------------------------------------------
 */

/* CPython allocates the hook's list entry with the raw allocator of the moment, which is the plain one, and frees it
 * with the one that PYTHONMALLOC=debug or -X dev has put in meanwhile, which aborts. So the entry gets static memory,
 * and is kept from being freed. */
enum { ENTRY_BYTES = 64, MAX_ENTRIES = 64 };
static _Alignas(16) char entries[MAX_ENTRIES][ENTRY_BYTES];
static int num_entries;
static struct py_allocator raw; /* what is behind ours */

static void *entry_malloc(void *context, size_t size) {
    (void)context;
    if (size <= ENTRY_BYTES && num_entries < MAX_ENTRIES) return entries[num_entries++];
    return raw.malloc(raw.context, size);
}
static void *pass_malloc(void *context, size_t size) {
    (void)context;
    return raw.malloc(raw.context, size);
}
static void *pass_calloc(void *context, size_t count, size_t size) {
    (void)context;
    return raw.calloc(raw.context, count, size);
}
static void *pass_realloc(void *context, void *block, size_t size) {
    (void)context;
    return raw.realloc(raw.context, block, size);
}
static void keep_entries_free(void *context, void *block) {
    (void)context;
    if ((uintptr_t)block - (uintptr_t)entries >= sizeof entries) raw.free(raw.context, block);
}

static int audit(const char *event, PyObject *args, void *data);

static bool add_hook(void) {
    struct py_allocator now;
    py.PyMem_GetAllocator(PY_MEM_DOMAIN_RAW, &now);
    if (now.free != keep_entries_free) raw = now;
    struct py_allocator ours = {NULL, entry_malloc, pass_calloc, pass_realloc, keep_entries_free};
    py.PyMem_SetAllocator(PY_MEM_DOMAIN_RAW, &ours);
    bool added = py.PySys_AddAuditHook(audit, NULL) == 0;
    py.PyMem_SetAllocator(PY_MEM_DOMAIN_RAW, &now);
    return added;
}

static void keep_entries(void) {
    struct py_allocator now;
    py.PyMem_GetAllocator(PY_MEM_DOMAIN_RAW, &now);
    if (now.free == keep_entries_free) return;
    raw = now;
    struct py_allocator ours = {NULL, pass_malloc, pass_calloc, pass_realloc, keep_entries_free};
    py.PyMem_SetAllocator(PY_MEM_DOMAIN_RAW, &ours);
}

/* ---- which interpreter, and when -----------------------------------------------------------------------------------
 */

/* Interpreters that every room has been told of. By number: addresses are used again. */
enum { MAX_KNOWN = 1024 };
static int64_t known[MAX_KNOWN];
static int num_known;
static uint32_t told[MAX_KNOWN]; /* bit of a room: it has answered */

static int place_of(int64_t id) {
    for (int i = 0; i < num_known; i++)
        if (known[i] == id) return i;
    if (num_known == MAX_KNOWN) return -1;
    known[num_known] = id;
    told[num_known] = 0;
    return num_known++;
}

/* True when every room is content. */
static bool introduce(PyInterpreterState *interpreter) {
    int64_t id = py.PyInterpreterState_GetID(interpreter);
    int place = place_of(id);
    if (place < 0) return true;
    uint32_t all = 0;
    for (int i = 0; i < num_rooms; i++) {
        uint32_t bit = UINT32_C(1) << i;
        all |= bit;
        if (told[place] & bit) continue;
        if (!rooms[i]->up || rooms[i]->up(interpreter, id)) told[place] |= bit;
    }
    return told[place] == all;
}

/* A python executable says when it begins to run its program; any other program that has a Python in it does not. */
static bool is_python_program(void) {
    static enum { UNKNOWN, YES, NO } answer;
    if (answer == UNKNOWN) {
        struct stat exe, python;
        const char *path = py_text(py.PySys_GetObject("executable"));
        if (!path) return true; /* the interpreter is not that far yet */
        bool same = *path && stat("/proc/self/exe", &exe) == 0 && stat(path, &python) == 0 &&
                    exe.st_dev == python.st_dev && exe.st_ino == python.st_ino;
        answer = same ? YES : NO;
    }
    return answer == YES;
}

/* Programs made of a Python and a script name themselves as sys.executable and never say that they begin: they do with
 * the first event outside of any Python code that is not a part of the start-up. */
static bool begins(const char *event) {
    if (strncmp(event, "cpython.run_", 12) == 0) return strcmp(event, "cpython.run_startup") != 0;
    if (!is_python_program()) return true;
    static const char *const beginnings[] = {"compile", "exec", "marshal.loads", "marshal.load"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strcmp(event, beginnings[i]) == 0) return !py.PyEval_GetFrame();
    return false;
}

static void start(const char *event, PyObject *args) {
    started = true;
    const struct attach_room *room;
    EACH_ROOM(room) if (room->start) room->start(event, args);
}

static void finalised(void) {
    const struct attach_room *room;
    EACH_ROOM(room) if (room->down) room->down();
    keep_entries();
    cleared = true;
    started = false;
    num_known = 0;
}

static int audit(const char *event, PyObject *args, void *data) {
    (void)data;
    if (quiet) return 0;
    if (event[0] == 'c' && strcmp(event, "cpython._PySys_ClearAuditHooks") == 0) {
        quiet++;
        finalised();
        quiet--;
        return 0;
    }
    if (!py.Py_IsInitialized()) {
        seen = NULL;
        return 0;
    }
    int saved = errno;
    quiet++;
    PyInterpreterState *interpreter = py.interpreter();
    if (__builtin_expect(interpreter != seen || !started, 0)) {
        struct py_error error = py_error_save();
        bool content = introduce(interpreter);
        if (content) seen = interpreter;
        if (content && !started && py.PyInterpreterState_GetID(interpreter) == 0 && begins(event)) start(event, args);
        py_error_restore(error);
    }
    const struct attach_room *room;
    EACH_ROOM(room) if (room->event) room->event(event, args);
    quiet--;
    errno = saved;
    return 0;
}

/* ---- finding it ----------------------------------------------------------------------------------------------------
 */

/* Says what is lost, where somebody wanted it. */
static void cannot_enter(const char *which, const char *why) {
    const struct attach_room *room;
    EACH_ROOM(room) if (room->records) rec_warn("no %s of %s are recorded: %s", room->records, which, why);
}

static bool attach(void *handle) {
    char why[128];
    bool entered = py_load(handle, why);
    if (entered && !add_hook()) {
        strcpy(why, "it takes no audit hook");
        entered = false;
    }
    if (!entered) {
        if (why[0]) cannot_enter("this Python", why);
        return false;
    }
    attached = true;
    cleared = false;
    rec_set_python(py.Py_GetVersion());
    const struct attach_room *room;
    EACH_ROOM(room) if (room->found) room->found();
    return true;
}

/* A python that hides its C API, or another implementation, would leave an empty profile and no explanation. */
static void say_if_python(void) {
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0) return;
    path[n] = 0;
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    if (strncmp(base, "python", 6) != 0 && strncmp(base, "pypy", 4) != 0) return;
    const char *rest = base + strspn(base, "pythonpy");
    if (*rest && !strchr("0123456789.", *rest)) return; /* python3-config and the like */
    cannot_enter(path, "it does not offer the C API of CPython");
}

__attribute__((constructor(120))) static void begin(void) {
    if (num_rooms == 0) return;
    int saved = errno;
    if (dlsym(RTLD_DEFAULT, "Py_GetVersion"))
        attach(RTLD_DEFAULT);
    else
        say_if_python();
    dlerror();
    errno = saved;
}

/* The library that calls setlocale() is a libpython that was not there at the start, loaded for itself alone or not. */
static void look_at_caller(const void *caller) {
    Dl_info where;
    if (!dladdr(caller, &where) || !where.dli_fname) return;
    void *library = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return;
    if (dlsym(library, "PySys_AddAuditHook") && attach(library)) return; /* it stays open: `py` points into it */
    dlclose(library);
}

EXPORT char *setlocale(int category, const char *name) {
    static char *(*next)(int, const char *);
    if (!next) py_symbol(RTLD_NEXT, "setlocale", &next);
    if (num_rooms > 0 && (!attached || cleared)) {
        int saved = errno;
        if (!attached)
            look_at_caller(__builtin_return_address(0));
        else if (!py.Py_IsInitialized())
            attach(py.handle);
        dlerror();
        errno = saved;
    }
    return next(category, name);
}
