#include "order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Records that are sorted at once, and those of all such runs that are in memory while they are merged. */
#define RUN_BYTES    ((size_t)8 << 20)
#define MERGED_BYTES ((size_t)8 << 20)
#define FIRST_ROOM   ((size_t)64)
#define LEAST        ((size_t)16) /* records of a run in memory */

struct rd_order {
    const char *path;
    size_t words, keys;
    uint64_t *memory;
    size_t count, room; /* records in memory */
    size_t run;         /* records of a run on the disk; the last one may have less */
    int file;           /* -1: all are in memory */
    uint64_t in_file;   /* records */
};

/* ---- adding ------------------------------------------------------------------------------------------------------ */

struct rd_order *rd_order_new(const char *path, size_t words, size_t keys) {
    struct rd_order *order = calloc(1, sizeof *order);
    if (!order) return NULL;
    *order = (struct rd_order){
        .path = path, .words = words, .keys = keys, .run = RUN_BYTES / (words * sizeof(uint64_t)), .file = -1};
    return order;
}

void rd_order_free(struct rd_order *order) {
    if (!order) return;
    if (order->file >= 0) close(order->file);
    free(order->memory);
    free(order);
}

static int no_memory(const struct rd_order *order, spr_error *error) {
    return rd_fail(error, SPR_NO_MEMORY, order->path, "not enough memory");
}

static int disk_failed(const struct rd_order *order, spr_error *error) {
    return rd_fail(error, SPR_NO_MEMORY, order->path, "its calls cannot be put in order in a temporary file (%s)",
                   errno ? strerror(errno) : "it became shorter");
}

