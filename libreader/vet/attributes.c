/* Attributes and links: messages of headers, or objects of heaps. */
#include "core.h"

#define CUT "is cut off"

enum { TYPE_IS_SHARED = 1 };

struct parts {
    unsigned version, flags;
    uint64_t name, type, space; /* bytes */
};

/* The parts of version 1 are padded. */
static uint64_t room(const struct parts *parts, uint64_t bytes) {
    return parts->version == 1 ? (bytes + 7) / 8 * 8 : bytes;
}

static const char *take_parts(struct vet_bytes *bytes, struct parts *parts) {
    uint64_t version, flags, encoding;
    if (!vet_take(bytes, 1, &version) || !vet_take(bytes, 1, &flags) || !vet_take(bytes, 2, &parts->name) ||
        !vet_take(bytes, 2, &parts->type) || !vet_take(bytes, 2, &parts->space))
        return CUT;
    if (version < 1 || version > 3) return "is an attribute of an unknown version";
    if (version == 3 && !vet_take(bytes, 1, &encoding)) return CUT;
    parts->version = (unsigned)version;
    parts->flags = version == 1 ? 0 : (unsigned)flags;
    if (parts->flags & ~(unsigned)TYPE_IS_SHARED)
        return "is an attribute with unknown flags, or of a dataspace kept elsewhere";
    return NULL;
}

/* Cuts a part of that many bytes off. */
static bool take_part(const struct parts *parts, struct vet_bytes *bytes, uint64_t size, struct vet_bytes *part) {
    *part = (struct vet_bytes){bytes->at, (size_t)size};
    return vet_skip(bytes, room(parts, size));
}

const char *vet_attribute(struct rd_vet *vet, struct vet_bytes bytes) {
    struct parts parts;
    struct vet_bytes name, type_bytes, space_bytes;
    struct vet_type type = {0};
    struct vet_space space = {0};
    uint64_t size;
    const char *fault = take_parts(&bytes, &parts);
    if (fault) return fault;
    if (!take_part(&parts, &bytes, parts.name, &name) || !take_part(&parts, &bytes, parts.type, &type_bytes) ||
        !take_part(&parts, &bytes, parts.space, &space_bytes))
        return CUT;
    if (!name.left || memchr(name.at, 0, name.left) != name.at + name.left - 1)
        return "is an attribute whose name has another length than it claims";
    fault =
        parts.flags & TYPE_IS_SHARED ? vet_shared_type(vet, type_bytes, &type) : vet_datatype(vet, type_bytes, &type);
    if (!fault) fault = vet_dataspace(vet, space_bytes, &space);
    if (fault) return fault;
    return __builtin_mul_overflow(type.size, space.count, &size) || size > bytes.left
               ? "is an attribute of more values than it has"
               : NULL;
}

/* ---- links ------------------------------------------------------------------------------------------------------- */

enum { NUMBERED = 4, TYPED = 8, ENCODED = 16 };
enum { HARD = 0, SOFT = 1, EXTERNAL = 64 /* and more of others' */ };

/* A version, and the names of a file and of an object in it. */
static const char *check_external(struct vet_bytes bytes) {
    uint64_t version;
    if (!vet_take(&bytes, 1, &version) || version || !vet_take_text(&bytes, false) || !vet_take_text(&bytes, false))
        return "is a link to another file that names none";
    return NULL;
}

static const char *check_value(struct vet_bytes *bytes, uint64_t type) {
    uint64_t size;
    if (!vet_take(bytes, 2, &size) || size > bytes->left) return CUT;
    if (type == SOFT) return size ? NULL : "is a link to nothing";
    return type == EXTERNAL ? check_external((struct vet_bytes){bytes->at, (size_t)size}) : NULL;
}

static const char *check_target(struct rd_vet *vet, struct vet_bytes *bytes) {
    uint64_t at;
    if (!vet_take_address(vet, bytes, &at)) return CUT;
    return vet_queue(vet, at) ? NULL : "needs more memory than there is";
}

const char *vet_link(struct rd_vet *vet, struct vet_bytes bytes) {
    uint64_t version, flags, type = HARD, encoding = 0, name;
    if (!vet_take(&bytes, 1, &version) || !vet_take(&bytes, 1, &flags)) return CUT;
    if (version != 1 || flags > 0x1f) return "is a link of an unknown version";
    if ((flags & TYPED && !vet_take(&bytes, 1, &type)) || (flags & NUMBERED && !vet_skip(&bytes, 8)) ||
        (flags & ENCODED && !vet_take(&bytes, 1, &encoding)) || !vet_take(&bytes, 1u << (flags & 3), &name))
        return CUT;
    if (encoding > 1 || (type > SOFT && type < EXTERNAL)) return "is a link of an unknown kind";
    const unsigned char *begin = bytes.at;
    if (!name || !vet_skip(&bytes, name) || memchr(begin, 0, (size_t)name))
        return "is a link whose name has another length than it claims";
    if (memchr(begin, '/', (size_t)name)) return "is a link whose name has a slash";
    return type == HARD ? check_target(vet, &bytes) : check_value(&bytes, type);
}
