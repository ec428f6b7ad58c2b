/* The messages of object headers. The next kind is a line of the table. */
#include "core.h"

#define CUT "is cut off"

enum { SHARED = 2 };

/* ---- datasets ---------------------------------------------------------------------------------------------------- */

static const char *check_dataspace(const struct vet_message *message) {
    return vet_dataspace(message->header->vet, message->bytes, &message->header->space);
}

static const char *check_datatype(const struct vet_message *message) {
    struct vet_header *header = message->header;
    if (!(message->flags & SHARED)) return vet_datatype(header->vet, message->bytes, &header->type);
    /* one that is shared must not be shared again */
    return header->only_type ? "is no datatype, but leads to another one"
                             : vet_shared_type(header->vet, message->bytes, &header->type);
}

static const char *take_fill(const struct vet_message *message, struct vet_bytes *bytes, struct vet_chunk *fill) {
    if (!vet_take(bytes, 4, &fill->size) || fill->size > bytes->left) return CUT;
    fill->at = message->at + (uint64_t)(bytes->at - message->bytes.at);
    return NULL;
}

static const char *check_old_fill(const struct vet_message *message) {
    struct vet_bytes bytes = message->bytes;
    return take_fill(message, &bytes, &message->header->old_fill);
}

static const char *check_fill(const struct vet_message *message) {
    struct vet_bytes bytes = message->bytes;
    uint64_t version, flags, allocated, written, defined;
    if (!vet_take(&bytes, 1, &version)) return CUT;
    if (version < 1 || version > 3) return "is of an unknown version";
    if (version == 3) {
        if (!vet_take(&bytes, 1, &flags)) return CUT;
        if (flags & 0xc0 || (flags & 0x30) == 0x30) return "has flags that contradict each other";
        return flags & 0x20 ? take_fill(message, &bytes, &message->header->fill) : NULL;
    }
    if (!vet_take(&bytes, 1, &allocated) || !vet_take(&bytes, 1, &written) || !vet_take(&bytes, 1, &defined))
        return CUT;
    if (allocated > 3 || written > 2 || defined > 1) return "has a value that is none";
    return defined ? take_fill(message, &bytes, &message->header->fill) : NULL;
}

static const char *check_layout(const struct vet_message *message) {
    struct vet_header *header = message->header;
    return vet_layout(header->vet, message->bytes, message->at, &header->layout);
}

static const char *check_pipeline(const struct vet_message *message) {
    return vet_pipeline(message->header->vet, message->bytes, &message->header->filters);
}

