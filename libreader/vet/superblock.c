/* The superblock: where everything begins. */
#include "core.h"

#include <stdlib.h>
#include <unistd.h>

#define WHAT "superblock"

static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

/* A user block of 512 bytes, or twice that, and so on, may come first. */
static bool find_signature(struct rd_vet *vet, uint64_t file_bytes) {
    for (uint64_t at = 0; at + sizeof signature <= file_bytes; at = at ? at * 2 : 512) {
        unsigned char head[sizeof signature];
        if (pread(vet->descriptor, head, sizeof head, (off_t)at) != (ssize_t)sizeof head) return false;
        if (memcmp(head, signature, sizeof head) != 0) continue;
        vet->base = at;
        vet->end = file_bytes - at;
        return true;
    }
    return false;
}

static bool is_size(uint64_t bytes) { return bytes == 2 || bytes == 4 || bytes == 8; }

struct fields {
    unsigned version;
    uint64_t base, end, extension, driver, root;
};

static const char too_short[] = "is cut off: the file is truncated";

static const char *take_sizes(struct rd_vet *vet, struct vet_bytes *bytes) {
    uint64_t address, length;
    if (!vet_take(bytes, 1, &address) || !vet_take(bytes, 1, &length)) return too_short;
    if (!is_size(address) || !is_size(length)) return "has addresses or sizes of a length that is not read";
    vet->address_bytes = (unsigned)address;
    vet->length_bytes = (unsigned)length;
    return NULL;
}

static const char *take_addresses(const struct rd_vet *vet, struct vet_bytes *bytes, struct fields *fields) {
    uint64_t *const addresses[] = {&fields->base, &fields->extension, &fields->end, &fields->driver};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
        if (!vet_take_address(vet, bytes, addresses[i])) return too_short;
    return NULL;
}

/* The symbol table entry of the root group. What it remembers of the group is of use to who writes only. */
static const char *take_root(const struct rd_vet *vet, struct vet_bytes *bytes, struct fields *fields) {
    uint64_t name, cache;
    if (!vet_take_length(vet, bytes, &name) || !vet_take_address(vet, bytes, &fields->root) ||
        !vet_take(bytes, 4, &cache) || !vet_skip(bytes, 4 + 16))
        return too_short;
    return cache > 1 ? "has a root group that is none" : NULL;
}

/* Versions 0 and 1. */
static const char *take_old(struct rd_vet *vet, struct vet_bytes *bytes, struct fields *fields) {
    uint64_t versions, header, leaf, group, flags, chunk = vet->chunk_k;
    if (!vet_take(bytes, 3, &versions) || !vet_take(bytes, 1, &header)) return too_short;
    if (versions & 0xffff || header) return "has parts of an unknown version";
    const char *fault = take_sizes(vet, bytes);
    if (fault) return fault;
    if (!vet_skip(bytes, 1) || !vet_take(bytes, 2, &leaf) || !vet_take(bytes, 2, &group) || !vet_take(bytes, 4, &flags))
        return too_short;
    if (fields->version == 1 && (!vet_take(bytes, 2, &chunk) || !vet_skip(bytes, 2))) return too_short;
    if (!leaf || !group || !chunk || leaf > INT16_MAX || group > INT16_MAX || chunk > INT16_MAX)
        return "has ranks of trees that cannot be";
    if (flags > 7) return "has unknown flags";
    vet->leaf_k = (unsigned)leaf;
    vet->group_k = (unsigned)group;
    vet->chunk_k = (unsigned)chunk;
    fault = take_addresses(vet, bytes, fields);
    if (!fault && fields->extension != VET_NOWHERE) fault = "has an extension, which its version has not";
    return fault ? fault : take_root(vet, bytes, fields);
}

