#include "table.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

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

size_t table_shorten(struct table *table, size_t rows) {
    if (table->rows <= rows) return 0;
    const size_t gone = table->rows - rows;
    for (size_t i = rows * table->columns; i < table->rows * table->columns; i++) free(table->cells[i]);
    table->rows = rows;
    return gone;
}

void table_free(struct table *table) {
    for (size_t i = 0; i < table->rows * table->columns; i++) free(table->cells[i]);
    free(table->cells);
    free(table->headers);
}

/* ---- what fits --------------------------------------------------------------------------------------------------- */

static const struct look {
    size_t margin, narrow_margin; /* before a line */
    size_t gap, narrow_gap;       /* between cells */
    size_t edge, narrow_edge;     /* between the frame and a cell */
    const char *cross[3]; /* where a rule meets the columns: top, below the headers, bottom; NULL: nothing does */
} looks[] = {[TABLE_OPEN] = {2, 0, 4, 2, 1, 0, {NULL}},
             [TABLE_GRID] = {2, 0, 3, 1, 1, 0, {"┬", "┼", "┴"}},
             [TABLE_FLUSH] = {0, 0, 3, 1, 1, 0, {"┬", "┼", "┴"}}};

struct layout {
    const struct look *look;
    size_t *widths;
    size_t margin, gap, edge;
    bool narrow;  /* headers may have two lines */
    bool stacked; /* nothing of that fits: a row is lines */
};

enum { READABLE = 12, LEAST = 8 }; /* columns of a name that has been cut */

static size_t cells_width(const struct table *table, size_t column) {
    size_t widest = 0;
    for (size_t r = 0; r < table->rows; r++) {
        const size_t width = text_width(table->cells[r * table->columns + column]);
        if (width > widest) widest = width;
    }
    return widest;
}

/* The blank where the header is best broken into two lines; NULL: it has none. */
static const char *best_break(const char *header) {
    const char *best = NULL;
    size_t least = text_width(header);
    for (const char *at = header; (at = strchr(at, ' ')); at++) {
        const size_t left = (size_t)(at - header), right = text_width(at + 1), width = left > right ? left : right;
        if (width >= least) continue;
        least = width;
        best = at;
    }
    return best;
}

static size_t header_width(const char *header, bool narrow) {
    const char *at = narrow ? best_break(header) : NULL;
    if (!at) return text_width(header) + (narrow ? 0 : 2);
    const size_t left = (size_t)(at - header), right = text_width(at + 1);
    return left > right ? left : right;
}

/* How wide the columns, and with them the lines, want to be. */
static size_t measure(const struct table *table, struct layout *layout) {
    size_t whole = layout->margin + 2 * (1 + layout->edge) + layout->gap * (table->columns - 1);
    for (size_t c = 0; c < table->columns; c++) {
        const size_t header = header_width(table->headers[c], layout->narrow), cells = cells_width(table, c);
        layout->widths[c] = header > cells ? header : cells;
        whole += layout->widths[c];
    }
    return whole;
}

/* True, and the flexible column cut to what is left of the room, when that is at least `least` of it. */
static bool fits(const struct table *table, struct layout *layout, size_t flexible, size_t room, bool narrow,
                 size_t least) {
    const struct look *look = layout->look;
    layout->margin = narrow ? look->narrow_margin : look->margin;
    layout->gap = narrow ? look->narrow_gap : look->gap;
    layout->edge = narrow ? look->narrow_edge : look->edge;
    layout->narrow = narrow;
    const size_t whole = measure(table, layout), name = layout->widths[flexible];
    if (!room || whole <= room) return true;
    if (name > least) layout->widths[flexible] = least;
    if (whole - name + layout->widths[flexible] > room) return false;
    layout->widths[flexible] = room - (whole - name);
    return true;
}

