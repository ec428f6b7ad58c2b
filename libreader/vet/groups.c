/* Groups of the older kind: a B-tree of nodes of symbols, whose names are in a local heap. */
#include "core.h"

#include <stdlib.h>

#define HEAP  "local heap"
#define TREE  "B-tree node"
#define NODE  "symbol table node"
#define MAGIC 4

/* ---- local heaps ------------------------------------------------------------------------------------------------- */

#define END_OF_LIST 1

/* Each free block says where the next one is, and its own length. */
static bool check_free_list(struct rd_vet *vet, const struct vet_local_heap *heap, uint64_t block) {
    uint64_t left = heap->size;
    const size_t head = 2 * vet->length_bytes;
    while (block != END_OF_LIST) {
        unsigned char bytes[16];
        if (block > heap->size || heap->size - block < head)
            return vet_refuse(vet, HEAP, heap->head, "has a free block beyond its end");
        if (!vet_read(vet, heap->at + block, bytes, head)) return false;
        const uint64_t next = vet_number(bytes, vet->length_bytes);
        const uint64_t size = vet_number(bytes + vet->length_bytes, vet->length_bytes);
        if (size < head || size > heap->size - block || size > left || next == 0)
            return vet_refuse(vet, HEAP, heap->head, "has a free block of a size that cannot be");
        left -= size;
        block = next;
    }
    return true;
}

/* Where the last text that has an end ends. */
static bool find_texts(struct rd_vet *vet, struct vet_local_heap *heap) {
    unsigned char bytes[256];
    heap->left = heap->size;
    for (uint64_t end = heap->size; end > 0;) {
        const size_t part = end < sizeof bytes ? (size_t)end : sizeof bytes;
        end -= part;
        if (!vet_read(vet, heap->at + end, bytes, part)) return false;
        const unsigned char *last = memrchr(bytes, 0, part);
        if (!last) continue;
        heap->texts = end + (uint64_t)(last - bytes) + 1;
        return true;
    }
    heap->texts = 0;
    return true;
}

bool vet_local_heap(struct rd_vet *vet, uint64_t at, struct vet_local_heap *heap) {
    unsigned char *head = vet_structure(vet, HEAP, "HEAP", at, 8 + 2 * vet->length_bytes + vet->address_bytes);
    if (!head) return false;
    heap->head = at;
    struct vet_bytes bytes = {head + MAGIC, 4 + 2 * vet->length_bytes + vet->address_bytes};
    uint64_t version = 0, free_block = 0;
    vet_take(&bytes, 4, &version);
    vet_take_length(vet, &bytes, &heap->size);
    vet_take_length(vet, &bytes, &free_block);
    vet_take_address(vet, &bytes, &heap->at);
    free(head);
    if (version & 0xff) return vet_refuse(vet, HEAP, at, "is of an unknown version");
    if (!heap->size) heap->at = at;
    return vet_claim(vet, "data of a local heap", heap->at, heap->size) && check_free_list(vet, heap, free_block) &&
           find_texts(vet, heap);
}

/* The names of a group are each in the heap: together they are no longer than it. A name with a slash would lead
 * libhdf5 elsewhere than the link of that name does. */
bool vet_heap_text(struct rd_vet *vet, struct vet_local_heap *heap, uint64_t offset, bool is_name) {
    unsigned char bytes[256];
    if (offset >= heap->texts) return vet_refuse(vet, HEAP, heap->head, "has no text where one is looked for");
    for (uint64_t at = offset;;) {
        const uint64_t rest = heap->texts - at;
        const size_t part = rest < sizeof bytes ? (size_t)rest : sizeof bytes;
        if (!vet_read(vet, heap->at + at, bytes, part)) return false;
        const unsigned char *end = memchr(bytes, 0, part);
        const uint64_t length = end ? (uint64_t)(end - bytes) + 1 : part;
        if (length > heap->left) return vet_refuse(vet, HEAP, heap->head, "holds texts that overlap");
        heap->left -= length;
        if (is_name && memchr(bytes, '/', (size_t)length))
            return vet_refuse(vet, HEAP, heap->head, "holds a name with a slash");
        if (end) return true;
        at += part;
    }
}

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

