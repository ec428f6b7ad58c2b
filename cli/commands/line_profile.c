/* line-profile: hits and times of the lines of Python functions. */
#include "base/memory.h"
#include "base/options.h"
#include "base/say.h"
#include "choice.h"
#include "commands.h"
#include "profiles.h"
#include "render/json.h"
#include "render/line_table.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RANK = OPTION_LONG, FUNCTION, REGION, JSON };

static const struct option_spec options[] = {
    {'r', "ranks", "LIST", "these ranks: 0 2, 0-3, 0,2,4-7 (default: 0)"},
    {RANK, "rank", "LIST", "the same"},
    {'i', "include", "REGEX", "only regions whose name begins with a match; repeat for more"},
    {'e', "exclude", "REGEX", "not these regions; repeat for more"},
    {FUNCTION, "function", "REGEX", "only functions whose name has a match anywhere"},
    {REGION, "region", "REGEX", "only regions whose name has a match anywhere"},
    {JSON, "json", NULL, "as JSON; durations in seconds"},
    {0},
};

static const struct command_syntax syntax = {
    .name = "line-profile",
    .usage = "FILE [options]",
    .summary = "Shows how often each line of the recorded Python functions ran, and the time spent in it.",
    .options = options,
    .footer = "Lines are recorded by `scope-profiler run --line-profile`. The time of a statement is\n"
              "shown on its first line, with what it calls. Exit status: 0 shown, or nothing matches;\n"
              "1 the file cannot be read; 2 bad usage.",
};

struct patterns {
    const char **items;
    size_t count;
};

struct request {
    struct choice choice;
    struct patterns functions, regions;
    bool json;
};

static void add_pattern(struct patterns *patterns, const char *pattern) {
    patterns->items = xgrow(patterns->items, patterns->count + 1, sizeof *patterns->items);
    patterns->items[patterns->count++] = pattern;
}

static int parse(int argc, char **argv, struct request *request) {
    const char *value;
    int status = 0;
    for (int key; !status && (key = options_next(&syntax, argc, argv, &value)) != OPTIONS_END;) switch (key) {
        case 'i':
        case 'e':
        case 'r':
        case RANK:
            status = choice_take(&request->choice, key == RANK ? 'r' : key, value, &syntax, argc, argv);
            break;
        case FUNCTION:
            add_pattern(&request->functions, value);
            break;
        case REGION:
            add_pattern(&request->regions, value);
            break;
        case JSON:
            request->json = true;
            break;
        default:
            return key;
        }
    if (!status && optind != argc - 1) return options_complain(&syntax, "give one profile");
    return status;
}

/* ---- selection --------------------------------------------------------------------------------------------------- */

static bool wants_rank(const struct request *request, uint32_t rank) {
    return request->choice.ranks.count ? choice_has_rank(&request->choice, rank) : rank == 0;
}

/* Returns 0, or 2 for a pattern that is none (told). */
static int any_match(const struct patterns *patterns, bool anywhere, const char *text, bool *found) {
    *found = false;
    for (size_t i = 0; i < patterns->count && !*found; i++) {
        spr_error error;
        if (spr_match(patterns->items[i], anywhere, text, found, &error) == 0) continue;
        say("%s: %s", syntax.name, error.message);
        return 2;
    }
    return 0;
}

static int wants(const struct request *request, const spr_line_record *record, bool *wanted) {
    const struct choice *choice = &request->choice;
    const struct {
        struct patterns patterns;
        const char *text;
        bool anywhere, keeps;
    } tests[] = {{{choice->include, choice->num_include}, record->region, false, true},
                 {{choice->exclude, choice->num_exclude}, record->region, false, false},
                 {request->functions, record->function, true, true},
                 {request->regions, record->region, true, true}};
    *wanted = true;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        bool found;
        if (!tests[i].patterns.count) continue;
        if (any_match(&tests[i].patterns, tests[i].anywhere, tests[i].text, &found)) return 2;
        if (found != tests[i].keeps) *wanted = false;
    }
    return 0;
}