static struct layout lay_out(const struct table *table, size_t flexible, size_t room, enum table_style style) {
    struct layout layout = {.look = &looks[style], .widths = xalloc(table->columns, sizeof(size_t))};
    layout.stacked =
        !fits(table, &layout, flexible, room, false, READABLE) && !fits(table, &layout, flexible, room, true, LEAST);
    return layout;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void repeat(FILE *out, const char *text, size_t times) {
    while (times--) fputs(text, out);
}

static void print_rule(FILE *out, const struct table *table, const struct layout *layout, const char *left,
                       const char *right, const char *cross) {
    repeat(out, " ", layout->margin);
    fputs(left, out);
    for (size_t c = 0; c < table->columns; c++) {
        const size_t before = c ? layout->gap / 2 : layout->edge;
        const size_t after = c + 1 < table->columns ? layout->gap - layout->gap / 2 - (cross != NULL) : layout->edge;
        repeat(out, "─", before + layout->widths[c] + after);
        if (cross && c + 1 < table->columns) fputs(cross, out);
    }
    fprintf(out, "%s\n", right);
}

static void print_cells(FILE *out, const char *const *cells, size_t columns, const struct layout *layout) {
    const bool grid = layout->look->cross[0] != NULL;
    fprintf(out, "%*s│%*s", (int)layout->margin, "", (int)layout->edge, "");
    for (size_t c = 0; c < columns; c++) {
        char *cell = text_cut(cells[c], layout->widths[c]);
        const size_t side = grid ? layout->gap / 2 : layout->gap;
        if (c && grid) fprintf(out, "%*s│%*s", (int)side, "", (int)side, "");
        if (c && !grid) repeat(out, " ", side);
        text_padded(out, cell, layout->widths[c]);
        free(cell);
    }
    fprintf(out, "%*s│\n", (int)layout->edge, "");
}

/* Headers that do not fit their columns go on in a second line. */
static void print_headers(FILE *out, const struct table *table, const struct layout *layout) {
    char **lines = xalloc(2 * table->columns, sizeof *lines);
    char **second = lines + table->columns;
    bool any = false;
    for (size_t c = 0; c < table->columns; c++) {
        const char *header = table->headers[c], *at = best_break(header);
        const bool broken = at && text_width(header) > layout->widths[c];
        lines[c] = broken ? xformat("%.*s", (int)(at - header), header) : xcopy(header);
        second[c] = xcopy(broken ? at + 1 : "");
        any |= broken;
    }
    print_cells(out, (const char *const *)lines, table->columns, layout);
    if (any) print_cells(out, (const char *const *)second, table->columns, layout);
    for (size_t i = 0; i < 2 * table->columns; i++) free(lines[i]);
    free(lines);
}

static void print_box(FILE *out, const struct table *table, const struct layout *layout) {
    const char *const *cross = layout->look->cross;
    print_rule(out, table, layout, "╭", "╮", cross[0]);
    print_headers(out, table, layout);
    print_rule(out, table, layout, "├", "┤", cross[1]);
    for (size_t r = 0; r < table->rows; r++)
        print_cells(out, (const char *const *)table->cells + r * table->columns, table->columns, layout);
    print_rule(out, table, layout, "╰", "╯", cross[2]);
}

/* The name, and below it each other cell with its header. */
static void print_stacked(const struct sink *sink, const struct table *table, size_t flexible) {
    size_t widest = 0;
    for (size_t c = 0; c < table->columns; c++)
        if (c != flexible && text_width(table->headers[c]) > widest) widest = text_width(table->headers[c]);
    for (size_t r = 0; r < table->rows; r++) {
        char *const *cells = table->cells + r * table->columns;
        sink_line(sink, "  %s %s", table->headers[flexible], cells[flexible]);
        for (size_t c = 0; c < table->columns; c++) {
            if (c == flexible || !*cells[c]) continue;
            fputs("    ", sink->stream);
            text_padded(sink->stream, table->headers[c], widest);
            fprintf(sink->stream, "  %s\n", cells[c]);
        }
    }
}

void table_print(const struct sink *sink, const struct table *table, size_t flexible, enum table_style style) {
    const struct layout layout = lay_out(table, flexible, sink->columns, style);
    if (layout.stacked)
        print_stacked(sink, table, flexible);
    else
        print_box(sink->stream, table, &layout);
    free(layout.widths);
}
