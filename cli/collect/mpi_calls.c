/* A list of one process: in a file that it shares with those of the others, or in memory. */
#include "files.h"
#include "mpi_internal.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void note_error(struct mpi_list *list) {
    if (!*list->error) *list->error = errno ? errno : EIO;
}

static void flush(struct mpi_list *list) {
    const size_t bytes = (size_t)(list->count - list->flushed) * list->size;
    if (!file_write(list->fd, list->memory, bytes, list->offset + list->flushed * list->size)) note_error(list);
    list->flushed = list->count;
}

bool mpi_list_add(struct mpi_list *list, const void *item) {
    if (list->count == list->most) {
        if (!*list->error) *list->error = MPI_CHANGED;
        return true;
    }
    if (!list->memory) { /* without a file there are no more than that */
        const uint64_t items = list->most < LIST_BLOCK ? list->most : LIST_BLOCK;
        if (!(list->memory = malloc(items * list->size))) return false;
    }
    if (list->count - list->flushed == LIST_BLOCK) flush(list);
    memcpy(list->memory + (list->count++ - list->flushed) * list->size, item, list->size);
    return true;
}

bool mpi_list_get(const struct mpi_list *list, uint64_t at, void *items, size_t count) {
    const uint64_t on_disk = at < list->flushed ? list->flushed - at : 0;
    const size_t first = on_disk < count ? (size_t)on_disk : count, bytes = first * list->size;
    if (at >= list->count || list->count - at < count) return false;
    if (first && file_read(list->fd, items, bytes, list->offset + at * list->size) != (ssize_t)bytes) return false;
    if (first == count) return true;
    memcpy((char *)items + bytes, list->memory + (at + first - list->flushed) * list->size,
           (count - first) * list->size);
    return true;
}

void mpi_list_put(struct mpi_list *list, uint64_t at, const void *item) {
    if (at >= list->flushed)
        memcpy(list->memory + (at - list->flushed) * list->size, item, list->size);
    else if (!file_write(list->fd, item, list->size, list->offset + at * list->size))
        note_error(list);
}

void mpi_list_end(struct mpi_list *list) {
    if (list->fd < 0) return;
    flush(list);
    mpi_list_free(list);
}

void mpi_list_free(struct mpi_list *list) {
    free(list->memory);
    list->memory = NULL;
}
