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
/* Neighbouring rows share chunks: keep those of a few rows. */
#define CHUNK_CACHE_SLOTS 12421
#define CHUNK_CACHE_BYTES ((size_t)32 << 20)

bool rd_has_link(hid_t group, const char *name) {
    H5L_info_t info;
    return H5Lexists(group, name, H5P_DEFAULT) > 0 && H5Lget_info(group, name, &info, H5P_DEFAULT) >= 0 &&
           info.type == H5L_TYPE_HARD;
}

hid_t rd_open_group(hid_t parent, const char *name) {
    return rd_has_link(parent, name) ? H5Gopen2(parent, name, H5P_DEFAULT) : -1;
}

/* The file's claims about one dataset. */
struct layout {
    uint64_t length, element, chunk;
    bool filtered, elsewhere; /* elsewhere: the values are in other files */
};

static bool read_layout(hid_t dataset, struct layout *layout) {
    const hid_t space = H5Dget_space(dataset), plist = H5Dget_create_plist(dataset);
    hsize_t length = 0, chunk = 0;
    bool fine = space >= 0 && plist >= 0 && H5Sget_simple_extent_type(space) == H5S_SIMPLE &&
                H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &length, NULL) == 1;
    if (fine) {
        const H5D_layout_t kind = H5Pget_layout(plist);
        fine = kind != H5D_LAYOUT_ERROR && (kind != H5D_CHUNKED || H5Pget_chunk(plist, 1, &chunk) == 1);
        layout->elsewhere = kind == H5D_VIRTUAL || H5Pget_external_count(plist) != 0;
        layout->filtered = H5Pget_nfilters(plist) != 0;
    }
    layout->length = length;
    layout->chunk = chunk;
    if (space >= 0) H5Sclose(space);
    if (plist >= 0) H5Pclose(plist);
    return fine;
}

static bool read_type(hid_t dataset, enum rd_content content, uint64_t *element) {
    const hid_t type = H5Dget_type(dataset);
    if (type < 0) return false;
    const H5T_class_t class = H5Tget_class(type);
    *element = H5Tget_size(type);
    bool fine = *element > 0;
    switch (content) {
    case RD_INTEGERS:
        fine = fine && (class == H5T_INTEGER || class == H5T_ENUM) && *element <= 8;
        break;
    case RD_NUMBERS:
        fine = fine && (class == H5T_INTEGER || class == H5T_FLOAT) && *element <= 8;
        break;
    case RD_TEXT:
        fine = fine && class == H5T_STRING;
        break;
    case RD_RECORDS:
        fine = fine && class == H5T_COMPOUND && *element <= 4096;
        break;
    }
    H5Tclose(type);
    return fine;
}

static const char *const content_names[] = {
    [RD_INTEGERS] = "integers", [RD_NUMBERS] = "numbers", [RD_TEXT] = "strings", [RD_RECORDS] = "records"};

/* What is wrong with the dataset, NULL if nothing. */
static const char *find_fault(const spr_profile *profile, const struct layout *layout) {
    const uint64_t file = (uint64_t)profile->file_bytes;
    if (layout->elsewhere) return "keeps its values in other files";
    if (layout->filtered && layout->chunk > (uint64_t)LARGEST_CHUNK / layout->element) return "has too large chunks";
    if (!layout->filtered && layout->chunk > file / layout->element) return "has chunks larger than the file";
    const uint64_t most = layout->filtered && file < UINT64_MAX / MOST_PER_BYTE ? file * MOST_PER_BYTE : file;
    if (layout->length > most / layout->element) return "claims more elements than the file can hold (truncated?)";
    return NULL;
}

static hid_t open_dataset(hid_t group, const char *name, bool scattered) {
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    if (access < 0) return -1;
    if (scattered) H5Pset_chunk_cache(access, CHUNK_CACHE_SLOTS, CHUNK_CACHE_BYTES, 1.0);
    const hid_t dataset = H5Dopen2(group, name, access);
    H5Pclose(access);
    return dataset;
}