static int compare(const uint64_t *x, const uint64_t *y, size_t keys) {
    for (size_t i = 0; i < keys; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

static int compare_records(const void *a, const void *b, void *keys) { return compare(a, b, *(const size_t *)keys); }

static void sort(struct rd_order *order) {
    if (order->count)
        qsort_r(order->memory, order->count, order->words * sizeof(uint64_t), compare_records, &order->keys);
}

static int write_run(struct rd_order *order, spr_error *error) {
    const size_t size = order->words * sizeof(uint64_t);
    if (order->file < 0) order->file = rd_unnamed_file();
    if (order->file < 0) return disk_failed(order, error);
    sort(order);
    if (!rd_write_at(order->file, order->in_file * size, order->memory, order->count * size))
        return disk_failed(order, error);
    order->in_file += order->count;
    order->count = 0;
    return SPR_OK;
}

static bool make_room(struct rd_order *order) {
    size_t room = order->room ? 2 * order->room : FIRST_ROOM;
    if (room > order->run) room = order->run;
    uint64_t *grown = realloc(order->memory, room * order->words * sizeof *grown);
    if (!grown) return false;
    order->memory = grown;
    order->room = room;
    return true;
}

int rd_order_add(struct rd_order *order, const uint64_t *record, spr_error *error) {
    if (order->count == order->run) {
        const int status = write_run(order, error);
        if (status != SPR_OK) return status;
    }
    if (order->count == order->room && !make_room(order)) return no_memory(order, error);
    memcpy(order->memory + order->count++ * order->words, record, order->words * sizeof *record);
    return SPR_OK;
}

int rd_order_close(struct rd_order *order, spr_error *error) {
    if (order->file < 0) {
        sort(order);
        return SPR_OK;
    }
    const int status = write_run(order, error);
    free(order->memory);
    order->memory = NULL;
    order->room = 0;
    return status;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

struct window {         /* of a run */
    uint64_t next, end; /* records of the file: to be read, and behind the run */
    size_t filled, at;
    uint64_t *records;
};

struct rd_order_reader {
    const struct rd_order *order;
    size_t at; /* all in memory */
    struct window *windows;
    size_t num_windows, room; /* room: records of each */
    size_t *heap, heap_size;  /* of windows, the one with the first record on top */
    bool given;               /* the record on top has been handed out */
};

static const uint64_t *record_of(const struct rd_order_reader *reader, size_t window) {
    const struct window *w = &reader->windows[window];
    return w->records + w->at * reader->order->words;
}

static bool comes_first(const struct rd_order_reader *reader, size_t a, size_t b) {
    const int order = compare(record_of(reader, a), record_of(reader, b), reader->order->keys);
    return order ? order < 0 : a < b;
}

static void sink(struct rd_order_reader *reader, size_t at) {
    size_t *heap = reader->heap;
    const size_t moving = heap[at];
    for (size_t child; (child = 2 * at + 1) < reader->heap_size; at = child) {
        if (child + 1 < reader->heap_size && comes_first(reader, heap[child + 1], heap[child])) child++;
        if (!comes_first(reader, heap[child], moving)) break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

static int refill(struct rd_order_reader *reader, struct window *window, spr_error *error) {
    const struct rd_order *order = reader->order;
    const uint64_t left = window->end - window->next;
    const size_t size = order->words * sizeof(uint64_t);
    window->filled = left < reader->room ? (size_t)left : reader->room;
    window->at = 0;
    if (!rd_read_at(order->file, window->next * size, window->records, window->filled * size))
        return disk_failed(order, error);
    window->next += window->filled;
    return SPR_OK;
}

static int open_windows(struct rd_order_reader *reader, spr_error *error) {
    const struct rd_order *order = reader->order;
    reader->num_windows = (size_t)((order->in_file + order->run - 1) / order->run);
    reader->room = MERGED_BYTES / (order->words * sizeof(uint64_t)) / reader->num_windows;
    if (reader->room < LEAST) reader->room = LEAST;
    reader->windows = calloc(reader->num_windows, sizeof *reader->windows);
    reader->heap = calloc(reader->num_windows, sizeof *reader->heap);
    if (!reader->windows || !reader->heap) return no_memory(order, error);
    for (size_t i = 0; i < reader->num_windows; i++) {
        struct window *window = &reader->windows[i];
        const uint64_t first = (uint64_t)i * order->run, end = first + order->run;
        *window = (struct window){.next = first, .end = end < order->in_file ? end : order->in_file};
        window->records = malloc(reader->room * order->words * sizeof(uint64_t));
        if (!window->records) return no_memory(order, error);
        const int status = refill(reader, window, error);
        if (status != SPR_OK) return status;
        reader->heap[reader->heap_size++] = i;
    }
    for (size_t i = reader->heap_size / 2; i-- > 0;) sink(reader, i);
    return SPR_OK;
}

struct rd_order_reader *rd_order_read(const struct rd_order *order, spr_error *error) {
    struct rd_order_reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        no_memory(order, error);
        return NULL;
    }
    reader->order = order;
    if (order->file < 0 || open_windows(reader, error) == SPR_OK) return reader;
    rd_order_reader_free(reader);
    return NULL;
}

void rd_order_reader_free(struct rd_order_reader *reader) {
    if (!reader) return;
    for (size_t i = 0; reader->windows && i < reader->num_windows; i++) free(reader->windows[i].records);
    free(reader->windows);
    free(reader->heap);
    free(reader);
}

/* The record on top has been used. */
static int advance(struct rd_order_reader *reader, spr_error *error) {
    struct window *window = &reader->windows[reader->heap[0]];
    if (++window->at == window->filled) {
        if (window->next == window->end) {
            reader->heap[0] = reader->heap[--reader->heap_size];
        } else {
            const int status = refill(reader, window, error);
            if (status != SPR_OK) return status;
        }
    }
    if (reader->heap_size) sink(reader, 0);
    return SPR_OK;
}

int rd_order_next(struct rd_order_reader *reader, const uint64_t **record, spr_error *error) {
    const struct rd_order *order = reader->order;
    *record = NULL;
    if (order->file < 0) {
        if (reader->at < order->count) *record = order->memory + reader->at++ * order->words;
        return SPR_OK;
    }
    const int status = reader->given ? advance(reader, error) : SPR_OK;
    if (status != SPR_OK) return status;
    reader->given = reader->heap_size > 0;
    if (reader->given) *record = record_of(reader, reader->heap[0]);
    return SPR_OK;
}
