/* store.h: 64-bit integers outside HDF5: where a native trace has them; or gathered in memory, and in an unnamed file
 * once they are many.
 */
#ifndef SCOPE_READER_STORE_H
#define SCOPE_READER_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rd_store {
    int descriptor; /* -1: in memory */
    bool swapped;   /* in the other byte order */
    unsigned char *memory;
    uint64_t bytes, room; /* that it holds; of the memory */
};

#define RD_NO_STORE ((struct rd_store){.descriptor = -1})

/* Adds integers at the end. False, with errno, when there is no memory or no room on the disk. */
bool rd_store_add(struct rd_store *store, const int64_t *values, size_t count);
/* Reads `count` integers from byte `at`; false, with errno (0: there are not so many), when that fails. */
bool rd_store_read(const struct rd_store *store, uint64_t at, int64_t *values, size_t count);
void rd_store_close(struct rd_store *store);

/* An unnamed file for what is too much for memory, in $TMPDIR or /tmp; -1 with errno. */
int rd_unnamed_file(void);
/* All of the bytes, or false with errno (0: the file ends before). */
bool rd_read_at(int descriptor, uint64_t at, void *bytes, size_t count);
bool rd_write_at(int descriptor, uint64_t at, const void *bytes, size_t count);

#endif
