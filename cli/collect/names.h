/* names.h: strings kept once each, in the order of their first appearance. Any bytes without NUL. */
#ifndef COLLECT_NAMES_H
#define COLLECT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A hash table that cannot grow must not end the process. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct name {
    char *text; /* terminated */
    size_t length;
    bool used;       /* some row of the file names it */
    uint32_t index;  /* region_table index of a used one */
    uint64_t marker; /* scratch of whoever walks the names of one process: "seen in process N as row `row`" */
    uint32_t row;
    struct name *next;
    UT_hash_handle hh;
};

struct names {
    struct name *table;        /* uthash by text */
    struct name *first, *last; /* in order */
    size_t bytes;
};

/* `length` bytes up to a NUL. NULL: no memory, or more text than a profile can sensibly have. */
struct name *names_add(struct names *names, const char *text, size_t length);
void names_free(struct names *names);

#endif
