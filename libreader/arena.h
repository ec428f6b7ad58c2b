/* arena.h: memory that is given back all at once. */
#ifndef SCOPE_READER_ARENA_H
#define SCOPE_READER_ARENA_H

#include <stddef.h>

struct rd_arena {
    struct rd_arena_block *blocks;
    char *next;
    size_t left;
};

/* `size` bytes aligned for any type, NULL when there is no memory. */
void *rd_arena_take(struct rd_arena *arena, size_t size);
/* A NUL-terminated copy of `length` bytes. */
char *rd_arena_copy(struct rd_arena *arena, const char *text, size_t length);
void rd_arena_free(struct rd_arena *arena);

#endif
