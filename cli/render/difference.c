#include "difference.h"

#include "base/memory.h"
#include "metric.h"
#include "summary.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows -------------------------------------------------------------------------------------------------------- */

struct sorted {
    const spr_compared *row;
    double key; /* descending; NAN last */
};

static int by_key(const void *left, const void *right) {
    const struct sorted *a = left, *b = right;
    if (isnan(a->key) != isnan(b->key)) return isnan(a->key) ? 1 : -1;
    if (a->key > b->key || a->key < b->key) return a->key > b->key ? -1 : 1;
    return strcmp(a->row->name, b->row->name);
}

/* The largest change against the base in any of the files. */
static double largest(const spr_compared *row, size_t files, double (*change)(const spr_compared *, size_t, size_t)) {
    double most = (double)NAN;
    for (size_t file = 1; file < files; file++) {
        const double size = fabs(change(row, 0, file));
        if (!isnan(size) && !(size <= most)) most = size;
    }
    return most;
}

struct difference difference_make(const spr_comparison *comparison, enum spr_metric metric, bool by_path,
                                  enum difference_sort sort, double threshold) {
    struct difference difference = {.comparison = comparison, .metric = metric, .by_path = by_path};
    struct sorted *sorted = xalloc(comparison->count, sizeof *sorted);
    for (size_t i = 0; i < comparison->count; i++) {
        const spr_compared *row = &comparison->rows[i];
        const double percent = largest(row, comparison->files, spr_percent);
        if (percent < threshold) continue;
        sorted[difference.count++] =
            (struct sorted){row, sort == BY_NAME      ? 0
                                 : sort == BY_PERCENT ? percent
                                                      : largest(row, comparison->files, spr_delta)};
    }
    qsort(sorted, difference.count, sizeof *sorted, by_key);
    difference.rows = xalloc(difference.count, sizeof *difference.rows);
    for (size_t i = 0; i < difference.count; i++) difference.rows[i] = sorted[i].row;
    free(sorted);
    return difference;
}

void difference_free(struct difference *difference) { free(difference->rows); }

bool difference_new_time(const spr_compared *row, size_t file, enum spr_metric metric) {
    return metric_look(metric)->is_time && row->present[0] && row->values[0] == 0 && row->present[file] &&
           row->values[file] > 0;
}

/* ---- for people -------------------------------------------------------------------------------------------------- */

/* One file beside the base: a, b, delta, delta [%]. More: a, and for each of the others its value and delta [%]. */
static size_t fill_headers(const struct difference *difference, char **headers) {
    const size_t files = difference->comparison->files;
    const char *label = metric_look(difference->metric)->label;
    size_t count = 0;
    headers[count++] = xcopy(difference->by_path ? "path" : "region");
    for (size_t file = 0; file < files; file++) {
        headers[count++] = xformat("%s (%c)", label, (char)('a' + file));
        if (files > 2 && file) headers[count++] = xformat("delta [%%] (%c)", (char)('a' + file));
    }
    if (files > 2) return count;
    headers[count++] = xcopy("delta");
    headers[count++] = xcopy("delta [%]");
    return count;
}

static void fill_cells(const struct difference *difference, const spr_compared *row, char **cells) {
    const size_t files = difference->comparison->files;
    size_t count = 0;
    cells[count++] = text_shown(row->name);
    for (size_t file = 0; file < files; file++) {
        cells[count++] = metric_value(difference->metric, row->values[file]);
        if (files > 2 && file) cells[count++] = metric_percent(spr_percent(row, 0, file));
    }
    if (files > 2) return;
    cells[count++] = metric_delta(spr_delta(row, 0, files - 1));
    cells[count++] = metric_percent(spr_percent(row, 0, files - 1));
}

void difference_table(const struct sink *sink, const struct difference *difference) {
    char *headers[2 * DIFFERENCE_FILES + 3];
    if (!difference->count) {
        sink_line(sink, "  There is nothing to compare.");
        return;
    }
    const size_t columns = fill_headers(difference, headers);
    struct table table = table_make((const char *const *)headers, columns);
    for (size_t i = 0; i < difference->count; i++) {
        char *cells[2 * DIFFERENCE_FILES + 3];
        fill_cells(difference, difference->rows[i], cells);
        table_row(&table, cells);
    }
    table_print(sink, &table, 0, TABLE_GRID);
    table_free(&table);
    for (size_t c = 0; c < columns; c++) free(headers[c]);
}

static void print_names(const struct sink *sink, const struct difference *difference, const char *before,
                        bool (*listed)(const struct difference *, const spr_compared *, size_t, size_t), size_t one,
                        size_t other) {
    char *text = NULL;
    size_t length = 0, names = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return;
    for (size_t i = 0; i < difference->comparison->count; i++) { /* by name, whatever the table's order */
        const spr_compared *row = &difference->comparison->rows[i];
        if (!listed(difference, row, one, other)) continue;
        char *name = text_shown(row->name);
        fprintf(out, "%s%s", names++ ? ", " : "", name);
        free(name);
    }
    fclose(out);
    if (names) sink_line(sink, "  %s%s", before, text);
    free(text);
}

static bool is_only_in(const struct difference *difference, const spr_compared *row, size_t has, size_t lacks) {
    (void)difference;
    return row->present[has] && !row->present[lacks];
}

static bool has_new_time(const struct difference *difference, const spr_compared *row, size_t file, size_t unused) {
    (void)unused;
    return difference_new_time(row, file, difference->metric);
}

void difference_only(const struct sink *sink, const struct difference *difference, const char *before, size_t has,
                     size_t lacks) {
    print_names(sink, difference, before, is_only_in, has, lacks);
}

void difference_new_times(const struct sink *sink, const struct difference *difference, const char *before,
                          size_t file) {
    print_names(sink, difference, before, has_new_time, file, 0);
}

void difference_problems(const struct sink *sink, const char *heading, const spr_profile *profile,
                         const spr_selection *selection) {
    const struct rows no_rows = {0};
    char *text = NULL;
    size_t length = 0;
    struct sink lines = {.stream = open_memstream(&text, &length), .columns = sink->columns};
    if (!lines.stream) return;
    summary_problems(&lines, profile, selection, &no_rows);
    fclose(lines.stream);
    if (length) {
        sink_line(sink, "%s", heading);
        fputs(text, sink->stream);
    }
    free(text);
}
