#include "store.h"

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than this goes to a file. */
#define MOST_MEMORY (UINT64_C(16) << 20)
#define FIRST_ROOM  UINT64_C(4096)

/* ---- files ------------------------------------------------------------------------------------------------------ */

int rd_unnamed_file(void) {
    const char *directory = getenv("TMPDIR");
    if (!directory || !*directory) directory = "/tmp";
    int descriptor = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0) return descriptor;
    char path[4096]; /* not every file system has unnamed files */
    if ((size_t)snprintf(path, sizeof path, "%s/scope-profiler-XXXXXX", directory) >= sizeof path) return -1;
    descriptor = mkostemp(path, O_CLOEXEC);
    if (descriptor >= 0) unlink(path);
    return descriptor;
}

bool rd_read_at(int descriptor, uint64_t at, void *bytes, size_t count) {
    unsigned char *to = bytes;
    while (count) {
        const ssize_t part = pread(descriptor, to, count, (off_t)at);
        if (part < 0 && errno == EINTR) continue;
        if (part == 0) errno = 0;
        if (part <= 0) return false;
        to += part;
        at += (uint64_t)part;
        count -= (size_t)part;
    }
    return true;
}

bool rd_write_at(int descriptor, uint64_t at, const void *bytes, size_t count) {
    const unsigned char *from = bytes;
    while (count) {
        const ssize_t part = pwrite(descriptor, from, count, (off_t)at);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return false;
        from += part;
        at += (uint64_t)part;
        count -= (size_t)part;
    }
    return true;
}

/* ---- the store -------------------------------------------------------------------------------------------------- */

static bool make_room(struct rd_store *store, uint64_t needed) {
    if (needed <= store->room) return true;
    uint64_t room = store->room ? store->room : FIRST_ROOM;
    while (room < needed) room *= 2;
    unsigned char *grown = realloc(store->memory, (size_t)room);
    if (!grown) return false;
    store->memory = grown;
    store->room = room;
    return true;
}

static bool move_to_file(struct rd_store *store) {
    const int descriptor = rd_unnamed_file();
    if (descriptor < 0) return false;
    if (!rd_write_at(descriptor, 0, store->memory, (size_t)store->bytes)) {
        const int error = errno;
        close(descriptor);
        errno = error;
        return false;
    }
    free(store->memory);
    store->memory = NULL;
    store->room = 0;
    store->descriptor = descriptor;
    return true;
}

bool rd_store_add(struct rd_store *store, const int64_t *values, size_t count) {
    const uint64_t added = (uint64_t)count * sizeof *values;
    if (store->descriptor < 0 && store->bytes + added > MOST_MEMORY && !move_to_file(store)) return false;
    if (store->descriptor >= 0) {
        if (!rd_write_at(store->descriptor, store->bytes, values, (size_t)added)) return false;
    } else {
        if (!make_room(store, store->bytes + added)) return false;
        if (added) memcpy(store->memory + store->bytes, values, (size_t)added);
    }
    store->bytes += added;
    return true;
}

bool rd_store_read(const struct rd_store *store, uint64_t at, int64_t *values, size_t count) {
    const uint64_t wanted = (uint64_t)count * sizeof *values;
    errno = 0;
    if (at > store->bytes || wanted > store->bytes - at) return false;
    if (store->descriptor < 0) {
        if (wanted) memcpy(values, store->memory + at, (size_t)wanted);
    } else if (!rd_read_at(store->descriptor, at, values, (size_t)wanted)) {
        return false;
    }
    for (size_t i = 0; store->swapped && i < count; i++) values[i] = (int64_t)bswap_64((uint64_t)values[i]);
    return true;
}

void rd_store_close(struct rd_store *store) {
    if (store->descriptor >= 0) close(store->descriptor);
    free(store->memory);
    *store = RD_NO_STORE;
}
