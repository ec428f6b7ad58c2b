/* Dataspaces. */
#include "core.h"

static const char *take_dims(const struct rd_vet *vet, struct vet_bytes *bytes, struct vet_space *space, bool maxima) {
    for (unsigned i = 0; i < space->rank; i++)
        if (!vet_take_length(vet, bytes, &space->dims[i])) return "has fewer dimensions than it claims";
    for (unsigned i = 0; maxima && i < space->rank; i++) {
        uint64_t most;
        if (!vet_take_length(vet, bytes, &most)) return "has fewer dimensions than it claims";
        if (most < space->dims[i]) return "has a dimension larger than the largest allowed";
    }
    return NULL;
}

/* Without overflow even where a dimension is 0: libhdf5 multiplies in any order. */
static const char *count_elements(struct vet_space *space) {
    uint64_t product = 1;
    space->count = 1;
    for (unsigned i = 0; i < space->rank; i++) {
        const uint64_t dim = space->dims[i];
        if (!dim) space->count = 0;
        if (dim && (__builtin_mul_overflow(product, dim, &product) || product > INT64_MAX))
            return "has more elements than can be counted";
    }
    if (space->count) space->count = product;
    return NULL;
}

enum { SCALAR, SIMPLE, NONE }; /* of version 2 */

const char *vet_dataspace(const struct rd_vet *vet, struct vet_bytes bytes, struct vet_space *space) {
    uint64_t version, rank, flags, kind;
    if (!vet_take(&bytes, 1, &version) || !vet_take(&bytes, 1, &rank) || !vet_take(&bytes, 1, &flags) ||
        !vet_take(&bytes, 1, &kind))
        return "is cut off";
    if (version < 1 || version > 2) return "is of an unknown version";
    if (version == 1) kind = rank ? SIMPLE : SCALAR;
    if (version == 1 && !vet_skip(&bytes, 4)) return "is cut off";
    if (rank > VET_MOST_RANK) return "has more than 32 dimensions";
    if (kind > NONE || (kind != SIMPLE && rank)) return "is of an unknown kind";
    *space = (struct vet_space){.rank = (unsigned)rank, .seen = true};
    const char *fault = take_dims(vet, &bytes, space, flags & 1);
    if (!fault) fault = count_elements(space);
    if (kind == NONE) space->count = 0;
    return fault;
}
