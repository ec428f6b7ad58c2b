/* The objects of the file: groups, datasets, committed datatypes. Each is looked at once, in the order in which links
 * to them were found: no depth, and no end of links that lead back, can keep this going. */
#include "core.h"

#include <stdlib.h>
#define HASH_NONFATAL_OOM 1 /* a library never exits */
#include <uthash.h>

struct vet_object {
    uint64_t at;
    struct vet_type type; /* of a committed datatype that was referred to; size 0: not known */
    struct vet_object *next;
    UT_hash_handle hh;
};

static struct vet_object *find(struct rd_vet *vet, uint64_t at) {
    struct vet_object *object;
    HASH_FIND(hh, vet->objects, &at, sizeof at, object);
    if (object) return object;
    object = calloc(1, sizeof *object);
    if (!object) return NULL;
    object->at = at;
    HASH_ADD(hh, vet->objects, at, sizeof at, object);
    if (!object->hh.tbl) {
        free(object);
        return NULL;
    }
    *(vet->last ? &vet->last->next : &vet->first) = object;
    vet->last = object;
    return object;
}

bool vet_queue(struct rd_vet *vet, uint64_t at) { return find(vet, at) || vet_no_memory(vet); }

void vet_forget_objects(struct rd_vet *vet) {
    HASH_CLEAR(hh, vet->objects);
    while (vet->first) {
        struct vet_object *next = vet->first->next;
        free(vet->first);
        vet->first = next;
    }
    vet->last = NULL;
}

/* ---- committed datatypes ----------------------------------------------------------------------------------------- */

static bool look_ahead(struct rd_vet *vet, struct vet_object *object) {
    struct vet_header header;
    vet_header_begin(vet, object->at, &header);
    header.only_type = true;
    const bool fine = vet_header(vet, object->at, &header);
    vet_header_free(&header);
    object->type = header.type;
    return fine && (header.type.size || vet_refuse(vet, "object header", object->at, "holds no datatype to share"));
}

static const char *take_reference(const struct rd_vet *vet, struct vet_bytes bytes, uint64_t *at) {
    uint64_t version, kind;
    if (!vet_take(&bytes, 1, &version) || !vet_take(&bytes, 1, &kind)) return "is cut off";
    if (version < 1 || version > 3) return "is shared in an unknown way";
    if (version == 3 && kind != 2) return "is shared by a table of the file, which is not read";
    if (version == 1 && !vet_skip(&bytes, 6 + vet->length_bytes)) return "is cut off";
    if (version == 2 && kind == 1) return "is shared by a table of the file, which is not read";
    return vet_take_address(vet, &bytes, at) ? NULL : "is cut off";
}

const char *vet_shared_type(struct rd_vet *vet, struct vet_bytes bytes, struct vet_type *type) {
    uint64_t at;
    const char *fault = take_reference(vet, bytes, &at);
    if (fault) return fault;
    struct vet_object *object = find(vet, at);
    if (!object) return "needs more memory than there is";
    if (!object->type.size && !look_ahead(vet, object)) return "refers to a datatype that is none";
    *type = object->type;
    return NULL;
}

/* ---- datasets ---------------------------------------------------------------------------------------------------- */

static const char *check_chunks(const struct vet_header *header) {
    const struct vet_layout *layout = &header->layout;
    if (layout->rank != header->space.rank + 1) return "has chunks of another number of dimensions than its dataspace";
    if (layout->dims[layout->rank - 1] != header->type.size) return "has chunks of elements of another size";
    return NULL;
}

static const char *check_data(const struct vet_header *header) {
    const struct vet_layout *layout = &header->layout;
    uint64_t size;
    if (layout->storage == VET_VIRTUAL) return NULL;
    if (layout->storage == VET_CHUNKED) return check_chunks(header);
    if (__builtin_mul_overflow(header->space.count, header->type.size, &size)) return "claims more data than can be";
    if (layout->address == VET_NOWHERE) return NULL;
    if (layout->size < size) return "stores less data than its dataspace says";
    if (!vet_inside(header->vet, layout->address, layout->size == UINT64_MAX ? size : layout->size))
        return "has data beyond the end of the file";
    return NULL;
}

static const char *check_dataset(const struct vet_header *header) {
    const struct vet_chunk *const fills[] = {&header->fill, &header->old_fill};
    if (!header->type.size || !header->space.seen) return "has data, but no datatype or no dataspace";
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++)
        if (fills[i]->size && fills[i]->size != header->type.size) return "has a fill value of another size";
    return check_data(header);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static bool has(const struct vet_header *header, unsigned type) { return header->seen >> type & 1; }

/* A dataset, a group, or neither: a committed datatype, or the superblock's extension. */
static bool check_whole(struct rd_vet *vet, const struct vet_header *header) {
    const bool group = has(header, VET_SYMBOL_TABLE) || has(header, VET_LINK_INFO);
    const char *fault = NULL;
    if (has(header, VET_LAYOUT)) fault = group ? "is of a dataset and of a group at once" : check_dataset(header);
    if (fault) return vet_refuse(vet, "object header", header->at, fault);
    return (!has(header, VET_SYMBOL_TABLE) || vet_symbol_table(vet, header->tree, header->heap)) &&
           (header->link_heap == VET_NOWHERE || vet_dense_links(vet, header)) &&
           (header->attribute_heap == VET_NOWHERE || vet_dense_attributes(vet, header));
}

static bool check_object(struct rd_vet *vet, uint64_t at) {
    struct vet_header header;
    vet_header_begin(vet, at, &header);
    const bool fine = vet_header(vet, at, &header) && check_whole(vet, &header);
    vet_header_free(&header);
    return fine;
}

bool vet_objects(struct rd_vet *vet) {
    for (const struct vet_object *object = vet->first; object; object = object->next)
        if (!check_object(vet, object->at)) return false;
    return true;
}
