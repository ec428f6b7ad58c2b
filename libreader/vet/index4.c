/* The newer indexes of chunks: arrays. Every block of them has a checksum. */
#include "chunks.h"

#include <stdlib.h>

#define ARRAY "index of chunks"

struct array {
    struct rd_vet *vet;
    const struct vet_dataset *dataset;
    struct vet_chunks *chunks;
    uint64_t at;    /* of its header, which every block names */
    uint64_t count; /* chunks of the dataset: what lies behind them is no matter */
    uint64_t left;  /* bytes that blocks may still have: each has its own */
    bool filtered;
    unsigned entry_bytes; /* an address; where filtered, stored bytes and mask as well */
    unsigned page_bits;   /* log2 of the entries of a page */
};

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static unsigned char *load(struct array *array, uint64_t at, uint64_t size) {
    struct rd_vet *vet = array->vet;
    if (!vet_inside(vet, at, size) || size > array->left) {
        vet_refuse(vet, ARRAY, at, "reaches beyond the end of the file");
        return NULL;
    }
    array->left -= size;
    unsigned char *bytes = vet_load(vet, at, size);
    if (!bytes || vet_checksum_fits(bytes, (size_t)size)) return bytes;
    vet_refuse(vet, ARRAY, at, "has another checksum than is stored");
    free(bytes);
    return NULL;
}

/* Signature, version, and whether the chunks are filtered. `size`: with checksum. */
static unsigned char *load_block(struct array *array, const char *magic, uint64_t at, uint64_t size) {
    unsigned char *bytes = load(array, at, size);
    if (!bytes || (memcmp(bytes, magic, 4) == 0 && bytes[4] == 0 && bytes[5] == array->filtered)) return bytes;
    vet_refuse(array->vet, ARRAY, at, "is none");
    free(bytes);
    return NULL;
}

static void begin(struct array *array, struct rd_vet *vet, const struct vet_dataset *dataset,
                  struct vet_chunks *chunks) {
    const uint64_t chunk = dataset->layout->dims[0];
    *array = (struct array){.vet = vet,
                            .dataset = dataset,
                            .chunks = chunks,
                            .at = dataset->layout->address,
                            .count = dataset->length / chunk + (dataset->length % chunk != 0),
                            .left = vet->end,
                            .filtered = dataset->filters->count != 0};
}

