#include "tasks.h"
#include "attach.h"
#include "greenlets.h"
#include "spool.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define TLS __thread __attribute__((tls_model("initial-exec")))

bool tasks_known;
unsigned tasks_of_all;
static bool expected; /* asyncio is being imported */

/* Of `_asyncio`. */
static PyObject *running_loop; /* the function: None or the loop */
static PyObject *by_loop;      /* dict, until 3.13: loop -> the task that runs */
static PyObject *of_loop;      /* the function current_task(loop), from 3.14 */
static PyObject *task_type, *get_name, *is_done;

/* What the calling thread's words belong to, as far as its lane has been told. */
static TLS struct {
    PyObject *task; /* that it runs, for as long as it runs it */
    uint32_t serial;
    uint32_t greenlet; /* its serial: whose what no task runs is; 0 the thread's */
    uint32_t step;     /* of the task whose step the event loop runs, where that is told; 0 none */
    unsigned recorder; /* rec_default_serial */
} present;

/* ---- numbers of tasks ----------------------------------------------------------------------------------------------
 */

/* By address, which the next task may have when this one is gone: a weak reference knows. */
struct entry {
    PyObject *task; /* NULL: a free place */
    PyObject *weak;
    uint32_t serial;
    uint32_t present; /* of a greenlet that waits: what its words belong to when it goes on */
    bool greenlet;
    unsigned told, process; /* which recorder knows it, in which process */
};
static struct entry *table;
static size_t size, used; /* `size` is a power of two */
static uint32_t last_serial;
static unsigned process; /* changes in a forked child */

static struct entry *place_of(struct entry *entries, size_t places, PyObject *task) {
    size_t at = (size_t)((uintptr_t)task * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (places - 1);
    while (entries[at].task && entries[at].task != task) at = (at + 1) & (places - 1);
    return &entries[at];
}

static bool alive(const struct entry *entry) {
    if (!entry->weak) return false;
    PyObject *task = py.PyObject_CallFunctionObjArgs(entry->weak, NULL);
    const bool same = task == entry->task;
    py_drop(task);
    return same;
}

/* A task that is gone has run to its end. */
static void forget(struct entry *entry) {
    if (!entry->weak) return;
    if (entry->told == rec_default_serial && entry->process == process) rec_task_done(entry->serial);
    py.Py_DecRef(entry->weak);
    entry->weak = NULL;
}

/* Without the tasks that are gone: the table grows with those that live at once. */
static bool renew_table(void) {
    size_t living = 0, places = 64;
    for (size_t i = 0; i < size; i++) {
        if (!table[i].task) continue;
        if (alive(&table[i]))
            living++;
        else
            forget(&table[i]);
    }
    while (places < living * 4) places *= 2;
    struct entry *entries = calloc(places, sizeof *entries);
    if (!entries) return false;
    for (size_t i = 0; i < size; i++)
        if (table[i].weak) *place_of(entries, places, table[i].task) = table[i];
    free(table);
    table = entries;
    size = places;
    used = living;
    return true;
}

/* Nothing here runs Python code of the program's, for its calls would be counted. */
static void tell(struct entry *entry) {
    PyObject *task = entry->task, *type = py.PyObject_Type(task);
    const uint32_t serial = entry->serial;
    entry->told = rec_default_serial;
    entry->process = process;
    if (entry->greenlet) {
        char name[32];
        snprintf(name, sizeof name, "greenlet-%u", serial);
        rec_task(serial, SPOOL_TASK_GREENLET, name, NULL);
        py_drop(type);
        return;
    }
    const bool native = py.PyType_IsSubtype(type, task_type);
    PyObject *name = native ? py.PyObject_CallFunctionObjArgs(get_name, task, NULL) : py_attribute(task, "_name");
    PyObject *coroutine = py_attribute(task, "_coro");
    PyObject *coroutine_name = coroutine ? py_attribute(coroutine, "__qualname__") : NULL;
    py.PyErr_Clear();
    rec_task(serial, SPOOL_TASK_ASYNCIO, py_text(name), py_text(coroutine_name));
    py_drop(coroutine_name);
    py_drop(coroutine);
    py_drop(name);
    py_drop(type);
}

static uint32_t add(PyObject *task, bool greenlet) {
    PyObject *weak = py.PyWeakref_NewRef(task, NULL); /* may collect garbage: the table is looked at after it */
    if (!weak || ((used + 1) * 2 > size && !renew_table())) {
        py_drop(weak);
        return 0;
    }
    struct entry *entry = place_of(table, size, task);
    used += !entry->task;
    *entry = (struct entry){.task = task, .weak = weak, .serial = ++last_serial, .greenlet = greenlet};
    const uint32_t serial = entry->serial;
    tell(entry);
    return serial;
}

/* 0: none that can be told. */
static uint32_t serial_of(PyObject *task, bool greenlet) {
    struct entry *entry = size ? place_of(table, size, task) : NULL;
    if (entry && entry->task && !alive(entry)) forget(entry);
    if (!entry || !entry->weak) return add(task, greenlet);
    const uint32_t serial = entry->serial;
    if (entry->told != rec_default_serial || entry->process != process) tell(entry);
    return serial;
}

/* ---- which one runs ------------------------------------------------------------------------------------------------
 */

/* Borrowed, NULL none: it lives while it runs. */
static PyObject *task_now(void) {
    PyObject *loop = py.PyObject_CallFunctionObjArgs(running_loop, NULL);
    PyObject *task = NULL;
    if (loop && loop != py.none && by_loop) task = py.PyDict_GetItem(by_loop, loop);
    if (loop && loop != py.none && !by_loop) {
        task = py.PyObject_CallFunctionObjArgs(of_loop, loop, NULL);
        py_drop(task);
    }
    py_drop(loop);
    return task == py.none ? NULL : task;
}

static void drop_module(void) {
    PyObject **const owned[] = {&running_loop, &by_loop, &of_loop, &task_type, &get_name, &is_done};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        py_drop(*owned[i]);
        *owned[i] = NULL;
    }
}

