/* /mpi/calls and /mpi/completions: the processes' lists one after the other, column by column. */
#include "chunks.h"
#include "mpi_internal.h"
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { MOST_COLUMNS = 16 };

struct list_column {
    const char *name;
    size_t offset;
    bool wide;     /* 64 bits */
    bool optional; /* left out where all values are `absent` */
    int64_t absent;
};

#define NARROW(name, f, absent)                                                                                        \
    { name, offsetof(struct mpi_row, f), false, true, absent }
#define WIDE(name, f, absent)                                                                                          \
    { name, offsetof(struct mpi_row, f), true, true, absent }
static const struct list_column call_columns[] = {
    {"events", offsetof(struct mpi_row, event), true, false, 0},
    {"sites", offsetof(struct mpi_row, site), false, false, 0},
    {"communicators", offsetof(struct mpi_row, comm), false, false, -1},
    {"flags", offsetof(struct mpi_row, flags), false, false, 0},
    NARROW("to", to, RANK_NONE),
    NARROW("to_tags", to_tag, -1),
    NARROW("from", from, RANK_NONE),
    NARROW("from_tags", from_tag, -1),
    WIDE("sent", sent, -1),
    WIDE("received", received, -1),
    WIDE("offsets", offset, -1),
    NARROW("polls", polls, 0),
    WIDE("spans", span, 0),
};
static const struct list_column completion_columns[] = {
    {"events", offsetof(struct mpi_completion, event), true, false, 0},
    {"calls", offsetof(struct mpi_completion, call), true, false, 0},
};

static int64_t value_of(const struct list_column *column, const char *item) {
    int64_t wide;
    int32_t narrow;
    if (column->wide) {
        memcpy(&wide, item + column->offset, sizeof wide);
        return wide;
    }
    memcpy(&narrow, item + column->offset, sizeof narrow);
    return narrow;
}

static hid_t create_column(hid_t group, const struct list_column *column, uint64_t total, int compress) {
    const hid_t type = column->wide ? H5T_STD_I64LE : H5T_STD_I32LE;
    if (compress && total) return chunks_create(group, column->name, type, total, compress, NULL);
    hsize_t size = total;
    hid_t list = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &size, NULL);
    H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
    hid_t set = H5Dcreate2(group, column->name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(list);
    return set;
}

/* Items that are in memory, on their way to the columns. */
struct block {
    const struct list_column *columns;
    const hid_t *sets; /* -1: a column that is not written */
    size_t num_columns;
    const char *items;
    size_t size; /* of an item */
    hsize_t at, count, total;
};

static bool write_block(const struct block *b, int64_t *values) {
    bool good = true;
    for (size_t c = 0; good && c < b->num_columns; c++) {
        if (b->sets[c] < 0) continue;
        for (hsize_t i = 0; i < b->count; i++) values[i] = value_of(&b->columns[c], b->items + i * b->size);
        hid_t file_space = H5Dget_space(b->sets[c]), space = H5Screate_simple(1, &b->count, NULL);
        good = H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &b->at, NULL, &b->count, NULL) >= 0 &&
               H5Dwrite(b->sets[c], H5T_NATIVE_INT64, space, file_space, H5P_DEFAULT, values) >= 0;
        H5Sclose(space);
        H5Sclose(file_space);
    }
    return good;
}

static bool chunk_values(void *context, const struct chunk *chunk, void *into) {
    const struct block *b = context;
    const char *from = b->items + b->columns[chunk->column].offset;
    for (char *to = into; to < (char *)into + chunk->count * chunk->size; to += chunk->size, from += b->size)
        memcpy(to, from, chunk->size);
    return true;
}

/* mpi_bytes() has been reserved. */
static bool reserved(void *context, size_t bytes) {
    (void)context, (void)bytes;
    return true;
}

/* A block is a chunk of every column. */
static bool pack_block(struct block *b, int compress, unsigned workers) {
    const struct packing packing = {workers, compress, chunk_values, reserved, b};
    struct chunk chunks[MOST_COLUMNS];
    size_t count = 0;
    for (size_t c = 0; c < b->num_columns; c++)
        if (b->sets[c] >= 0)
            chunks[count++] = (struct chunk){.set = b->sets[c],
                                             .column = (int)c,
                                             .size = b->columns[c].wide ? 8 : 4,
                                             .at = b->at,
                                             .count = b->count,
                                             .length = b->total < CHUNK ? b->total : CHUNK};
    return chunks_write(&packing, chunks, count);
}

