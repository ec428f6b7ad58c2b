/* Verdicts for people: the terminal, and GitHub's log. */
#include "verdict.h"

#include "base/memory.h"
#include "metric.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word, *key;
} words[VERDICT_KINDS] = {
    [VERDICT_OVER] = {"OVER", "over_budget"},     [VERDICT_SLOWER] = {"SLOWER", "slower"},
    [VERDICT_UNCLEAR] = {"unclear", "unclear"},   [VERDICT_PARTIAL] = {"partial", "not_comparable"},
    [VERDICT_MISSING] = {"missing", "missing"},   [VERDICT_NEW] = {"new", "new"},
    [VERDICT_FASTER] = {"faster", "faster"},      [VERDICT_OK] = {"ok", "ok"},
    [VERDICT_SMALL] = {"too small", "too_small"},
};

const char *verdict_word(enum verdict_kind kind) { return words[kind].word; }
const char *verdict_key(enum verdict_kind kind) { return words[kind].key; }

void verdict_note(struct verdict_report *report, char *note) {
    report->notes = xgrow(report->notes, report->num_notes + 1, sizeof *report->notes);
    report->notes[report->num_notes++] = note;
}

void verdict_report_free(struct verdict_report *report) {
    for (size_t i = 0; i < report->count; i++) {
        free(report->items[i].text);
        free(report->items[i].columns);
        free(report->items[i].advice);
    }
    for (size_t i = 0; i < report->num_notes; i++) free(report->notes[i]);
    free(report->items);
    free(report->notes);
    free(report->heading);
    free(report->limits);
    free(report->sentence);
    free(report->base);
    free(report->candidate);
    *report = (struct verdict_report){0};
}

/* ---- the terminal ------------------------------------------------------------------------------------------------ */

static void print_right(FILE *out, char *text, size_t width) {
    const size_t used = text_width(text);
    fprintf(out, "%*s%s", used < width ? (int)(width - used) : 0, "", text);
    free(text);
}

static void print_region(const struct sink *sink, const struct verdict *item, size_t width) {
    char *line = NULL, *name = text_shown(item->name);
    size_t length = 0;
    FILE *out = open_memstream(&line, &length);
    if (!out) return;
    fprintf(out, "  %-8s ", words[item->kind].word);
    text_padded(out, name, width);
    fputs("  ", out);
    print_right(out, metric_scaled(item->base), 9);
    fputs(" -> ", out);
    print_right(out, metric_scaled(item->candidate), 9);
    fprintf(out, "  %s", item->columns);
    fclose(out);
    while (length && line[length - 1] == ' ') line[--length] = '\0';
    sink_line(sink, "%s", line);
    if (item->advice) sink_line(sink, "  %8s %s", "", item->advice);
    free(name);
    free(line);
}

void verdict_text(const struct sink *sink, const struct verdict_report *report) {
    size_t width = 8, shown = 0;
    for (size_t i = 0; i < report->count; i++) {
        char *name = text_shown(report->items[i].name);
        if (report->items[i].kind != VERDICT_SMALL && text_width(name) > width) width = text_width(name);
        free(name);
    }
    if (width > 60) width = 60;
    if (report->heading) sink_line(sink, "scope-profiler check: %s", report->heading);
    if (report->limits) sink_line(sink, "%s", report->limits);
    sink_line(sink, "%s", "");
    for (size_t i = 0; i < report->count; i++) {
        if (report->items[i].kind == VERDICT_SMALL) continue;
        print_region(sink, &report->items[i], width);
        shown++;
    }
    if (shown) sink_line(sink, "%s", "");
    fprintf(sink->stream, "%s\n", report->sentence); /* whole, on any terminal */
    for (size_t i = 0; i < report->num_notes; i++) fprintf(sink->stream, "%s\n", report->notes[i]);
}

/* ---- GitHub ------------------------------------------------------------------------------------------------------ */

enum { MOST_ANNOTATIONS = 10 }; /* of a step; more are not shown */

static void put_escaped(FILE *out, const char *text, bool property) {
    for (; *text; text++) {
        const bool special =
            *text == '%' || *text == '\r' || *text == '\n' || (property && (*text == ':' || *text == ','));
        if (special)
            fprintf(out, "%%%02X", (unsigned char)*text);
        else
            fputc(*text, out);
    }
}

static void put_annotation(FILE *out, const char *level, const char *title, const char *text) {
    fprintf(out, "::%s title=", level);
    put_escaped(out, title, true);
    fputs("::", out);
    put_escaped(out, text, false);
    fputc('\n', out);
}

void verdict_github(FILE *out, const struct verdict_report *report) {
    size_t wanted = 0, put = 0;
    for (size_t i = 0; i < report->count; i++)
        wanted += report->items[i].fails || report->items[i].kind == VERDICT_UNCLEAR;
    for (int pass = 0; pass < 2; pass++) /* what fails first */
        for (size_t i = 0; i < report->count; i++) {
            const struct verdict *item = &report->items[i];
            if (pass == 0 ? !item->fails : item->fails || item->kind != VERDICT_UNCLEAR) continue;
            if (wanted > MOST_ANNOTATIONS && put == MOST_ANNOTATIONS - 1) continue;
            char *name = text_shown(item->name), *title = xformat("%s: %s", name, words[item->kind].word);
            put_annotation(out, pass == 0 ? "error" : "warning", title, item->text);
            free(title);
            free(name);
            put++;
        }
    if (wanted > put) {
        char *more = xformat("and %zu more regions", wanted - put);
        put_annotation(out, "warning", "scope-profiler check", more);
        free(more);
    }
    if (report->status == 2) put_annotation(out, "error", "scope-profiler check", report->sentence);
}
