/* table.h: a box with rounded corners and no rules between its columns:
 *
 *   ╭─────────────────────────────────╮
 *   │ region              total [s]   │
 *   ├─────────────────────────────────┤
 *   │ setup               0.020075    │
 *   ╰─────────────────────────────────╯
 *
 * Every column is left-aligned and as wide as its header + 2 or its longest cell. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "text.h"

struct table {
    size_t columns, rows;
    const char **headers; /* `columns` of them, not owned */
    char **cells;         /* rows * columns, owned */
};

struct table table_make(const char *const *headers, size_t columns);
void table_row(struct table *table, char *const *cells); /* takes the `columns` cells over */
void table_free(struct table *table);

/* `flexible`: the column that is cut when the terminal is too narrow; before it gets too short to be read, columns move
 * together. */
void table_print(const struct sink *sink, const struct table *table, size_t flexible);

#endif
