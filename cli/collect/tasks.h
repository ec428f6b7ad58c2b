/* tasks.h: tasks take turns in a lane: each has open calls of its own, which wait while others run. */
#ifndef COLLECT_TASKS_H
#define COLLECT_TASKS_H

#include "walk.h"

/* The groups (see spool.h); false: no memory. */
bool task_named(struct walk *w, const uint64_t *payload);
bool task_switched(struct walk *w, const uint64_t *payload);
bool task_over(struct walk *w, const uint64_t *payload);

/* Everything that is open ends, the waiting tasks' calls too, and the thread runs no task. */
void tasks_close(struct walk *w, int64_t time, bool at_exit);
void tasks_free_lanes(struct walk *w);

/* ns for which the task had been suspended by `time`. */
int64_t task_waited(const struct walk *w, int64_t time);

void tasks_start_over(struct process *p); /* no calls yet */
void tasks_number(struct process *p);
void tasks_free(struct process *p);

#endif
