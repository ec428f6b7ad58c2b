#include "line_table.h"

#include "base/memory.h"
#include "line_source.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 6, SOURCE = 5, FRAME = 4, BETWEEN = 3, LEAST_SOURCE = 8 };
static const char *const headers[COLUMNS] = {"line", "hits", "time [s]", "per hit [s]", "% time", "source"};

/* Lines that were not executed are shown between those that were; a file that claims lines far apart gets gaps. */
#define LONGEST_GAP 2000

static double total_of(const spr_line_record *record) {
    double total = 0;
    for (size_t i = 0; i < record->num_lines; i++)
        if (isfinite(record->lines[i].seconds)) total += record->lines[i].seconds;
    return total;
}

static double per_hit(const spr_line *line) {
    return line->hits > 0 ? line->seconds / (double)line->hits : (double)NAN;
}

static double percent(const spr_line *line, double total) {
    return total > 0 ? 100 * line->seconds / total : (double)NAN;
}

static char *number(const char *format, double value) {
    char text[64];
    if (!isfinite(value)) return xcopy("-");
    snprintf(text, sizeof text, format, value + 0.0);
    return xcopy(text);
}

struct lines {
    char *(*cells)[COLUMNS];
    size_t count;
};

static void add_line(struct lines *lines, int64_t at, const spr_line *line, double total, char *source) {
    if ((lines->count & (lines->count - 1)) == 0) /* room doubles at powers of two */
        lines->cells = xgrow(lines->cells, lines->count ? 2 * lines->count : 1, sizeof *lines->cells);
    char **cells = lines->cells[lines->count++];
    cells[0] = xformat("%" PRId64, at);
    cells[1] = line ? xformat("%" PRId64, line->hits) : xcopy("");
    cells[2] = line ? number("%.6g", line->seconds) : xcopy("");
    cells[3] = line ? number("%.6g", per_hit(line)) : xcopy("");
    cells[4] = line ? number("%.2f", percent(line, total)) : xcopy("");
    cells[SOURCE] = source;
}

static size_t indentation(const char *text) { return strspn(text, " "); }

/* The line's text without the first `margin` blanks. */
static char *source_cell(const struct line_source *source, int64_t at, size_t margin) {
    char *text = line_source_line(source, at);
    if (!text) return xcopy(source->state == LINE_SOURCE_NONE ? "(source unavailable)" : "");
    size_t blanks = indentation(text);
    memmove(text, text + (blanks < margin ? blanks : margin), strlen(text) + 1 - (blanks < margin ? blanks : margin));
    return text;
}

static struct lines make_lines(const spr_line_record *record, const struct line_source *source) {
    struct lines lines = {0};
    const double total = total_of(record);
    char *first = record->num_lines ? line_source_line(source, record->lines[0].number) : NULL;
    const size_t margin = first ? indentation(first) : 0;
    free(first);
    for (size_t i = 0; i < record->num_lines; i++) {
        const spr_line *line = &record->lines[i];
        const int64_t before = i ? record->lines[i - 1].number : line->number;
        for (int64_t at = before + 1; at < line->number && line->number - before <= LONGEST_GAP; at++)
            if (source->text) add_line(&lines, at, NULL, total, source_cell(source, at, margin));
        add_line(&lines, line->number, line, total, source_cell(source, line->number, margin));
    }
    return lines;
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static void measure(const struct lines *lines, size_t room, size_t widths[COLUMNS]) {
    size_t whole = FRAME + BETWEEN * (COLUMNS - 1);
    for (size_t c = 0; c < COLUMNS; c++) {
        widths[c] = strlen(headers[c]) + 2;
        for (size_t r = 0; r < lines->count; r++) {
            size_t width = text_width(lines->cells[r][c]);
            if (width > widths[c]) widths[c] = width;
        }
        whole += widths[c];
    }
    if (!room || whole <= room) return;
    size_t excess = whole - room;
    widths[SOURCE] = widths[SOURCE] > excess + LEAST_SOURCE ? widths[SOURCE] - excess : LEAST_SOURCE;
}

static void print_rule(FILE *out, const size_t widths[COLUMNS], const char *left, const char *middle,
                       const char *right) {
    for (size_t c = 0; c < COLUMNS; c++) {
        fputs(c ? middle : left, out);
        for (size_t i = 0; i < widths[c] + 2; i++) fputs("─", out);
    }
    fprintf(out, "%s\n", right);
}

static void print_cells(FILE *out, const char *const cells[COLUMNS], const size_t widths[COLUMNS]) {
    for (size_t c = 0; c < COLUMNS; c++) {
        char *cell = text_cut(cells[c], widths[c]);
        fputs(c ? " │ " : "│ ", out);
        text_padded(out, cell, widths[c]);
        free(cell);
    }
    fputs(" │\n", out);
}

static void print_heading(const struct sink *sink, const spr_line_record *record) {
    char *region = text_shown(record->region), *function = text_shown(record->function),
         *file = text_shown(record->filename);
    fputc('\n', sink->stream);
    sink_line(sink, "Rank %" PRIu32 " | %s | %s (%s:%" PRId64 ")", record->rank, region, function, file,
              record->first_line);
    free(region);
    free(function);
    free(file);
}

bool line_table_print(const struct sink *sink, const spr_line_record *record) {
    struct line_source source = line_source_get(record);
    struct lines lines = make_lines(record, &source);
    size_t widths[COLUMNS];
    FILE *out = sink->stream;
    measure(&lines, sink->columns, widths);
    print_heading(sink, record);
    print_rule(out, widths, "╭", "┬", "╮");
    print_cells(out, headers, widths);
    print_rule(out, widths, "├", "┼", "┤");
    for (size_t r = 0; r < lines.count; r++) {
        print_cells(out, (const char *const *)lines.cells[r], widths);
        for (size_t c = 0; c < COLUMNS; c++) free(lines.cells[r][c]);
    }
    print_rule(out, widths, "╰", "┴", "╯");
    free(lines.cells);
    bool changed = source.state == LINE_SOURCE_CHANGED;
    line_source_free(&source);
    return changed;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *real(double value) { return isfinite(value) ? json_real(value + 0.0) : json_null(); }

static json_t *text(const char *value) {
    char *lossy = value ? text_lossy(value) : NULL;
    json_t *string = lossy ? json_string(lossy) : json_null();
    free(lossy);
    return string;
}

static json_t *line_json(const spr_line *line, double total, const struct line_source *source) {
    char *shown = line_source_line(source, line->number);
    json_t *object = json_pack("{s:I, s:I, s:o, s:o, s:o, s:o}", "line", (json_int_t)line->number, "hits",
                               (json_int_t)line->hits, "seconds", real(line->seconds), "seconds_per_hit",
                               real(per_hit(line)), "percent", real(percent(line, total)), "source", text(shown));
    free(shown);
    return object;
}

json_t *line_table_json(const spr_line_record *record) {
    struct line_source source = line_source_get(record);
    const double total = total_of(record);
    json_t *lines = json_array();
    for (size_t i = 0; i < record->num_lines; i++)
        json_array_append_new(lines, line_json(&record->lines[i], total, &source));
    json_t *object = json_pack("{s:i, s:o, s:o, s:o, s:I, s:o, s:b, s:o}", "rank", (int)record->rank, "region",
                               text(record->region), "function", text(record->function), "filename",
                               text(record->filename), "first_lineno", (json_int_t)record->first_line, "total_seconds",
                               real(total), "source_changed", source.state == LINE_SOURCE_CHANGED, "lines", lines);
    line_source_free(&source);
    return object;
}
