/* mpi: MPI calls: time, bytes, who sends to whom, who waits for whom. */
#include "base/options.h"
#include "base/say.h"
#include "choice.h"
#include "commands.h"
#include "profiles.h"
#include "render/csv.h"
#include "render/json.h"
#include "render/mpi_report.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { MATRIX = OPTION_LONG, SITES, SIZES, WAITS, CSV, JSON };

static const struct option_spec options[] = {
    {'r', "ranks", "LIST", "these ranks: 0 2, 0-3, 0,2,4-7 (default: all)"},
    {SITES, "sites", NULL, "by call site"},
    {SIZES, "sizes", NULL, "how many messages of which size"},
    {MATRIX, "matrix", NULL, "bytes by sender and receiver"},
    {WAITS, "waits", NULL, "time that was spent waiting for other ranks; reads every call"},
    {CSV, "csv", NULL, "one of these tables as comma-separated values\n(default: functions)"},
    {JSON, "json", NULL, "everything as JSON; waits only with --waits"},
    {0},
};

static const struct command_syntax syntax = {
    .name = "mpi",
    .usage = "FILE [options]",
    .summary = "Shows the time in MPI calls, the bytes that they moved, and who sent them to whom.",
    .options = options,
    .footer = "Without an option for a table: functions, and the matrix. Exit status: 0 shown; 1 the file\n"
              "cannot be read, or holds no MPI calls; 2 bad usage.",
};

enum view { FUNCTIONS, BY_SITE, BY_SIZE, BY_PAIR, WAITING, CAUSES, BLAMED, VIEWS };

struct request {
    struct choice choice; /* of ranks */
    bool views[VIEWS], csv, json;
};

static int parse(int argc, char **argv, struct request *request) {
    const char *value;
    int status = 0, views = 0;
    for (int key; !status && (key = options_next(&syntax, argc, argv, &value)) != OPTIONS_END;) switch (key) {
        case 'r':
            status = choice_take(&request->choice, key, value, &syntax, argc, argv);
            break;
        case SITES:
            request->views[BY_SITE] = true;
            break;
        case SIZES:
            request->views[BY_SIZE] = true;
            break;
        case MATRIX:
            request->views[BY_PAIR] = true;
            break;
        case WAITS:
            request->views[WAITING] = request->views[CAUSES] = request->views[BLAMED] = true;
            break;
        case CSV:
            request->csv = true;
            break;
        case JSON:
            request->json = true;
            break;
        default:
            return key;
        }
    if (status) return status;
    if (optind != argc - 1) return options_complain(&syntax, "give one profile");
    if (request->csv && request->json) return options_complain(&syntax, "give one of --csv and --json");
    if (request->csv) request->views[CAUSES] = request->views[BLAMED] = false; /* one table */
    for (int v = 0; v < VIEWS; v++) views += request->views[v];
    if (request->csv && views > 1) return options_complain(&syntax, "--csv writes one table");
    if (!views) request->views[FUNCTIONS] = request->views[BY_PAIR] = true;
    return 0;
}

static struct table make_view(const struct mpi_report *report, enum view view, bool whole) {
    switch (view) {
    case FUNCTIONS:
    case BY_SITE:
        return mpi_report_functions(report, view == BY_SITE, whole);
    case BY_SIZE:
        return mpi_report_sizes(report, whole);
    case BY_PAIR:
        return mpi_report_matrix(report, whole);
    case WAITING:
        return mpi_report_waits(report, whole);
    case CAUSES:
        return mpi_report_causes(report, whole);
    default:
        return mpi_report_blamed(report, whole);
    }
}

static void print_csv(const struct mpi_report *report, const struct request *request) {
    for (int v = 0; v < VIEWS; v++) {
        if (!request->views[v]) continue;
        struct table table = make_view(report, (enum view)v, true);
        csv_table(stdout, &table, spr_path(report->profile), true);
        table_free(&table);
        return;
    }
}

/* Of many ranks only the greatest rows. */
static size_t shorten(const struct mpi_report *report, enum view view, struct table *table) {
    enum { GREATEST = 20 };
    if (spr_num_ranks(report->profile) <= MPI_REPORT_RANKS || view == FUNCTIONS || view == BY_SITE || view == BY_SIZE)
        return 0;
    return table_shorten(table, GREATEST);
}

static void print_tables(const struct mpi_report *report, const struct request *request) {
    static const char *const titles[VIEWS] = {
        "Functions",          "Call sites",       "Message sizes", "Bytes sent", "Time in matched calls",
        "Who waits for whom", "Who is waited for"};
    const struct sink sink = sink_open(stdout);
    char *shown = text_shown(spr_path(report->profile));
    printf("MPI: %s\n", shown);
    free(shown);
    if (isfinite(report->run_seconds))
        printf("%.6f s in MPI, of %.6f s of all ranks together (%.2f %%)\n", report->mpi_seconds, report->run_seconds,
               100 * report->mpi_seconds / report->run_seconds);
    for (int v = 0; v < VIEWS; v++) {
        if (!request->views[v]) continue;
        struct table table = make_view(report, (enum view)v, false);
        const size_t hidden = shorten(report, (enum view)v, &table);
        sink_line(&sink, "%s", "");
        sink_line(&sink, "%s", titles[v]);
        if (table.rows)
            table_print(&sink, &table, v == BY_SITE || v == WAITING, TABLE_OPEN);
        else
            sink_line(&sink, "  none");
        if (hidden) sink_line(&sink, "  and %zu more, which --json has", hidden);
        if (v == WAITING && report->waits.unmatched)
            sink_line(&sink, "  %" PRIu64 " calls could not be matched: their other side is not in the file",
                      report->waits.unmatched);
        table_free(&table);
    }
}

static int show(spr_profile *profile, const struct request *request) {
    struct mpi_report report;
    spr_selection *selection;
    spr_error error;
    int status = choice_select(profile, &request->choice, &selection);
    if (status) return status;
    if (mpi_report_open(&report, profile, selection, request->views[WAITING], &error)) {
        say("%s", error.message);
        spr_selection_free(selection);
        return 1;
    }
    if (!report.mpi.num_functions) {
        say("%s: holds no MPI calls with what they carried", spr_path(profile));
        status = 1;
    } else if (request->json) {
        json_t *document = mpi_report_json(&report);
        status = json_print(document, stdout) ? 1 : 0;
        json_decref(document);
    } else if (request->csv) {
        print_csv(&report, request);
    } else {
        print_tables(&report, request);
    }
    mpi_report_close(&report);
    spr_selection_free(selection);
    return status;
}

int command_mpi(int argc, char **argv) {
    struct request request = {0};
    int parsed = parse(argc, argv, &request), status = parsed == OPTIONS_HELP ? 0 : 2;
    if (!parsed) {
        spr_profile *profile = profiles_open(argv[optind]);
        status = profile ? show(profile, &request) : 1;
        spr_close(profile);
    }
    choice_free(&request.choice);
    return status;
}
