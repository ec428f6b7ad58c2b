#include "arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536

struct rd_arena_block {
    struct rd_arena_block *older;
    max_align_t data[];
};

static char *new_block(struct rd_arena *arena, size_t size) {
    struct rd_arena_block *block = malloc(sizeof *block + size);
    if (!block) return NULL;
    block->older = arena->blocks;
    arena->blocks = block;
    return (char *)block->data;
}

void *rd_arena_take(struct rd_arena *arena, size_t size) {
    const size_t unit = sizeof(max_align_t);
    if (size > SIZE_MAX / 2) return NULL;
    size = (size + unit - 1) / unit * unit;
    if (size > BLOCK_BYTES / 4) return new_block(arena, size);
    if (size > arena->left) {
        char *block = new_block(arena, BLOCK_BYTES);
        if (!block) return NULL;
        arena->next = block;
        arena->left = BLOCK_BYTES;
    }
    void *taken = arena->next;
    arena->next += size;
    arena->left -= size;
    return taken;
}

char *rd_arena_copy(struct rd_arena *arena, const char *text, size_t length) {
    char *copy = rd_arena_take(arena, length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void rd_arena_free(struct rd_arena *arena) {
    while (arena->blocks) {
        struct rd_arena_block *older = arena->blocks->older;
        free(arena->blocks);
        arena->blocks = older;
    }
    *arena = (struct rd_arena){0};
}
