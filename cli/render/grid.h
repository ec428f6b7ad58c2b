/* grid.h: a table with rules between its columns:
 *
 *   ╭──────────┬─────────────────╮
 *   │ region   │ total [s] (a)   │
 *   ├──────────┼─────────────────┤
 *   │ solve    │ 0.5             │
 *   ╰──────────┴─────────────────╯
 *
 * Columns are left-aligned and as wide as their header + 2 or their longest cell. */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include "table.h"

/* Two blanks before each line. `flexible`: the column that is cut when the terminal is too narrow. */
void grid_print(const struct sink *sink, const struct table *table, size_t flexible);

#endif