static bool look_up(void) {
    PyObject *modules = py.PySys_GetObject("modules");
    PyObject *module = modules ? py.PyDict_GetItemString(modules, "_asyncio") : NULL;
    if (!module) return false;
    running_loop = py_attribute(module, "_get_running_loop");
    by_loop = py_attribute(module, "_current_tasks");
    of_loop = py_attribute(module, "current_task");
    task_type = py_attribute(module, "Task");
    get_name = task_type ? py_attribute(task_type, "get_name") : NULL;
    is_done = task_type ? py_attribute(task_type, "done") : NULL;
    if (running_loop && (by_loop || of_loop) && get_name && is_done) return true;
    drop_module();
    return false;
}

static bool differs(PyObject *task) {
    if (present.recorder != rec_default_serial) { /* another recorder has been told nothing */
        present.serial = 0;
        present.task = NULL;
        present.recorder = rec_default_serial;
    }
    return task ? task != present.task : present.serial != present.greenlet;
}

static uint32_t switch_to(PyObject *task, bool interrupts) {
    const uint32_t serial = task ? serial_of(task, false) : present.greenlet, before = present.serial;
    present.task = task;
    if (serial == before) return TASK_SAME;
    present.serial = serial;
    rec_task_switch(serial, interrupts ? SPOOL_TASK_INTERRUPTS : SPOOL_TASK_TURNS);
    return before;
}

uint32_t task_enter_known(void) {
    const int saved = errno;
    struct py_error error = py_error_save();
    uint32_t before = TASK_SAME;
    attach_quiet();
    if (running_loop || look_up()) {
        PyObject *task = task_now();
        if (differs(task)) before = switch_to(task, present.serial != 0);
    }
    attach_loud();
    py_error_restore(error);
    errno = saved;
    return before;
}

void task_leave_known(uint32_t before) {
    present.task = NULL;
    if (present.recorder != rec_default_serial) return; /* nobody who listens now was told */
    present.serial = before;
    rec_task_switch(before, before ? SPOOL_TASK_GOES_ON : SPOOL_TASK_TURNS);
}

/* ---- steps that are told -------------------------------------------------------------------------------------------
 */

bool task_is(PyObject *object) {
    PyObject *type = py.PyObject_Type(object);
    const bool is = task_type && py.PyType_IsSubtype(type, task_type);
    py_drop(type);
    return is;
}

static bool is_known(PyObject *task) {
    struct entry *entry = size ? place_of(table, size, task) : NULL;
    return entry && entry->task && entry->told == rec_default_serial && entry->process == process && alive(entry);
}

