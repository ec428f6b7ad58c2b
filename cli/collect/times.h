/* times.h: the clocks of a session's processes, and when each began and stopped. */
#ifndef COLLECT_TIMES_H
#define COLLECT_TIMES_H

#include "model.h"

/* Makes every process's clock, on one time line with those of other machines (align.h). Sets first_event_ns and
 * stop_ns. Needs the first pass. False: no memory. */
bool times_make(struct collection *c);

/* On the session's time line: when a process's files were made, and the last that is known of it: its exit, or now
 * while it runs, or its last sign of life. */
int64_t process_start_ns(const struct process *p);
int64_t process_end_ns(const struct collection *c, const struct process *p);

/* A moment of the process's CLOCK_MONOTONIC there. */
int64_t process_session_ns(const struct process *p, int64_t ns);

/* What became of it: "exit 3", "signal 9", "exit", "running", "unknown". `text`: 32 bytes for it. */
const char *process_ended(const struct collection *c, const struct process *p, char *text);

#endif
