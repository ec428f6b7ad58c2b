/* Comparisons as CSV, Markdown and JSON. */
#include "base/memory.h"
#include "difference.h"
#include "metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

static void put_field(FILE *out, const char *text) {
    const bool quoted = text[strcspn(text, ",\"\r\n")];
    if (quoted) fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    if (quoted) fputc('"', out);
}

static void put_number(FILE *out, double value) {
    fputc(',', out);
    if (isfinite(value)) fprintf(out, "%.15g", value + 0.0);
}

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
        put_field(out, row->name);
        for (size_t file = 0; file < files; file++) put_number(out, row->values[file]);
        for (size_t file = 1; file < files; file++) {
            put_number(out, spr_delta(row, 0, file));
            put_number(out, spr_percent(row, 0, file));
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

static json_t *number(double value) { return isfinite(value) ? json_real(value + 0.0) : json_null(); }

static void set_text(json_t *object, const char *key, const char *text) {
    char *lossy = text_lossy(text);
    json_object_set_new(object, key, json_string(lossy));
    free(lossy);
}

static json_t *row_object(const spr_compared *row, size_t files) {
    json_t *object = json_object(), *values = json_array(), *changes = json_array();
    set_text(object, "name", row->name);
    for (size_t file = 0; file < files; file++)
        json_array_append_new(values, number(row->present[file] ? row->values[file] : (double)NAN));
    for (size_t file = 1; file < files; file++) {
        json_t *change = json_object();
        json_object_set_new(change, "delta", number(spr_delta(row, 0, file)));
        json_object_set_new(change, "percent", number(spr_percent(row, 0, file)));
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
        set_text(object, "file", spr_path(profiles[file]));
        set_text(object, "title", title);
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
