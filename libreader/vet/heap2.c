#include "heap2.h"

#include "tree2.h"

#include <stdlib.h>

#define WHAT "heap"

enum { CHECKSUM = 4, MOST_BITS = 56 };

void vet_heap2_free(struct vet_heap2 *heap) {
    free(heap->blocks);
    free(heap->huge);
}

/* ---- the doubling table ------------------------------------------------------------------------------------------ */

static bool is_power(uint64_t value) { return value && !(value & (value - 1)); }
static unsigned log2_of(uint64_t value) { return 63 - (unsigned)__builtin_clzll(value); }

/* Blocks of the first two rows have the same size, those of each other one twice that of the one before. */
static uint64_t row_size(const struct vet_heap2 *heap, unsigned row) { return heap->start << (row ? row - 1 : 0); }
static uint64_t row_from(const struct vet_heap2 *heap, unsigned row) {
    return row ? heap->start * heap->width << (row - 1) : 0;
}
static unsigned row_bits(const struct vet_heap2 *heap) { return log2_of(heap->start) + log2_of(heap->width); }

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static bool add_block(struct rd_vet *vet, struct vet_heap2 *heap, struct vet_heap2_block block) {
    if (heap->num_blocks == heap->blocks_room) {
        const size_t room = heap->blocks_room ? 2 * heap->blocks_room : 16;
        struct vet_heap2_block *grown = realloc(heap->blocks, room * sizeof *grown);
        if (!grown) return vet_no_memory(vet);
        heap->blocks = grown;
        heap->blocks_room = room;
    }
    heap->blocks[heap->num_blocks++] = block;
    heap->left += block.size;
    return true;
}

/* Signature, version, heap, and place in the heap's space. */
static bool check_head(struct rd_vet *vet, const struct vet_heap2 *heap, const unsigned char *whole, uint64_t at,
                       uint64_t from) {
    struct vet_bytes bytes = {whole + 4, 1 + vet->address_bytes + heap->offset_bytes};
    uint64_t version = 0, owner = 0, place = 0;
    vet_take(&bytes, 1, &version);
    vet_take_address(vet, &bytes, &owner);
    vet_take(&bytes, heap->offset_bytes, &place);
    return (version == 0 && owner == heap->at && place == from) || vet_refuse(vet, WHAT, at, "is of another heap");
}

/* The checksum, where there is one, is that of the block without it. */
static bool check_direct(struct rd_vet *vet, struct vet_heap2 *heap, uint64_t at, uint64_t from, uint64_t size) {
    unsigned char *whole = vet_structure(vet, WHAT, "FHDB", at, size);
    if (!whole) return false;
    bool fine = check_head(vet, heap, whole, at, from);
    if (fine && heap->has_checksums) {
        unsigned char *sum = whole + heap->head_bytes - CHECKSUM;
        const uint64_t stored = vet_number(sum, CHECKSUM);
        memset(sum, 0, CHECKSUM);
        if (vet_checksum(whole, (size_t)size) != stored)
            fine = vet_refuse(vet, WHAT, at, "has another checksum than is stored");
    }
    free(whole);
    return fine && add_block(vet, heap, (struct vet_heap2_block){from, size, at});
}

static bool check_indirect(struct rd_vet *vet, struct vet_heap2 *heap, uint64_t at, uint64_t from, unsigned rows);

static bool check_child(struct rd_vet *vet, struct vet_heap2 *heap, uint64_t at, uint64_t from, unsigned row) {
    const uint64_t size = row_size(heap, row);
    if (row < heap->direct_rows) return check_direct(vet, heap, at, from, size);
    if (log2_of(size) < row_bits(heap)) return vet_refuse(vet, WHAT, at, "is too small for a row");
    return check_indirect(vet, heap, at, from, log2_of(size) - row_bits(heap) + 1);
}

static bool check_row(struct rd_vet *vet, struct vet_heap2 *heap, struct vet_bytes *bytes, uint64_t from,
                      unsigned row) {
    for (uint64_t column = 0; column < heap->width; column++, from += row_size(heap, row)) {
        uint64_t at = VET_NOWHERE;
        vet_take_address(vet, bytes, &at);
        if (at != VET_NOWHERE && !check_child(vet, heap, at, from, row)) return false;
    }
    return true;
}

