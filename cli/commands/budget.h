/* budget.h: limits of single regions, from a text file:
 *
 *     # region          limit
 *     solve$            5%
 *     io.*              20%
 *     checkpoint        1.5s
 *
 * A line has a regular expression that must match at the start of a region's name, blanks, and either the largest
 * slow-down or the longest time. The first line of each kind that matches counts. */
#ifndef CLI_BUDGET_H
#define CLI_BUDGET_H

#include "scope_gate.h"

struct budget_line {
    char *pattern;
    unsigned number; /* in the file */
    bool is_percent;
    double limit; /* a fraction, or seconds */
    bool used;    /* some region matched */
};

struct budget {
    const char *file;
    struct budget_line *lines;
    size_t count;
};

/* False: told on stderr, with file and line. budget_free() in any case. */
bool budget_read(const char *file, struct budget *budget);
void budget_free(struct budget *budget);

/* The limits of a region; max_slowdown where no line says otherwise. */
spr_gate_limit budget_limit(struct budget *budget, const char *region, double max_slowdown);

/* Tells on stderr which lines no region matched; returns how many. */
size_t budget_tell_unused(const struct budget *budget);

#endif