struct task_step task_step_begin(PyObject *task) {
    struct task_step outer = {TASK_SAME, present.step};
    const int saved = errno;
    attach_quiet();
    const bool tell = tasks_of_all || is_known(task);
    if (tell && differs(task)) outer.before = switch_to(task, present.serial != 0);
    attach_loud();
    present.step = tell ? present.serial : 0;
    errno = saved;
    return outer;
}

void task_step_end(struct task_step outer) {
    /* One that ran within this step had the last word. */
    if (present.serial != present.step && present.recorder == rec_default_serial) {
        rec_task_switch(present.step, SPOOL_TASK_TURNS);
        present.serial = present.step;
        present.task = NULL;
    }
    present.step = outer.step;
    if (outer.before != TASK_SAME) task_leave_known(outer.before);
}

void task_look(void) {
    enum { EAGER = 12 }; /* the first version in which a task may begin within another one's step */
    const bool told = present.step && present.serial == present.step && present.recorder == rec_default_serial;
    if ((told && py.minor < EAGER) || (!running_loop && !look_up())) return;
    const int saved = errno;
    struct py_error error = py_error_save();
    attach_quiet();
    PyObject *task = task_now();
    if (differs(task)) switch_to(task, present.serial && present.serial == present.step);
    if (present.serial != present.step) present.task = NULL; /* nobody tells when it stops, or is gone */
    attach_loud();
    py_error_restore(error);
    errno = saved;
}

void tasks_tell_done(void) {
    struct py_error error = py_error_save();
    attach_quiet();
    for (size_t i = 0; i < size; i++) {
        struct entry *entry = &table[i];
        if (!entry->task || !entry->weak) continue;
        if (!alive(entry)) {
            forget(entry);
        } else if (!entry->greenlet && task_is(entry->task) && entry->told == rec_default_serial) {
            PyObject *done = py.PyObject_CallFunctionObjArgs(is_done, entry->task, NULL);
            if (done && py.PyObject_IsTrue(done) > 0 && entry->process == process) rec_task_done(entry->serial);
            py_drop(done);
        }
    }
    attach_loud();
    py_error_restore(error);
}

/* ---- greenlets -----------------------------------------------------------------------------------------------------
 */

static uint32_t outside; /* what the words of `greenlets_main` belong to while others run */

static uint32_t *present_of(PyObject *greenlet) {
    if (greenlet == greenlets_main()) return &outside;
    struct entry *entry = size ? place_of(table, size, greenlet) : NULL;
    return entry && entry->weak ? &entry->present : NULL;
}

void task_greenlet(PyObject *from, PyObject *to) {
    const int saved = errno;
    struct py_error error = py_error_save();
    uint32_t *left = present_of(from);
    if (left) *left = present.serial;
    present.greenlet = to == greenlets_main() ? 0 : serial_of(to, true);
    const uint32_t *entered = present_of(to);
    present.serial = entered && *entered ? *entered : present.greenlet;
    present.task = NULL;
    present.recorder = rec_default_serial;
    rec_task_switch(present.serial, SPOOL_TASK_TURNS);
    py_error_restore(error);
    errno = saved;
}

/* ---- life ----------------------------------------------------------------------------------------------------------
 */

void tasks_up(void) {
    tasks_known = look_up();
    expected = !tasks_known;
}

void tasks_event(const char *event, PyObject *args) {
    if (tasks_known || !expected || strcmp(event, "import") != 0 || py.PyTuple_Size(args) < 1) return;
    const char *name = py_text(py.PyTuple_GetItem(args, 0));
    tasks_known = name && strcmp(name, "_asyncio") == 0; /* before it is there: whoever needs it looks it up */
}

void tasks_down(void) {
    for (size_t i = 0; i < size; i++) {
        if (!table[i].task) continue;
        if (!alive(&table[i]))
            forget(&table[i]);
        else
            py_drop(table[i].weak);
    }
    free(table);
    table = NULL;
    size = used = 0;
    tasks_known = expected = false;
    drop_module();
}

uint32_t task_present(void) { return present.serial; }

void task_leave_all(void) {
    if (present.serial) task_leave_known(0);
}

void tasks_forked(void) {
    process++;
    present.serial = present.greenlet = present.step = 0;
    present.task = NULL;
}