/* A block within another one has fewer rows than that, which bounds the depth of the calls. */
static bool check_indirect(struct rd_vet *vet, struct vet_heap2 *heap, uint64_t at, uint64_t from, unsigned rows) {
    const uint64_t head = 5 + vet->address_bytes + heap->offset_bytes;
    const uint64_t size = head + rows * heap->width * vet->address_bytes + CHECKSUM;
    unsigned char *whole = vet_structure(vet, WHAT, "FHIB", at, size);
    if (!whole) return false;
    bool fine = check_head(vet, heap, whole, at, from);
    if (fine && !vet_checksum_fits(whole, (size_t)size))
        fine = vet_refuse(vet, WHAT, at, "has another checksum than is stored");
    struct vet_bytes bytes = {whole + head, (size_t)(size - head - CHECKSUM)};
    for (unsigned row = 0; fine && row < rows; row++)
        fine = check_row(vet, heap, &bytes, from + row_from(heap, row), row);
    free(whole);
    return fine;
}

/* ---- huge objects ------------------------------------------------------------------------------------------------ */

enum { HUGE_TREE = 1 };

static bool add_huge(struct rd_vet *vet, const unsigned char *record, void *owner) {
    struct vet_heap2 *heap = owner;
    struct vet_bytes bytes = {record, vet->address_bytes + 2 * vet->length_bytes};
    struct vet_heap2_huge huge = {0};
    vet_take_address(vet, &bytes, &huge.at);
    vet_take_length(vet, &bytes, &huge.size);
    vet_take_length(vet, &bytes, &huge.number);
    if (heap->num_huge && huge.number <= heap->huge[heap->num_huge - 1].number)
        return vet_refuse(vet, WHAT, heap->at, "holds huge objects that are out of order");
    if (heap->num_huge == heap->huge_room) {
        const size_t room = heap->huge_room ? 2 * heap->huge_room : 8;
        struct vet_heap2_huge *grown = realloc(heap->huge, room * sizeof *grown);
        if (!grown) return vet_no_memory(vet);
        heap->huge = grown;
        heap->huge_room = room;
    }
    heap->huge[heap->num_huge++] = huge;
    heap->left += huge.size;
    return vet_claim(vet, "huge object of a heap", huge.at, huge.size);
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

struct head {
    uint64_t filters, flags, most_managed, huge_tree, table, rows;
};

static void take_head(struct rd_vet *vet, struct vet_heap2 *heap, struct vet_bytes bytes, struct head *head) {
    uint64_t version = 0, ids = 0, bits = 0;
    vet_skip(&bytes, 4);
    vet_take(&bytes, 1, &version);
    vet_take(&bytes, 2, &ids);
    vet_take(&bytes, 2, &head->filters);
    vet_take(&bytes, 1, &head->flags);
    vet_take(&bytes, 4, &head->most_managed);
    vet_skip(&bytes, vet->length_bytes);
    vet_take_address(vet, &bytes, &head->huge_tree);
    vet_skip(&bytes, 9 * vet->length_bytes + vet->address_bytes); /* free space, and counts */
    vet_take(&bytes, 2, &heap->width);
    vet_take_length(vet, &bytes, &heap->start);
    vet_take_length(vet, &bytes, &heap->most_direct);
    vet_take(&bytes, 2, &bits);
    vet_skip(&bytes, 2);
    vet_take_address(vet, &bytes, &head->table);
    vet_take(&bytes, 2, &head->rows);
    heap->id_bytes = version ? 0 : (unsigned)ids;
    heap->most_bits = (unsigned)bits;
}

static unsigned bytes_for(uint64_t most) {
    unsigned bytes = 1;
    while (most >>= 8) bytes++;
    return bytes;
}

static const char *find_fault(const struct rd_vet *vet, struct vet_heap2 *heap, const struct head *head,
                              unsigned id_bytes) {
    if (heap->id_bytes != id_bytes) return "is of another kind than it should be";
    if (head->filters) return "is packed, which is not read";
    if (!is_power(heap->width) || !is_power(heap->start) || !is_power(heap->most_direct) ||
        heap->start > heap->most_direct || heap->most_direct > UINT32_C(1) << 31 || heap->most_bits > MOST_BITS ||
        row_bits(heap) > heap->most_bits || head->rows > heap->most_bits - row_bits(heap) + 1 || !head->most_managed ||
        head->most_managed > heap->most_direct)
        return "has a geometry that cannot be";
    heap->has_checksums = head->flags & 2;
    heap->direct_rows = log2_of(heap->most_direct) - log2_of(heap->start) + 2;
    heap->offset_bytes = (heap->most_bits + 7) / 8;
    heap->head_bytes = 5 + vet->address_bytes + heap->offset_bytes + (heap->has_checksums ? CHECKSUM : 0);
    const unsigned direct = (log2_of(heap->most_direct) + 7) / 8, managed = bytes_for(head->most_managed);
    heap->size_bytes = direct < managed ? direct : managed;
    if (1 + heap->offset_bytes + heap->size_bytes > id_bytes || heap->start < heap->head_bytes)
        return "has a geometry that cannot be";
    return NULL;
}

static bool check_blocks(struct rd_vet *vet, struct vet_heap2 *heap, const struct head *head) {
    if (head->table == VET_NOWHERE) return true;
    return head->rows ? check_indirect(vet, heap, head->table, 0, (unsigned)head->rows)
                      : check_direct(vet, heap, head->table, 0, heap->start);
}

bool vet_heap2(struct rd_vet *vet, uint64_t at, unsigned id_bytes, struct vet_heap2 *heap) {
    *heap = (struct vet_heap2){.at = at};
    struct head head = {0};
    const size_t fixed = 5 + 2 + 2 + 1 + 4 + 2 + 2 + 2 + 2 + CHECKSUM;
    const size_t size = fixed + 12 * vet->length_bytes + 3 * vet->address_bytes;
    unsigned char *whole = vet_structure(vet, WHAT, "FRHP", at, size);
    if (!whole) return false;
    take_head(vet, heap, (struct vet_bytes){whole, size}, &head);
    const char *fault = find_fault(vet, heap, &head, id_bytes);
    if (!fault && !vet_checksum_fits(whole, size)) fault = "has another checksum than is stored";
    free(whole);
    if (fault) return vet_refuse(vet, WHAT, at, fault);
    return check_blocks(vet, heap, &head) &&
           (head.huge_tree == VET_NOWHERE ||
            vet_tree2(vet, head.huge_tree, HUGE_TREE, vet->address_bytes + 2 * vet->length_bytes, add_huge, heap));
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

enum { MANAGED = 0, HUGE = 1 };

static unsigned char *load(struct rd_vet *vet, struct vet_heap2 *heap, uint64_t at, uint64_t size) {
    if (size > heap->left) {
        vet_refuse(vet, WHAT, heap->at, "holds objects that overlap");
        return NULL;
    }
    heap->left -= size;
    return vet_load(vet, at, size);
}

static const struct vet_heap2_block *find_block(const struct vet_heap2 *heap, uint64_t from) {
    size_t low = 0, high = heap->num_blocks;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (heap->blocks[middle].from <= from)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &heap->blocks[low - 1] : NULL;
}

static const struct vet_heap2_huge *find_huge(const struct vet_heap2 *heap, uint64_t number) {
    size_t low = 0, high = heap->num_huge;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (heap->huge[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < heap->num_huge && heap->huge[low].number == number ? &heap->huge[low] : NULL;
}

unsigned char *vet_heap2_load(struct rd_vet *vet, struct vet_heap2 *heap, const unsigned char *id, size_t *size) {
    struct vet_bytes bytes = {id + 1, heap->id_bytes - 1};
    uint64_t from = 0, length = 0;
    if (id[0] == HUGE << 4) {
        vet_take(&bytes, bytes.left < vet->length_bytes ? (unsigned)bytes.left : vet->length_bytes, &from);
        const struct vet_heap2_huge *huge = find_huge(heap, from);
        *size = huge ? (size_t)huge->size : 0;
        if (huge) return load(vet, heap, huge->at, huge->size);
    } else if (id[0] == MANAGED << 4) {
        vet_take(&bytes, heap->offset_bytes, &from);
        vet_take(&bytes, heap->size_bytes, &length);
        const struct vet_heap2_block *block = find_block(heap, from);
        const uint64_t skipped = block ? from - block->from : 0;
        *size = (size_t)length;
        if (block && length && skipped >= heap->head_bytes && skipped <= block->size && length <= block->size - skipped)
            return load(vet, heap, block->at + skipped, length);
    }
    vet_refuse(vet, WHAT, heap->at, "does not hold an object that is looked for");
    return NULL;
}
