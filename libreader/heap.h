/* heap.h: strings of variable length, read past HDF5.
 *
 * A file keeps such a string as a reference into a "global heap collection". HDF5 1.10 believes what the collection
 * says of itself: a damaged one makes it write past its buffers, or look for an end for ever. So HDF5 is asked for the
 * references only, and they are followed here, every step checked.
 */
#ifndef SCOPE_READER_HEAP_H
#define SCOPE_READER_HEAP_H

#include "arena.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

struct rd_reference { /* as HDF5 stores it, decoded by rd_heap_decode() */
    uint32_t length;
    uint64_t address; /* of the collection */
    uint32_t index;   /* of the object in it */
};
#define RD_REFERENCE_BYTES 16

/* The memory type to read a variable-length string with in place of a string type: RD_REFERENCE_BYTES each; -1: it
 * cannot be done. rd_heap_end() takes it back; `owner` tells those of several threads apart. */
hid_t rd_heap_begin(const void *owner);
void rd_heap_end(hid_t type, const void *owner);
struct rd_reference rd_heap_decode(const unsigned char *bytes);

struct rd_heap {
    struct rd_collection *collections; /* by address: those looked into */
    uint64_t bytes;                    /* of them all */
};

/* What keeps the file's heaps: its descriptor, its size, and where its addresses count from. */
struct rd_heap_file {
    int descriptor;
    uint64_t size, base;
};

/* The string of a reference, copied into the arena; NULL where there is none, or no memory. `left` bytes may be taken
 * yet, and are counted down: the strings of a file are no longer than the file. */
const char *rd_heap_text(struct rd_heap *heap, const struct rd_heap_file *file, const struct rd_reference *reference,
                         struct rd_arena *arena, uint64_t *left);
void rd_heap_free(struct rd_heap *heap);

#endif
