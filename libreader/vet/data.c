/* Elements: contiguous, compact or in chunks. */
#include "data.h"
#include "chunks.h"

#include <stdlib.h>

/* Neighbouring rows share chunks, and calls of many rows are read in turns: so many bytes of unpacked ones are kept. */
#define MOST_KEPT_BYTES ((uint64_t)32 << 20)
enum { MOST_KEPT = 64 };

struct kept {
    uint64_t number, used;
    unsigned char *bytes; /* NULL: nothing */
};

struct rd_data {
    struct rd_vet *vet;
    uint64_t length, element;
    uint64_t chunk; /* elements */
    struct vet_layout layout;
    struct vet_filters filters;
    struct vet_chunk fill;
    struct vet_chunks chunks;
    bool indexed; /* `chunks` are known */
    struct kept kept[MOST_KEPT];
    uint64_t clock;
    bool in_order;
};

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static void begin(struct rd_vet *vet, spr_error *error) {
    vet->error = error;
    vet->status = SPR_OK;
}

static void describe(const struct vet_header *header, struct rd_data_shape *shape) {
    *shape = (struct rd_data_shape){.one_dimensional = header->space.rank == 1,
                                    .length = header->space.count,
                                    .element = header->type.size,
                                    .chunk = header->layout.storage == VET_CHUNKED ? header->layout.dims[0] : 0,
                                    .filtered = header->filters.count != 0,
                                    .foreign = !vet_can_unpack(&header->filters),
                                    .elsewhere =
                                        header->layout.storage == VET_VIRTUAL || (header->seen >> VET_EXTERNAL & 1)};
}

static bool open_data(struct rd_vet *vet, uint64_t at, struct rd_data *data, struct rd_data_shape *shape) {
    struct vet_header header;
    vet_header_begin(vet, at, &header);
    bool fine = vet_header(vet, at, &header);
    if (fine && !(header.seen >> VET_LAYOUT & 1)) fine = vet_refuse(vet, "object", at, "is no dataset");
    describe(&header, shape);
    data->vet = vet;
    data->length = shape->length;
    data->element = shape->element;
    data->chunk = shape->chunk;
    data->layout = header.layout;
    data->filters = header.filters;
    data->fill = header.fill.size ? header.fill : header.old_fill;
    vet_header_free(&header);
    return fine;
}

int rd_data_open(struct rd_vet *vet, uint64_t header, struct rd_data **data, struct rd_data_shape *shape,
                 spr_error *error) {
    begin(vet, error);
    *data = calloc(1, sizeof **data);
    if (!*data) return rd_fail(error, SPR_NO_MEMORY, vet->path, "not enough memory");
    if (open_data(vet, header, *data, shape)) return SPR_OK;
    rd_data_close(*data);
    *data = NULL;
    return vet->status;
}

void rd_data_close(struct rd_data *data) {
    if (!data) return;
    for (size_t i = 0; i < MOST_KEPT; i++) free(data->kept[i].bytes);
    vet_chunks_free(&data->chunks);
    free(data);
}

void rd_data_in_order(struct rd_data *data) { data->in_order = true; }

/* ---- what was never written -------------------------------------------------------------------------------------- */

static bool fill(const struct rd_data *data, uint64_t count, unsigned char *values) {
    const size_t element = (size_t)data->element;
    if (!data->fill.size) {
        memset(values, 0, (size_t)count * element);
        return true;
    }
    if (!count) return true;
    if (!vet_read(data->vet, data->fill.at, values, element)) return false;
    for (uint64_t i = 1; i < count; i++) memcpy(values + i * element, values, element);
    return true;
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

static struct kept *oldest(struct rd_data *data) {
    const uint64_t bytes = data->chunk * data->element, fitting = MOST_KEPT_BYTES / bytes;
    const size_t room = fitting < 1 || data->in_order ? 1 : fitting < MOST_KEPT ? (size_t)fitting : MOST_KEPT;
    struct kept *kept = &data->kept[0];
    for (size_t i = 1; i < room; i++)
        if (data->kept[i].used < kept->used) kept = &data->kept[i];
    return kept;
}

static struct kept *find_kept(struct rd_data *data, uint64_t number) {
    for (size_t i = 0; i < MOST_KEPT; i++)
        if (data->kept[i].bytes && data->kept[i].number == number) return &data->kept[i];
    return NULL;
}

/* The bytes of a filtered chunk; NULL: refused. */
static const unsigned char *unpacked(struct rd_data *data, const struct vet_stored *stored) {
    struct kept *kept = find_kept(data, stored->number);
    if (!kept) {
        kept = oldest(data);
        const size_t bytes = (size_t)(data->chunk * data->element);
        if (!kept->bytes) kept->bytes = malloc(bytes);
        if (!kept->bytes) {
            vet_no_memory(data->vet);
            return NULL;
        }
        kept->number = UINT64_MAX;
        if (!vet_unpack(data->vet, &data->filters, stored, kept->bytes, bytes)) return NULL;
        kept->number = stored->number;
    }
    kept->used = ++data->clock;
    return kept->bytes;
}

static bool read_chunk(struct rd_data *data, uint64_t number, uint64_t first, uint64_t count, unsigned char *values) {
    const struct vet_stored *stored = vet_chunks_find(&data->chunks, number);
    if (!stored) return fill(data, count, values);
    const uint64_t skipped = first * data->element, bytes = count * data->element;
    if (!data->filters.count || stored->plain) return vet_read(data->vet, stored->at + skipped, values, (size_t)bytes);
    const unsigned char *whole = unpacked(data, stored);
    if (whole) memcpy(values, whole + skipped, (size_t)bytes);
    return whole != NULL;
}

static bool read_chunks(struct rd_data *data, uint64_t first, uint64_t count, unsigned char *values) {
    const struct vet_dataset dataset = {
        .length = data->length, .element = data->element, .layout = &data->layout, .filters = &data->filters};
    if (!data->indexed && !vet_chunks_read(data->vet, &dataset, &data->chunks)) return false;
    data->indexed = true;
    while (count) {
        const uint64_t number = first / data->chunk, within = first % data->chunk, rest = data->chunk - within;
        const uint64_t part = count < rest ? count : rest;
        if (!read_chunk(data, number, within, part, values)) return false;
        values += part * data->element;
        first += part;
        count -= part;
    }
    return true;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

int rd_data_read(struct rd_data *data, uint64_t first, uint64_t count, void *values, spr_error *error) {
    const struct vet_layout *layout = &data->layout;
    begin(data->vet, error);
    if (layout->address == VET_NOWHERE)
        fill(data, count, values);
    else if (layout->storage == VET_CHUNKED)
        read_chunks(data, first, count, values);
    else
        vet_read(data->vet, layout->address + first * data->element, values, (size_t)(count * data->element));
    return data->vet->status;
}
