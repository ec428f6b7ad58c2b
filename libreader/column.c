/* Datasets of a file that may be damaged or made to do harm: everything is checked before it is believed. */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* zlib never packs more than 1032 bytes into one, so a compressed file cannot hold more than that many times its size;
 * the little more is for the chunk that the last elements only begin. */
#define MOST_PER_BYTE 1100
/* A chunk is held in memory as a whole. */
#define LARGEST_CHUNK (INT64_C(64) << 20)
/* Elements that are converted at once. */
#define PART 65536

static bool find_link(hid_t group, const char *name, H5L_info_t *info) {
    return H5Lexists(group, name, H5P_DEFAULT) > 0 && H5Lget_info(group, name, info, H5P_DEFAULT) >= 0 &&
           info->type == H5L_TYPE_HARD;
}

bool rd_has_link(hid_t group, const char *name) {
    H5L_info_t info;
    return find_link(group, name, &info);
}

hid_t rd_open_group(hid_t parent, const char *name) {
    return rd_has_link(parent, name) ? H5Gopen2(parent, name, H5P_DEFAULT) : -1;
}

static bool type_fits(hid_t type, enum rd_content content) {
    const H5T_class_t class = H5Tget_class(type);
    const size_t size = H5Tget_size(type);
    switch (content) {
    case RD_INTEGERS:
        return (class == H5T_INTEGER || class == H5T_ENUM) && size <= 8;
    case RD_NUMBERS:
        return (class == H5T_INTEGER || class == H5T_FLOAT) && size <= 8;
    case RD_TEXT:
        return class == H5T_STRING;
    case RD_RECORDS:
        return class == H5T_COMPOUND && size <= 4096;
    }
    return false;
}

static const char *const content_names[] = {
    [RD_INTEGERS] = "integers", [RD_NUMBERS] = "numbers", [RD_TEXT] = "strings", [RD_RECORDS] = "records"};

/* What is wrong with the dataset, NULL if nothing. */
static const char *find_fault(const spr_profile *profile, const struct rd_data_shape *shape) {
    const uint64_t file = (uint64_t)profile->file_bytes;
    if (!shape->one_dimensional) return "is not one-dimensional";
    if (shape->elsewhere) return "keeps its values in other files";
    if (shape->foreign) return "is packed by other filters than deflate, shuffle and fletcher32: it cannot be read";
    if (shape->filtered && shape->chunk > (uint64_t)LARGEST_CHUNK / shape->element) return "has too large chunks";
    if (!shape->filtered && shape->chunk > file / shape->element) return "has chunks larger than the file";
    const uint64_t most = shape->filtered && file < UINT64_MAX / MOST_PER_BYTE ? file * MOST_PER_BYTE : file;
    if (shape->length > most / shape->element) return "claims more elements than the file can hold (truncated?)";
    return NULL;
}

static int open_data(const spr_profile *profile, hid_t group, const char *where, const char *name,
                     struct rd_column *column, spr_error *error) {
    H5L_info_t link;
    struct rd_data_shape shape;
    if (!find_link(group, name, &link) ||
        rd_data_open(profile->vet, link.u.address, &column->data, &shape, error) != SPR_OK)
        return rd_fail(error, SPR_DAMAGED, profile->path, "%s/%s is not a readable dataset", where, name);
    const char *fault = find_fault(profile, &shape);
    if (fault) return rd_fail(error, SPR_DAMAGED, profile->path, "dataset %s/%s %s", where, name, fault);
    column->length = shape.length;
    column->element = shape.element;
    column->chunk = shape.chunk;
    return SPR_OK;
}

static int open_type(const spr_profile *profile, hid_t group, const char *where, const char *name,
                     enum rd_content content, struct rd_column *column, spr_error *error) {
    column->id = H5Dopen2(group, name, H5P_DEFAULT);
    column->type = column->id < 0 ? -1 : H5Dget_type(column->id);
    if (column->type < 0)
        return rd_fail(error, SPR_DAMAGED, profile->path, "%s/%s is not a readable dataset", where, name);
    const size_t stored = H5Tis_variable_str(column->type) > 0 ? RD_REFERENCE_BYTES : H5Tget_size(column->type);
    if (type_fits(column->type, content) && column->element == stored) return SPR_OK;
    return rd_fail(error, SPR_DAMAGED, profile->path, "dataset %s/%s does not hold %s", where, name,
                   content_names[content]);
}

