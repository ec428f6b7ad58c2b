/* Where chunks are: the older index, a B-tree, and those that need none. */
#include "chunks.h"

#include <stdlib.h>

#define TREE "B-tree node of chunks"

/* ---- the list ---------------------------------------------------------------------------------------------------- */

void vet_chunks_free(struct vet_chunks *chunks) {
    free(chunks->items);
    *chunks = (struct vet_chunks){0};
}

static const char *find_fault(const struct rd_vet *vet, const struct vet_dataset *dataset,
                              const struct vet_chunks *chunks, const struct vet_stored *stored) {
    const uint64_t bytes = dataset->layout->dims[0] * dataset->element;
    if (chunks->count && stored->number <= chunks->items[chunks->count - 1].number)
        return "holds chunks that are out of order";
    if ((!dataset->filters->count || stored->plain) && stored->size != bytes) return "holds a chunk of another size";
    if (!stored->size || !vet_inside(vet, stored->at, stored->size)) return "holds a chunk beyond the end of the file";
    return NULL;
}

bool vet_chunks_add(struct rd_vet *vet, const struct vet_dataset *dataset, struct vet_chunks *chunks, const char *index,
                    uint64_t index_at, struct vet_stored stored) {
    const char *fault = find_fault(vet, dataset, chunks, &stored);
    if (fault) return vet_refuse(vet, index, index_at, fault);
    if (chunks->count == chunks->room) {
        const size_t room = chunks->room ? 2 * chunks->room : 64;
        struct vet_stored *grown = realloc(chunks->items, room * sizeof *grown);
        if (!grown) return vet_no_memory(vet);
        chunks->items = grown;
        chunks->room = room;
    }
    chunks->items[chunks->count++] = stored;
    return true;
}

const struct vet_stored *vet_chunks_find(const struct vet_chunks *chunks, uint64_t number) {
    size_t low = 0, high = chunks->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (chunks->items[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < chunks->count && chunks->items[low].number == number ? &chunks->items[low] : NULL;
}

/* ---- B-tree, version 1 ------------------------------------------------------------------------------------------- */

#define ANY_LEVEL 256

struct tree {
    struct rd_vet *vet;
    const struct vet_dataset *dataset;
    struct vet_chunks *chunks;
    uint64_t left; /* bytes that nodes may still have: each has its own */
};

static bool check_tree(struct tree *tree, uint64_t at, unsigned level);

/* A key: stored bytes, mask of filters, first element of the chunk; and 0, the first byte of that. */
enum { KEY_BYTES = 4 + 4 + 8 + 8 };

static bool check_entry(struct tree *tree, uint64_t at, struct vet_bytes *bytes, unsigned level) {
    uint64_t size = 0, mask = 0, first = 0, byte = 0, child = 0;
    vet_take(bytes, 4, &size);
    vet_take(bytes, 4, &mask);
    vet_take(bytes, 8, &first);
    vet_take(bytes, 8, &byte);
    vet_take_address(tree->vet, bytes, &child);
    if (level) return check_tree(tree, child, level - 1);
    const uint64_t chunk = tree->dataset->layout->dims[0];
    if (first % chunk || byte) return vet_refuse(tree->vet, TREE, at, "holds a chunk that begins within another one");
    return vet_chunks_add(tree->vet, tree->dataset, tree->chunks, TREE, at,
                          (struct vet_stored){first / chunk, child, (uint32_t)size, (uint32_t)mask, false});
}

/* `level`: what it must be. It sinks with each step, which bounds the depth of the calls. */
static bool check_tree(struct tree *tree, uint64_t at, unsigned level) {
    struct rd_vet *vet = tree->vet;
    const uint64_t most = 2 * (uint64_t)vet->chunk_k, head = 8 + 2 * vet->address_bytes;
    const uint64_t size = head + most * (KEY_BYTES + vet->address_bytes) + KEY_BYTES;
    if (size > tree->left) return vet_refuse(vet, TREE, at, "is there more than once");
    tree->left -= size;
    unsigned char *whole = vet_structure(vet, TREE, "TREE", at, size);
    if (!whole) return false;
    const unsigned type = whole[4], own = whole[5];
    const uint64_t count = vet_number(whole + 6, 2);
    bool fine = true;
    if (type != 1 || (level != ANY_LEVEL && own != level)) fine = vet_refuse(vet, TREE, at, "is of another tree");
    if (fine && (count > most || (!count && own)))
        fine = vet_refuse(vet, TREE, at, "claims more entries than it can have");
    struct vet_bytes bytes = {whole + head, (size_t)(size - head)};
    for (uint64_t i = 0; fine && i < count; i++) fine = check_entry(tree, at, &bytes, own);
    free(whole);
    return fine;
}

/* ---- one chunk, and chunks side by side -------------------------------------------------------------------------- */

static bool take_single(struct rd_vet *vet, const struct vet_dataset *dataset, struct vet_chunks *chunks) {
    const struct vet_layout *layout = dataset->layout;
    const uint64_t size = dataset->filters->count ? layout->filtered_size : layout->dims[0] * dataset->element;
    const struct vet_stored stored = {0, layout->address, (uint32_t)size, (uint32_t)layout->filter_mask, false};
    if (size > UINT32_MAX) return vet_refuse(vet, "chunk", layout->address, "reaches beyond the end of the file");
    return vet_chunks_add(vet, dataset, chunks, "only chunk", layout->address, stored);
}

static bool take_implicit(struct rd_vet *vet, const struct vet_dataset *dataset, struct vet_chunks *chunks) {
    const struct vet_layout *layout = dataset->layout;
    const uint64_t bytes = layout->dims[0] * dataset->element;
    const uint64_t count = dataset->length / layout->dims[0] + (dataset->length % layout->dims[0] != 0);
    if (!vet_inside(vet, layout->address, 0) || count > (vet->end - layout->address) / bytes)
        return vet_refuse(vet, "row of chunks", layout->address, "reaches beyond the end of the file");
    bool fine = true;
    for (uint64_t i = 0; fine && i < count; i++)
        fine = vet_chunks_add(vet, dataset, chunks, "row of chunks", layout->address,
                              (struct vet_stored){i, layout->address + i * bytes, (uint32_t)bytes, 0, true});
    return fine;
}

bool vet_chunks_read(struct rd_vet *vet, const struct vet_dataset *dataset, struct vet_chunks *chunks) {
    struct tree tree = {.vet = vet, .dataset = dataset, .chunks = chunks, .left = vet->end};
    vet_chunks_free(chunks);
    switch (dataset->layout->index) {
    case VET_BTREE1:
        return check_tree(&tree, dataset->layout->address, ANY_LEVEL);
    case VET_SINGLE:
        return take_single(vet, dataset, chunks);
    case VET_IMPLICIT:
        return take_implicit(vet, dataset, chunks);
    case VET_FIXED_ARRAY:
        return vet_fixed_array(vet, dataset, chunks);
    case VET_EXTENSIBLE_ARRAY:
        return vet_extensible_array(vet, dataset, chunks);
    case VET_BTREE2: /* of datasets that grow in two dimensions */
        break;
    }
    return vet_refuse(vet, "index of chunks", dataset->layout->address, "is of a kind that such a dataset has not");
}
