/* tasks.h: which asyncio task a coroutine runs for: what a thread records while it does is the task's. */
#ifndef SCOPE_PROFILER_TASKS_H
#define SCOPE_PROFILER_TASKS_H

#include "names.h"

#define TASK_SAME UINT32_MAX

extern bool tasks_known; /* asyncio is there */
uint32_t task_enter_known(void);
void task_leave_known(uint32_t before);

/* A generator or coroutine with this word is entered, before its begin is recorded; what it returns is for
 * task_leave(), after its end. The GIL is held; the pending exception and errno are kept. */
static inline uint32_t task_enter(name_word word) {
    return tasks_known && (word & NAME_COROUTINE) ? task_enter_known() : TASK_SAME;
}
static inline void task_leave(uint32_t before) {
    if (before != TASK_SAME) task_leave_known(before);
}

/* The main thread has left one greenlet for another one. */
void task_greenlet(PyObject *from, PyObject *to);
/* What the calling thread's words belong to: tells what lies on one stack from what lies on another. */
uint32_t task_present(void);

/* An event loop begins a step of `task`, and has ended it, whatever was seen in between: for those who see steps, and
 * not the coroutines in them. */
struct task_step {
    uint32_t before, step;
};
struct task_step task_step_begin(PyObject *task);
extern unsigned tasks_of_all; /* 0: only steps of tasks that have been seen by other means are told */
void task_step_end(struct task_step outer);
/* A call is about to begin or end: it is that of the task that runs now. */
void task_look(void);
/* Of the type asyncio.Task, as it is in C. */
bool task_is(PyObject *object);
/* Those that have ended are told: the recording is about to be complete. */
void tasks_tell_done(void);

/* The calling thread's open coroutines end as far as can be seen. */
void task_leave_all(void);

/* Recording begins; an audit event; Python ends; in the child of a fork, in the thread that is left. */
void tasks_up(void);
void tasks_event(const char *event, PyObject *args);
void tasks_down(void);
void tasks_forked(void);

#endif
