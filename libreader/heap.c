#include "heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define HASH_NONFATAL_OOM 1 /* a library never exits */
#include <uthash.h>

/* ---- references ------------------------------------------------------------------------------------------------- */

#define TAG "scope-reader: reference to a variable-length string"

/* HDF5 asks whether the types suit, and then hands over the values: they stay as they are stored. */
static herr_t keep_reference(hid_t from, hid_t to, H5T_cdata_t *data, size_t count, size_t stride, size_t background,
                             void *values, void *background_values, hid_t transfer) {
    (void)count, (void)stride, (void)background, (void)values, (void)background_values, (void)transfer;
    if (data->command != H5T_CONV_INIT) return 0;
    data->need_bkg = H5T_BKG_NO;
    char *tag = H5Tget_tag(to);
    const bool suits =
        tag && strcmp(tag, TAG) == 0 && H5Tis_variable_str(from) > 0 && H5Tget_size(from) == RD_REFERENCE_BYTES;
    H5free_memory(tag);
    return suits ? 0 : -1;
}

struct name {
    char text[32];
};

static struct name name_for(const void *owner) {
    struct name name;
    snprintf(name.text, sizeof name.text, "scope-reader %p", owner);
    return name;
}

hid_t rd_heap_begin(const void *owner) {
    const hid_t from = H5Tcopy(H5T_C_S1), to = H5Tcreate(H5T_OPAQUE, RD_REFERENCE_BYTES);
    const bool fine = from >= 0 && to >= 0 && H5Tset_size(from, H5T_VARIABLE) >= 0 && H5Tset_tag(to, TAG) >= 0 &&
                      H5Tregister(H5T_PERS_SOFT, name_for(owner).text, from, to, keep_reference) >= 0;
    if (from >= 0) H5Tclose(from);
    if (fine) return to;
    if (to >= 0) H5Tclose(to);
    return -1;
}

void rd_heap_end(hid_t type, const void *owner) {
    if (type < 0) return;
    H5Tunregister(H5T_PERS_SOFT, name_for(owner).text, -1, -1, keep_reference);
    H5Tclose(type);
}

static uint64_t little_endian(const unsigned char *bytes, size_t count) {
    uint64_t value = 0;
    while (count-- > 0) value = value << 8 | bytes[count];
    return value;
}

struct rd_reference rd_heap_decode(const unsigned char *bytes) {
    return (struct rd_reference){.length = (uint32_t)little_endian(bytes, 4),
                                 .address = little_endian(bytes + 4, 8),
                                 .index = (uint32_t)little_endian(bytes + 12, 4)};
}

/* ---- collections ------------------------------------------------------------------------------------------------ */

#define HEAD_BYTES 16 /* "GCOL", version 1, 3 bytes reserved, 8 bytes size of the collection */
#define OBJECT_BYTES                                                                                                   \
    16 /* 2 bytes index, 2 bytes count of references, 4 bytes reserved, 8 bytes size; then the data                    \
        */

struct object {
    uint64_t at, size; /* in the collection; at == 0: there is no such object */
};

struct rd_collection {
    uint64_t address, size;
    unsigned char *bytes; /* NULL: damaged */
    struct object *objects;
    uint32_t num_objects;
    UT_hash_handle hh;
};

static bool read_at(const struct rd_heap_file *file, uint64_t at, void *bytes, uint64_t count) {
    unsigned char *to = bytes;
    while (count) {
        const ssize_t got = pread(file->descriptor, to, count, (off_t)at);
        if (got <= 0) return false;
        to += got;
        at += (uint64_t)got;
        count -= (uint64_t)got;
    }
    return true;
}

/* Goes from object to object; the last may be the free rest, of index 0. */
static uint32_t list_objects(const struct rd_collection *collection, struct object *objects) {
    uint32_t highest = 0;
    uint64_t at = HEAD_BYTES;
    while (collection->size - at >= OBJECT_BYTES) {
        const uint64_t index = little_endian(collection->bytes + at, 2);
        const uint64_t size = little_endian(collection->bytes + at + 8, 8);
        const uint64_t room = collection->size - at - OBJECT_BYTES;
        if (index == 0 || size > room) break;
        if (objects) objects[index] = (struct object){at + OBJECT_BYTES, size};
        if (index > highest) highest = (uint32_t)index;
        const uint64_t padded = (size + 7) / 8 * 8;
        at += OBJECT_BYTES + (padded < room ? padded : room);
    }
    return highest;
}

static bool load_objects(struct rd_collection *collection) {
    collection->num_objects = list_objects(collection, NULL) + 1;
    collection->objects = calloc(collection->num_objects, sizeof *collection->objects);
    if (!collection->objects) return false;
    list_objects(collection, collection->objects);
    return true;
}

/* Collections do not overlap: together they are no larger than the file. */
static bool load(struct rd_heap *heap, const struct rd_heap_file *file, struct rd_collection *collection) {
    unsigned char head[HEAD_BYTES];
    uint64_t at;
    if (__builtin_add_overflow(collection->address, file->base, &at) || at > file->size ||
        file->size - at < HEAD_BYTES || !read_at(file, at, head, sizeof head) || memcmp(head, "GCOL\1", 5) != 0)
        return false;
    collection->size = little_endian(head + 8, 8);
    if (collection->size < HEAD_BYTES || collection->size > file->size - at ||
        collection->size > file->size - heap->bytes)
        return false;
    heap->bytes += collection->size;
    collection->bytes = malloc(collection->size);
    return collection->bytes && read_at(file, at, collection->bytes, collection->size) && load_objects(collection);
}

static void forget(struct rd_collection *collection) {
    free(collection->bytes);
    free(collection->objects);
    collection->bytes = NULL;
    collection->objects = NULL;
    collection->num_objects = 0;
}

static struct rd_collection *find_collection(struct rd_heap *heap, const struct rd_heap_file *file, uint64_t address) {
    struct rd_collection *collection;
    HASH_FIND(hh, heap->collections, &address, sizeof address, collection);
    if (collection) return collection;
    collection = calloc(1, sizeof *collection);
    if (!collection) return NULL;
    collection->address = address;
    if (!load(heap, file, collection)) forget(collection);
    HASH_ADD(hh, heap->collections, address, sizeof address, collection);
    if (collection->hh.tbl) return collection;
    forget(collection);
    free(collection);
    return NULL;
}

const char *rd_heap_text(struct rd_heap *heap, const struct rd_heap_file *file, const struct rd_reference *reference,
                         struct rd_arena *arena, uint64_t *left) {
    if (reference->length == 0) return "";
    const struct rd_collection *collection = find_collection(heap, file, reference->address);
    if (!collection || reference->index == 0 || reference->index >= collection->num_objects) return NULL;
    const struct object *object = &collection->objects[reference->index];
    if (!object->at || reference->length > object->size || reference->length > *left) return NULL;
    *left -= reference->length;
    const char *text = (const char *)collection->bytes + object->at;
    return rd_arena_copy(arena, text, strnlen(text, reference->length));
}

void rd_heap_free(struct rd_heap *heap) {
    struct rd_collection *collection, *next;
    HASH_ITER(hh, heap->collections, collection, next) {
        HASH_DEL(heap->collections, collection);
        forget(collection);
        free(collection);
    }
    *heap = (struct rd_heap){0};
}
