/* /mpi/calls and /mpi/completions: the processes' lists one after the other, column by column. */
#include "chunks.h"
#include "crew.h"
#include "files.h"
#include "mpi_internal.h"
#include <errno.h>
#include <stdatomic.h>
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

struct list_kind { /* the processes' lists one after the other are one of the file */
    const char *name;
    const struct list_column *columns;
    size_t num_columns, size;
    struct mpi_list *(*of)(struct mpi_process *);
    void (*place)(void *items, size_t count, uint64_t calls_from); /* numbers within a process to those of the file */
};

static struct mpi_list *calls_of(struct mpi_process *of) { return &of->calls; }
static struct mpi_list *completions_of(struct mpi_process *of) { return &of->completions; }

static void leave(void *items, size_t count, uint64_t calls_from) { (void)items, (void)count, (void)calls_from; }

static void place_completions(void *items, size_t count, uint64_t calls_from) {
    struct mpi_completion *completions = items;
    for (size_t i = 0; i < count; i++) completions[i].call += (int64_t)calls_from;
}

static const struct list_kind calls = {"calls",  call_columns, COUNT(call_columns), sizeof(struct mpi_row),
                                       calls_of, leave};
static const struct list_kind completions = {
    "completions",  completion_columns, COUNT(completion_columns), sizeof(struct mpi_completion),
    completions_of, place_completions,
};

struct writing {
    const struct mpi *mpi;
    const struct list_kind *kind;
    uint64_t total;
    int compress, fd;
    atomic_uint used; /* bit by column: it is written */
    hid_t sets[MOST_COLUMNS];
    uint64_t places[MOST_COLUMNS]; /* of the columns in the file */
};

/* Where each process's items are among all; returns how many those are. */
static uint64_t number_items(const struct mpi *m, const struct list_kind *kind) {
    uint64_t total = 0;
    for (size_t i = 0; i < m->c->num_processes; i++) {
        struct mpi_list *list = kind->of(&m->processes[i]);
        list->from = total;
        total += list->count;
    }
    return total;
}

/* The last process whose items begin at `at` or before. */
static struct mpi_process *holder(const struct writing *w, uint64_t at) {
    size_t low = 0, high = w->mpi->c->num_processes;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(w->kind->of(&w->mpi->processes[middle])->from <= at ? &low : &high) = middle;
    }
    return &w->mpi->processes[low];
}

static bool read_items(const struct writing *w, uint64_t at, char *items, size_t count) {
    while (count) {
        struct mpi_process *of = holder(w, at);
        const struct mpi_list *list = w->kind->of(of);
        const uint64_t left = list->count - (at - list->from);
        const size_t now = left < count ? (size_t)left : count;
        if (!mpi_list_get(list, at - list->from, items, now)) return false;
        w->kind->place(items, now, of->calls.from);
        items += now * list->size;
        at += now;
        count -= now;
    }
    return true;
}

/* ---- blocks of items, by several threads ------------------------------------------------------------------------- */

#define BLOCK 8192 /* items */

static size_t blocks_of(const struct writing *w) { return (size_t)((w->total + BLOCK - 1) / BLOCK); }

/* The items of a block, from malloc; NULL with errno. */
static char *read_block(const struct writing *w, size_t piece, size_t *count) {
    const uint64_t at = (uint64_t)piece * BLOCK, left = w->total - at;
    *count = left < BLOCK ? (size_t)left : BLOCK;
    char *items = malloc(*count * w->kind->size);
    if (!items) return NULL;
    if (read_items(w, at, items, *count)) return items;
    if (!errno) errno = EIO;
    free(items);
    return NULL;
}

static bool is_used(const struct list_column *column, const char *items, size_t size, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (value_of(column, items + i * size) != column->absent) return true;
    return false;
}

static int find_used(void *context, size_t piece) {
    struct writing *w = context;
    size_t count;
    if (w->used == (1u << w->kind->num_columns) - 1) return 0;
    char *items = read_block(w, piece, &count);
    if (!items) return errno;
    for (unsigned c = 0; c < w->kind->num_columns; c++)
        if (!(w->used & 1u << c) && is_used(&w->kind->columns[c], items, w->kind->size, count))
            atomic_fetch_or(&w->used, 1u << c);
    free(items);
    return 0;
}

static void take_column(const struct list_column *column, const char *items, size_t size, size_t count, char *values) {
    items += column->offset;
    if (column->wide)
        for (size_t i = 0; i < count; i++) memcpy(values + i * 8, items + i * size, 8);
    else
        for (size_t i = 0; i < count; i++) memcpy(values + i * 4, items + i * size, 4);
}

