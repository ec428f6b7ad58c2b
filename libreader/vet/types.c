/* Datatypes, which hold datatypes. */
#include "core.h"

#include <stdlib.h>

/* libhdf5 goes into a datatype by calling itself. */
#define MOST_NESTED  64
#define MOST_VERSION 3

struct reading {
    const struct rd_vet *vet;
    struct vet_bytes *bytes;
    unsigned version, flags, depth;
};

typedef const char *class_check(const struct reading *reading, struct vet_type *type);

static const char *read_type(const struct rd_vet *vet, struct vet_bytes *bytes, unsigned depth, struct vet_type *type);

static const char cut[] = "is cut off";

static const char *read_base(const struct reading *reading, struct vet_type *base) {
    return read_type(reading->vet, reading->bytes, reading->depth + 1, base);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static const char *take_bits(const struct reading *reading, const struct vet_type *type, uint64_t *precision) {
    uint64_t offset;
    if (!vet_take(reading->bytes, 2, &offset) || !vet_take(reading->bytes, 2, precision)) return cut;
    return !*precision || offset + *precision > 8 * type->size ? "has bits beyond its size" : NULL;
}

static const char *check_integer(const struct reading *reading, struct vet_type *type) {
    uint64_t precision;
    return take_bits(reading, type, &precision);
}

static const char *check_real(const struct reading *reading, struct vet_type *type) {
    uint64_t precision, at, bits, fraction_at, fraction, bias;
    const char *fault = take_bits(reading, type, &precision);
    if (fault) return fault;
    if (!vet_take(reading->bytes, 1, &at) || !vet_take(reading->bytes, 1, &bits) ||
        !vet_take(reading->bytes, 1, &fraction_at) || !vet_take(reading->bytes, 1, &fraction) ||
        !vet_take(reading->bytes, 4, &bias))
        return cut;
    const unsigned sign = reading->flags >> 8 & 0xff, order = reading->flags & 0x41, normal = reading->flags >> 4 & 3;
    const bool possible = bits && bits < 32 && fraction && at + bits <= precision &&
                          fraction_at + fraction <= precision && sign < precision &&
                          (at + bits <= fraction_at || fraction_at + fraction <= at) &&
                          (sign < at || sign >= at + bits) && (sign < fraction_at || sign >= fraction_at + fraction);
    if (!possible || normal == 3 || order == 0x40) return "is a real number whose parts do not fit";
    return order == 0x41 && type->size % 2 ? "is a VAX number of odd size" : NULL;
}

static const char *check_time(const struct reading *reading, struct vet_type *type) {
    uint64_t precision;
    if (!vet_take(reading->bytes, 2, &precision)) return cut;
    return precision > 8 * type->size ? "has bits beyond its size" : NULL;
}

/* ---- texts, bytes, references ------------------------------------------------------------------------------------ */

static const char *check_text(const struct reading *reading, struct vet_type *type) {
    (void)type;
    return (reading->flags & 0xf) > 2 || (reading->flags >> 4 & 0xf) > 1 ? "is a string of an unknown kind" : NULL;
}

static const char *check_opaque(const struct reading *reading, struct vet_type *type) {
    (void)type;
    const unsigned tag = reading->flags & 0xff;
    return tag % 8 || !vet_skip(reading->bytes, tag) ? cut : NULL;
}

/* Attributes of files with short addresses keep references as they are in memory. */
static const char *check_reference(const struct reading *reading, struct vet_type *type) {
    const unsigned kind = reading->flags & 0xf, more = kind ? 4 : 0;
    if (kind > 1) return "is a reference of an unknown kind";
    return type->size == reading->vet->address_bytes + more || type->size == 8 + more
               ? NULL
               : "is a reference of another size";
}

/* ---- types of types ---------------------------------------------------------------------------------------------- */

struct member {
    uint64_t at, size;
};

static int compare_members(const void *a, const void *b) {
    const struct member *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* A member of version 1 may itself be an array of up to four dimensions. */
static const char *take_dimensions(const struct reading *reading, uint64_t *count) {
    uint64_t dimensions, dim;
    *count = 1;
    if (!vet_take(reading->bytes, 1, &dimensions) || !vet_skip(reading->bytes, 3 + 4 + 4)) return cut;
    if (dimensions > 4) return "has a member of more than 4 dimensions";
    for (unsigned i = 0; i < 4; i++) {
        if (!vet_take(reading->bytes, 4, &dim)) return cut;
        if (i < dimensions && (!dim || __builtin_mul_overflow(*count, dim, count))) return "has a member without size";
    }
    return NULL;
}

static unsigned offset_bytes(uint64_t size) {
    unsigned bytes = 1;
    while (size >>= 8) bytes++;
    return bytes;
}

static const char *take_member(const struct reading *reading, const struct vet_type *whole, struct member *member,
                               bool *references) {
    struct vet_type type;
    uint64_t count = 1;
    if (!vet_take_text(reading->bytes, reading->version < 3) ||
        !vet_take(reading->bytes, reading->version < 3 ? 4 : offset_bytes(whole->size), &member->at))
        return cut;
    const char *fault = reading->version == 1 ? take_dimensions(reading, &count) : NULL;
    if (!fault) fault = read_base(reading, &type);
    if (fault) return fault;
    if (__builtin_mul_overflow(type.size, count, &member->size) || member->at > whole->size ||
        member->size > whole->size - member->at)
        return "has a member beyond its size";
    *references = *references || type.references;
    return NULL;
}

static const char *take_members(const struct reading *reading, struct vet_type *type, struct member *members,
                                size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *fault = take_member(reading, type, &members[i], &type->references);
        if (fault) return fault;
    }
    qsort(members, count, sizeof *members, compare_members);
    for (size_t i = 1; i < count; i++)
        if (members[i].at - members[i - 1].at < members[i - 1].size) return "has members that overlap";
    return NULL;
}

static const char *check_compound(const struct reading *reading, struct vet_type *type) {
    const size_t count = reading->flags & 0xffff, least = reading->version < 3 ? 8 + 4 : 2 + 1;
    if (!count || count > reading->bytes->left / least) return "claims members that it has not";
    struct member *members = malloc(count * sizeof *members);
    if (!members) return "is larger than memory";
    const char *fault = take_members(reading, type, members, count);
    free(members);
    return fault;
}

static const char *check_enum(const struct reading *reading, struct vet_type *type) {
    struct vet_type base;
    const char *fault = read_base(reading, &base);
    if (fault) return fault;
    const size_t count = reading->flags & 0xffff;
    if (base.class != H5T_INTEGER || base.size != type->size)
        return "is an enumeration of something else than integers";
    if (!count) return "is an enumeration of nothing";
    for (size_t i = 0; i < count; i++)
        if (!vet_take_text(reading->bytes, reading->version < 3)) return cut;
    return vet_skip(reading->bytes, count * base.size) ? NULL : cut;
}

/* A length, and where the values are: an address and a number. */
static const char *check_variable(const struct reading *reading, struct vet_type *type) {
    struct vet_type base;
    const char *fault = read_base(reading, &base);
    if (fault) return fault;
    const unsigned kind = reading->flags & 0xf;
    if (kind > 1 || (kind == 1 && base.size != 1)) return "is of variable length in an unknown way";
    type->references = true;
    return type->size == 4u + reading->vet->address_bytes + 4u ? NULL : "is of variable length, but of another size";
}

static const char *check_array(const struct reading *reading, struct vet_type *type) {
    struct vet_type base;
    uint64_t dimensions, dim, count = 1, size;
    const bool old = reading->version < 3;
    if (reading->version < 2) return "is an array, which its version has not";
    if (!vet_take(reading->bytes, 1, &dimensions) || (old && !vet_skip(reading->bytes, 3))) return cut;
    if (!dimensions || dimensions > VET_MOST_RANK) return "is an array of too many dimensions";
    for (unsigned i = 0; i < dimensions; i++) {
        if (!vet_take(reading->bytes, 4, &dim)) return cut;
        if (!dim || __builtin_mul_overflow(count, dim, &count)) return "is an array without size";
    }
    if (old && !vet_skip(reading->bytes, 4 * dimensions)) return cut;
    const char *fault = read_base(reading, &base);
    if (fault) return fault;
    type->references = base.references;
    return __builtin_mul_overflow(count, base.size, &size) || size != type->size ? "is an array of another size" : NULL;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static class_check *const classes[] = {
    [H5T_INTEGER] = check_integer,   [H5T_FLOAT] = check_real,          [H5T_TIME] = check_time,
    [H5T_STRING] = check_text,       [H5T_BITFIELD] = check_integer,    [H5T_OPAQUE] = check_opaque,
    [H5T_COMPOUND] = check_compound, [H5T_REFERENCE] = check_reference, [H5T_ENUM] = check_enum,
    [H5T_VLEN] = check_variable,     [H5T_ARRAY] = check_array,
};

static const char *read_type(const struct rd_vet *vet, struct vet_bytes *bytes, unsigned depth, struct vet_type *type) {
    uint64_t head, size;
    if (!vet_take(bytes, 4, &head) || !vet_take(bytes, 4, &size)) return cut;
    *type = (struct vet_type){.size = size, .class = head & 0xf};
    const struct reading reading = {
        .vet = vet, .bytes = bytes, .version = head >> 4 & 0xf, .flags = (unsigned)(head >> 8), .depth = depth};
    if (reading.version < 1 || reading.version > MOST_VERSION) return "is of an unknown version";
    if (type->class >= sizeof classes / sizeof *classes) return "is of an unknown class";
    if (!size || size > INT32_MAX) return "has a size that cannot be";
    if (depth > MOST_NESTED) return "nests too deeply";
    return classes[type->class](&reading, type);
}

const char *vet_datatype(const struct rd_vet *vet, struct vet_bytes bytes, struct vet_type *type) {
    return read_type(vet, &bytes, 0, type);
}
