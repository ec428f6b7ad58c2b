#include "summary.h"

#include "base/memory.h"
#include "table.h"

#include <stdlib.h>

static void add_row(struct table *table, const struct columns *columns, const struct row *row, const struct rows *rows,
                    bool own) {
    char *cells[4 * COLUMNS_MOST];
    for (size_t i = 0; i < columns->count; i++) cells[i] = columns_cell(columns, columns->chosen[i], row, rows, own);
    table_row(table, cells);
}

/* The column that gives way on a narrow terminal: the names; else the first. */
static size_t flexible_column(const struct columns *columns) {
    for (size_t i = 0; i < columns->count; i++)
        if (columns->chosen[i] == 0) return i;
    return 0;
}

void summary_table(const struct sink *sink, const struct rows *rows, const struct columns *columns, size_t most) {
    if (!rows->count) {
        sink_line(sink, "  No regions were recorded.");
        sink_line(sink, "%s", "");
        return;
    }
    const char *headers[4 * COLUMNS_MOST];
    for (size_t i = 0; i < columns->count; i++) headers[i] = columns_header(columns->chosen[i]);
    struct table table = table_make(headers, columns->count);
    size_t shown = most && rows->count > most ? most : rows->count;
    for (size_t i = 0; i < shown; i++) {
        const struct row *row = &rows->items[i];
        add_row(&table, columns, row, rows, false);
        if (row->has_children) add_row(&table, columns, row, rows, true);
    }
    table_print(sink, &table, flexible_column(columns), TABLE_OPEN);
    table_free(&table);
    if (shown < rows->count) sink_line(sink, "  and %zu more rows; inspect shows all", rows->count - shown);
    sink_line(sink, "%s", "");
}
