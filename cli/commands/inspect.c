/* inspect: what a profile holds. */
#include "base/memory.h"
#include "base/options.h"
#include "base/path.h"
#include "base/say.h"
#include "base/suggest.h"
#include "choice.h"
#include "commands.h"
#include "profiles.h"
#include "render/columns.h"
#include "render/csv.h"
#include "render/frame.h"
#include "render/json.h"
#include "render/rows.h"
#include "render/summary.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS = OPTION_LONG,
    SORT,
    FULL,
    SOURCE,
    EXPORT_METADATA,
    METADATA_ONLY,
    REGIONS_ONLY,
    TREE,
    OVERHEAD,
    THREADS,
    PROCESSES,
    JSON,
    CSV,
};

static const struct option_spec options[] = {
    {'i', "include", "REGEX", "only regions whose name begins with a match; repeat for more"},
    {'e', "exclude", "REGEX", "not these regions; repeat for more"},
    {'r', "ranks", "LIST", "only these ranks: 0 2, 0-3, 0,2,4-7"},
    {SORT, "sort", "KEY",
     "start (default), name, total, calls, avg, min, max, first, last,\nstd, p50, p95, p99, imbalance"},
    {COLUMNS, "columns", "NAME",
     "region ranks calls total percent parent_percent avg min max\nfirst last std p50 p95 p99 imbalance\noverhead overhead_percent"},
    {OVERHEAD, "overhead", NULL, "how much of each region's time the recording took (estimated)"},
    {TREE, "tree", NULL, "read every call for the tree, however many there are"},
    {FULL, "full", NULL, "do not clip long values"},
    {SOURCE, "source", "REGION", "the region's place and captured text; repeat for more"},
    {THREADS, "threads", NULL, "the threads that recorded"},
    {PROCESSES, "processes", NULL, "the processes that recorded"},
    {METADATA_ONLY, "metadata-only", NULL, "no regions"},
    {REGIONS_ONLY, "regions-only", NULL, "no metadata"},
    {JSON, "json", NULL, "everything as JSON; durations in seconds"},
    {CSV, "csv", NULL, "the regions (or threads, processes) as CSV"},
    {EXPORT_METADATA, "export-metadata", "FILE", "write the metadata as JSON; - is stdout, and nothing else"},
    {'q', "quiet", NULL, "print nothing (to check a file, or to export)"},
    {0},
};

static const struct command_syntax syntax = {
    .name = "inspect",
    .usage = "FILE... [options]",
    .summary = "Shows metadata, regions and call tree of profiles.",
    .options = options,
    .footer = "Quoted wild cards are expanded. Exit status: 0 shown; 1 a file cannot be read, or no\n"
              "region matches; 2 bad usage.",
};

struct words {
    const char **items;
    size_t count;
};

struct inspect {
    struct choice choice;
    struct words sources;
    struct columns columns;
    size_t sort;
    bool sort_given;
    const char *export_metadata;
    bool full, overhead, metadata_only, regions_only, threads, processes, json, csv, quiet;
    enum rows_tree tree;
};

/* ---- options ----------------------------------------------------------------------------------------------------- */

static void add_word(struct words *words, const char *word) {
    words->items = xgrow(words->items, words->count + 1, sizeof *words->items);
    words->items[words->count++] = word;
}

static int complain_choice(const char *what, const char *word, const char *const *choices, size_t count) {
    char *list = join_words(choices, count, " ");
    int status = options_complain(&syntax, "%s '%s' is none of: %s", what, word, list);
    free(list);
    return status;
}

static int take_sort(struct inspect *inspect, const char *word) {
    inspect->sort_given = true;
    for (inspect->sort = 0; inspect->sort < rows_num_sort_keys; inspect->sort++)
        if (!strcmp(rows_sort_keys[inspect->sort], word)) return 0;
    return complain_choice("--sort", word, rows_sort_keys, rows_num_sort_keys);
}

