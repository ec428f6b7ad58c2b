/* columns.h: the columns that a region table can have. */
#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include "rows.h"

extern const char *const columns_keys[]; /* what --columns takes */
extern const size_t columns_count;
enum { COLUMNS_MOST = 17 };

/* A choice of columns, by index into columns_keys, in the order of printing. */
struct columns {
    size_t chosen[4 * COLUMNS_MOST];
    size_t count;
};

/* Adds the columns of a word (names separated by commas). False: none of them is added, and *unknown is the part that
 * is no column (to be free()d); may be NULL. */
bool columns_add(struct columns *columns, const char *word, char **unknown);

/* region and total, with the percentage of the session between them where the rows have one. */
struct columns columns_default(const struct rows *rows);

bool columns_need_calls(const struct columns *columns); /* one of them is a percentile */

const char *columns_header(size_t column);

/* The text of a row's cell; `own`: of the row below it that stands for the row's own time. free() it. */
char *columns_cell(const struct columns *columns, size_t column, const struct row *row, const struct rows *rows,
                   bool own);

#endif
