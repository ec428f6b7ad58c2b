#include "chunks.h"
#include "crew.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

hid_t chunks_create(hid_t group, const char *name, hid_t type, hsize_t total, int level, const int64_t *fill) {
    const hsize_t length = total < CHUNK ? total : CHUNK;
    hid_t list = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &total, NULL);
    if (fill) H5Pset_fill_value(list, H5T_NATIVE_INT64, fill);
    if (level && total) {
        H5Pset_chunk(list, 1, &length);
        H5Pset_shuffle(list);
        H5Pset_deflate(list, (unsigned)level);
    } else {
        H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);
        H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
    }
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(list);
    return set;
}

/* First bytes of all elements, second bytes, ...: HDF5's shuffle filter. */
static void shuffle(const unsigned char *from, unsigned char *to, size_t size, size_t count) {
    for (size_t byte = 0; byte < size; byte++)
        for (size_t i = 0; i < count; i++) *to++ = from[i * size + byte];
}

struct work {
    const struct packing *packing;
    struct chunk *chunks;
};

static int deflate_into(struct chunk *chunk, const unsigned char *bytes, size_t count, int level) {
    uLongf length = compressBound(count);
    chunk->packed = malloc(length);
    if (!chunk->packed || compress2(chunk->packed, &length, bytes, count, level) != Z_OK) return ENOMEM;
    void *shorter = realloc(chunk->packed, length); /* many of them wait to be written */
    if (shorter) chunk->packed = shorter;
    chunk->bytes = length;
    return 0;
}

static int pack(void *context, size_t piece) {
    const struct work *work = context;
    const struct packing *packing = work->packing;
    struct chunk *chunk = &work->chunks[piece];
    const size_t bytes = chunk->length * chunk->size;
    unsigned char *values = calloc(2, bytes), *shuffled = values + bytes;
    if (!values) return ENOMEM;
    int error = 0;
    if (!packing->values(packing->context, chunk, values)) error = errno ? errno : EIO;
    if (!error) {
        shuffle(values, shuffled, chunk->size, chunk->length);
        error = deflate_into(chunk, shuffled, bytes, packing->level);
    }
    free(values);
    return error;
}

bool chunks_write(const struct packing *packing, struct chunk *chunks, size_t count) {
    struct work work = {packing, chunks};
    const struct crew crew = {packing->workers, count, NULL, pack, &work};
    size_t failed;
    for (size_t i = 0; i < count; i++) chunks[i].packed = NULL;
    const int error = crew_run(&crew, &failed);
    bool good = !error;
    for (size_t i = 0; i < count; i++) {
        good = good && packing->reserve(packing->context, chunks[i].bytes) &&
               H5Dwrite_chunk(chunks[i].set, H5P_DEFAULT, 0, &chunks[i].at, chunks[i].bytes, chunks[i].packed) >= 0;
        free(chunks[i].packed);
    }
    if (error) errno = error;
    return good;
}
