/* Object headers: blocks of messages. */
#include "core.h"

#include <stdlib.h>

#define WHAT  "object header"
#define BLOCK "continuation of an object header"

enum { KEEPS_TIMES = 0x20, KEEPS_PHASES = 0x10, NUMBERS_ATTRIBUTES = 4 };

/* ---- the messages of a block ------------------------------------------------------------------------------------- */

struct block {
    struct vet_header *header;
    const char *what;
    uint64_t at; /* of the first byte of `bytes` */
    const unsigned char *begin;
    struct vet_bytes bytes; /* without checksum */
};

static bool refuse_message(const struct block *block, uint64_t at, unsigned type, const char *fault) {
    char text[160];
    snprintf(text, sizeof text, "holds a damaged message (kind %u, at 0x%llx): it %s", type, (unsigned long long)at,
             fault);
    return vet_refuse(block->header->vet, block->what, block->at, text);
}

static size_t head_bytes(const struct vet_header *header) {
    return header->version == 1 ? 8 : header->flags & NUMBERS_ATTRIBUTES ? 6 : 4;
}

/* libhdf5 lets a few bytes that are too few for a message be at the end of a block of version 2. */
static bool at_end(const struct block *block) {
    return block->bytes.left == 0 || (block->header->version == 2 && block->bytes.left < head_bytes(block->header));
}

static bool take_head(struct block *block, struct vet_message *message, uint64_t *size) {
    const bool old = block->header->version == 1;
    uint64_t type, flags;
    if (!vet_take(&block->bytes, old ? 2 : 1, &type) || !vet_take(&block->bytes, 2, size) ||
        !vet_take(&block->bytes, 1, &flags) || !vet_skip(&block->bytes, head_bytes(block->header) - (old ? 5 : 4)))
        return false;
    message->type = (unsigned)type;
    message->flags = (unsigned)flags;
    return true;
}

static bool check_block(struct block *block) {
    struct vet_header *header = block->header;
    while (!at_end(block)) {
        struct vet_message message = {.header = header};
        uint64_t size;
        if (!take_head(block, &message, &size))
            return vet_refuse(header->vet, block->what, block->at, "ends within a message");
        message.at = block->at + (uint64_t)(block->bytes.at - block->begin);
        message.bytes = (struct vet_bytes){block->bytes.at, (size_t)size};
        if (!vet_skip(&block->bytes, size) || (header->version == 1 && size % 8))
            return refuse_message(block, message.at, message.type, "has a length that cannot be");
        const char *fault = vet_message(&message);
        if (fault) return refuse_message(block, message.at, message.type, fault);
        if (header->vet->status != SPR_OK) return false;
    }
    return true;
}

/* ---- prefix ------------------------------------------------------------------------------------------------------ */

struct prefix {
    uint64_t bytes, size; /* of itself, and of the first block without it */
    bool checksum;
};

static const char *take_prefix_1(struct vet_bytes *bytes, struct prefix *prefix) {
    uint64_t messages, links;
    if (!vet_skip(bytes, 1) || !vet_take(bytes, 2, &messages) || !vet_take(bytes, 4, &links) ||
        !vet_take(bytes, 4, &prefix->size))
        return "is cut off";
    /* libhdf5 once counted wrongly: how many there are is no matter */
    if (prefix->size % 8 || (messages == 0) != (prefix->size == 0)) return "has a length that cannot be";
    prefix->bytes = 16;
    return NULL;
}

static const char *take_prefix_2(struct vet_header *header, struct vet_bytes *bytes, struct prefix *prefix) {
    const size_t left = bytes->left;
    uint64_t version, flags, compact, dense;
    if (!vet_skip(bytes, 3) || !vet_take(bytes, 1, &version) || !vet_take(bytes, 1, &flags)) return "is cut off";
    if (version != 2 || flags & 0xc0) return "is of an unknown version";
    header->version = 2;
    header->flags = (unsigned)flags;
    if (flags & KEEPS_TIMES && !vet_skip(bytes, 16)) return "is cut off";
    if (flags & KEEPS_PHASES) {
        if (!vet_take(bytes, 2, &compact) || !vet_take(bytes, 2, &dense)) return "is cut off";
        if (compact < dense) return "keeps its attributes in a way that cannot be";
    }
    if (!vet_take(bytes, 1u << (flags & 3), &prefix->size)) return "is cut off";
    prefix->bytes = 1 + left - bytes->left;
    prefix->checksum = true;
    return NULL;
}