static int open_column(const spr_profile *profile, hid_t group, const char *where, const char *name,
                       enum rd_content content, bool scattered, struct rd_column *column, spr_error *error) {
    *column = RD_NO_COLUMN;
    if (H5Lexists(group, name, H5P_DEFAULT) <= 0) return SPR_OK;
    const hid_t dataset = rd_has_link(group, name) ? open_dataset(group, name, scattered) : -1;
    if (dataset < 0) return rd_fail(error, SPR_DAMAGED, profile->path, "%s/%s is not a readable dataset", where, name);

    struct layout layout = {0};
    const char *fault = NULL;
    if (!read_layout(dataset, &layout))
        fault = "is not one-dimensional";
    else if (!read_type(dataset, content, &layout.element))
        fault = "";
    else
        fault = find_fault(profile, &layout);
    if (fault) {
        H5Dclose(dataset);
        return *fault ? rd_fail(error, SPR_DAMAGED, profile->path, "dataset %s/%s %s", where, name, fault)
                      : rd_fail(error, SPR_DAMAGED, profile->path, "dataset %s/%s does not hold %s", where, name,
                                content_names[content]);
    }
    *column = (struct rd_column){.id = dataset, .length = layout.length, .chunk = layout.chunk};
    return SPR_OK;
}

int rd_column_open(const spr_profile *profile, hid_t group, const char *where, const char *name,
                   enum rd_content content, struct rd_column *column, spr_error *error) {
    return open_column(profile, group, where, name, content, false, column, error);
}

int rd_column_open_scattered(const spr_profile *profile, hid_t group, const char *where, const char *name,
                             struct rd_column *column, spr_error *error) {
    return open_column(profile, group, where, name, RD_INTEGERS, true, column, error);
}

void rd_column_close(struct rd_column *column) {
    if (column->id >= 0) H5Dclose(column->id);
    *column = RD_NO_COLUMN;
}

static int read_failed(const spr_profile *profile, const struct rd_column *column, spr_error *error) {
    char reason[256], name[256] = "";
    rd_hdf5_reason(reason, sizeof reason);
    H5Iget_name(column->id, name, sizeof name);
    return rd_fail(error, SPR_DAMAGED, profile->path, "dataset %s cannot be read (%s)", name, reason);
}

/* What HDF5 says of a failure is gone with the next call of it: the message is made before anything is closed. */
static int read_part(const spr_profile *profile, const struct rd_column *column, hid_t type, hsize_t first,
                     hsize_t count, void *values, spr_error *error) {
    hid_t file_space = H5S_ALL, memory_space = H5S_ALL;
    if (first != 0 || count != column->length) {
        file_space = H5Dget_space(column->id);
        memory_space = H5Screate_simple(1, &count, NULL);
    }
    int status = SPR_OK;
    if (file_space < 0 || memory_space < 0 ||
        (file_space != H5S_ALL && H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &first, NULL, &count, NULL) < 0) ||
        H5Dread(column->id, type, memory_space, file_space, H5P_DEFAULT, values) < 0)
        status = read_failed(profile, column, error);
    if (file_space > 0) H5Sclose(file_space);
    if (memory_space > 0) H5Sclose(memory_space);
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
    return column->store ? read_store(profile, column, first, count, values, error)
                         : read_part(profile, column, type, first, count, values, error);
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
    if (!column->length) return SPR_OK;
    const hid_t type = H5Dget_type(column->id);
    struct rd_text text;
    int status = SPR_OK;
    unsigned char *bytes = NULL;
    if (type < 0 || !rd_text_begin(profile, type, &text)) {
        status = read_failed(profile, column, error);
    } else {
        bytes = column->length <= SIZE_MAX / text.size ? malloc((size_t)column->length * text.size) : NULL;
        if (!bytes)
            status = rd_no_memory(profile, error);
        else
            status = read_part(profile, column, text.memory, 0, column->length, bytes, error);
        if (status == SPR_OK) status = take_texts(profile, column, &text, bytes, values, error);
        rd_text_end(profile, &text);
    }
    free(bytes);
    if (type >= 0) H5Tclose(type);
    return status;
}
