/* columns.h: HDF5 in the shapes that a profile has: groups of equally long one-dimensional columns, and attributes. */
#ifndef COLLECT_COLUMNS_H
#define COLLECT_COLUMNS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum column_type { COLUMN_U32, COLUMN_U64, COLUMN_I64, COLUMN_I8, COLUMN_TEXT };

union cell {
    uint32_t u32;
    uint64_t u64;
    int64_t i64;
    int8_t i8;
    const char *text;
};

struct column {
    const char *name;
    enum column_type type;
    void (*get)(const void *item, union cell *cell);
};

/* Writes `count` items of `size` bytes as a group of columns, each exactly sized and in one piece. False: see errno. */
bool columns_write(hid_t parent, const char *group, const struct column *columns, size_t num_columns, const void *items,
                   size_t count, size_t size);

bool column_write(hid_t group, const char *name, hid_t file_type, hid_t memory_type, const void *values, size_t count);

bool attribute_write_integer(hid_t object, const char *name, int64_t value);
bool attribute_write_real(hid_t object, const char *name, double value);
bool attribute_write_text(hid_t object, const char *name, const char *text);
bool attribute_write_texts(hid_t object, const char *name, const char *const *texts, size_t count); /* may be 0 */

/* Variable-length UTF-8; H5Tclose() it. */
hid_t text_type(void);

#endif
