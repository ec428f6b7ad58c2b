#include "lines.h"
#include "attach.h"
#include "lines_choose.h"
#include "recorder.h"
#include <errno.h>

static const struct lines_backend *backend; /* NULL: no lines are counted */
static bool installed;
Py_ssize_t lines_extra = -1;
bool lines_of_all;

/* CPython calls every registered function for every code object that dies with something in any place. */
static void keep_extra(void *extra) { (void)extra; }

bool lines_wanted(void) { return installed; }

struct lines_function *lines_decide(PyObject *code, PyObject *globals, const char *region) {
    int saved = errno;
    attach_quiet();
    struct lines_function *f = choose_function(code, globals, region);
    if (f && choose_given_alone && !region) {
        f->traced = true;
        f = f->head;
    } else if (f) {
        for (struct lines_function *each = f->head; each; each = each->also) each->always = each == f;
        f = f->head;
    }
    struct lines_function *against = choose_given_alone && !lines_of_all ? LINES_NOT_GIVEN : LINES_NOT_COUNTED;
    if (py.set_extra(code, lines_extra, f ? f : against) != 0) {
        py.PyErr_Clear();
        f = NULL;
    }
    if (f && backend->chosen) backend->chosen(code);
    attach_loud();
    errno = saved;
    return f;
}

struct lines_function *lines_scope_begin(PyObject *code, const char *region) {
    const int saved = errno;
    struct lines_function *known, *f = NULL;
    attach_quiet();
    if (installed) f = choose_function(code, NULL, region);
    if (f && lines_known(code, &known) != LINES_YES) {
        if (py.set_extra(code, lines_extra, f->head) != 0) f = NULL;
        if (f && backend->chosen) backend->chosen(code);
        if (f && backend->again) backend->again();
    }
    py.PyErr_Clear();
    attach_loud();
    if (f) f->scopes++;
    errno = saved;
    return f;
}

void lines_scope_end(struct lines_function *f) {
    if (f->scopes == 1 && !f->always) lines_close(f);
    f->scopes--;
}

bool lines_here(bool on) { return backend && backend->here && backend->here(on); }

bool lines_begin(struct recorder *into) {
    static bool tried;
    if (rec_session() && installed) return true;
    if (!tried) {
        tried = true;
        backend = py.minor >= 12 ? &lines_monitoring : &lines_trace;
        attach_quiet();
        if (lines_extra < 0) lines_extra = py.request_extra(keep_extra);
        choose_given_alone = true;
        if (lines_extra < 0 || !choose_up() || !lines_count_init() || backend->install(py.interpreter()) <= 0)
            backend = NULL;
        attach_loud();
    }
    if (!backend) return false;
    lines_count_into(into);
    return installed = lines_count_start();
}

void lines_end(void) {
    if (!installed || rec_session()) return;
    installed = lines_of_all = false;
    lines_count_into(NULL);
}

void lines_count_all(bool on, bool everybodys) {
    if (!choose_given_alone || !installed) return;
    choose_everybodys = everybodys;
    lines_of_all = on;
    if (on && backend->again) backend->again();
    py.PyErr_Clear();
}

static bool up(PyInterpreterState *interpreter, int64_t id) {
    if (id != 0) return true; /* sub-interpreters are left alone */
    if (!backend || installed) return true;
    if (lines_extra < 0) lines_extra = py.request_extra(keep_extra);
    if (lines_extra >= 0 && py.minor < 12) extras_try(lines_extra); /* later, only chosen functions come here */
    int done = lines_extra < 0 || !choose_up() || !lines_count_start() ? -1 : backend->install(interpreter);
    installed = done > 0;
    if (done < 0) backend = NULL;
    return done != 0;
}

static void found(void) {
    installed = false;
    lines_extra = -1;
    backend = py.minor >= 12 ? &lines_monitoring : &lines_trace;
}

static void event(const char *event, PyObject *args) {
    (void)args;
    if (installed && backend->event) backend->event(event);
}

static void down(void) { installed = false; }

static const struct attach_room room = {.records = "lines", .found = found, .up = up, .event = event, .down = down};

/* Before function tracing: its frame evaluation function calls ours, and steps aside to it. */
__attribute__((constructor(ATTACH_ADD_PRIORITY - 1))) static void begin(void) {
    if (rec_active() && choose_init() && lines_count_init()) attach_add(&room);
}