static int take_columns(struct inspect *inspect, const char *word) {
    char *unknown = NULL;
    if (columns_add(&inspect->columns, word, &unknown)) return 0;
    int status = complain_choice("--columns", unknown, columns_keys, columns_count);
    free(unknown);
    return status;
}

/* --columns region calls: words that can be nothing else belong to the option before them. */
static int take_more_columns(struct inspect *inspect, int argc, char **argv) {
    int status = 0;
    while (!status && optind < argc && argv[optind][0] != '-') {
        char *unknown = NULL;
        struct columns probe = {0};
        if (!columns_add(&probe, argv[optind], &unknown)) {
            free(unknown);
            break;
        }
        status = take_columns(inspect, argv[optind++]);
    }
    return status;
}

static int take_option(int key, const char *value, struct inspect *inspect, int argc, char **argv) {
    int status;
    switch (key) {
    case 'i':
    case 'e':
    case 'r':
        return choice_take(&inspect->choice, key, value, &syntax, argc, argv);
    case 'q':
        inspect->quiet = true;
        return 0;
    case SORT:
        return take_sort(inspect, value);
    case COLUMNS:
        status = take_columns(inspect, value);
        return status ? status : take_more_columns(inspect, argc, argv);
    case SOURCE:
        add_word(&inspect->sources, value);
        return 0;
    case TREE:
        inspect->tree = ROWS_TREE_ALWAYS;
        return 0;
    case OVERHEAD:
        inspect->overhead = true;
        return 0;
    case FULL:
        inspect->full = true;
        return 0;
    case THREADS:
        inspect->threads = true;
        return 0;
    case PROCESSES:
        inspect->processes = true;
        return 0;
    case METADATA_ONLY:
        inspect->metadata_only = true;
        return 0;
    case REGIONS_ONLY:
        inspect->regions_only = true;
        return 0;
    case JSON:
        inspect->json = true;
        return 0;
    case CSV:
        inspect->csv = true;
        return 0;
    case EXPORT_METADATA:
        inspect->export_metadata = value;
        return 0;
    default:
        return key;
    }
}

static int parse(int argc, char **argv, struct inspect *inspect) {
    const char *value;
    int status = 0;
    for (int key; !status && (key = options_next(&syntax, argc, argv, &value)) != OPTIONS_END;)
        status = take_option(key, value, inspect, argc, argv);
    if (status) return status;
    if (optind >= argc) return options_complain(&syntax, "which profile?");
    if (inspect->metadata_only && inspect->regions_only)
        return options_complain(&syntax, "--metadata-only and --regions-only exclude each other");
    if (inspect->json && inspect->csv) return options_complain(&syntax, "--json and --csv exclude each other");
    if (inspect->csv && inspect->threads && inspect->processes)
        return options_complain(&syntax, "--csv has one table: --threads or --processes");
    if ((inspect->json || inspect->csv) && (inspect->columns.count || inspect->sort_given || inspect->overhead))
        return options_complain(&syntax, "--columns, --sort and --overhead are for the table, not for --%s",
                                inspect->json ? "json" : "csv");
    if (!path_is_stdout(inspect->export_metadata)) return 0;
    if (inspect->json || inspect->csv)
        return options_complain(&syntax, "--export-metadata - and --%s both print on stdout",
                                inspect->json ? "json" : "csv");
    inspect->quiet = true;
    return 0;
}

/* ---- selection --------------------------------------------------------------------------------------------------- */