static bool take_entry_bytes(struct array *array, unsigned bytes) {
    const unsigned plain = array->vet->address_bytes;
    array->entry_bytes = bytes;
    return (array->filtered ? bytes > plain + 4 && bytes <= plain + 4 + 8 : bytes == plain) ||
           vet_refuse(array->vet, ARRAY, array->at, "has entries of another size");
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

/* Data of the last chunk may be left as they are where the dataset does not fill it. */
enum { EDGES_ARE_PLAIN = 1 };

static bool is_plain(const struct array *array, uint64_t number) {
    const struct vet_dataset *dataset = array->dataset;
    return dataset->layout->flags & EDGES_ARE_PLAIN && number + 1 == array->count &&
           dataset->length % dataset->layout->dims[0];
}

static bool add_entry(struct array *array, struct vet_bytes *bytes, uint64_t number) {
    const struct vet_dataset *dataset = array->dataset;
    uint64_t at = VET_NOWHERE, size = dataset->layout->dims[0] * dataset->element, mask = 0;
    vet_take_address(array->vet, bytes, &at);
    if (array->filtered) {
        vet_take(bytes, array->entry_bytes - array->vet->address_bytes - 4, &size);
        vet_take(bytes, 4, &mask);
    }
    if (at == VET_NOWHERE) return true;
    if (size > UINT32_MAX) return vet_refuse(array->vet, ARRAY, array->at, "holds a chunk beyond the end of the file");
    return vet_chunks_add(array->vet, dataset, array->chunks, ARRAY, array->at,
                          (struct vet_stored){number, at, (uint32_t)size, (uint32_t)mask, is_plain(array, number)});
}

static bool add_entries(struct array *array, struct vet_bytes bytes, uint64_t first, uint64_t count) {
    for (uint64_t i = 0; i < count && first + i < array->count; i++)
        if (!add_entry(array, &bytes, first + i)) return false;
    return true;
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

static uint64_t page_entries(const struct array *array) { return UINT64_C(1) << array->page_bits; }

static bool is_written(const unsigned char *bits, uint64_t page) { return bits[page / 8] >> (7 - page % 8) & 1; }

static bool add_page(struct array *array, uint64_t at, uint64_t first, uint64_t count) {
    const uint64_t size = count * array->entry_bytes + 4;
    unsigned char *bytes = load(array, at, size);
    const bool fine = bytes && add_entries(array, (struct vet_bytes){bytes, (size_t)size - 4}, first, count);
    free(bytes);
    return fine;
}

/* `bits` and `bit`: which pages were ever written. */
static bool add_pages(struct array *array, uint64_t at, const unsigned char *bits, uint64_t bit, uint64_t first,
                      uint64_t count) {
    const uint64_t most = page_entries(array);
    for (uint64_t done = 0; done < count && first + done < array->count; done += most, bit++) {
        const uint64_t part = count - done < most ? count - done : most;
        if (is_written(bits, bit) && !add_page(array, at, first + done, part)) return false;
        at += most * array->entry_bytes + 4;
    }
    return true;
}

/* ---- the array of a dataset that does not grow --------------------------------------------------------------------
 */

static bool add_fixed(struct array *array, uint64_t at, uint64_t count) {
    struct rd_vet *vet = array->vet;
    const bool paged = count > page_entries(array);
    const uint64_t pages = paged ? (count - 1) / page_entries(array) + 1 : 0, head = 6 + vet->address_bytes;
    const uint64_t bits = (pages + 7) / 8;
    if (count > vet->end / array->entry_bytes) return vet_refuse(vet, ARRAY, at, "has more entries than the file");
    const uint64_t size = head + (paged ? bits : count * array->entry_bytes) + 4;
    unsigned char *bytes = load_block(array, "FADB", at, size);
    if (!bytes) return false;
    const bool fine = paged ? add_pages(array, at + size, bytes + head, 0, 0, count)
                            : add_entries(array, (struct vet_bytes){bytes + head, (size_t)(size - head - 4)}, 0, count);
    free(bytes);
    return fine;
}

bool vet_fixed_array(struct rd_vet *vet, const struct vet_dataset *dataset, struct vet_chunks *chunks) {
    struct array array;
    uint64_t entry = 0, page_bits = 0, count = 0, block = VET_NOWHERE;
    begin(&array, vet, dataset, chunks);
    const size_t size = 8 + vet->length_bytes + vet->address_bytes + 4;
    unsigned char *head = load_block(&array, "FAHD", array.at, size);
    if (!head) return false;
    struct vet_bytes bytes = {head + 6, size - 6};
    vet_take(&bytes, 1, &entry);
    vet_take(&bytes, 1, &page_bits);
    vet_take_length(vet, &bytes, &count);
    vet_take_address(vet, &bytes, &block);
    free(head);
    array.page_bits = (unsigned)page_bits;
    if (!take_entry_bytes(&array, (unsigned)entry)) return false;
    if (!page_bits || page_bits > 32) return vet_refuse(vet, ARRAY, array.at, "has pages of a size that cannot be");
    return block == VET_NOWHERE || add_fixed(&array, block, count);
}

/* ---- the array of a dataset that grows ----------------------------------------------------------------------------
 */

/* Entries are in the index block; then in blocks that it leads to; then in blocks that super blocks lead to. Those are
 * numbered through: super block s has 2^(s/2) data blocks of 2^((s+1)/2) times the fewest entries, all rounded down. */
struct growing {
    struct array array;
    unsigned index_entries, least_entries, least_blocks, offset_bytes, super_blocks;
};

static bool is_power(uint64_t value) { return value && !(value & (value - 1)); }
static unsigned log2_of(uint64_t value) { return 63 - (unsigned)__builtin_clzll(value); }
static uint64_t blocks_of(unsigned super) { return UINT64_C(1) << super / 2; }
static uint64_t entries_of(const struct growing *growing, unsigned super) {
    return (UINT64_C(1) << (super + 1) / 2) * growing->least_entries;
}

/* The bytes before the entries. */
static uint64_t head_bytes(const struct growing *growing) {
    return 6 + growing->array.vet->address_bytes + growing->offset_bytes;
}

static bool add_data_block(struct growing *growing, uint64_t at, uint64_t first, uint64_t count,
                           const unsigned char *bits, uint64_t bit) {
    struct array *array = &growing->array;
    const uint64_t head = head_bytes(growing);
    const bool paged = count > page_entries(array);
    if (paged && !bits) return vet_refuse(array->vet, ARRAY, at, "has pages where it cannot");
    if (count > array->vet->end / array->entry_bytes)
        return vet_refuse(array->vet, ARRAY, at, "is larger than the file");
    const uint64_t size = head + (paged ? 0 : count * array->entry_bytes) + 4;
    unsigned char *bytes = load_block(array, "EADB", at, size);
    if (!bytes) return false;
    const bool fine =
        paged ? add_pages(array, at + size, bits, bit, first, count)
              : add_entries(array, (struct vet_bytes){bytes + head, (size_t)(size - head - 4)}, first, count);
    free(bytes);
    return fine;
}

/* The data blocks of a super block, whose addresses come next. */
static bool add_data_blocks(struct growing *growing, struct vet_bytes *bytes, unsigned super, uint64_t first,
                            const unsigned char *bits) {
    struct array *array = &growing->array;
    const uint64_t entries = entries_of(growing, super), pages = entries / page_entries(array);
    for (uint64_t i = 0; i < blocks_of(super); i++) {
        uint64_t at = VET_NOWHERE;
        vet_take_address(array->vet, bytes, &at);
        const uint64_t begin_at = first + i * entries;
        if (at != VET_NOWHERE && begin_at < array->count &&
            !add_data_block(growing, at, begin_at, entries, bits, i * pages))
            return false;
    }
    return true;
}

static bool add_super_block(struct growing *growing, uint64_t at, unsigned super, uint64_t first) {
    struct array *array = &growing->array;
    const uint64_t entries = entries_of(growing, super), head = head_bytes(growing);
    const bool paged = entries > page_entries(array);
    const uint64_t bits = paged ? blocks_of(super) * ((entries / page_entries(array) + 7) / 8) : 0;
    const uint64_t size = head + bits + blocks_of(super) * array->vet->address_bytes + 4;
    unsigned char *whole = load_block(array, "EASB", at, size);
    if (!whole) return false;
    struct vet_bytes bytes = {whole + head + bits, (size_t)(size - head - bits - 4)};
    const bool fine = add_data_blocks(growing, &bytes, super, first, paged ? whole + head : NULL);
    free(whole);
    return fine;
}

/* Super blocks one by one; the data blocks of the first ones are those of the index block itself. */
static bool add_super_blocks(struct growing *growing, struct vet_bytes *bytes) {
    struct array *array = &growing->array;
    const unsigned direct = 2 * log2_of(growing->least_blocks);
    uint64_t first = growing->index_entries;
    for (unsigned super = 0; super < growing->super_blocks && first < array->count; super++) {
        uint64_t at = VET_NOWHERE;
        if (super < direct) {
            if (!add_data_blocks(growing, bytes, super, first, NULL)) return false;
        } else {
            vet_take_address(array->vet, bytes, &at);
            if (at != VET_NOWHERE && !add_super_block(growing, at, super, first)) return false;
        }
        first += blocks_of(super) * entries_of(growing, super);
    }
    return true;
}

static bool add_index_block(struct growing *growing, uint64_t at) {
    struct array *array = &growing->array;
    const unsigned direct = 2 * log2_of(growing->least_blocks), address = array->vet->address_bytes;
    const uint64_t head = 6 + address, entries = (uint64_t)growing->index_entries * array->entry_bytes;
    const uint64_t blocks = 2 * (growing->least_blocks - 1) + growing->super_blocks - direct;
    const uint64_t size = head + entries + blocks * address + 4;
    unsigned char *whole = load_block(array, "EAIB", at, size);
    if (!whole) return false;
    struct vet_bytes bytes = {whole + head + entries, (size_t)(size - head - entries - 4)};
    const bool fine =
        add_entries(array, (struct vet_bytes){whole + head, (size_t)entries}, 0, growing->index_entries) &&
        add_super_blocks(growing, &bytes);
    free(whole);
    return fine;
}

static bool take_geometry(struct growing *growing, const unsigned char *head) {
    struct array *array = &growing->array;
    const unsigned most_bits = head[1];
    growing->index_entries = head[2];
    growing->least_entries = head[3];
    growing->least_blocks = head[4];
    growing->offset_bytes = (most_bits + 7) / 8;
    array->page_bits = head[5];
    if (!most_bits || most_bits > 48 || !is_power(growing->least_entries) || !is_power(growing->least_blocks) ||
        !array->page_bits || array->page_bits > 32 || most_bits < log2_of(growing->least_entries))
        return vet_refuse(array->vet, ARRAY, array->at, "has a geometry that cannot be");
    growing->super_blocks = 1 + most_bits - log2_of(growing->least_entries);
    if (growing->super_blocks < 2 * log2_of(growing->least_blocks))
        return vet_refuse(array->vet, ARRAY, array->at, "has a geometry that cannot be");
    return take_entry_bytes(array, head[0]);
}

bool vet_extensible_array(struct rd_vet *vet, const struct vet_dataset *dataset, struct vet_chunks *chunks) {
    struct growing growing = {0};
    uint64_t block = VET_NOWHERE;
    begin(&growing.array, vet, dataset, chunks);
    const size_t size = 12 + 6 * vet->length_bytes + vet->address_bytes + 4;
    unsigned char *head = load_block(&growing.array, "EAHD", growing.array.at, size);
    if (!head) return false;
    struct vet_bytes bytes = {head + 12 + 6 * vet->length_bytes, vet->address_bytes};
    vet_take_address(vet, &bytes, &block);
    const bool fine = take_geometry(&growing, head + 6);
    free(head);
    return fine && (block == VET_NOWHERE || add_index_block(&growing, block));
}
