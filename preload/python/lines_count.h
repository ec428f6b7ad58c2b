/* lines_count.h: counting the lines that run. The counters lie in files of the spool, mapped shared, so they are there
 * however the process ends.
 *
 * A back end tells when a call of a counted function begins, which line it is on, and when it ends or is suspended.
 * Time is charged to the line (the statement) until the next of these; what the line calls is part of it. While a
 * function is called from within itself, the outer call is not charged: the sum over a function's lines is the time
 * spent in it. */
#ifndef SCOPE_PROFILER_LINES_COUNT_H
#define SCOPE_PROFILER_LINES_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function whose lines are counted. Made once for all code objects of one definition, never freed. */
struct lines_function {
    uint32_t id;            /* 1, 2, ... in this process and its children; set by lines_add() */
    uint32_t first_line;    /* decorators included */
    uint32_t first_counted; /* the line of the first counter */
    uint32_t lines;         /* counters */
    uint32_t *statement;    /* by line - first_counted: the same of the statement's first line */
    const char *region, *name, *file, *encoding, *source;
    size_t source_length;
    uint32_t source_first;
    bool suspends;   /* a generator or a coroutine */
    bool always;     /* counted at every call; otherwise while a scope is open, */
    uint32_t scopes; /* open ones, */
    bool traced;     /* or while all functions are */
    struct lines_function *next;
    /* The same function under other regions' names: code objects point to the first of them, which the events below are
     * told of. */
    struct lines_function *head, *also;
};

/* Functions that the program does not name are counted, too, meanwhile. */
extern bool lines_of_all;

/* The GIL is held. */
static inline bool lines_counts(const struct lines_function *function) {
    return function->always || function->scopes || (function->traced && lines_of_all);
}
static inline bool lines_any_counts(const struct lines_function *head) {
    while (head && !lines_counts(head)) head = head->also;
    return head != NULL;
}

/* Gives the function its id. False: too many. */
bool lines_add(struct lines_function *function);

void lines_enter(struct lines_function *function);
/* line: as Python counts it; others than the function's own are passed over. */
void lines_line(struct lines_function *function, int line);
void lines_leave(struct lines_function *function);
/* Of this one alone: what is open in this thread ends, whether or not the calls do. */
void lines_close(struct lines_function *function);

/* The call that has begun goes on within `line`, where it was suspended: that is no further hit. told_again: nor is it
 * if that line is reported once more. */
void lines_at(struct lines_function *function, int line, bool told_again);

/* Before the first call: the process joins the session, and is in its profile whether or not a line is counted. */
bool lines_count_start(void);

/* What is counted from here on goes into this recorder (NULL: the session's, or nowhere); lines_count_start() follows.
 * Functions that are running are counted from their next call on. The GIL is held. */
struct recorder;
void lines_count_into(struct recorder *into);

/* False: the counters' memory could not be had, nothing is ever counted. */
bool lines_count_init(void);

#endif
