#include "tree2.h"

#include <stdlib.h>

#define WHAT "B-tree"

enum { NODE_HEAD = 6, CHECKSUM = 4, MOST_DEPTH = 16 };

struct tree {
    struct rd_vet *vet;
    unsigned type, record_bytes, depth;
    uint64_t node_bytes;
    unsigned count_bytes;                 /* of the number of records of a child */
    uint64_t most[MOST_DEPTH + 1];        /* records of a node, by level; 0: leaves */
    unsigned total_bytes[MOST_DEPTH + 1]; /* of the number of records of a child at that level and below */
    vet_record *record;
    void *owner;
    uint64_t seen; /* records so far */
};

struct child {
    uint64_t at, records, total; /* records of its own, and with those below */
};

static unsigned bytes_for(uint64_t most) {
    unsigned bytes = 1;
    while (most >>= 8) bytes++;
    return bytes;
}

static unsigned pointer_bytes(const struct tree *tree, unsigned level) {
    return tree->vet->address_bytes + tree->count_bytes + tree->total_bytes[level - 1];
}

/* How many records fit into the nodes of each level; false: none into some. */
static bool measure(struct tree *tree) {
    uint64_t total;
    if (tree->node_bytes < NODE_HEAD + CHECKSUM + tree->record_bytes) return false;
    total = tree->most[0] = (tree->node_bytes - NODE_HEAD - CHECKSUM) / tree->record_bytes;
    tree->count_bytes = bytes_for(total);
    tree->total_bytes[0] = 0;
    for (unsigned level = 1; level <= tree->depth; level++) {
        const unsigned pointer = pointer_bytes(tree, level);
        if (tree->node_bytes < NODE_HEAD + CHECKSUM + 2 * pointer + tree->record_bytes) return false;
        tree->most[level] = (tree->node_bytes - NODE_HEAD - CHECKSUM - pointer) / (tree->record_bytes + pointer);
        if (__builtin_mul_overflow(total, tree->most[level] + 1, &total) ||
            __builtin_add_overflow(total, tree->most[level], &total))
            return false;
        tree->total_bytes[level] = bytes_for(total);
    }
    return true;
}

static bool check_node(struct tree *tree, struct child child, unsigned level);

static bool check_children(struct tree *tree, struct vet_bytes *bytes, uint64_t count, unsigned level) {
    for (uint64_t i = 0; i < count; i++) {
        struct child child = {0};
        vet_take_address(tree->vet, bytes, &child.at);
        vet_take(bytes, tree->count_bytes, &child.records);
        child.total = child.records;
        if (level > 1) vet_take(bytes, tree->total_bytes[level - 1], &child.total);
        if (!check_node(tree, child, level - 1)) return false;
    }
    return true;
}

static bool check_content(struct tree *tree, struct vet_bytes bytes, uint64_t records, unsigned level) {
    for (uint64_t i = 0; i < records; i++) {
        if (!tree->record(tree->vet, bytes.at, tree->owner)) return false;
        tree->seen++;
        vet_skip(&bytes, tree->record_bytes);
    }
    return !level || check_children(tree, &bytes, records + 1, level);
}

/* The level sinks with each step, which bounds the depth of the calls. */
static bool check_node(struct tree *tree, struct child child, unsigned level) {
    struct rd_vet *vet = tree->vet;
    const uint64_t seen = tree->seen;
    if (child.records > tree->most[level] || (!child.records && level))
        return vet_refuse(vet, WHAT, child.at, "claims more records than it can have");
    const uint64_t size = NODE_HEAD + child.records * tree->record_bytes +
                          (level ? (child.records + 1) * pointer_bytes(tree, level) : 0) + CHECKSUM;
    unsigned char *whole = vet_structure(vet, WHAT, level ? "BTIN" : "BTLF", child.at, tree->node_bytes);
    if (!whole) return false;
    bool fine = (whole[4] == 0 && whole[5] == tree->type) || vet_refuse(vet, WHAT, child.at, "is of another tree");
    if (fine && !vet_checksum_fits(whole, (size_t)size))
        fine = vet_refuse(vet, WHAT, child.at, "has another checksum than is stored");
    if (fine)
        fine = check_content(tree, (struct vet_bytes){whole + NODE_HEAD, (size_t)size - NODE_HEAD - CHECKSUM},
                             child.records, level);
    free(whole);
    /* libhdf5 makes room for as many as are told of */
    return fine && (tree->seen - seen == child.total ||
                    vet_refuse(vet, WHAT, child.at, "has another number of records than it claims"));
}

static bool take_head(struct tree *tree, struct vet_bytes bytes, struct child *root) {
    uint64_t version = 0, type = 0, size = 0, depth = 0;
    vet_skip(&bytes, 4);
    vet_take(&bytes, 1, &version);
    vet_take(&bytes, 1, &type);
    vet_take(&bytes, 4, &tree->node_bytes);
    vet_take(&bytes, 2, &size);
    vet_take(&bytes, 2, &depth);
    vet_skip(&bytes, 2);
    vet_take_address(tree->vet, &bytes, &root->at);
    vet_take(&bytes, 2, &root->records);
    vet_take_length(tree->vet, &bytes, &root->total);
    tree->depth = (unsigned)depth;
    return version == 0 && type == tree->type && size == tree->record_bytes && depth <= MOST_DEPTH &&
           tree->node_bytes <= tree->vet->end && measure(tree);
}

bool vet_tree2(struct rd_vet *vet, uint64_t at, unsigned type, unsigned record_bytes, vet_record *record, void *owner) {
    struct tree tree = {.vet = vet, .type = type, .record_bytes = record_bytes, .record = record, .owner = owner};
    struct child root = {0};
    const size_t size = 16 + vet->address_bytes + 2 + vet->length_bytes + CHECKSUM;
    unsigned char *head = vet_structure(vet, WHAT, "BTHD", at, size);
    if (!head) return false;
    bool fine = vet_checksum_fits(head, size) || vet_refuse(vet, WHAT, at, "has another checksum than is stored");
    if (fine && !take_head(&tree, (struct vet_bytes){head, size}, &root))
        fine = vet_refuse(vet, WHAT, at, "is of another kind than it should be");
    free(head);
    if (fine && root.at == VET_NOWHERE && (root.records || root.total))
        return vet_refuse(vet, WHAT, at, "has another number of records than it claims");
    return fine && (root.at == VET_NOWHERE || check_node(&tree, root, tree.depth));
}
