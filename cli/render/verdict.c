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

enum { WORD = 11 /* with the blanks around it */, READABLE = 12, LONGEST_NAME = 60 };

static void print_right(FILE *out, char *text, size_t width) {
    const size_t used = text_width(text);
    fprintf(out, "%*s%s", used < width ? (int)(width - used) : 0, "", text);
    free(text);
}

/* Both values, and what the test said. */
static char *numbers_of(const struct verdict *item) {
    char *line = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&line, &length);
    if (!out) return xcopy("");
    print_right(out, metric_scaled(item->base), 9);
    fputs(" -> ", out);
    print_right(out, metric_scaled(item->candidate), 9);
    fprintf(out, "  %s", item->columns);
    fclose(out);
    while (length && line[length - 1] == ' ') line[--length] = '\0';
    return line;
}

/* What stands apart in `text`, on as many lines as it takes: no piece is broken. */
static void print_pieces(const struct sink *sink, const char *text) {
    size_t at = 0;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        const char *end = strstr(text, "  ");
        const size_t length = end ? (size_t)(end - text) : strlen(text);
        char *piece = xformat("%.*s", (int)length, text);
        const size_t width = text_width(piece);
        if (at && at + 2 + width > sink->columns) fputc('\n', sink->stream), at = 0;
        fprintf(sink->stream, "%*s%s", at ? 2 : WORD, "", piece);
        at = at ? at + 2 + width : WORD + width;
        free(piece);
        text += length;
    }
    fputc('\n', sink->stream);
}

/* name_width 0: the name has a line of its own. What are numbers is whole on any terminal. */
static void print_region(const struct sink *sink, const struct verdict *item, size_t name_width) {
    char *name = text_shown(item->name), *numbers = numbers_of(item);
    char *cut = sink->columns && name_width ? text_cut(name, name_width) : xcopy(name);
    if (name_width) {
        fprintf(sink->stream, "  %-8s ", words[item->kind].word);
        text_padded(sink->stream, cut, name_width);
        fprintf(sink->stream, "  %s\n", numbers);
    } else {
        sink_line(sink, "  %-8s %s", words[item->kind].word, name);
        print_pieces(sink, numbers);
    }
    if (item->advice) fprintf(sink->stream, "%*s%s\n", WORD, "", item->advice);
    free(cut);
    free(numbers);
    free(name);
}

/* What is left for names beside the longest numbers; 0: too little. */
static size_t width_of_names(const struct sink *sink, const struct verdict_report *report) {
    size_t names = 8, longest = 0;
    for (size_t i = 0; i < report->count; i++) {
        if (report->items[i].kind == VERDICT_SMALL) continue;
        char *name = text_shown(report->items[i].name), *numbers = numbers_of(&report->items[i]);
        if (text_width(name) > names) names = text_width(name);
        if (text_width(numbers) > longest) longest = text_width(numbers);
        free(numbers);
        free(name);
    }
    if (!sink->columns) return names < LONGEST_NAME ? names : LONGEST_NAME;
    const size_t room = sink->columns > WORD + 2 + longest ? sink->columns - WORD - 2 - longest : 0;
    return names <= room ? names : room >= READABLE ? room : 0;
}

void verdict_text(const struct sink *sink, const struct verdict_report *report) {
    const size_t width = width_of_names(sink, report);
    size_t shown = 0;
    if (report->heading) fprintf(sink->stream, "scope-profiler check: %s\n", report->heading);
    if (report->limits) fprintf(sink->stream, "%s\n", report->limits);
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