/* Datasets whose data are in other files are never opened (column.c). */
static const char *check_external(const struct vet_message *message) {
    (void)message;
    return NULL;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static const char *check_symbol_table(const struct vet_message *message) {
    const struct rd_vet *vet = message->header->vet;
    struct vet_bytes bytes = message->bytes;
    return vet_take_address(vet, &bytes, &message->header->tree) &&
                   vet_take_address(vet, &bytes, &message->header->heap)
               ? NULL
               : CUT;
}

/* Of the same form for links and for attributes, but for the highest number given so far. */
static const char *take_dense(const struct vet_message *message, unsigned bytes_of_number, uint64_t *heap,
                              uint64_t *tree, uint64_t *order) {
    const struct rd_vet *vet = message->header->vet;
    struct vet_bytes bytes = message->bytes;
    uint64_t version, flags;
    if (!vet_take(&bytes, 1, &version) || !vet_take(&bytes, 1, &flags)) return CUT;
    if (version || flags > 3) return "is of an unknown version";
    if ((flags & 1 && !vet_skip(&bytes, bytes_of_number)) || !vet_take_address(vet, &bytes, heap) ||
        !vet_take_address(vet, &bytes, tree) || (flags & 2 && !vet_take_address(vet, &bytes, order)))
        return CUT;
    return (*heap == VET_NOWHERE) == (*tree == VET_NOWHERE) ? NULL : "has a heap without an index, or an index without";
}

static const char *check_link_info(const struct vet_message *message) {
    struct vet_header *header = message->header;
    return take_dense(message, 8, &header->link_heap, &header->link_tree, &header->link_order);
}

static const char *check_attribute_info(const struct vet_message *message) {
    struct vet_header *header = message->header;
    return take_dense(message, 2, &header->attribute_heap, &header->attribute_tree, &header->attribute_order);
}

static const char *check_group_info(const struct vet_message *message) {
    struct vet_bytes bytes = message->bytes;
    uint64_t version, flags;
    if (!vet_take(&bytes, 1, &version) || !vet_take(&bytes, 1, &flags)) return CUT;
    if (version || flags > 3) return "is of an unknown version";
    return vet_skip(&bytes, (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0)) ? NULL : CUT;
}

static const char *check_link(const struct vet_message *message) {
    return vet_link(message->header->vet, message->bytes);
}

static const char *check_attribute(const struct vet_message *message) {
    return vet_attribute(message->header->vet, message->bytes);
}

/* ---- small ones -------------------------------------------------------------------------------------------------- */

static const char *check_comment(const struct vet_message *message) {
    struct vet_bytes bytes = message->bytes;
    return vet_take_text(&bytes, false) ? NULL : "is a text without end";
}

static const char *check_old_time(const struct vet_message *message) {
    if (message->bytes.left < 14) return CUT;
    for (size_t i = 0; i < 14; i++)
        if (message->bytes.at[i] < '0' || message->bytes.at[i] > '9') return "is no time";
    return NULL;
}

static const char *check_time(const struct vet_message *message) {
    return message->bytes.left < 8 || *message->bytes.at != 1 ? "is no time" : NULL;
}

static const char *check_continuation(const struct vet_message *message) {
    struct vet_bytes bytes = message->bytes;
    uint64_t at, size;
    if (!vet_take_address(message->header->vet, &bytes, &at) || !vet_take_length(message->header->vet, &bytes, &size))
        return CUT;
    return vet_header_continue(message->header, at, size);
}

static const char *check_references(const struct vet_message *message) {
    return message->bytes.left < 5 || *message->bytes.at || message->header->version < 2 ? "is no count of references"
                                                                                         : NULL;
}

/* ---- the superblock's ------------------------------------------------------------------------------------------- */

static const char *check_ranks(const struct vet_message *message) {
    struct rd_vet *vet = message->header->vet;
    struct vet_bytes bytes = message->bytes;
    uint64_t version, chunk, group, leaf;
    if (!vet_take(&bytes, 1, &version) || !vet_take(&bytes, 2, &chunk) || !vet_take(&bytes, 2, &group) ||
        !vet_take(&bytes, 2, &leaf))
        return CUT;
    if (version || !chunk || !group || !leaf || chunk > INT16_MAX || group > INT16_MAX || leaf > INT16_MAX)
        return "has ranks of trees that cannot be";
    if (message->header->at != vet->extension) return NULL;
    vet->chunk_k = (unsigned)chunk;
    vet->group_k = (unsigned)group;
    vet->leaf_k = (unsigned)leaf;
    return NULL;
}

static const char *check_driver(const struct vet_message *message) {
    struct vet_bytes bytes = message->bytes;
    uint64_t version, size;
    if (!vet_take(&bytes, 1, &version) || !vet_skip(&bytes, 8) || !vet_take(&bytes, 2, &size)) return CUT;
    return version || !size || !vet_skip(&bytes, size) ? CUT : NULL;
}

/* How free space is kept: of no use to who only reads, but decoded. */
static const char *check_free_space(const struct vet_message *message) {
    const struct rd_vet *vet = message->header->vet;
    struct vet_bytes bytes = message->bytes;
    uint64_t version, strategy, persists, page = 4096;
    if (!vet_take(&bytes, 1, &version) || !vet_take(&bytes, 1, &strategy)) return CUT;
    if (version > 1) return "is of an unknown version";
    if (version == 0) /* a strategy, a threshold, and with some of the strategies six addresses */
        return vet_skip(&bytes, vet->length_bytes) && (strategy != 1 || vet_skip(&bytes, 6u * vet->address_bytes))
                   ? NULL
                   : CUT;
    if (!vet_take(&bytes, 1, &persists) || !vet_skip(&bytes, vet->length_bytes) ||
        !vet_take_length(vet, &bytes, &page) || !vet_skip(&bytes, 2 + vet->address_bytes) ||
        (persists && !vet_skip(&bytes, 12u * vet->address_bytes)))
        return CUT;
    return strategy > 3 || page < 512 || page > 1 << 30 ? "keeps free space in a way that cannot be" : NULL;
}

static const char *refuse_image(const struct vet_message *message) {
    (void)message;
    return "is an image of the cache of who wrote it, which is not read";
}

static const char *refuse_sharing(const struct vet_message *message) {
    (void)message;
    return "shares messages in a table of the file, which is not read";
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

enum { ONCE = 1 };

static const struct kind {
    const char *(*check)(const struct vet_message *message);
    unsigned traits;
} kinds[] = {
    [0x01] = {check_dataspace, ONCE},
    [VET_LINK_INFO] = {check_link_info, ONCE},
    [VET_DATATYPE] = {check_datatype, ONCE},
    [0x04] = {check_old_fill, ONCE},
    [0x05] = {check_fill, ONCE},
    [0x06] = {check_link, 0},
    [VET_EXTERNAL] = {check_external, ONCE},
    [VET_LAYOUT] = {check_layout, ONCE},
    [0x0a] = {check_group_info, ONCE},
    [0x0b] = {check_pipeline, ONCE},
    [0x0c] = {check_attribute, 0},
    [0x0d] = {check_comment, ONCE},
    [0x0e] = {check_old_time, ONCE},
    [0x0f] = {refuse_sharing, ONCE},
    [VET_CONTINUATION] = {check_continuation, 0},
    [VET_SYMBOL_TABLE] = {check_symbol_table, ONCE},
    [0x12] = {check_time, ONCE},
    [0x13] = {check_ranks, ONCE},
    [0x14] = {check_driver, ONCE},
    [0x15] = {check_attribute_info, ONCE},
    [0x16] = {check_references, ONCE},
    [0x17] = {check_free_space, ONCE},
    [0x18] = {refuse_image, ONCE},
};

const char *vet_message(const struct vet_message *message) {
    struct vet_header *header = message->header;
    const struct kind *kind = message->type < sizeof kinds / sizeof *kinds ? &kinds[message->type] : NULL;
    if (!kind || !kind->check) return NULL; /* libhdf5 leaves alone what it does not know */
    if (header->only_type && message->type != VET_DATATYPE && message->type != VET_CONTINUATION) return NULL;
    if (kind->traits & ONCE && header->seen >> message->type & 1) return "is there for the second time";
    header->seen |= UINT32_C(1) << message->type;
    if (message->flags & SHARED && message->type != VET_DATATYPE) return "is kept elsewhere, which is not read";
    return kind->check(message);
}