static const char *take_prefix(struct vet_header *header, struct vet_bytes bytes, struct prefix *prefix) {
    const bool new = bytes.left >= 4 && memcmp(bytes.at, "OHDR", 4) == 0;
    uint64_t version;
    if (!vet_take(&bytes, 1, &version)) return "is cut off";
    if (new) return take_prefix_2(header, &bytes, prefix);
    header->version = (unsigned)version;
    return version == 1 ? take_prefix_1(&bytes, prefix) : "is none";
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* `skip`: bytes before the first message. */
static bool read_block(struct vet_header *header, const char *what, uint64_t at, uint64_t size, size_t skip) {
    struct rd_vet *vet = header->vet;
    const size_t tail = header->version == 2 ? 4 : 0;
    if (!(header->only_type ? vet_look_ahead(vet, what, at, size) : vet_claim(vet, what, at, size))) return false;
    unsigned char *bytes = vet_load(vet, at, size);
    if (!bytes) return false;
    bool fine = size >= skip + tail || vet_refuse(vet, what, at, "is too short");
    if (fine && tail && !vet_checksum_fits(bytes, size))
        fine = vet_refuse(vet, what, at, "has another checksum than is stored");
    struct block block = {.header = header, .what = what, .at = at, .begin = bytes};
    if (fine) {
        block.bytes = (struct vet_bytes){bytes + skip, (size_t)size - skip - tail};
        fine = check_block(&block);
    }
    free(bytes);
    return fine;
}

static bool read_continuations(struct vet_header *header) {
    const size_t skip = header->version == 2 ? 4 : 0;
    for (size_t i = 0; i < header->num_chunks; i++) {
        const struct vet_chunk chunk = header->chunks[i];
        unsigned char magic[4];
        if (skip && chunk.size >= 8 && vet_inside(header->vet, chunk.at, chunk.size)) {
            if (!vet_read(header->vet, chunk.at, magic, sizeof magic)) return false;
            if (memcmp(magic, "OCHK", 4) != 0) return vet_refuse(header->vet, BLOCK, chunk.at, "has no signature");
        }
        if (!read_block(header, BLOCK, chunk.at, chunk.size, skip)) return false;
    }
    return true;
}

const char *vet_header_continue(struct vet_header *header, uint64_t at, uint64_t size) {
    if (size < (header->version == 1 ? 8 : 8 + head_bytes(header)) || (header->version == 1 && size % 8))
        return "leads to a block of a length that cannot be";
    for (size_t i = 0; i < header->num_chunks; i++)
        if (header->chunks[i].at == at) return "leads to a block for the second time";
    if (header->num_chunks == header->chunks_room) {
        const size_t room = header->chunks_room ? 2 * header->chunks_room : 8;
        struct vet_chunk *grown = realloc(header->chunks, room * sizeof *grown);
        if (!grown) return "needs more memory than there is";
        header->chunks = grown;
        header->chunks_room = room;
    }
    header->chunks[header->num_chunks++] = (struct vet_chunk){at, size};
    return NULL;
}

bool vet_header(struct rd_vet *vet, uint64_t at, struct vet_header *header) {
    unsigned char bytes[64];
    struct prefix prefix = {0};
    if (!vet_inside(vet, at, 16)) return vet_refuse(vet, WHAT, at, "lies beyond the end of the file");
    const size_t size = vet->end - at < sizeof bytes ? (size_t)(vet->end - at) : sizeof bytes;
    if (!vet_read(vet, at, bytes, size)) return false;
    const char *fault = take_prefix(header, (struct vet_bytes){bytes, size}, &prefix);
    if (fault) return vet_refuse(vet, WHAT, at, fault);
    const uint64_t tail = prefix.checksum ? 4 : 0;
    if (prefix.size > vet->end) return vet_refuse(vet, WHAT, at, "reaches beyond the end of the file");
    return read_block(header, WHAT, at, prefix.bytes + prefix.size + tail, (size_t)prefix.bytes) &&
           read_continuations(header);
}

void vet_header_begin(struct rd_vet *vet, uint64_t at, struct vet_header *header) {
    *header = (struct vet_header){.vet = vet,
                                  .at = at,
                                  .layout = {.address = VET_NOWHERE},
                                  .tree = VET_NOWHERE,
                                  .heap = VET_NOWHERE,
                                  .link_heap = VET_NOWHERE,
                                  .link_tree = VET_NOWHERE,
                                  .link_order = VET_NOWHERE,
                                  .attribute_heap = VET_NOWHERE,
                                  .attribute_tree = VET_NOWHERE,
                                  .attribute_order = VET_NOWHERE};
}

void vet_header_free(struct vet_header *header) { free(header->chunks); }
