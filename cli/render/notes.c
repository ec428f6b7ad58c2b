/* The box of notes under a summary. */
#include "base/memory.h"
#include "base/path.h"
#include "summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct hint {
    const char *heading; /* of the group that begins here */
    const char *label;
    const char *command; /* must be there for the hint to be shown */
    const char *before, *after;
    bool file;
    bool (*when)(const spr_profile *profile); /* NULL: always */
} hints[] = {
    {"Explore:", "Inspect:", "inspect", "inspect ", "", true, NULL},
    {NULL, "MPI:", "mpi", "mpi ", "", true, spr_has_mpi},
    {NULL, "TUI:", "tui", "tui ", "", true, NULL},
    {"Visualize and export:", "Plot:", "plot", "plot default ", " -o plots --show", true, NULL},
    {NULL, "Report:", "report", "report ", " -o report.html", true, NULL},
    {NULL, "Export:", "export", "export plot-data ", " -o data", true, NULL},
    {NULL, "Lines:", "line-profile", "line-profile ", "", true, NULL},
    {"Compare runs:", "Diff:", "diff", "diff BASE.h5 CANDIDATE.h5", "", false, NULL},
    {NULL, "Check:", "check", "check BASE.h5 CANDIDATE.h5", "", false, NULL},
};

struct lines {
    char **items;
    size_t count;
};

static void add(struct lines *lines, char *line) {
    lines->items = xgrow(lines->items, lines->count + 1, sizeof *lines->items);
    lines->items[lines->count++] = line;
}

static void add_hints(struct lines *lines, const spr_profile *profile, const char *file,
                      bool (*available)(const char *)) {
    const char *heading = NULL;
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
        const struct hint *hint = &hints[i];
        if (hint->heading) heading = hint->heading;
        if (!available(hint->command) || (hint->when && !hint->when(profile))) continue;
        if (heading) {
            add(lines, xcopy(""));
            add(lines, xcopy(heading));
            heading = NULL;
        }
        add(lines,
            xformat("  %-8s scope-profiler %s%s%s", hint->label, hint->before, hint->file ? file : "", hint->after));
    }
}

static void add_remarks(struct lines *lines, const struct rows *rows, const struct columns *columns) {
    bool recursive = false, missing = false, percent = false;
    for (size_t i = 0; i < rows->count; i++) {
        recursive |= rows->items[i].recursive;
        missing |= rows->items[i].stats.calls == 0;
    }
    for (size_t i = 0; i < columns->count; i++) percent |= !strcmp(columns_keys[columns->chosen[i]], "percent");
    add(lines, xcopy("Durations are in seconds."));
    if (rows->count > 1) add(lines, xcopy("Regions may nest, so the summed total can exceed the wall-clock time."));
    if (recursive) add(lines, xcopy("↻ calls itself: all its calls are one row; their time is counted once."));
    if (percent && !isnan(rows->session)) add(lines, xcopy("% session is the share of " ROWS_SESSION_REGION "."));
    if (missing) add(lines, xcopy("- stands where the selected ranks recorded no call."));
}

/* How much of a line fits: up to the last blank, or hard where there is none. */
static size_t fitting(const char *line, size_t columns) {
    size_t bytes = 0, width = 0, blank = 0, indent = strspn(line, " ");
    int32_t code;
    for (size_t length; (length = text_decode(line + bytes, &code)); bytes += length) {
        if (code == ' ' && bytes > indent) blank = bytes;
        if (++width > columns) return blank ? blank : bytes;
    }
    return bytes;
}

/* Lines that a narrow terminal cannot hold go on, indented, on the next. */
static struct lines wrapped(const struct lines *lines, size_t columns) {
    struct lines result = {0};
    for (size_t i = 0; i < lines->count; i++) {
        char *rest = xcopy(lines->items[i]);
        while (columns > 8 && text_width(rest) > columns) {
            size_t bytes = fitting(rest, columns);
            add(&result, xformat("%.*s", (int)bytes, rest));
            char *next = xformat("    %s", rest + bytes + strspn(rest + bytes, " "));
            free(rest);
            rest = next;
        }
        add(&result, rest);
    }
    return result;
}

static void lines_free(struct lines *lines) {
    for (size_t i = 0; i < lines->count; i++) free(lines->items[i]);
    free(lines->items);
}

static void print_dashes(FILE *out, size_t count) {
    while (count--) fputs("─", out);
}

static void print_box(FILE *out, const struct lines *lines) {
    size_t width = 6;
    for (size_t i = 0; i < lines->count; i++)
        if (text_width(lines->items[i]) > width) width = text_width(lines->items[i]);
    fputs("  ╭─ Info ", out);
    print_dashes(out, width - 5);
    fputs("╮\n", out);
    for (size_t i = 0; i < lines->count; i++) {
        fputs("  │ ", out);
        text_padded(out, lines->items[i], width);
        fputs(" │\n", out);
    }
    fputs("  ╰", out);
    print_dashes(out, width + 2);
    fputs("╯\n\n", out);
}

void summary_notes(const struct sink *sink, const spr_profile *profile, const struct rows *rows,
                   const struct columns *columns, bool (*available)(const char *command)) {
    struct lines lines = {0};
    char *absolute = path_absolute(spr_path(profile));
    char *relative = path_relative(absolute ? absolute : spr_path(profile));
    char *quoted = path_quoted(relative), *file = text_shown(quoted);
    uint32_t ranks = spr_num_ranks(profile);
    add(&lines, xformat("Summary: %s (%" PRIu32 " rank%s)", file, ranks, ranks == 1 ? "" : "s"));
    add_hints(&lines, profile, file, available);
    add(&lines, xcopy(""));
    add_remarks(&lines, rows, columns);
    struct lines fitted = wrapped(&lines, sink->columns > 14 ? sink->columns - 6 : 0);
    print_box(sink->stream, &fitted);
    lines_free(&fitted);
    lines_free(&lines);
    free(file);
    free(quoted);
    free(relative);
    free(absolute);
}