/* Moves the wanted records to the front. */
static int select_records(const struct request *request, spr_line_profile *lines, size_t *count,
                          uint32_t *other_ranks) {
    uint32_t last = UINT32_MAX;
    *count = 0;
    *other_ranks = 0;
    for (size_t i = 0; i < lines->count; i++) {
        bool wanted;
        if (!wants_rank(request, lines->records[i].rank)) {
            *other_ranks += lines->records[i].rank != last;
            last = lines->records[i].rank;
            continue;
        }
        if (wants(request, &lines->records[i], &wanted)) return 2;
        if (!wanted) continue;
        const spr_line_record keep = lines->records[i];
        lines->records[i] = lines->records[*count];
        lines->records[(*count)++] = keep;
    }
    return 0;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static int print_json(const char *path, const spr_line_profile *lines, size_t count) {
    json_t *records = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(records, line_table_json(&lines->records[i]));
    json_t *document = json_pack("{s:s, s:i, s:s, s:o}", "format", "scope-profiler-line-profile", "format_version", 1,
                                 "units", "seconds", "records", records);
    char *shown = text_lossy(path);
    json_object_set_new(document, "file", json_string(shown));
    free(shown);
    int failed = json_print(document, stdout);
    json_decref(document);
    return failed ? 1 : 0;
}

/* Without a text in the profile the file as it is now is shown, and only its age tells that other lines may have run.
 */
static bool is_newer(const spr_line_record *record, const char *profile) {
    struct stat source, recorded;
    return !record->source && *record->filename && stat(record->filename, &source) == 0 &&
           stat(profile, &recorded) == 0 && source.st_mtime > recorded.st_mtime;
}

static void print_tables(const char *path, const spr_line_profile *lines, size_t count) {
    const struct sink sink = sink_open(stdout);
    char *shown = text_shown(path);
    sink_line(&sink, "Line profile: %s", shown);
    free(shown);
    const char *changed = NULL, *newer = NULL;
    for (size_t i = 0; i < count; i++) {
        if (line_table_print(&sink, &lines->records[i])) changed = lines->records[i].filename;
        if (is_newer(&lines->records[i], path)) newer = lines->records[i].filename;
    }
    if (!count) printf("\nNo line-profile records matched.\n");
    fflush(stdout);
    if (changed) say("%s: has changed since the run; the lines shown are those that ran", changed);
    if (newer) say("%s: is newer than the profile, which keeps no source text: other lines may have run", newer);
}

/* A rank may have recorded lines and no region. */
static uint32_t num_ranks(const spr_profile *profile, const spr_line_profile *lines) {
    uint32_t total = spr_num_ranks(profile);
    for (size_t i = 0; i < lines->count; i++)
        if (lines->records[i].rank >= total) total = lines->records[i].rank + 1;
    return total;
}

static int show(const char *path, spr_profile *profile, const struct request *request) {
    spr_line_profile lines;
    spr_error error;
    size_t count;
    uint32_t other_ranks;
    if (spr_lines_read(profile, NULL, &lines, &error)) {
        say("%s", error.message);
        return 1;
    }
    int status = choice_check_ranks(profile, &request->choice, num_ranks(profile, &lines));
    if (!status) status = select_records(request, &lines, &count, &other_ranks);
    if (!status && request->json)
        status = print_json(path, &lines, count);
    else if (!status)
        print_tables(path, &lines, count);
    if (!status && other_ranks && !request->choice.ranks.count)
        say("%s: %" PRIu32 " more %s line records; --ranks shows them", path, other_ranks,
            other_ranks == 1 ? "rank has" : "ranks have");
    spr_lines_free(&lines);
    return status;
}

int command_line_profile(int argc, char **argv) {
    struct request request = {0};
    int parsed = parse(argc, argv, &request), status = parsed == OPTIONS_HELP ? 0 : 2;
    if (!parsed) {
        spr_profile *profile = profiles_open(argv[optind]);
        status = profile ? show(argv[optind], profile, &request) : 1;
        spr_close(profile);
    }
    choice_free(&request.choice);
    free(request.functions.items);
    free(request.regions.items);
    return status;
}
