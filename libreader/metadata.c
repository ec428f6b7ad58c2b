/* Attributes: /metadata, and those that schema 1 keeps at its regions. */
#include "internal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A list longer than this is not one of module names. */
#define MOST_ITEMS 65536
/* A number longer than this is none of a machine: HDF5 1.10 has no room for it where it converts numbers. */
#define MOST_NUMBER_BYTES 16

struct attribute {
    spr_profile *profile;
    hid_t id, type;
    size_t size;  /* of one element */
    size_t count; /* elements */
    bool list;
};

static bool read_strings(struct attribute *attribute, const char **kept) {
    struct rd_text text;
    if (!rd_text_begin(attribute->profile, attribute->type, &text)) return false;
    unsigned char *bytes = calloc(attribute->count, text.size);
    const bool fine = bytes && H5Aread(attribute->id, text.memory, bytes) >= 0 &&
                      rd_text_take(attribute->profile, &text, bytes, attribute->count, kept);
    free(bytes);
    rd_text_end(attribute->profile, &text);
    return fine;
}

static bool read_texts(struct attribute *attribute, spr_value *value) {
    if (attribute->count > MOST_ITEMS) return false;
    const char **kept = rd_arena_take(&attribute->profile->strings, (attribute->count + 1) * sizeof *kept);
    if (!kept) return false;
    if (attribute->count && !read_strings(attribute, kept)) return false;
    if (attribute->list) {
        value->kind = SPR_TEXT_LIST;
        value->items = kept;
        value->count = attribute->count;
        return true;
    }
    value->kind = SPR_TEXT;
    value->text = kept[0];
    return true;
}

static bool read_integer(struct attribute *attribute, spr_value *value) {
    value->kind = SPR_INTEGER;
    return attribute->count == 1 && attribute->size <= MOST_NUMBER_BYTES &&
           H5Aread(attribute->id, H5T_NATIVE_INT64, &value->integer) >= 0;
}

static bool read_real(struct attribute *attribute, spr_value *value) {
    value->kind = SPR_REAL;
    return attribute->count == 1 && attribute->size <= MOST_NUMBER_BYTES &&
           H5Aread(attribute->id, H5T_NATIVE_DOUBLE, &value->real) >= 0;
}

static bool read_value(struct attribute *attribute, spr_value *value) {
    switch (H5Tget_class(attribute->type)) {
    case H5T_STRING:
        return read_texts(attribute, value);
    case H5T_INTEGER:
        return read_integer(attribute, value);
    case H5T_FLOAT:
        return read_real(attribute, value);
    default:
        return false;
    }
}

/* Shape and size, with what the file can hold. */
static bool measure(struct attribute *attribute) {
    const hid_t space = H5Aget_space(attribute->id);
    if (space < 0) return false;
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const int dimensions = H5Sget_simple_extent_ndims(space);
    const bool simple = H5Sget_simple_extent_type(space) != H5S_NULL;
    H5Sclose(space);
    attribute->size = H5Tget_size(attribute->type);
    attribute->list = dimensions == 1;
    attribute->count = count < 0 ? 0 : (size_t)count;
    return simple && count >= 0 && dimensions >= 0 && dimensions <= 1 && attribute->size > 0 &&
           (uint64_t)count <= (uint64_t)attribute->profile->file_bytes / attribute->size;
}

bool rd_attribute(spr_profile *profile, hid_t object, const char *name, spr_value *value) {
    if (H5Aexists(object, name) <= 0) return false;
    struct attribute attribute = {.profile = profile, .id = H5Aopen(object, name, H5P_DEFAULT)};
    if (attribute.id < 0) return false;
    attribute.type = H5Aget_type(attribute.id);
    *value = (spr_value){0};
    const bool fine = attribute.type >= 0 && measure(&attribute) && read_value(&attribute, value);
    if (attribute.type >= 0) H5Tclose(attribute.type);
    H5Aclose(attribute.id);
    return fine;
}

bool rd_metadata_add(spr_profile *profile, const spr_value *value) {
    const size_t count = profile->num_metadata;
    if (!(count & (count - 1))) { /* room doubles at powers of two */
        spr_value *grown = realloc(profile->metadata, (count ? 2 * count : 1) * sizeof *grown);
        if (!grown) return false;
        profile->metadata = grown;
    }
    profile->metadata[profile->num_metadata++] = *value;
    return true;
}

struct gathered {
    spr_profile *profile;
    bool no_memory;
};

/* An attribute that cannot be read is "not recorded": no question depends on it. */
static herr_t gather(hid_t group, const char *name, const H5A_info_t *info, void *data) {
    (void)info;
    struct gathered *gathered = data;
    spr_profile *profile = gathered->profile;
    spr_value value;
    if (!rd_attribute(profile, group, name, &value)) return 0;
    value.key = rd_arena_copy(&profile->strings, name, strlen(name));
    gathered->no_memory = !value.key || !rd_metadata_add(profile, &value);
    return gathered->no_memory ? -1 : 0;
}

static int compare_keys(const void *a, const void *b) {
    return strcmp(((const spr_value *)a)->key, ((const spr_value *)b)->key);
}

void rd_metadata_sort(spr_profile *profile) {
    if (profile->num_metadata) qsort(profile->metadata, profile->num_metadata, sizeof(spr_value), compare_keys);
}

int rd_metadata_read(spr_profile *profile, spr_error *error) {
    const hid_t group = rd_open_group(profile->file, "metadata");
    if (group < 0) return SPR_OK;
    struct gathered gathered = {.profile = profile};
    const herr_t result = H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, gather, &gathered);
    H5Gclose(group);
    if (gathered.no_memory) return rd_no_memory(profile, error);
    if (result < 0) return rd_fail(error, SPR_DAMAGED, profile->path, "/metadata cannot be read");
    rd_metadata_sort(profile);
    return SPR_OK;
}

double rd_metadata_number(const spr_profile *profile, const char *key) {
    const spr_value *value = spr_metadata(profile, key);
    if (value && value->kind == SPR_INTEGER) return (double)value->integer;
    if (value && value->kind == SPR_REAL) return value->real;
    return (double)NAN;
}

size_t spr_metadata_count(const spr_profile *profile) { return profile->num_metadata; }

const spr_value *spr_metadata_at(const spr_profile *profile, size_t index) {
    return index < profile->num_metadata ? &profile->metadata[index] : NULL;
}

const spr_value *spr_metadata(const spr_profile *profile, const char *key) {
    const spr_value wanted = {.key = key};
    if (!profile->num_metadata) return NULL;
    return bsearch(&wanted, profile->metadata, profile->num_metadata, sizeof wanted, compare_keys);
}
