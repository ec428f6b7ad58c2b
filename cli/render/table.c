#include "table.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    MARGIN = 2,
    FRAME = 4, /* "│ " and " │" */
    BETWEEN = 4,
    LEAST_BETWEEN = 2,
    READABLE = 16, /* of a flexible column, before blanks go for it */
    LEAST_FLEXIBLE = 4
};

struct layout {
    size_t *widths, columns, between;
};

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

static struct layout make_layout(const struct table *table, bool squeezed) {
    struct layout layout = {.widths = xalloc(table->columns, sizeof *layout.widths),
                            .columns = table->columns,
                            .between = squeezed ? LEAST_BETWEEN : BETWEEN};
    for (size_t c = 0; c < table->columns; c++) {
        layout.widths[c] = text_width(table->headers[c]) + (squeezed ? 0 : 2);
        for (size_t r = 0; r < table->rows; r++) {
            size_t width = text_width(table->cells[r * table->columns + c]);
            if (width > layout.widths[c]) layout.widths[c] = width;
        }
    }
    return layout;
}

/* What sticks out of a terminal of `room` columns; 0: of none. */
static size_t find_excess(const struct layout *layout, size_t room) {
    size_t whole = MARGIN + FRAME + layout->between * (layout->columns - 1);
    for (size_t c = 0; c < layout->columns; c++) whole += layout->widths[c];
    return room && whole > room ? whole - room : 0;
}

static struct layout fit(const struct table *table, size_t flexible, size_t room) {
    struct layout layout = make_layout(table, false);
    size_t excess = find_excess(&layout, room);
    if (excess && layout.widths[flexible] < excess + READABLE) {
        free(layout.widths);
        layout = make_layout(table, true);
        excess = find_excess(&layout, room);
    }
    size_t *width = &layout.widths[flexible];
    if (excess) *width = *width > excess + LEAST_FLEXIBLE ? *width - excess : LEAST_FLEXIBLE;
    return layout;
}

static void print_rule(FILE *out, const struct layout *layout, const char *left, const char *right) {
    fprintf(out, "  %s", left);
    size_t dashes = layout->between * (layout->columns - 1) + 2;
    for (size_t c = 0; c < layout->columns; c++) dashes += layout->widths[c];
    while (dashes--) fputs("─", out);
    fprintf(out, "%s\n", right);
}

static void print_cells(FILE *out, const char *const *cells, const struct layout *layout) {
    fputs("  │ ", out);
    for (size_t c = 0; c < layout->columns; c++) {
        char *cell = text_cut(cells[c], layout->widths[c]);
        if (c) fprintf(out, "%*s", (int)layout->between, "");
        text_padded(out, cell, layout->widths[c]);
        free(cell);
    }
    fputs(" │\n", out);
}

void table_print(const struct sink *sink, const struct table *table, size_t flexible) {
    struct layout layout = fit(table, flexible, sink->columns);
    FILE *out = sink->stream;
    print_rule(out, &layout, "╭", "╮");
    print_cells(out, table->headers, &layout);
    print_rule(out, &layout, "├", "┤");
    for (size_t r = 0; r < table->rows; r++)
        print_cells(out, (const char *const *)table->cells + r * table->columns, &layout);
    print_rule(out, &layout, "╰", "╯");
    free(layout.widths);
}
