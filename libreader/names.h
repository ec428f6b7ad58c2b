/* names.h: names kept once, numbered in the order in which they were first seen. */
#ifndef SCOPE_READER_NAMES_H
#define SCOPE_READER_NAMES_H

#include "arena.h"

#include <stdbool.h>

struct rd_names {
    const char **items; /* `count` names, in the arena; NULL while there are none */
    size_t count;
    struct rd_name *table;
};

/* The number of a name, which is copied to the arena when it is new. False when there is no memory. */
bool rd_names_find(struct rd_names *names, struct rd_arena *arena, const char *name, size_t *number);
/* Whether it is there; `number` may be NULL. */
bool rd_names_look(const struct rd_names *names, const char *name, size_t *number);
/* Gives the table back, but not `items`: those are the caller's, to free(). */
void rd_names_close(struct rd_names *names);

#endif