/* Versions 2 and 3. */
static const char *take_new(struct rd_vet *vet, const unsigned char *whole, struct vet_bytes *bytes,
                            struct fields *fields) {
    uint64_t flags;
    const char *fault = take_sizes(vet, bytes);
    if (fault) return fault;
    if (!vet_take(bytes, 1, &flags) || !vet_take_address(vet, bytes, &fields->base) ||
        !vet_take_address(vet, bytes, &fields->extension) || !vet_take_address(vet, bytes, &fields->end) ||
        !vet_take_address(vet, bytes, &fields->root) || bytes->left < 4)
        return too_short;
    if (flags > 7) return "has unknown flags";
    fields->driver = VET_NOWHERE;
    vet_skip(bytes, 4);
    return vet_checksum_fits(whole, (size_t)(bytes->at - whole)) ? NULL : "has another checksum than is stored";
}

static const char *take(struct rd_vet *vet, struct vet_bytes *bytes, struct fields *fields) {
    const unsigned char *whole = bytes->at;
    uint64_t version;
    if (!vet_skip(bytes, sizeof signature) || !vet_take(bytes, 1, &version)) return too_short;
    fields->version = (unsigned)version;
    if (version > 3) return "is of an unknown version";
    return version < 2 ? take_old(vet, bytes, fields) : take_new(vet, whole, bytes, fields);
}

/* The stored end counts from the beginning of the file, as does the base. A user block that was put before the file, or
 * taken away, later has moved both. */
static bool set_end(struct rd_vet *vet, const struct fields *fields) {
    char text[128];
    if (fields->end == VET_NOWHERE || fields->base == VET_NOWHERE || fields->end < fields->base)
        return vet_refuse(vet, WHAT, 0, "does not say where the file ends");
    const uint64_t length = fields->end - fields->base;
    snprintf(text, sizeof text, "tells of %llu bytes, but there are %llu: truncated, as an interrupted run leaves it",
             (unsigned long long)length, (unsigned long long)vet->end);
    if (length > vet->end) return vet_refuse(vet, WHAT, 0, text);
    vet->end = length;
    return true;
}

#define DRIVER_BYTES 16

static bool check_driver(struct rd_vet *vet, uint64_t at) {
    static const char what[] = "driver information";
    unsigned char bytes[DRIVER_BYTES];
    if (at == VET_NOWHERE) return true;
    if (!vet_inside(vet, at, sizeof bytes)) return vet_refuse(vet, what, at, "reaches beyond the end of the file");
    if (!vet_read(vet, at, bytes, sizeof bytes)) return false;
    if (bytes[0] != 0) return vet_refuse(vet, what, at, "is of an unknown version");
    return vet_claim(vet, what, at, DRIVER_BYTES + vet_number(bytes + 4, 4));
}

/* The extension may change the ranks of trees: it comes before all that they say the size of. */
static bool check_extension(struct rd_vet *vet, uint64_t at) {
    struct vet_header header;
    vet->extension = at;
    if (at == VET_NOWHERE) return true;
    vet_header_begin(vet, at, &header);
    const bool fine = vet_header(vet, at, &header);
    vet_header_free(&header);
    return fine;
}

bool vet_superblock(struct rd_vet *vet, uint64_t file_bytes, uint64_t *root) {
    unsigned char buffer[128];
    struct fields fields = {.base = VET_NOWHERE};
    if (!find_signature(vet, file_bytes)) return vet_refuse(vet, WHAT, 0, "is missing");
    struct vet_bytes bytes = {buffer, vet->end < sizeof buffer ? (size_t)vet->end : sizeof buffer};
    const size_t most = bytes.left;
    if (!vet_read(vet, 0, buffer, most)) return false;
    const char *fault = take(vet, &bytes, &fields);
    if (fault) return vet_refuse(vet, WHAT, 0, fault);
    if (!set_end(vet, &fields)) return false;
    vet->left = vet->ahead = vet->end;
    *root = fields.root;
    return vet_claim(vet, WHAT, 0, most - bytes.left) && check_driver(vet, fields.driver) &&
           check_extension(vet, fields.extension);
}