/* Past HDF5, to where it will look for them. */
static int put_block(void *context, size_t piece) {
    const struct writing *w = context;
    char values[BLOCK * sizeof(int64_t)];
    size_t count;
    char *items = read_block(w, piece, &count);
    int error = items ? 0 : errno;
    for (size_t c = 0; !error && c < w->kind->num_columns; c++) {
        const size_t size = w->kind->columns[c].wide ? 8 : 4;
        if (w->sets[c] < 0) continue;
        take_column(&w->kind->columns[c], items, w->kind->size, count, values);
        if (!file_write(w->fd, values, count * size, w->places[c] + (uint64_t)piece * BLOCK * size)) error = errno;
    }
    free(items);
    return error;
}

static bool each_block(struct writing *w, int (*work)(void *, size_t)) {
    const struct crew crew = {w->mpi->c->processors, blocks_of(w), NULL, work, w};
    size_t failed;
    const int error = crew_run(&crew, &failed);
    if (error) errno = error;
    return !error;
}

/* ---- compressed: one chunk of every column at a time ------------------------------------------------------------- */

struct packed {
    const struct list_kind *kind;
    const char *items;
};

static bool chunk_values(void *context, const struct chunk *chunk, void *into) {
    const struct packed *p = context;
    take_column(&p->kind->columns[chunk->column], p->items, p->kind->size, chunk->count, into);
    return true;
}

/* mpi_bytes() has been reserved. */
static bool reserved(void *context, size_t bytes) {
    (void)context, (void)bytes;
    return true;
}

static bool pack_all(const struct writing *w) {
    char *items = malloc((w->total < CHUNK ? w->total : CHUNK) * w->kind->size);
    struct packed packed = {w->kind, items};
    const struct packing packing = {w->mpi->c->processors, w->compress, chunk_values, reserved, &packed};
    bool good = items != NULL;
    for (hsize_t at = 0; good && at < w->total; at += CHUNK) {
        const hsize_t count = w->total - at < CHUNK ? w->total - at : CHUNK,
                      length = at || count == CHUNK ? CHUNK : count;
        struct chunk chunks[MOST_COLUMNS];
        size_t waiting = 0;
        for (int c = 0; c < (int)w->kind->num_columns; c++)
            if (w->sets[c] >= 0)
                chunks[waiting++] =
                    (struct chunk){w->sets[c], c, w->kind->columns[c].wide ? 8 : 4, at, count, length, NULL, 0};
        good = read_items(w, at, items, count) && chunks_write(&packing, chunks, waiting);
    }
    free(items);
    return good;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static bool create_columns(struct writing *w, hid_t group) {
    const bool past = !w->compress && w->total;
    for (size_t c = 0; c < w->kind->num_columns; c++) {
        if (!(w->used & 1u << c)) continue;
        const struct list_column *column = &w->kind->columns[c];
        const hid_t type = column->wide ? H5T_STD_I64LE : H5T_STD_I32LE;
        w->sets[c] = chunks_create(group, column->name, type, w->total, w->compress, NULL);
        if (w->sets[c] < 0) return false;
        if (past && (w->places[c] = H5Dget_offset(w->sets[c])) == HADDR_UNDEF) return false;
    }
    return true;
}

static bool write_list(const struct mpi *m, hid_t parent, const struct list_kind *kind, int compress, int fd) {
    struct writing w = {.mpi = m, .kind = kind, .total = number_items(m, kind), .compress = compress, .fd = fd};
    for (size_t c = 0; c < MOST_COLUMNS; c++) w.sets[c] = -1;
    for (size_t c = 0; c < kind->num_columns; c++)
        if (!kind->columns[c].optional) w.used |= 1u << c; /* also of an empty list */
    hid_t group = H5Gcreate2(parent, kind->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = group >= 0 && each_block(&w, find_used) && create_columns(&w, group);
    if (good && w.total) good = compress ? pack_all(&w) : each_block(&w, put_block);
    for (size_t c = 0; c < kind->num_columns; c++)
        if (w.sets[c] >= 0) good = H5Dclose(w.sets[c]) >= 0 && good;
    if (group >= 0) good = H5Gclose(group) >= 0 && good;
    return good;
}

bool mpi_lists_write(const struct mpi *m, hid_t group, int compress, int fd) {
    return write_list(m, group, &calls, compress, fd) && write_list(m, group, &completions, compress, fd);
}

bool mpi_lists_empty(const struct mpi *m) {
    for (size_t i = 0; i < m->c->num_processes; i++)
        if (m->processes[i].calls.count) return false;
    return true;
}