static void find_used(const struct list_column *columns, size_t num_columns, const char *items, size_t size,
                      size_t count, bool *used) {
    for (size_t c = 0; c < num_columns; c++)
        for (size_t i = 0; i < count && !used[c]; i++)
            used[c] = value_of(&columns[c], items + i * size) != columns[c].absent;
}

struct list_kind { /* the processes' lists one after the other are one of the file */
    const char *name;
    const struct list_column *columns;
    size_t num_columns;
    const struct mpi_list *(*of)(const struct mpi_process *);
    void (*place)(void *items, size_t count, uint64_t calls_before); /* numbers within a process to those of the file */
};

static const struct mpi_list *calls_of(const struct mpi_process *of) { return &of->calls; }
static const struct mpi_list *completions_of(const struct mpi_process *of) { return &of->completions; }

static void leave(void *items, size_t count, uint64_t calls_before) { (void)items, (void)count, (void)calls_before; }

static void place_completions(void *items, size_t count, uint64_t calls_before) {
    struct mpi_completion *completions = items;
    for (size_t i = 0; i < count; i++) completions[i].call += (int64_t)calls_before;
}

static const struct list_kind calls = {"calls", call_columns, COUNT(call_columns), calls_of, leave};
static const struct list_kind completions = {"completions", completion_columns, COUNT(completion_columns),
                                             completions_of, place_completions};

static uint64_t total_of(const struct mpi *m, const struct list_kind *kind) {
    uint64_t total = 0;
    for (size_t i = 0; i < m->c->num_processes; i++) total += kind->of(&m->processes[i])->count;
    return total;
}

/* Reading on from process to process. */
struct list_reader {
    const struct mpi *mpi;
    const struct list_kind *kind;
    size_t process;
    uint64_t at;           /* in its list */
    uint64_t calls_before; /* of the processes before it */
};

static bool read_items(struct list_reader *r, char *items, size_t count) {
    while (count) {
        const struct mpi_process *of = &r->mpi->processes[r->process];
        const struct mpi_list *list = r->kind->of(of);
        const uint64_t left = list->count - r->at;
        const size_t now = left < count ? (size_t)left : count;
        if (now && !mpi_list_get(list, r->at, items, now)) return false;
        r->kind->place(items, now, r->calls_before);
        items += now * list->size;
        r->at += now;
        count -= now;
        if (!count) break;
        r->calls_before += of->calls.count;
        r->process++;
        r->at = 0;
    }
    return true;
}

static bool write_list(hid_t parent, const struct mpi *m, const struct list_kind *kind, int compress) {
    const struct list_column *columns = kind->columns;
    const size_t num_columns = kind->num_columns, size = kind->of(&m->processes[0])->size;
    const uint64_t total = total_of(m, kind);
    hid_t sets[MOST_COLUMNS];
    bool used[MOST_COLUMNS] = {false};
    for (size_t c = 0; c < num_columns; c++) used[c] = !columns[c].optional; /* also of an empty list */
    char *items = malloc(CHUNK * size);
    int64_t *values = malloc(CHUNK * sizeof *values);
    hid_t group = H5Gcreate2(parent, kind->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = items && values && group >= 0;
    for (int pass = 0; pass < 2; pass++) {
        struct list_reader reader = {.mpi = m, .kind = kind};
        for (size_t c = 0; pass && c < num_columns; c++) {
            sets[c] = good && used[c] ? create_column(group, &columns[c], total, compress) : -1;
            good = good && (!used[c] || sets[c] >= 0);
        }
        for (uint64_t at = 0; good && at < total; at += CHUNK) {
            const hsize_t count = total - at < CHUNK ? total - at : CHUNK;
            good = read_items(&reader, items, count);
            struct block block = {columns, sets, num_columns, items, size, at, count, total};
            if (good && !pass)
                find_used(columns, num_columns, items, size, count, used);
            else if (good)
                good = compress ? pack_block(&block, compress, m->c->processors) : write_block(&block, values);
        }
    }
    for (size_t c = 0; c < num_columns; c++)
        if (sets[c] >= 0) good = H5Dclose(sets[c]) >= 0 && good;
    if (group >= 0) good = H5Gclose(group) >= 0 && good;
    free(values);
    free(items);
    return good;
}

bool mpi_lists_write(const struct mpi *m, hid_t group, int compress) {
    return write_list(group, m, &calls, compress) && write_list(group, m, &completions, compress);
}

bool mpi_lists_empty(const struct mpi *m) { return !total_of(m, &calls); }
