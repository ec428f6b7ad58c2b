#include "tasks.h"
#include <stdlib.h>
#include <string.h>

/* Tasks of all lanes that wait with open calls; of these calls there are in each lane as many as may be open otherwise.
 * Beyond that, the calls of a task that is about to wait are cut off. */
#define WAITING_MOST     (128u << 10)
#define WAITING_SMALLEST 256

/* A task's open calls while it waits. */
struct waiting {
    struct task *task;
    struct pairing open;
    UT_hash_handle hh;
};

struct task_lanes {
    struct waiting *waiting; /* uthash by task */
    struct waiting *mine;    /* of the task that runs; its calls are in walk.open meanwhile */
    struct waiting *spare;   /* nothing is open in it */
    struct pairing outside;  /* the thread's own calls while a task runs */
    size_t calls;            /* that wait */
    unsigned most;
};

static struct task *task_of(struct process *p, uint64_t serial) {
    struct task *task;
    HASH_FIND(hh, p->tasks, &serial, sizeof serial, task);
    if (task) return task;
    task = calloc(1, sizeof *task);
    if (!task) return NULL;
    task->serial = serial;
    HASH_ADD(hh, p->tasks, serial, sizeof serial, task);
    if (task->hh.tbl) return task;
    free(task);
    return NULL;
}

bool task_named(struct walk *w, const uint64_t *payload) {
    if (w->pass != PASS_COUNT) return true;
    struct task *task = task_of(w->process, payload[0]);
    size_t name = SPOOL_TASK_NAME(payload[1]), coro = SPOOL_TASK_CORO(payload[1]);
    const char *texts = (const char *)(payload + 2);
    if (!task) return false;
    if (task->name || name > SPOOL_TASK_NAME_MOST || coro > SPOOL_TASK_CORO_MOST) return true;
    task->kind = SPOOL_TASK_KIND(payload[1]);
    task->name = calloc(1, name + coro + 2);
    if (!task->name) return false;
    task->coro = task->name + name + 1;
    memcpy(task->name, texts, name);
    memcpy(task->coro, texts + name, coro);
    return true;
}

bool task_over(struct walk *w, const uint64_t *payload) {
    struct task *task = w->pass == PASS_COUNT ? task_of(w->process, payload[0]) : NULL;
    if (task) task->done = true;
    return task || w->pass != PASS_COUNT;
}

/* ---- steps (second pass) ---------------------------------------------------------------------------------------- */

/* Whatever the words say (a task in two lanes at once), the times of a task go forward and add up to no more than its
 * life. */
static void begin_step(struct walk *w) {
    struct task *task = w->task;
    if (task->in_step) return;
    task->in_step = true;
    if (!task->steps++) task->first_ns = task->last_ns = w->now;
    task->step_ns = w->now > task->last_ns ? w->now : task->last_ns;
    task->suspended_ns += task->step_ns - task->last_ns;
}

static void end_step(struct walk *w) {
    struct task *task = w->task;
    if (!task->in_step) return;
    task->in_step = false;
    task->last_ns = w->now > task->step_ns ? w->now : task->step_ns;
    task->running_ns += task->last_ns - task->step_ns;
}

int64_t task_waited(const struct walk *w, int64_t time) {
    const struct task *task = w->task;
    const bool waits = !task->in_step && task->steps && time > task->last_ns;
    return task->suspended_ns + (waits ? time - task->last_ns : 0);
}

/* ---- taking turns ----------------------------------------------------------------------------------------------- */

static bool make_lanes(struct walk *w) {
    const size_t share = WAITING_MOST / w->process->num_lanes;
    w->lanes = calloc(1, sizeof *w->lanes);
    if (w->lanes) w->lanes->most = share < WAITING_SMALLEST ? WAITING_SMALLEST : (unsigned)share;
    return w->lanes != NULL;
}

static void free_waiting(struct waiting *waiting) {
    pair_free(&waiting->open);
    free(waiting);
}

/* Out of the table or new; NULL: no memory. */
static struct waiting *take(struct walk *w, struct task *task) {
    struct task_lanes *lanes = w->lanes;
    struct waiting *waiting;
    HASH_FIND_PTR(lanes->waiting, &task, waiting);
    if (waiting) {
        HASH_DEL(lanes->waiting, waiting);
        lanes->calls -= waiting->open.open;
        return waiting;
    }
    waiting = lanes->spare;
    lanes->spare = NULL;
    if (!waiting && !(waiting = calloc(1, sizeof *waiting))) return NULL;
    if (!waiting->open.owner) {
        const struct pairing *outside = &lanes->outside;
        pair_init(&waiting->open, outside->limit, outside->owner, outside->context);
        waiting->open.resumed = outside->resumed;
        waiting->open.goes_on_elsewhere = outside->goes_on_elsewhere;
    }
    waiting->task = task;
    return waiting;
}

