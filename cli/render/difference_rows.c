/* Comparisons as CSV, Markdown and JSON. */
#include "base/memory.h"
#include "csv.h"
#include "difference.h"
#include "json.h"
#include "metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

void difference_csv(FILE *out, const struct difference *difference) {
    const size_t files = difference->comparison->files;
    const char *name = metric_look(difference->metric)->name;
    fputs(difference->by_path ? "path" : "region", out);
    for (size_t file = 0; file < files; file++) fprintf(out, ",%s_%c", name, (char)('a' + file));
    for (size_t file = 1; file < files; file++)
        fprintf(out, ",delta_%c,delta_percent_%c", (char)('a' + file), (char)('a' + file));
    fputs("\r\n", out);
    for (size_t i = 0; i < difference->count; i++) {
        const spr_compared *row = difference->rows[i];
        csv_field(out, row->name);
        for (size_t file = 0; file < files; file++) csv_number(out, row->values[file]);
        for (size_t file = 1; file < files; file++) {
            csv_number(out, spr_delta(row, 0, file));
            csv_number(out, spr_percent(row, 0, file));
        }
        fputs("\r\n", out);
    }
}

/* ---- Markdown ---------------------------------------------------------------------------------------------------- */

char *markdown_text(const char *name) {
    static const char special[] = "\\`*_{}[]()<>#|!~&$@";
    char *shown = text_shown(name), *text = xalloc(2 * strlen(shown) + 1, 1), *out = text;
    for (const char *at = shown; *at; at++) {
        if (strchr(special, *at)) *out++ = '\\';
        *out++ = *at;
    }
    free(shown);
    return text;
}

static void put_cell(FILE *out, char *cell) {
    fprintf(out, " %s |", cell);
    free(cell);
}

static void put_markdown_row(FILE *out, const struct difference *difference, const spr_compared *row) {
    fputc('|', out);
    put_cell(out, markdown_text(row->name));
    for (size_t file = 0; file < difference->comparison->files; file++) {
        put_cell(out, metric_value(difference->metric, row->values[file]));
        if (!file) continue;
        put_cell(out, metric_delta(spr_delta(row, 0, file)));
        put_cell(out, metric_percent(spr_percent(row, 0, file)));
    }
    fputc('\n', out);
}

void difference_markdown(FILE *out, const struct difference *difference, spr_profile *const *profiles) {
    const size_t files = difference->comparison->files;
    for (size_t file = 0; file < files; file++) {
        char *title = metric_title(profiles[file]), *text = markdown_text(title);
        fprintf(out, "- %c: %s\n", (char)('a' + file), text);
        free(text);
        free(title);
    }
    const char *label = metric_look(difference->metric)->label;
    fprintf(out, "\n| %s |", difference->by_path ? "path" : "region");
    for (size_t file = 0; file < files; file++) {
        const char letter = (char)('a' + file);
        fprintf(out, " %s (%c) |", label, letter);
        if (file) fprintf(out, " delta (%c) | delta [%%] (%c) |", letter, letter);
    }
    fputs("\n| --- |", out);
    for (size_t column = 0; column < files + 2 * (files - 1); column++) fputs(" ---: |", out);
    fputc('\n', out);
    for (size_t i = 0; i < difference->count; i++) put_markdown_row(out, difference, difference->rows[i]);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *row_object(const spr_compared *row, size_t files) {
    json_t *object = json_object(), *values = json_array(), *changes = json_array();
    json_object_set_new(object, "name", json_text_lossy(row->name));
    for (size_t file = 0; file < files; file++)
        json_array_append_new(values, json_number(row->present[file] ? row->values[file] : (double)NAN));
    for (size_t file = 1; file < files; file++) {
        json_t *change = json_object();
        json_object_set_new(change, "delta", json_number(spr_delta(row, 0, file)));
        json_object_set_new(change, "percent", json_number(spr_percent(row, 0, file)));
        json_object_set_new(change, "state",
                            json_string(!row->present[0] && !row->present[file] ? "absent"
                                        : !row->present[0]                      ? "new"
                                        : !row->present[file]                   ? "gone"
                                                                                : "both"));
        json_array_append_new(changes, change);
    }
    json_object_set_new(object, "values", values);
    json_object_set_new(object, "changes", changes);
    return object;
}

json_t *difference_json(const struct difference *difference, spr_profile *const *profiles) {
    const size_t count = difference->comparison->files;
    json_t *document = json_object(), *files = json_array(), *rows = json_array();
    for (size_t file = 0; file < count; file++) {
        json_t *object = json_object();
        char *title = metric_title(profiles[file]);
        json_object_set_new(object, "file", json_text_lossy(spr_path(profiles[file])));
        json_object_set_new(object, "title", json_text_lossy(title));
        json_object_set_new(object, "num_ranks", json_integer(spr_num_ranks(profiles[file])));
        json_array_append_new(files, object);
        free(title);
    }
    for (size_t i = 0; i < difference->count; i++) json_array_append_new(rows, row_object(difference->rows[i], count));
    json_object_set_new(document, "format", json_string("scope-profiler-diff"));
    json_object_set_new(document, "format_version", json_integer(1));
    json_object_set_new(document, "metric", json_string(metric_look(difference->metric)->name));
    json_object_set_new(document, "units", json_string(metric_look(difference->metric)->units));
    json_object_set_new(document, "by", json_string(difference->by_path ? "path" : "region"));
    json_object_set_new(document, "files", files);
    json_object_set_new(document, "regions", rows);
    return document;
}
