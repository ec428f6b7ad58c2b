/* A list that goes to a file without a name once it is longer than a block. */
#include "files.h"
#include "mpi_internal.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool flush(struct mpi_list *list) {
    const size_t bytes = (size_t)(list->count - list->flushed) * list->size;
    if (list->fd < 0) list->fd = publish_scratch(list->beside, list->report);
    if (list->fd < 0 || !file_write(list->fd, list->memory, bytes, list->flushed * list->size))
        if (!*list->error) *list->error = errno ? errno : EIO;
    list->flushed = list->count;
    return true;
}

bool mpi_list_add(struct mpi_list *list, const void *item) {
    if (!list->memory && !(list->memory = malloc(LIST_BLOCK * list->size))) return false;
    if (list->count - list->flushed == LIST_BLOCK) flush(list);
    memcpy(list->memory + (list->count++ - list->flushed) * list->size, item, list->size);
    return true;
}

bool mpi_list_get(const struct mpi_list *list, uint64_t at, void *items, size_t count) {
    char *into = items;
    for (; count; count--, at++, into += list->size) {
        if (at >= list->flushed) {
            memcpy(into, list->memory + (at - list->flushed) * list->size, list->size);
            continue;
        }
        const uint64_t on_disk = list->flushed - at, now = on_disk < count ? on_disk : count;
        if (file_read(list->fd, into, now * list->size, at * list->size) != (ssize_t)(now * list->size)) return false;
        at += now - 1;
        count -= now - 1;
        into += (now - 1) * list->size;
    }
    return true;
}

void mpi_list_put(struct mpi_list *list, uint64_t at, const void *item) {
    if (at >= list->flushed)
        memcpy(list->memory + (at - list->flushed) * list->size, item, list->size);
    else if (!file_write(list->fd, item, list->size, at * list->size) && !*list->error)
        *list->error = errno ? errno : EIO;
}

void mpi_list_close(struct mpi_list *list) {
    free(list->memory);
    if (list->fd >= 0) close(list->fd);
}