/* 0 and *selection (NULL: all), or the exit status; patterns that leave nothing are told. */
static int select_rows(const spr_profile *profile, const struct choice *choice, spr_selection **selection) {
    int status = choice_select(profile, choice, selection);
    if (status || (!choice->num_include && !choice->num_exclude)) return status;
    for (size_t region = 0; region < spr_num_regions(profile); region++)
        if (spr_selects_region(*selection, region)) return 0;
    say("%s: no region matches the patterns", spr_path(profile));
    spr_selection_free(*selection);
    *selection = NULL;
    return 1;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static int fail(const spr_error *error) {
    say("%s", error->message);
    return 1;
}

static enum spr_depth depth_needed(const struct inspect *inspect) {
    return rows_sort_needs_calls(inspect->sort) || columns_need_calls(&inspect->columns) ? SPR_FULL : SPR_SUMMARY;
}

static void explain_overhead(const struct sink *sink, const struct rows *rows, bool costs) {
    sink_line(sink, "  %s",
              !costs ? "Overhead: the profile does not say what recording a call cost"
              : rows->tree
                  ? "Overhead: calls, and calls within them, times what a call cost when it was measured"
                  : "Overhead: of the calls themselves; without a tree, that of calls within them is not known");
    sink_line(sink, "%s", "");
}

static int print_regions(const struct sink *sink, spr_profile *profile, const spr_selection *selection,
                         const struct inspect *inspect) {
    struct rows rows;
    spr_error error;
    if (rows_build(profile, selection, depth_needed(inspect), inspect->tree, &rows, &error)) return fail(&error);
    const bool costs = rows_estimate_overhead(profile, &rows);
    rows_sort(&rows, inspect->sort);
    struct columns columns = inspect->columns.count ? inspect->columns : columns_default(&rows);
    if (inspect->overhead) columns_add(&columns, "overhead,overhead_percent", NULL);
    summary_table(sink, &rows, &columns, 0);
    if (inspect->overhead) explain_overhead(sink, &rows, costs);
    summary_problems(sink, profile, selection, &rows);
    summary_notes(sink, profile, &rows, &columns, command_exists);
    rows_free(&rows);
    return 0;
}

static void print_table(const struct sink *sink, struct table table, size_t flexible, const char *nothing) {
    if (table.rows) table_print(sink, &table, flexible, TABLE_OPEN);
    if (!table.rows) sink_line(sink, "  %s", nothing);
    sink_line(sink, "%s", "");
    table_free(&table);
}

/* The regions whose sources are asked for. 0, or 2 when one of them is unknown. */
static int find_sources(const spr_profile *profile, const struct words *names, size_t *regions) {
    size_t count = spr_num_regions(profile);
    for (size_t i = 0; i < names->count; i++) {
        regions[i] = 0;
        while (regions[i] < count && strcmp(spr_region_name(profile, regions[i]), names->items[i])) regions[i]++;
        if (regions[i] < count) continue;
        const char **known = xalloc(count, sizeof *known);
        for (size_t k = 0; k < count; k++) known[k] = spr_region_name(profile, k);
        char *list = join_words(known, count, ", ");
        say("%s: no region '%s' (it has: %s)", spr_path(profile), names->items[i], list);
        free(list);
        free(known);
        return 2;
    }
    return 0;
}

static int print_report(spr_profile *profile, const spr_selection *selection, const struct inspect *inspect) {
    struct sink sink = sink_open(stdout);
    size_t *sources = xalloc(inspect->sources.count, sizeof *sources);
    int status = find_sources(profile, &inspect->sources, sources);
    if (!status) {
        frame_heading(&sink, profile);
        if (!inspect->regions_only) frame_metadata(&sink, profile, inspect->full);
        if (!inspect->metadata_only) status = print_regions(&sink, profile, selection, inspect);
    }
    if (!status && inspect->processes)
        print_table(&sink, frame_processes(profile, selection), 8, "The profile says nothing of processes.");
    if (!status && inspect->threads)
        print_table(&sink, frame_threads(profile, selection), 2, "The profile says nothing of threads.");
    if (!status && inspect->sources.count) frame_sources(&sink, profile, sources, inspect->sources.count);
    free(sources);
    return status;
}

static int print_csv(spr_profile *profile, const spr_selection *selection, const struct inspect *inspect, bool first) {
    spr_error error;
    if (inspect->threads || inspect->processes) {
        struct table table = inspect->threads ? frame_threads(profile, selection) : frame_processes(profile, selection);
        csv_table(stdout, &table, spr_path(profile), first);
        table_free(&table);
        return 0;
    }
    if (first) csv_regions_header(stdout);
    return csv_regions(stdout, profile, selection, SPR_FULL, &error) ? fail(&error) : 0;
}

struct outcome { /* of all files */
    json_t *document, *metadata;
    size_t printed;
};

static int add_json(spr_profile *profile, const spr_selection *selection, const struct inspect *inspect,
                    struct outcome *outcome) {
    spr_error error;
    json_t *object = json_profile(profile, selection, inspect->tree, &error);
    if (!object) return fail(&error);
    json_array_append_new(json_object_get(outcome->document, "files"), object);
    return 0;
}

static int inspect_profile(spr_profile *profile, const struct inspect *inspect, struct outcome *outcome) {
    spr_selection *selection;
    int status = select_rows(profile, &inspect->choice, &selection);
    if (status) return status;
    if (inspect->export_metadata) json_array_append_new(outcome->metadata, json_metadata_entry(profile));
    bool first = outcome->printed == 0;
    outcome->printed += !inspect->quiet;
    if (inspect->quiet) {
        /* opening it was the check */
    } else if (inspect->json) {
        status = add_json(profile, selection, inspect, outcome);
    } else if (inspect->csv) {
        status = print_csv(profile, selection, inspect, first);
    } else {
        if (!first) putchar('\n');
        status = print_report(profile, selection, inspect);
    }
    spr_selection_free(selection);
    return status;
}

static int export_metadata(const struct inspect *inspect, json_t *entries) {
    json_t *document = json_pack("{s:O}", "files", entries);
    const bool to_stdout = path_is_stdout(inspect->export_metadata);
    FILE *file = to_stdout ? stdout : fopen(inspect->export_metadata, "we");
    bool written = file && document && json_print(document, file) == 0;
    int error = errno;
    if (file && !to_stdout && fclose(file)) written = false, error = errno;
    json_decref(document);
    if (to_stdout) return !written && !ferror(stdout); /* what went wrong with stdout is judged where it is closed */
    if (!written) {
        say("%s: %s", inspect->export_metadata, strerror(error));
        return 1;
    }
    if (!inspect->quiet && !inspect->json && !inspect->csv)
        printf("Metadata written to %s\n", inspect->export_metadata);
    return 0;
}

static int inspect_all(const struct paths *paths, const struct inspect *inspect) {
    struct outcome outcome = {json_document(), json_array(), 0};
    int worst = 0;
    for (size_t i = 0; i < paths->count; i++) {
        spr_profile *profile = profiles_open(paths->items[i]);
        int status = profile ? inspect_profile(profile, inspect, &outcome) : 1;
        spr_close(profile);
        if (status > worst) worst = status;
    }
    if (inspect->json && !inspect->quiet && outcome.printed && json_print(outcome.document, stdout) && !ferror(stdout))
        worst = 1; /* as with the metadata */
    if (inspect->export_metadata && json_array_size(outcome.metadata)) {
        int status = export_metadata(inspect, outcome.metadata);
        if (status > worst) worst = status;
    }
    json_decref(outcome.document);
    json_decref(outcome.metadata);
    return worst;
}

int command_inspect(int argc, char **argv) {
    struct inspect inspect = {0};
    struct paths paths;
    int parsed = parse(argc, argv, &inspect), status = parsed == OPTIONS_HELP ? 0 : 2;
    if (!parsed && profiles_expand(argv + optind, (size_t)(argc - optind), &paths)) {
        status = inspect_all(&paths, &inspect);
        profiles_free(&paths);
    }
    choice_free(&inspect.choice);
    free(inspect.sources.items);
    return status;
}
