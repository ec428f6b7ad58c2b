/* table.h: tables as people see them, in a box with rounded corners. TABLE_OPEN has no rules between its columns,
 * TABLE_GRID has, and TABLE_FLUSH is a grid without the two blanks before it:
 *
 *   ╭─────────────────────────────────╮      ╭──────────┬─────────────────╮
 *   │ region              total [s]   │      │ region   │ total [s] (a)   │
 *   ├─────────────────────────────────┤      ├──────────┼─────────────────┤
 *   │ setup               0.020075    │      │ solve    │ 0.5             │
 *   ╰─────────────────────────────────╯      ╰──────────┴─────────────────╯
 *
 * Every column is left-aligned and as wide as its header + 2 or its longest cell. On a terminal that is too narrow the
 * flexible column is cut first, then headers get two lines and columns stand closer, and at last each row becomes lines
 * of its own. Other cells are never cut: they are numbers. */
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
size_t table_shorten(struct table *table, size_t rows);  /* to that many at the most; returns how many went */
void table_free(struct table *table);

enum table_style { TABLE_OPEN, TABLE_GRID, TABLE_FLUSH };

/* `flexible`: the column of names. */
void table_print(const struct sink *sink, const struct table *table, size_t flexible, enum table_style style);

#endif
