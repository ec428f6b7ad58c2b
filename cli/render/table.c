#include "table.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MARGIN = 2, FRAME = 4 /* "│ " and " │" */, BETWEEN = 4, LEAST_FLEXIBLE = 4 };

struct table table_make(const char *const *headers, size_t columns) {
    struct table table = {.columns = columns, .headers = xalloc(columns, sizeof(char *))};
    memcpy(table.headers, headers, columns * sizeof(char *));
    return table;
}

void table_row(struct table *table, char *const *cells) {
    if ((table->rows & (table->rows - 1)) == 0) /* room doubles at powers of two */
        table->cells = xgrow(table->cells, (table->rows ? 2 * table->rows : 1) * table->columns, sizeof(char *));
    memcpy(table->cells + table->rows++ * table->columns, cells, table->columns * sizeof(char *));
}

void table_free(struct table *table) {
    for (size_t i = 0; i < table->rows * table->columns; i++) free(table->cells[i]);
    free(table->cells);
    free(table->headers);
}

static size_t *column_widths(const struct table *table) {
    size_t *widths = xalloc(table->columns, sizeof *widths);
    for (size_t c = 0; c < table->columns; c++) {
        widths[c] = text_width(table->headers[c]) + 2;
        for (size_t r = 0; r < table->rows; r++) {
            size_t width = text_width(table->cells[r * table->columns + c]);
            if (width > widths[c]) widths[c] = width;
        }
    }
    return widths;
}

static void fit(size_t *widths, size_t columns, size_t flexible, size_t room) {
    size_t whole = MARGIN + FRAME + BETWEEN * (columns - 1);
    for (size_t c = 0; c < columns; c++) whole += widths[c];
    if (!room || whole <= room) return;
    size_t excess = whole - room;
    widths[flexible] = widths[flexible] > excess + LEAST_FLEXIBLE ? widths[flexible] - excess : LEAST_FLEXIBLE;
}

static void print_rule(FILE *out, const size_t *widths, size_t columns, const char *left, const char *right) {
    fprintf(out, "  %s", left);
    size_t dashes = BETWEEN * (columns - 1) + 2;
    for (size_t c = 0; c < columns; c++) dashes += widths[c];
    while (dashes--) fputs("─", out);
    fprintf(out, "%s\n", right);
}

static void print_cells(FILE *out, const char *const *cells, const size_t *widths, size_t columns) {
    fputs("  │ ", out);
    for (size_t c = 0; c < columns; c++) {
        char *cell = text_cut(cells[c], widths[c]);
        if (c) fputs("    ", out);
        text_padded(out, cell, widths[c]);
        free(cell);
    }
    fputs(" │\n", out);
}

void table_print(const struct sink *sink, const struct table *table, size_t flexible) {
    size_t *widths = column_widths(table);
    fit(widths, table->columns, flexible, sink->columns);
    FILE *out = sink->stream;
    print_rule(out, widths, table->columns, "╭", "╮");
    print_cells(out, table->headers, widths, table->columns);
    print_rule(out, widths, table->columns, "├", "┤");
    for (size_t r = 0; r < table->rows; r++)
        print_cells(out, (const char *const *)table->cells + r * table->columns, widths, table->columns);
    print_rule(out, widths, table->columns, "╰", "╯");
    free(widths);
}