enum { PLAIN = 0, GROUP = 1, SOFT_LINK = 2 };

static bool check_symbol(struct rd_vet *vet, struct vet_bytes *bytes, struct vet_local_heap *heap, uint64_t node) {
    uint64_t name = 0, object = 0, kind = 0, value = 0;
    vet_take_length(vet, bytes, &name);
    vet_take_address(vet, bytes, &object);
    vet_take(bytes, 4, &kind);
    vet_skip(bytes, 4);
    vet_take(bytes, 4, &value);
    vet_skip(bytes, 12);
    if (kind > SOFT_LINK) return vet_refuse(vet, NODE, node, "holds an entry of an unknown kind");
    if (!vet_heap_text(vet, heap, name, true)) return false;
    return kind == SOFT_LINK ? vet_heap_text(vet, heap, value, false) : vet_queue(vet, object);
}

static bool check_node(struct rd_vet *vet, uint64_t at, struct vet_local_heap *heap) {
    const uint64_t entry = vet->length_bytes + vet->address_bytes + 8 + 16, most = 2 * (uint64_t)vet->leaf_k;
    const uint64_t size = 8 + most * entry;
    unsigned char *whole = vet_structure(vet, NODE, "SNOD", at, size);
    if (!whole) return false;
    const uint64_t count = vet_number(whole + 6, 2);
    bool fine = (whole[4] == 1 && count <= most) || vet_refuse(vet, NODE, at, "claims more entries than it can have");
    struct vet_bytes bytes = {whole + 8, (size_t)size - 8};
    for (uint64_t i = 0; fine && i < count; i++) fine = check_symbol(vet, &bytes, heap, at);
    free(whole);
    return fine;
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

#define ANY_LEVEL 256

struct tree {
    struct rd_vet *vet;
    struct vet_local_heap heap;
};

static bool check_tree(struct tree *tree, uint64_t at, unsigned level);

static bool check_child(struct tree *tree, uint64_t child, unsigned level) {
    return level ? check_tree(tree, child, level - 1) : check_node(tree->vet, child, &tree->heap);
}

/* Keys and children take turns, a key being first and last; a key is the place of a name. */
static bool check_children(struct tree *tree, uint64_t at, struct vet_bytes *bytes, uint64_t count, unsigned level) {
    struct rd_vet *vet = tree->vet;
    for (uint64_t i = 0; i <= count; i++) {
        uint64_t key = 0, child = 0;
        vet_take_length(vet, bytes, &key);
        vet_take_address(vet, bytes, &child);
        if (key >= tree->heap.texts) return vet_refuse(vet, TREE, at, "has a key that is no name");
        if (i < count && !check_child(tree, child, level)) return false;
    }
    return true;
}

/* `level`: what it must be. It sinks with each step, which bounds the depth of the calls. */
static bool check_tree(struct tree *tree, uint64_t at, unsigned level) {
    struct rd_vet *vet = tree->vet;
    const uint64_t most = 2 * (uint64_t)vet->group_k, head = 8 + 2 * vet->address_bytes;
    const uint64_t size = head + most * (vet->length_bytes + vet->address_bytes) + vet->length_bytes;
    unsigned char *whole = vet_structure(vet, TREE, "TREE", at, size);
    if (!whole) return false;
    const unsigned type = whole[4], own = whole[5];
    const uint64_t count = vet_number(whole + 6, 2);
    bool fine = true;
    if (type != 0 || (level != ANY_LEVEL && own != level)) fine = vet_refuse(vet, TREE, at, "is of another tree");
    if (fine && (count > most || (!count && own)))
        fine = vet_refuse(vet, TREE, at, "claims more entries than it can have");
    struct vet_bytes bytes = {whole + head, (size_t)(size - head)};
    if (fine && count) fine = check_children(tree, at, &bytes, count, own);
    free(whole);
    return fine;
}

bool vet_symbol_table(struct rd_vet *vet, uint64_t at, uint64_t heap) {
    struct tree tree = {.vet = vet};
    return vet_local_heap(vet, heap, &tree.heap) && check_tree(&tree, at, ANY_LEVEL);
}
