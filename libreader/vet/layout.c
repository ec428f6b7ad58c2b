/* Where the data of a dataset are. */
#include "core.h"

#define CUT "is cut off"

/* The size of a chunk is kept in 32 bits. */
static const char *check_chunk(const struct vet_layout *layout) {
    uint64_t size = 1;
    for (unsigned i = 0; i < layout->rank; i++)
        if (!layout->dims[i] || __builtin_mul_overflow(size, layout->dims[i], &size) || size > UINT32_MAX)
            return "has chunks of no size, or of more than 4 GiB";
    return NULL;
}

static const char *take_dims(struct vet_bytes *bytes, unsigned bytes_each, struct vet_layout *layout) {
    for (unsigned i = 0; i < layout->rank; i++)
        if (!vet_take(bytes, bytes_each, &layout->dims[i])) return CUT;
    return NULL;
}

static const char *take_rank(struct vet_bytes *bytes, struct vet_layout *layout) {
    uint64_t rank;
    if (!vet_take(bytes, 1, &rank)) return CUT;
    layout->rank = (unsigned)rank;
    return !rank || rank > VET_MOST_RANK + 1 ? "has chunks of too many dimensions, or of none" : NULL;
}

static const char *take_compact(struct vet_bytes *bytes, unsigned bytes_of_size, uint64_t at,
                                const unsigned char *begin, struct vet_layout *layout) {
    if (!vet_take(bytes, bytes_of_size, &layout->size)) return CUT;
    layout->address = at + (uint64_t)(bytes->at - begin);
    return layout->size > bytes->left ? "claims more data than it has" : NULL;
}

/* Versions 1 and 2. */
static const char *take_old(const struct rd_vet *vet, struct vet_bytes bytes, uint64_t at, struct vet_layout *layout) {
    const unsigned char *begin = bytes.at - 1;
    uint64_t class;
    const char *fault = take_rank(&bytes, layout);
    if (fault) return fault;
    if (!vet_take(&bytes, 1, &class) || !vet_skip(&bytes, 5)) return CUT;
    if (class > VET_CHUNKED) return "is of an unknown class";
    layout->storage = (enum vet_storage) class;
    if (class != VET_COMPACT && !vet_take_address(vet, &bytes, &layout->address)) return CUT;
    fault = take_dims(&bytes, 4, layout);
    if (!fault && class == VET_CHUNKED) fault = check_chunk(layout);
    return !fault && class == VET_COMPACT ? take_compact(&bytes, 4, at, begin, layout) : fault;
}

static const char *take_chunked(const struct rd_vet *vet, struct vet_bytes *bytes, struct vet_layout *layout) {
    const char *fault = take_rank(bytes, layout);
    if (fault) return fault;
    if (!vet_take_address(vet, bytes, &layout->address)) return CUT;
    fault = take_dims(bytes, 4, layout);
    return fault ? fault : check_chunk(layout);
}

/* Of the indexes of version 4: how many bytes of parameters they have. */
static const struct {
    unsigned type, parameters;
    enum vet_index index;
} indexes[] = {{1, 0, VET_SINGLE},
               {2, 0, VET_IMPLICIT},
               {3, 1, VET_FIXED_ARRAY},
               {4, 5, VET_EXTENSIBLE_ARRAY},
               {5, 6, VET_BTREE2}};

static const char *take_parameters(struct vet_bytes *bytes, unsigned count, struct vet_layout *layout) {
    uint64_t value;
    if (layout->index == VET_BTREE2) return vet_skip(bytes, count) ? NULL : CUT;
    /* libhdf5 divides by some of them; what counts is in the header of the index */
    for (unsigned i = 0; i < count; i++) {
        if (!vet_take(bytes, 1, &value)) return CUT;
        if (!value) return "has an index of chunks that cannot be";
    }
    return NULL;
}

static const char *take_index(const struct rd_vet *vet, struct vet_bytes *bytes, struct vet_layout *layout) {
    uint64_t type;
    if (!vet_take(bytes, 1, &type)) return CUT;
    if (type < 1 || type > sizeof indexes / sizeof *indexes) return "has an unknown index of chunks";
    layout->index = indexes[type - 1].index;
    if (layout->index == VET_SINGLE && layout->flags & 2 &&
        (!vet_take_length(vet, bytes, &layout->filtered_size) || !vet_take(bytes, 4, &layout->filter_mask)))
        return CUT;
    const char *fault = take_parameters(bytes, indexes[type - 1].parameters, layout);
    if (!fault && !vet_take_address(vet, bytes, &layout->address)) fault = CUT;
    return fault;
}

static const char *take_chunked_4(const struct rd_vet *vet, struct vet_bytes *bytes, struct vet_layout *layout) {
    uint64_t flags, bytes_each;
    if (!vet_take(bytes, 1, &flags)) return CUT;
    if (flags > 3) return "has unknown flags";
    layout->flags = (unsigned)flags;
    const char *fault = take_rank(bytes, layout);
    if (fault) return fault;
    if (!vet_take(bytes, 1, &bytes_each)) return CUT;
    if (!bytes_each || bytes_each > 8) return "has dimensions that are no numbers";
    fault = take_dims(bytes, (unsigned)bytes_each, layout);
    if (!fault) fault = check_chunk(layout);
    return fault ? fault : take_index(vet, bytes, layout);
}

/* Versions 3 and 4. */
static const char *take_new(const struct rd_vet *vet, struct vet_bytes bytes, uint64_t at, struct vet_layout *layout) {
    const unsigned char *begin = bytes.at - 1;
    uint64_t class;
    if (!vet_take(&bytes, 1, &class)) return CUT;
    if (class > (layout->version == 3 ? VET_CHUNKED : VET_VIRTUAL)) return "is of an unknown class";
    layout->storage = (enum vet_storage) class;
    switch (layout->storage) {
    case VET_COMPACT:
        return take_compact(&bytes, 2, at, begin, layout);
    case VET_CONTIGUOUS:
        return vet_take_address(vet, &bytes, &layout->address) && vet_take_length(vet, &bytes, &layout->size) ? NULL
                                                                                                              : CUT;
    case VET_CHUNKED:
        return layout->version == 3 ? take_chunked(vet, &bytes, layout) : take_chunked_4(vet, &bytes, layout);
    case VET_VIRTUAL: /* what is where in other files is never read */
        break;
    }
    return bytes.left < vet->address_bytes + 4u ? CUT : NULL;
}

const char *vet_layout(const struct rd_vet *vet, struct vet_bytes bytes, uint64_t at, struct vet_layout *layout) {
    uint64_t version;
    if (!vet_take(&bytes, 1, &version)) return CUT;
    if (version < 1 || version > 4) return "is of an unknown version";
    *layout = (struct vet_layout){
        .version = (unsigned)version, .address = VET_NOWHERE, .size = UINT64_MAX, .index = VET_BTREE1};
    return version < 3 ? take_old(vet, bytes, at, layout) : take_new(vet, bytes, at, layout);
}
