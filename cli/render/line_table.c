#include "line_table.h"

#include "base/memory.h"
#include "json.h"
#include "line_source.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 6, SOURCE = 5 };
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

static void add_line(struct table *lines, int64_t at, const spr_line *line, double total, char *source) {
    char *const cells[COLUMNS] = {xformat("%" PRId64, at),
                                  line ? xformat("%" PRId64, line->hits) : xcopy(""),
                                  line ? number("%.6g", line->seconds) : xcopy(""),
                                  line ? number("%.6g", per_hit(line)) : xcopy(""),
                                  line ? number("%.2f", percent(line, total)) : xcopy(""),
                                  source};
    table_row(lines, cells);
}

static size_t indentation(const char *text) { return strspn(text, " "); }

/* The line's text without the first `margin` blanks. */
static char *source_cell(struct line_source *source, int64_t at, size_t margin) {
    char *text = line_source_line(source, at);
    if (!text) return xcopy(source->state == LINE_SOURCE_NONE ? "(source unavailable)" : "");
    size_t blanks = indentation(text);
    memmove(text, text + (blanks < margin ? blanks : margin), strlen(text) + 1 - (blanks < margin ? blanks : margin));
    return text;
}

static struct table make_lines(const spr_line_record *record, struct line_source *source) {
    struct table lines = table_make(headers, COLUMNS);
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
    struct table lines = make_lines(record, &source);
    print_heading(sink, record);
    table_print(sink, &lines, SOURCE, TABLE_FLUSH);
    table_free(&lines);
    bool changed = source.state == LINE_SOURCE_CHANGED;
    line_source_free(&source);
    return changed;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *line_json(const spr_line *line, double total, struct line_source *source) {
    char *shown = line_source_line(source, line->number);
    json_t *object =
        json_pack("{s:I, s:I, s:o, s:o, s:o, s:o}", "line", (json_int_t)line->number, "hits", (json_int_t)line->hits,
                  "seconds", json_number(line->seconds), "seconds_per_hit", json_number(per_hit(line)), "percent",
                  json_number(percent(line, total)), "source", json_text_lossy(shown));
    free(shown);
    return object;
}

json_t *line_table_json(const spr_line_record *record) {
    struct line_source source = line_source_get(record);
    const double total = total_of(record);
    json_t *lines = json_array();
    for (size_t i = 0; i < record->num_lines; i++)
        json_array_append_new(lines, line_json(&record->lines[i], total, &source));
    json_t *object =
        json_pack("{s:i, s:o, s:o, s:o, s:I, s:o, s:b, s:o}", "rank", (int)record->rank, "region",
                  json_text_lossy(record->region), "function", json_text_lossy(record->function), "filename",
                  json_text_lossy(record->filename), "first_lineno", (json_int_t)record->first_line, "total_seconds",
                  json_number(total), "source_changed", source.state == LINE_SOURCE_CHANGED, "lines", lines);
    line_source_free(&source);
    return object;
}
