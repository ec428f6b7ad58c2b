/* The bytes of the file, and who has them. */
#include "core.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

bool vet_refuse(struct rd_vet *vet, const char *what, uint64_t at, const char *fault) {
    if (vet->status == SPR_OK)
        vet->status = rd_fail(vet->error, SPR_DAMAGED, vet->path, "damaged HDF5: the %s at 0x%llx %s", what,
                              (unsigned long long)at, fault);
    return false;
}

bool vet_no_memory(struct rd_vet *vet) {
    if (vet->status == SPR_OK) vet->status = rd_fail(vet->error, SPR_NO_MEMORY, vet->path, "not enough memory");
    return false;
}

bool vet_inside(const struct rd_vet *vet, uint64_t at, uint64_t size) {
    return at <= vet->end && size <= vet->end - at;
}

static bool note_extent(struct rd_vet *vet, const char *what, uint64_t at, uint64_t size) {
    if (vet->num_extents == vet->extents_room) {
        const size_t room = vet->extents_room ? 2 * vet->extents_room : 64;
        struct vet_extent *grown = realloc(vet->extents, room * sizeof *grown);
        if (!grown) return vet_no_memory(vet);
        vet->extents = grown;
        vet->extents_room = room;
    }
    vet->extents[vet->num_extents++] = (struct vet_extent){.at = at, .size = size, .what = what};
    return true;
}

bool vet_claim(struct rd_vet *vet, const char *what, uint64_t at, uint64_t size) {
    if (!vet_inside(vet, at, size)) return vet_refuse(vet, what, at, "reaches beyond the end of the file");
    if (vet->walked) return true;
    if (size > vet->left) return vet_refuse(vet, what, at, "lies within other structures");
    vet->left -= size;
    return note_extent(vet, what, at, size);
}

bool vet_look_ahead(struct rd_vet *vet, const char *what, uint64_t at, uint64_t size) {
    if (!vet_inside(vet, at, size)) return vet_refuse(vet, what, at, "reaches beyond the end of the file");
    if (size > vet->ahead) return vet_refuse(vet, what, at, "lies within other structures");
    vet->ahead -= size;
    return true;
}

static int compare_extents(const void *a, const void *b) {
    const struct vet_extent *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

bool vet_check_overlap(struct rd_vet *vet) {
    if (vet->num_extents) qsort(vet->extents, vet->num_extents, sizeof *vet->extents, compare_extents);
    for (size_t i = 1; i < vet->num_extents; i++) {
        const struct vet_extent *before = &vet->extents[i - 1], *extent = &vet->extents[i];
        if (extent->at - before->at < before->size)
            return vet_refuse(vet, extent->what, extent->at, "lies within another structure");
    }
    return true;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static size_t read_fully(const struct rd_vet *vet, uint64_t at, unsigned char *bytes, size_t count) {
    size_t done = 0;
    while (done < count) {
        const ssize_t got = pread(vet->descriptor, bytes + done, count - done, (off_t)(vet->base + at + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += (size_t)got;
    }
    return done;
}

static bool unreadable(struct rd_vet *vet, uint64_t at) { return vet_refuse(vet, "part", at, "cannot be read"); }

/* Small structures lie beside each other: one pread() for many. */
static const struct vet_window *look(struct rd_vet *vet, uint64_t at) {
    const uint64_t number = at / VET_WINDOW_BYTES;
    struct vet_window *window = &vet->windows[number % VET_WINDOWS];
    if (window->at != number * VET_WINDOW_BYTES) {
        window->at = number * VET_WINDOW_BYTES;
        const uint64_t rest = vet->end - window->at;
        window->size = read_fully(vet, window->at, window->bytes, rest < VET_WINDOW_BYTES ? rest : VET_WINDOW_BYTES);
    }
    return window;
}

bool vet_read(struct rd_vet *vet, uint64_t at, void *bytes, size_t count) {
    unsigned char *to = bytes;
    if (count > VET_WINDOW_BYTES) return read_fully(vet, at, to, count) == count || unreadable(vet, at);
    while (count) {
        const struct vet_window *window = look(vet, at);
        const size_t skipped = (size_t)(at - window->at);
        if (skipped >= window->size) return unreadable(vet, at);
        const size_t part = count < window->size - skipped ? count : window->size - skipped;
        memcpy(to, window->bytes + skipped, part);
        to += part;
        at += part;
        count -= part;
    }
    return true;
}

unsigned char *vet_load(struct rd_vet *vet, uint64_t at, uint64_t count) {
    unsigned char *bytes = malloc(count ? (size_t)count : 1);
    if (!bytes) {
        vet_no_memory(vet);
        return NULL;
    }
    if (vet_read(vet, at, bytes, (size_t)count)) return bytes;
    free(bytes);
    return NULL;
}

unsigned char *vet_structure(struct rd_vet *vet, const char *what, const char *magic, uint64_t at, uint64_t size) {
    unsigned char *bytes = vet_claim(vet, what, at, size) ? vet_load(vet, at, size) : NULL;
    if (!bytes || memcmp(bytes, magic, 4) == 0) return bytes;
    vet_refuse(vet, what, at, "has no signature");
    free(bytes);
    return NULL;
}

/* ---- decoding ---------------------------------------------------------------------------------------------------- */

bool vet_take_address(const struct rd_vet *vet, struct vet_bytes *bytes, uint64_t *address) {
    if (!vet_take(bytes, vet->address_bytes, address)) return false;
    if (vet->address_bytes < 8 && *address == (UINT64_C(1) << 8 * vet->address_bytes) - 1) *address = VET_NOWHERE;
    return true;
}

bool vet_take_length(const struct rd_vet *vet, struct vet_bytes *bytes, uint64_t *length) {
    return vet_take(bytes, vet->length_bytes, length);
}

bool vet_take_text(struct vet_bytes *bytes, bool padded) {
    const size_t length = strnlen((const char *)bytes->at, bytes->left);
    if (length == bytes->left) return false;
    return vet_skip(bytes, padded ? (length + 8) / 8 * 8 : length + 1);
}
