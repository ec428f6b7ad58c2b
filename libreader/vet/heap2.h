/* heap2.h: fractal heaps, which hold links and attributes once there are many. */
#ifndef SCOPE_READER_VET_HEAP2_H
#define SCOPE_READER_VET_HEAP2_H

#include "core.h"

struct vet_heap2_block {
    uint64_t from, size, at; /* in the heap's space; bytes; in the file */
};

struct vet_heap2_huge {
    uint64_t number, at, size;
};

struct vet_heap2 {
    uint64_t at;
    unsigned id_bytes, offset_bytes, size_bytes, head_bytes;
    bool has_checksums;
    uint64_t width, start,
        most_direct; /* of the doubling table: columns; bytes of the first and of the largest block */
    unsigned most_bits, direct_rows;
    struct vet_heap2_block *blocks; /* ascending */
    size_t num_blocks, blocks_room;
    struct vet_heap2_huge *huge; /* in the order of their tree */
    size_t num_huge, huge_room;
    uint64_t left; /* bytes that objects may still have: each has its own */
};

/* Checks all blocks of the heap at `at`, whose ids must have that many bytes. vet_heap2_free() must follow. */
bool vet_heap2(struct rd_vet *vet, uint64_t at, unsigned id_bytes, struct vet_heap2 *heap);
void vet_heap2_free(struct vet_heap2 *heap);
/* The object of an id, in memory that the caller frees; NULL: refused. */
unsigned char *vet_heap2_load(struct rd_vet *vet, struct vet_heap2 *heap, const unsigned char *id, size_t *size);

#endif