/* The task's calls aside, or away when none is open. */
static bool put_aside(struct task_lanes *lanes, struct waiting *waiting) {
    if (waiting->open.open || waiting->open.overflow) {
        HASH_ADD_PTR(lanes->waiting, task, waiting);
        if (waiting->hh.tbl) {
            lanes->calls += waiting->open.open;
            return true;
        }
        free_waiting(waiting);
        return false;
    }
    if (lanes->spare)
        free_waiting(waiting);
    else
        lanes->spare = waiting;
    return true;
}

static bool has_room(const struct task_lanes *lanes, uint32_t calls) {
    return HASH_COUNT(lanes->waiting) < lanes->most && lanes->calls + calls <= lanes->outside.limit;
}

static bool leave(struct walk *w, bool ends) {
    struct task_lanes *lanes = w->lanes;
    struct waiting *mine = lanes->mine;
    if (!mine) return true;
    if (w->pass == PASS_FILL && ends) end_step(w);
    if (w->open.open && !has_room(lanes, w->open.open)) pair_close(&w->open, w->now, false);
    mine->open = w->open;
    w->open = lanes->outside;
    lanes->mine = NULL;
    w->task = NULL;
    return put_aside(lanes, mine);
}

static bool enter(struct walk *w, struct task *task, bool begins) {
    struct task_lanes *lanes = w->lanes;
    lanes->outside = w->open;
    if (!(lanes->mine = take(w, task))) return false;
    w->open = lanes->mine->open;
    w->task = task;
    if (w->pass == PASS_FILL && begins) begin_step(w);
    return true;
}

bool task_switched(struct walk *w, const uint64_t *payload) {
    const uint64_t ticks = payload[1];
    struct task *task = payload[0] ? task_of(w->process, payload[0]) : NULL;
    if (payload[0] && !task) return false;
    if (task == w->task) return true;
    if (!w->lanes && !make_lanes(w)) return false;
    if (w->pass == PASS_FILL) w->now = walk_time(w, ticks, w->now);
    const bool begins = payload[2] != SPOOL_TASK_GOES_ON && ticks >= w->process->reset_tick;
    return leave(w, payload[2] != SPOOL_TASK_INTERRUPTS) && (!task || enter(w, task, begins));
}

void tasks_close(struct walk *w, int64_t time, bool at_exit) {
    struct waiting *waiting, *next;
    if (w->lanes) {
        pair_close(&w->open, time, at_exit);
        if (!leave(w, true)) w->task = NULL;
        HASH_ITER(hh, w->lanes->waiting, waiting, next) {
            HASH_DEL(w->lanes->waiting, waiting);
            w->task = waiting->task;
            pair_close(&waiting->open, time, at_exit);
            free_waiting(waiting);
        }
        w->lanes->calls = 0;
        w->task = NULL;
    }
    pair_close(&w->open, time, at_exit);
}

void tasks_free_lanes(struct walk *w) {
    struct waiting *waiting, *next;
    struct task_lanes *lanes = w->lanes;
    if (!lanes) return;
    HASH_ITER(hh, lanes->waiting, waiting, next) {
        HASH_DEL(lanes->waiting, waiting);
        free_waiting(waiting);
    }
    if (lanes->spare) free_waiting(lanes->spare);
    if (lanes->mine) {
        free(lanes->mine);
        pair_free(&lanes->outside);
    }
    free(lanes);
    w->lanes = NULL;
}

/* ---- of a process ----------------------------------------------------------------------------------------------- */

void tasks_start_over(struct process *p) {
    for (struct task *task = p->tasks; task; task = task->hh.next) {
        task->calls = 0;
        task->thread = NULL;
    }
}

static int by_first_call(const struct task *a, const struct task *b) {
    if (!a->calls != !b->calls) return a->calls ? -1 : 1;
    if (a->first_call_tick != b->first_call_tick) return a->first_call_tick < b->first_call_tick ? -1 : 1;
    return (a->serial > b->serial) - (a->serial < b->serial);
}

void tasks_number(struct process *p) {
    HASH_SORT(p->tasks, by_first_call);
    p->num_tasks = 0;
    for (struct task *task = p->tasks; task && task->calls; task = task->hh.next) task->index = p->num_tasks++;
}

void tasks_free(struct process *p) {
    struct task *task, *next;
    HASH_ITER(hh, p->tasks, task, next) {
        HASH_DEL(p->tasks, task);
        free(task->name);
        free(task);
    }
}
