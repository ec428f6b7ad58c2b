/* chunks.h: columns, and the chunks of compressed ones: packed by several threads as HDF5's filters would, written by
 * the caller's. */
#ifndef COLLECT_CHUNKS_H
#define COLLECT_CHUNKS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

#define CHUNK ((hsize_t)65536) /* elements; a shorter column is one chunk */

struct chunk {
    hid_t set;      /* from chunks_create() */
    int column;     /* the caller's */
    size_t size;    /* of an element: 4 or 8 bytes */
    hsize_t at;     /* first element */
    hsize_t count;  /* elements that there are */
    hsize_t length; /* elements of a whole chunk */
    void *packed;   /* from here on for chunks_write() */
    size_t bytes;
};

struct packing {
    unsigned workers;
    int level; /* 1 to 9 */
    /* The values of a chunk, for several at once; false with errno. */
    bool (*values)(void *context, const struct chunk *chunk, void *into);
    bool (*reserve)(void *context, size_t bytes); /* of space on the disk; false: failed */
    void *context;
};

/* A column of `total` elements of `type`; fill NULL: 0. level 0, or no element: in one piece, whose place in the file
 * is known at once. */
hid_t chunks_create(hid_t group, const char *name, hid_t type, hsize_t total, int level, const int64_t *fill);

/* Every chunk is written once, in whichever order. False with errno, if any. A thread takes 2 MiB, and a packed chunk
 * at the most half of one. */
bool chunks_write(const struct packing *packing, struct chunk *chunks, size_t count);

#endif
