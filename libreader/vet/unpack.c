/* The filters of chunks: deflate, shuffle, Fletcher's checksum. */
#include "chunks.h"

#include <stdlib.h>
#include <zlib.h>

#define CHUNK "chunk"

enum { DEFLATE = 1, SHUFFLE = 2, FLETCHER = 3 };
enum { SUM_BYTES = 4 };

/* The chunk between two filters. */
struct stage {
    struct rd_vet *vet;
    uint64_t at;          /* of the chunk, for refusals */
    unsigned char *bytes; /* `size` of them, in one of two buffers of `most` */
    unsigned char *other;
    size_t size, most;
};

static void swap(struct stage *stage, size_t size) {
    unsigned char *bytes = stage->bytes;
    stage->bytes = stage->other;
    stage->other = bytes;
    stage->size = size;
}

static bool inflate_all(struct stage *stage) {
    uLongf size = stage->most;
    const int status = uncompress(stage->other, &size, stage->bytes, stage->size);
    if (status == Z_MEM_ERROR) return vet_no_memory(stage->vet);
    if (status != Z_OK) return vet_refuse(stage->vet, CHUNK, stage->at, "cannot be unpacked");
    swap(stage, size);
    return true;
}

/* The first bytes of all elements come first, then the second ones, and so on; bytes that are no element stay last. */
static void unshuffle(const unsigned char *from, unsigned char *to, size_t count, size_t element) {
    if (element == 8) { /* of all columns of calls */
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < 8; k++) to[8 * i + k] = from[k * count + i];
        return;
    }
    for (size_t k = 0; k < element; k++)
        for (size_t i = 0; i < count; i++) to[i * element + k] = from[k * count + i];
}

static bool unshuffle_all(struct stage *stage, size_t element) {
    if (!element) return vet_refuse(stage->vet, CHUNK, stage->at, "is shuffled by elements without size");
    const size_t count = stage->size / element, whole = count * element;
    if (element == 1 || count < 2) return true;
    unshuffle(stage->bytes, stage->other, count, element);
    memcpy(stage->other + whole, stage->bytes + whole, stage->size - whole);
    swap(stage, stage->size);
    return true;
}

static uint32_t fold(uint32_t sum) { return (sum & 0xffff) + (sum >> 16); }

/* Of 16-bit numbers, high byte first. */
static uint32_t fletcher(const unsigned char *bytes, size_t count) {
    uint32_t a = 0, b = 0;
    for (size_t i = 0; i < count; i += 2) {
        a += (uint32_t)bytes[i] << 8 | (i + 1 < count ? bytes[i + 1] : 0);
        b += a = fold(a);
        b = fold(b);
    }
    return fold(fold(b)) << 16 | fold(fold(a));
}

/* Old releases wrote the bytes of each half the other way round on some machines. */
static uint32_t swap_halves(uint32_t sum) { return (sum & 0x00ff00ff) << 8 | (sum >> 8 & 0x00ff00ff); }

static bool check_sum(struct stage *stage) {
    if (stage->size < SUM_BYTES) return vet_refuse(stage->vet, CHUNK, stage->at, "is shorter than its checksum");
    stage->size -= SUM_BYTES;
    const uint32_t stored = (uint32_t)vet_number(stage->bytes + stage->size, SUM_BYTES);
    const uint32_t sum = fletcher(stage->bytes, stage->size);
    return stored == sum || stored == swap_halves(sum) ||
           vet_refuse(stage->vet, CHUNK, stage->at, "has another checksum than is stored");
}

static bool undo(struct stage *stage, unsigned filter, unsigned value) {
    switch (filter) {
    case DEFLATE:
        return inflate_all(stage);
    case SHUFFLE:
        return unshuffle_all(stage, value);
    case FLETCHER:
        return check_sum(stage);
    default:
        return vet_refuse(stage->vet, CHUNK, stage->at, "is packed in a way that is not read");
    }
}

bool vet_can_unpack(const struct vet_filters *filters) {
    for (unsigned i = 0; i < filters->count; i++)
        if (filters->items[i].id < DEFLATE || filters->items[i].id > FLETCHER) return false;
    return true;
}

bool vet_unpack(struct rd_vet *vet, const struct vet_filters *filters, const struct vet_stored *stored,
                unsigned char *bytes, size_t size) {
    const size_t most = (size > stored->size ? size : stored->size) + SUM_BYTES * filters->count;
    struct stage stage = {.vet = vet, .at = stored->at, .size = stored->size, .most = most};
    unsigned char *buffers = malloc(2 * most);
    if (!buffers) return vet_no_memory(vet);
    stage.bytes = buffers;
    stage.other = buffers + most;
    bool fine = vet_read(vet, stored->at, stage.bytes, stored->size);
    for (unsigned i = filters->count; fine && i-- > 0;)
        if (!(stored->mask >> i & 1)) fine = undo(&stage, filters->items[i].id, filters->items[i].value);
    if (fine && stage.size != size)
        fine = vet_refuse(vet, CHUNK, stored->at, "unpacks to another length than a chunk has");
    if (fine) memcpy(bytes, stage.bytes, size);
    free(buffers);
    return fine;
}
