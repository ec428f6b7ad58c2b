/* chunks.h: where the chunks of a one-dimensional dataset are, and what is in them. */
#ifndef SCOPE_READER_VET_CHUNKS_H
#define SCOPE_READER_VET_CHUNKS_H

#include "core.h"

struct vet_stored {
    uint64_t number; /* its place among the chunks of the dataset */
    uint64_t at;
    uint32_t size; /* stored bytes */
    uint32_t mask; /* bit n: filter n was left out */
    bool plain;    /* no filter was used at all */
};

struct vet_chunks {
    struct vet_stored *items; /* ascending by number */
    size_t count, room;
};

struct vet_dataset {
    uint64_t length, element; /* elements; bytes */
    const struct vet_layout *layout;
    const struct vet_filters *filters;
};

/* Reads the index of the dataset's chunks; each of them lies in the file. False: refused. */
bool vet_chunks_read(struct rd_vet *vet, const struct vet_dataset *dataset, struct vet_chunks *chunks);
/* NULL: it is not stored. */
const struct vet_stored *vet_chunks_find(const struct vet_chunks *chunks, uint64_t number);
void vet_chunks_free(struct vet_chunks *chunks);
/* For indexes: the next chunk, checked. `index` and `index_at` are for the refusal. */
bool vet_chunks_add(struct rd_vet *vet, const struct vet_dataset *dataset, struct vet_chunks *chunks, const char *index,
                    uint64_t index_at, struct vet_stored stored);

/* index4.c: indexes of version 4 of the layout message. */
bool vet_fixed_array(struct rd_vet *vet, const struct vet_dataset *dataset, struct vet_chunks *chunks);
bool vet_extensible_array(struct rd_vet *vet, const struct vet_dataset *dataset, struct vet_chunks *chunks);

/* unpack.c: whether the filters are among those that are known here. */
bool vet_can_unpack(const struct vet_filters *filters);
/* Undoes the filters of a chunk. The result has exactly `size` bytes. */
bool vet_unpack(struct rd_vet *vet, const struct vet_filters *filters, const struct vet_stored *stored,
                unsigned char *bytes, size_t size);

#endif
