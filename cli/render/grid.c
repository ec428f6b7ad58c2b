#include "grid.h"

#include "base/memory.h"

#include <stdlib.h>

enum { MARGIN = 2, BETWEEN = 3, LEAST_FLEXIBLE = 4 };

static size_t *column_widths(const struct table *table, size_t flexible, size_t room) {
    size_t *widths = xalloc(table->columns, sizeof *widths), whole = MARGIN + 1;
    for (size_t c = 0; c < table->columns; c++) {
        widths[c] = text_width(table->headers[c]) + 2;
        for (size_t r = 0; r < table->rows; r++) {
            size_t width = text_width(table->cells[r * table->columns + c]);
            if (width > widths[c]) widths[c] = width;
        }
        whole += widths[c] + BETWEEN;
    }
    if (room && whole > room) {
        size_t excess = whole - room;
        widths[flexible] = widths[flexible] > excess + LEAST_FLEXIBLE ? widths[flexible] - excess : LEAST_FLEXIBLE;
    }
    return widths;
}

static void print_rule(FILE *out, const size_t *widths, size_t columns, const char *left, const char *middle,
                       const char *right) {
    fputs("  ", out);
    for (size_t c = 0; c < columns; c++) {
        fputs(c ? middle : left, out);
        for (size_t i = 0; i < widths[c] + 2; i++) fputs("─", out);
    }
    fprintf(out, "%s\n", right);
}

static void print_cells(FILE *out, const char *const *cells, const size_t *widths, size_t columns) {
    fputs("  ", out);
    for (size_t c = 0; c < columns; c++) {
        char *cell = text_cut(cells[c], widths[c]);
        fputs("│ ", out);
        text_padded(out, cell, widths[c]);
        fputc(' ', out);
        free(cell);
    }
    fputs("│\n", out);
}

void grid_print(const struct sink *sink, const struct table *table, size_t flexible) {
    size_t *widths = column_widths(table, flexible, sink->columns), columns = table->columns;
    FILE *out = sink->stream;
    print_rule(out, widths, columns, "╭", "┬", "╮");
    print_cells(out, table->headers, widths, columns);
    print_rule(out, widths, columns, "├", "┼", "┤");
    for (size_t r = 0; r < table->rows; r++)
        print_cells(out, (const char *const *)table->cells + r * columns, widths, columns);
    print_rule(out, widths, columns, "╰", "┴", "╯");
    free(widths);
}
