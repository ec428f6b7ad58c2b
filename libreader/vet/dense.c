/* Links and attributes that are too many for a header: in a heap, with one or two trees that find them. */
#include "heap2.h"
#include "tree2.h"

#include <stdlib.h>

struct dense {
    struct vet_heap2 heap;
    uint64_t at;    /* of the object header, for refusals */
    unsigned id_at; /* of an id in a record */
    const char *(*check)(struct rd_vet *vet, struct vet_bytes bytes);
};

static bool check_record(struct rd_vet *vet, const unsigned char *record, void *owner) {
    struct dense *dense = owner;
    size_t size = 0;
    unsigned char *object = vet_heap2_load(vet, &dense->heap, record + dense->id_at, &size);
    if (!object) return false;
    const char *fault = dense->check(vet, (struct vet_bytes){object, size});
    free(object);
    if (!fault) return vet->status == SPR_OK;
    char text[160];
    snprintf(text, sizeof text, "holds damage: an object of its heap %s", fault);
    return vet_refuse(vet, "object header", dense->at, text);
}

/* Of an index: its type, the bytes of a record, and where in that the id is. */
struct index {
    unsigned type, record_bytes, id_at;
};

static bool check_index(struct rd_vet *vet, struct dense *dense, uint64_t tree, const struct index *index) {
    if (tree == VET_NOWHERE) return true;
    const uint64_t left = dense->heap.left; /* each index leads to every object */
    dense->id_at = index->id_at;
    const bool fine = vet_tree2(vet, tree, index->type, index->record_bytes, check_record, dense);
    dense->heap.left = left;
    return fine;
}

static bool check_all(struct rd_vet *vet, struct dense *dense, uint64_t heap, unsigned id_bytes, const uint64_t *trees,
                      const struct index *indexes) {
    const bool fine = vet_heap2(vet, heap, id_bytes, &dense->heap) && check_index(vet, dense, trees[0], &indexes[0]) &&
                      check_index(vet, dense, trees[1], &indexes[1]);
    vet_heap2_free(&dense->heap);
    return fine;
}

/* By name: a hash and the id; by order: a number and the id. */
bool vet_dense_links(struct rd_vet *vet, const struct vet_header *header) {
    static const struct index indexes[] = {{5, 4 + 7, 4}, {6, 8 + 7, 8}};
    const uint64_t trees[] = {header->link_tree, header->link_order};
    struct dense dense = {.at = header->at, .check = vet_link};
    return check_all(vet, &dense, header->link_heap, 7, trees, indexes);
}

/* The id, flags and the order; by name, a hash as well. */
bool vet_dense_attributes(struct rd_vet *vet, const struct vet_header *header) {
    static const struct index indexes[] = {{8, 8 + 1 + 4 + 4, 0}, {9, 8 + 1 + 4, 0}};
    const uint64_t trees[] = {header->attribute_tree, header->attribute_order};
    struct dense dense = {.at = header->at, .check = vet_attribute};
    return check_all(vet, &dense, header->attribute_heap, 8, trees, indexes);
}