int rd_column_open(const spr_profile *profile, hid_t group, const char *where, const char *name,
                   enum rd_content content, struct rd_column *column, spr_error *error) {
    *column = RD_NO_COLUMN;
    if (H5Lexists(group, name, H5P_DEFAULT) <= 0) return SPR_OK;
    int status = open_data(profile, group, where, name, column, error);
    if (status == SPR_OK) status = open_type(profile, group, where, name, content, column, error);
    if (status != SPR_OK) rd_column_close(column);
    return status;
}

void rd_column_close(struct rd_column *column) {
    if (column->type >= 0) H5Tclose(column->type);
    if (column->id >= 0) H5Dclose(column->id);
    rd_data_close(column->data);
    *column = RD_NO_COLUMN;
}

static int read_failed(const spr_profile *profile, const struct rd_column *column, const char *reason,
                       spr_error *error) {
    char name[256] = "";
    H5Iget_name(column->id, name, sizeof name);
    return rd_fail(error, SPR_DAMAGED, profile->path, "dataset %s cannot be read (%s)", name, reason);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* Converts in place: `bytes` has room for the larger of both types, `background` for those of the memory. */
static int read_converted(const spr_profile *profile, const struct rd_column *column, hid_t type, uint64_t first,
                          uint64_t count, unsigned char *bytes, unsigned char *background, spr_error *error) {
    char reason[256];
    const int status = rd_data_read(column->data, first, count, bytes, error);
    if (status != SPR_OK || H5Tconvert(column->type, type, (size_t)count, bytes, background, H5P_DEFAULT) >= 0)
        return status;
    rd_hdf5_reason(reason, sizeof reason);
    return read_failed(profile, column, reason, error);
}

static int read_parts(const spr_profile *profile, const struct rd_column *column, hid_t type, uint64_t first,
                      uint64_t count, unsigned char *values, spr_error *error) {
    const size_t stored = (size_t)column->element, size = H5Tget_size(type), room = stored > size ? stored : size;
    const uint64_t most = count < PART ? count : PART;
    unsigned char *bytes = malloc((size_t)most * room), *background = calloc((size_t)most, size);
    int status = bytes && background ? SPR_OK : rd_no_memory(profile, error);
    while (status == SPR_OK && count) {
        const uint64_t part = count < most ? count : most;
        status = read_converted(profile, column, type, first, part, bytes, background, error);
        if (status == SPR_OK) memcpy(values, bytes, (size_t)part * size);
        values += part * size;
        first += part;
        count -= part;
    }
    free(bytes);
    free(background);
    return status;
}

static int read_store(const spr_profile *profile, const struct rd_column *column, uint64_t first, uint64_t count,
                      int64_t *values, spr_error *error) {
    if (rd_store_read(column->store, column->at + first * sizeof *values, values, (size_t)count)) return SPR_OK;
    return rd_fail(error, SPR_DAMAGED, profile->path, "its calls cannot be read (%s)",
                   errno ? strerror(errno) : "it has become shorter");
}

int rd_column_read(const spr_profile *profile, const struct rd_column *column, hid_t type, uint64_t first,
                   uint64_t count, void *values, spr_error *error) {
    if (!count) return SPR_OK;
    if (column->store) return read_store(profile, column, first, count, values, error);
    if (H5Tequal(column->type, type) > 0) return rd_data_read(column->data, first, count, values, error);
    return read_parts(profile, column, type, first, count, values, error);
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static int take_texts(spr_profile *profile, const struct rd_column *column, const struct rd_text *text,
                      const unsigned char *bytes, const char **values, spr_error *error) {
    if (rd_text_take(profile, text, bytes, (size_t)column->length, values)) return SPR_OK;
    char name[256] = "";
    H5Iget_name(column->id, name, sizeof name);
    return rd_fail(error, SPR_DAMAGED, profile->path, "dataset %s holds strings that cannot be found in the file",
                   name);
}

int rd_column_read_text(spr_profile *profile, const struct rd_column *column, const char **values, spr_error *error) {
    struct rd_text text;
    if (!column->length) return SPR_OK;
    rd_text_stored(column->type, &text);
    unsigned char *bytes = column->length <= SIZE_MAX / text.size ? malloc((size_t)column->length * text.size) : NULL;
    int status = bytes ? rd_data_read(column->data, 0, column->length, bytes, error) : rd_no_memory(profile, error);
    if (status == SPR_OK) status = take_texts(profile, column, &text, bytes, values, error);
    free(bytes);
    return status;
}
