/* diff: what changed between profiles. */
#include "amounts.h"
#include "base/say.h"
#include "commands.h"
#include "compared.h"
#include "render/difference.h"
#include "render/json.h"
#include "render/metric.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { METRIC = OPTION_LONG, SORT, THRESHOLD, BY, JSON, CSV, MARKDOWN };

static const struct option_spec options[] = {
    {'i', "include", "REGEX", "only regions whose name begins with a match; repeat for more"},
    {'e', "exclude", "REGEX", "not these regions; repeat for more"},
    {'r', "ranks", "LIST", "only these ranks: 0 2, 0-3, 0,2,4-7"},
    {METRIC, "metric", "NAME", METRIC_HELP},
    {SORT, "sort", "KEY", "delta (default), pct, name"},
    {THRESHOLD, "threshold", "PCT", "leave out what changed by less than PCT percent"},
    {BY, "by", "KEY", "region (default), or path: one row a call path"},
    {JSON, "json", NULL, "as JSON"},
    {CSV, "csv", NULL, "as CSV"},
    {MARKDOWN, "markdown", NULL, "as a Markdown table"},
    {0},
};

static const struct command_syntax syntax = {
    .name = "diff",
    .usage = "BASE OTHER... [options]",
    .summary = "Shows what changed between profiles, region by region; the first is the base.",
    .options = options,
    .footer = "Exit status: 0 shown, whatever changed; 1 a file cannot be read, or no region matches;\n"
              "2 bad usage. scope-profiler check decides whether a change is one.",
};

enum form { TABLE, AS_JSON, AS_CSV, AS_MARKDOWN };

struct request {
    struct choice choice;
    enum spr_metric metric;
    enum difference_sort sort;
    double threshold;
    bool by_path;
    enum form form;
};

/* ---- options ----------------------------------------------------------------------------------------------------- */

static int take_word(const char *option, const char *word, const char *const *words, size_t count, int *place) {
    for (*place = 0; (size_t)*place < count; ++*place)
        if (!strcmp(words[*place], word)) return 0;
    return options_complain(&syntax, "--%s '%s' is none of: %s %s%s%s", option, word, words[0], words[1],
                            count > 2 ? " " : "", count > 2 ? words[2] : "");
}

static int take_form(struct request *request, enum form form) {
    if (request->form != TABLE && request->form != form)
        return options_complain(&syntax, "--json, --csv and --markdown exclude each other");
    request->form = form;
    return 0;
}

static int take_option(int key, const char *value, struct request *request, int argc, char **argv) {
    static const char *const sorts[] = {"delta", "pct", "name"}, *const bys[] = {"region", "path"};
    int place = 0, status = 0;
    switch (key) {
    case 'i':
    case 'e':
    case 'r':
        return choice_take(&request->choice, key, value, &syntax, argc, argv);
    case METRIC:
        return metric_take(value, &request->metric, &syntax);
    case SORT:
        status = take_word("sort", value, sorts, 3, &place);
        request->sort = (enum difference_sort)place;
        return status;
    case BY:
        status = take_word("by", value, bys, 2, &place);
        request->by_path = place == 1;
        return status;
    case THRESHOLD:
        if (amount_percent(value, &request->threshold)) return 0;
        return options_complain(&syntax, "--threshold '%s': give percent, 0 or more", value);
    case JSON:
        return take_form(request, AS_JSON);
    case CSV:
        return take_form(request, AS_CSV);
    case MARKDOWN:
        return take_form(request, AS_MARKDOWN);
    default:
        return key;
    }
}

static int parse(int argc, char **argv, struct request *request) {
    const char *value;
    int status = 0;
    for (int key; !status && (key = options_next(&syntax, argc, argv, &value)) != OPTIONS_END;)
        status = take_option(key, value, request, argc, argv);
    return status;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

enum { RULE = 78 };

static void print_rule(const struct sink *sink) {
    size_t width = sink->columns && sink->columns < RULE ? sink->columns : RULE;
    while (width--) fputc('=', sink->stream);
    fputc('\n', sink->stream);
}

static void print_lists(const struct sink *sink, const struct difference *difference, size_t files) {
    char before[32];
    for (size_t file = 1; file < files; file++) {
        const char letter = (char)('a' + file);
        snprintf(before, sizeof before, files > 2 ? "Only in a, not %c: " : "Only in a: ", letter);
        difference_only(sink, difference, before, 0, file);
        snprintf(before, sizeof before, files > 2 ? "Only in %c, not a: " : "Only in %c: ", letter);
        difference_only(sink, difference, before, file, 0);
        snprintf(before, sizeof before, files > 2 ? "New time in %c: " : "New time: ", letter);
        difference_new_times(sink, difference, before, file);
    }
}

static void print_report(const struct compared *files, const struct difference *difference) {
    struct sink sink = sink_open(stdout);
    print_rule(&sink);
    for (size_t file = 0; file < files->count; file++) {
        char *title = metric_title(files->profiles[file]);
        sink_line(&sink, "%c: %s", (char)('a' + file), title);
        free(title);
    }
    print_rule(&sink);
    sink_line(&sink, "%s", "");
    sink_line(&sink, "%s (%zu)", difference->by_path ? "Call paths" : "Regions", difference->count);
    difference_table(&sink, difference);
    sink_line(&sink, "%s", "");
    print_lists(&sink, difference, files->count);
    sink_line(&sink, "%s", "");
    for (size_t file = 0; file < files->count; file++) {
        char heading[32];
        snprintf(heading, sizeof heading, "Problems of %c:", (char)('a' + file));
        difference_problems(&sink, heading, files->profiles[file], files->selections[file]);
    }
}

static int print(const struct compared *files, const struct difference *difference, enum form form) {
    json_t *document;
    int status = 0;
    switch (form) {
    case TABLE:
        print_report(files, difference);
        break;
    case AS_CSV:
        difference_csv(stdout, difference);
        break;
    case AS_MARKDOWN:
        difference_markdown(stdout, difference, files->profiles);
        break;
    case AS_JSON:
        document = difference_json(difference, files->profiles);
        status = json_print(document, stdout) && !ferror(stdout); /* stdout is judged where it is closed */
        json_decref(document);
        break;
    }
    return status;
}

static int show(const struct compared *files, const struct request *request) {
    spr_comparison comparison;
    spr_error error;
    if (!compared_any_region(files)) return 1;
    if (spr_compare(files->profiles, files->selections, files->count, request->metric, request->by_path, &comparison,
                    &error)) {
        say("%s", error.message);
        return 1;
    }
    struct difference difference =
        difference_make(&comparison, request->metric, request->by_path, request->sort, request->threshold);
    int status = print(files, &difference, request->form);
    difference_free(&difference);
    spr_comparison_free(&comparison);
    return status;
}

static int compare(char *const *words, size_t count, const struct request *request) {
    struct compared files = {0};
    int status = compared_open(&files, words, count, &request->choice);
    if (!status && (files.count < 2 || files.count > DIFFERENCE_FILES)) {
        options_complain(&syntax, files.count < 2 ? "give two profiles or more" : "give at most 26 profiles");
        status = 2;
    }
    if (!status) status = show(&files, request);
    compared_close(&files);
    return status;
}

int command_diff(int argc, char **argv) {
    struct request request = {0};
    int parsed = parse(argc, argv, &request), status = parsed == OPTIONS_HELP ? 0 : 2;
    if (!parsed && optind >= argc) options_complain(&syntax, "which profiles?");
    if (!parsed && optind < argc) status = compare(argv + optind, (size_t)(argc - optind), &request);
    choice_free(&request.choice);
    return status;
}
