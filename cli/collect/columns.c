#include "columns.h"
#include <stdlib.h>
#include <string.h>

hid_t text_type(void) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLTERM);
    return type;
}

/* For the conversion of texts HDF5 clears all of a buffer, 1 MiB by itself: that cost more than all else of a small
 * profile. */
static hid_t transfer_list(void) {
    enum { BUFFER = 65536 };
    hid_t list = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_buffer(list, BUFFER, NULL, NULL);
    return list;
}

bool column_write(hid_t group, const char *name, hid_t file_type, hid_t memory_type, const void *values, size_t count) {
    hsize_t size = count;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t set = H5Dcreate2(group, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t transfer = transfer_list();
    bool good = set >= 0 && (!count || H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, transfer, values) >= 0);
    H5Pclose(transfer);
    if (set >= 0) good = H5Dclose(set) >= 0 && good;
    H5Sclose(space);
    return good;
}

static bool attribute_write(hid_t object, const char *name, hid_t file_type, hid_t memory_type, const void *value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
    if (attribute >= 0) good = H5Aclose(attribute) >= 0 && good;
    H5Sclose(space);
    return good;
}

bool attribute_write_integer(hid_t object, const char *name, int64_t value) {
    return attribute_write(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

bool attribute_write_real(hid_t object, const char *name, double value) {
    return attribute_write(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

bool attribute_write_text(hid_t object, const char *name, const char *text) {
    hid_t type = text_type();
    bool good = attribute_write(object, name, type, type, &text);
    H5Tclose(type);
    return good;
}

bool attribute_write_texts(hid_t object, const char *name, const char *const *texts, size_t count) {
    const hsize_t size = count;
    hid_t type = text_type(), space = H5Screate_simple(1, &size, NULL);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && (!count || H5Awrite(attribute, type, texts) >= 0);
    if (attribute >= 0) good = H5Aclose(attribute) >= 0 && good;
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

static size_t cell_size(enum column_type type) {
    static const size_t sizes[] = {
        [COLUMN_U32] = sizeof(uint32_t), [COLUMN_U64] = sizeof(uint64_t),      [COLUMN_I64] = sizeof(int64_t),
        [COLUMN_I8] = sizeof(int8_t),    [COLUMN_TEXT] = sizeof(const char *),
    };
    return sizes[type];
}

static bool write_values(hid_t group, const struct column *column, const void *values, size_t count) {
    if (column->type == COLUMN_TEXT) {
        hid_t type = text_type();
        bool good = column_write(group, column->name, type, type, values, count);
        H5Tclose(type);
        return good;
    }
    const struct {
        hid_t file, memory;
    } types[] = {
        [COLUMN_U32] = {H5T_STD_U32LE, H5T_NATIVE_UINT32},
        [COLUMN_U64] = {H5T_STD_U64LE, H5T_NATIVE_UINT64},
        [COLUMN_I64] = {H5T_STD_I64LE, H5T_NATIVE_INT64},
        [COLUMN_I8] = {H5T_STD_I8LE, H5T_NATIVE_INT8},
    };
    return column_write(group, column->name, types[column->type].file, types[column->type].memory, values, count);
}

/* All members of a union begin at its address, so the first bytes of a cell are the value of the column's type. */
static void fill(const struct column *column, const char *items, size_t count, size_t size, char *values) {
    size_t width = cell_size(column->type);
    for (size_t i = 0; i < count; i++) {
        union cell cell;
        column->get(items + i * size, &cell);
        memcpy(values + i * width, &cell, width);
    }
}

bool columns_write(hid_t parent, const char *name, const struct column *columns, size_t num_columns, const void *items,
                   size_t count, size_t size) {
    char *values = malloc((count + 1) * sizeof(union cell));
    hid_t group = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = values && group >= 0;
    for (size_t i = 0; good && i < num_columns; i++) {
        fill(&columns[i], items, count, size, values);
        good = write_values(group, &columns[i], values, count);
    }
    if (group >= 0) good = H5Gclose(group) >= 0 && good;
    free(values);
    return good;
}
