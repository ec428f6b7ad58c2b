/* check: did a region get slower? For CI: the exit status tells. */
#include "check.h"

#include "amounts.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/say.h"
#include "commands.h"
#include "render/json.h"
#include "render/metric.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BASE = OPTION_LONG,
    CANDIDATE,
    MAX_REGRESSION,
    MIN_TIME,
    METRIC,
    BUDGET,
    ALPHA,
    GROSS,
    STAT,
    TEST,
    FAIL_ON_NEW,
    FAIL_ON_MISSING,
    STRICT,
    WARN_ONLY,
    DIFFERENT_RANKS,
    DIFFERENT_MACHINE,
    INCOMPLETE,
    JUNIT,
    MARKDOWN,
    JSON,
    GITHUB,
};

static const struct option_spec options[] = {
    {BASE, "base", "FILE...", "runs of the base; any number"},
    {CANDIDATE, "candidate", "FILE...", "runs of the candidate"},
    {MAX_REGRESSION, "max-regression", "PCT", "the slow-down that is allowed; default 0 for two\nfiles, 5 for runs"},
    {MIN_TIME, "min-time", "TIME",
     "regions below it on both sides are not judged: 1ms;\ndefault 0 for two files, 1ms for runs"},
    {BUDGET, "budget", "FILE", "limits of single regions; a line: REGEX PCT% or TIME"},
    {'i', "include", "REGEX", "only regions whose name begins with a match; repeat"},
    {'e', "exclude", "REGEX", "not these regions; repeat for more"},
    {'r', "ranks", "LIST", "only these ranks: 0 2, 0-3, 0,2,4-7"},
    {METRIC, "metric", "NAME", "two files: " METRIC_HELP},
    {STAT, "stat", "NAME", "runs: floor (default), total"},
    {TEST, "test", "NAME", "runs: permutation (default), mann-whitney"},
    {ALPHA, "alpha", "P", "runs: chance of a false alarm (default: 0.05)"},
    {GROSS, "gross", "PCT", "one or two runs: what counts as gross (default: 25)"},
    {FAIL_ON_NEW, "fail-on-new", NULL, "regions that the base does not have fail"},
    {FAIL_ON_MISSING, "fail-on-missing", NULL, "regions and budgets without a match fail"},
    {STRICT, "strict", NULL, "runs: what is unclear fails"},
    {WARN_ONLY, "warn-only", NULL, "print all the same, exit 0 instead of 1"},
    {DIFFERENT_RANKS, "allow-different-ranks", NULL, "compare other numbers of ranks"},
    {DIFFERENT_MACHINE, "allow-different-machine", NULL, "compare other processors"},
    {INCOMPLETE, "allow-incomplete", NULL, "compare runs that were cut off"},
    {JUNIT, "junit", "FILE", "write JUnit XML; - is stdout, here and below"},
    {MARKDOWN, "markdown", "FILE", "append Markdown (to $GITHUB_STEP_SUMMARY)"},
    {JSON, "json", "FILE", "write JSON"},
    {GITHUB, "github", NULL, "also print annotations for GitHub's log"},
    {0},
};

static const struct command_syntax syntax = {
    .name = "check",
    .usage = "BASE CANDIDATE [options]\n"
             "       scope-profiler check --base FILE... --candidate FILE... [options]",
    .summary = "Fails when a region got slower. Two files: any change above the limit counts. Runs (5\n"
               "or more a side): only what is more than chance counts.",
    .options = options,
    .footer = "Exit status: 0 passed; 1 failed; 2 nothing could be compared, or bad usage.",
};

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* The words after --base and --candidate up to the next option are files, too. */
static void take_files(char ***words, size_t *count, const char *first, int argc, char **argv) {
    const char *word = first;
    for (;; word = argv[optind++]) {
        *words = xgrow(*words, *count + 1, sizeof **words);
        (*words)[(*count)++] = (char *)word;
        if (optind >= argc || (argv[optind][0] == '-' && argv[optind][1])) return;
    }
}

static int take_amount(bool good, const char *option, const char *value, const char *wanted) {
    return good ? 0 : options_complain(&syntax, "--%s '%s': give %s", option, value, wanted);
}

static int take_fraction(const char *option, const char *value, double *fraction) {
    const bool good = amount_percent(value, fraction);
    *fraction /= 100;
    return take_amount(good, option, value, "percent, 0 or more");
}

static int take_alpha(struct check *check, const char *value) {
    const bool good = amount_number(value, &check->rule.alpha) && check->rule.alpha > 0 && check->rule.alpha < 0.5;
    return take_amount(good, "alpha", value, "a number above 0 and below 0.5");
}

static int take_choice(const char *option, const char *value, const char *first, const char *second, bool *is_second) {
    *is_second = !strcmp(value, second);
    if (*is_second || !strcmp(value, first)) return 0;
    return options_complain(&syntax, "--%s '%s' is none of: %s %s", option, value, first, second);
}

/* Options with a value. */
static int take_value(int key, const char *value, struct check *check, int argc, char **argv) {
    bool second;
    int status;
    switch (key) {
    case BASE:
        take_files(&check->base, &check->num_base, value, argc, argv);
        return 0;
    case CANDIDATE:
        take_files(&check->candidate, &check->num_candidate, value, argc, argv);
        return 0;
    case MAX_REGRESSION:
        check->limit_given = true;
        return take_fraction("max-regression", value, &check->rule.max_slowdown);
    case MIN_TIME:
        check->min_time_given = true;
        return take_amount(amount_seconds(value, &check->rule.min_time), "min-time", value,
                           "a time, as in 1ms or 0.5s");
    case METRIC:
        check->metric_given = true;
        return metric_take(value, &check->metric, &syntax);
    case STAT:
        check->rule_given = true;
        status = take_choice("stat", value, "floor", "total", &second);
        check->rule.statistic = second ? SPR_TOTAL : SPR_FLOOR;
        return status;
    case TEST:
        check->rule_given = true;
        status = take_choice("test", value, "permutation", "mann-whitney", &second);
        check->rule.test = second ? SPR_MANN_WHITNEY : SPR_PERMUTATION;
        return status;
    case ALPHA:
        check->rule_given = true;
        return take_alpha(check, value);
    case GROSS:
        check->rule_given = true;
        return take_fraction("gross", value, &check->rule.gross);
    case BUDGET:
        check->budget_file = value;
        return 0;
    case JUNIT:
        check->junit = value;
        return 0;
    case MARKDOWN:
        check->markdown = value;
        return 0;
    case JSON:
        check->json = value;
        return 0;
    default:
        return choice_take(&check->choice, key, value, &syntax, argc, argv);
    }
}

static bool *flag_of(int key, struct check *check) {
    const struct {
        int key;
        bool *flag;
    } flags[] = {{FAIL_ON_NEW, &check->fail_on_new},
                 {FAIL_ON_MISSING, &check->fail_on_missing},
                 {STRICT, &check->strict},
                 {WARN_ONLY, &check->warn_only},
                 {DIFFERENT_RANKS, &check->rule.allow_different_ranks},
                 {DIFFERENT_MACHINE, &check->rule.allow_different_machine},
                 {INCOMPLETE, &check->rule.allow_incomplete},
                 {GITHUB, &check->github}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].key == key) return flags[i].flag;
    return NULL;
}

static int judge_options(const struct check *check, size_t words) {
    const bool runs = check->num_base || check->num_candidate;
    if (runs && words) return options_complain(&syntax, "all files stand after --base or --candidate, or none does");
    if (runs && !check->num_candidate) return options_complain(&syntax, "--base needs --candidate");
    if (runs && !check->num_base) return options_complain(&syntax, "--candidate needs --base");
    if (!runs && words != 2)
        return options_complain(&syntax, "give a base and a candidate%s",
                                words > 2 ? "; several after --base, --candidate" : "");
    if (runs && check->metric_given) return options_complain(&syntax, "--metric is for two files; runs take --stat");
    if (!runs && (check->rule_given || check->strict))
        return options_complain(&syntax,
                                "--stat, --test, --alpha, --gross and --strict are for --base and --candidate");
    if (path_is_stdout(check->junit) + path_is_stdout(check->markdown) + path_is_stdout(check->json) > 1)
        return options_complain(&syntax, "only one of --junit, --markdown and --json can go to stdout");
    if (check->github && (path_is_stdout(check->junit) || path_is_stdout(check->json)))
        return options_complain(&syntax, "--github prints on stdout: --junit and --json need a file beside it");
    return 0;
}

static int parse(int argc, char **argv, struct check *check) {
    const char *value;
    int status = 0;
    for (int key; !status && (key = options_next(&syntax, argc, argv, &value)) != OPTIONS_END;) {
        if (key < 0) return key;
        bool *flag = flag_of(key, check);
        if (flag)
            *flag = true;
        else
            status = take_value(key, value, check, argc, argv);
    }
    return status ? status : judge_options(check, (size_t)(argc - optind));
}

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

static bool fails(const struct check *check, enum verdict_kind kind) {
    switch (kind) {
    case VERDICT_OVER:
    case VERDICT_SLOWER:
        return true;
    case VERDICT_NEW:
        return check->fail_on_new;
    case VERDICT_MISSING:
    case VERDICT_PARTIAL:
        return check->fail_on_missing;
    case VERDICT_UNCLEAR:
        return check->strict;
    default:
        return false;
    }
}

/* "solve +10.0 %, io +7.3 % and 2 more" */
static char *failing_names(const struct verdict_report *report) {
    enum { MOST = 3 };
    char *text = NULL;
    size_t length = 0, put = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return xcopy("");
    for (size_t i = 0; i < report->count; i++) {
        const struct verdict *item = &report->items[i];
        if (!item->fails || put++ >= MOST) continue;
        char *name = text_shown(item->name), *change = metric_signed(item->change);
        fprintf(out, "%s%s %s", put > 1 ? ", " : "", name,
                item->kind == VERDICT_SLOWER && !isinf(item->change) ? change
                : item->kind == VERDICT_SLOWER                       ? "new time"
                : item->kind == VERDICT_OVER                         ? "over its budget"
                                                                     : verdict_word(item->kind));
        free(change);
        free(name);
    }
    if (put > MOST) fprintf(out, " and %zu more", put - MOST);
    fclose(out);
    return text;
}

static char *unclear_text(const struct verdict_report *report) {
    const size_t unclear = report->tally[VERDICT_UNCLEAR], partial = report->tally[VERDICT_PARTIAL];
    char *first = unclear ? xformat(" %zu region%s unclear.", unclear, unclear == 1 ? " is" : "s are") : xcopy("");
    char *both = partial ? xformat("%s %zu could not be compared.", first, partial) : xcopy(first);
    free(first);
    return both;
}

void check_conclude(const struct check *check, struct verdict_report *report, size_t compared) {
    for (size_t i = 0; i < report->count; i++) {
        struct verdict *item = &report->items[i];
        item->fails = fails(check, item->kind);
        report->failures += item->fails;
        report->tally[item->kind]++;
    }
    const size_t unused = budget_tell_unused(&check->budget);
    const size_t failures = report->failures + (check->fail_on_missing ? unused : 0);
    char *unclear = unclear_text(report);
    if (report->failures) {
        char *names = failing_names(report);
        report->sentence = xformat("FAILED: %zu region%s (%s).%s", report->failures,
                                   report->failures == 1 ? " fails" : "s fail", names, unclear);
        free(names);
    } else if (failures) {
        report->sentence = xformat("FAILED: %zu budget%s no region.", unused, unused == 1 ? " matches" : "s match");
    } else if (!compared) {
        report->sentence =
            xformat("NOT COMPARED: %s.", !report->count                 ? "there is no region"
                                         : report->tally[VERDICT_SMALL] ? "every region is below --min-time"
                                                                        : "no region is on both sides");
    } else {
        report->sentence = xformat("PASSED: no region is shown to be slower than its limit.%s", unclear);
    }
    free(unclear);
    report->failures = failures;
    report->status = failures ? !check->warn_only : compared ? 0 : 2;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void put_json(FILE *out, const struct verdict_report *report) {
    json_t *document = verdict_json(report);
    if (json_print(document, out) && !ferror(out)) say("the report cannot be written as JSON");
    json_decref(document);
}

/* 0, or 2: a report that CI waits for is not there. */
static int write_file(const char *path, const char *mode, void (*put)(FILE *, const struct verdict_report *),
                      const struct verdict_report *report) {
    if (!path) return 0;
    if (path_is_stdout(path)) {
        put(stdout, report);
        return 0;
    }
    FILE *out = fopen(path, mode);
    if (out) put(out, report);
    bool failed = !out || ferror(out);
    int error = errno;
    if (out && fclose(out)) failed = true, error = errno;
    if (failed) say("%s: %s", path, strerror(error));
    return failed ? 2 : 0;
}

static int write_files(const struct check *check, const struct verdict_report *report) {
    const int junit = write_file(check->junit, "we", verdict_junit, report);
    const int markdown = write_file(check->markdown, "ae", verdict_markdown, report);
    const int json = write_file(check->json, "we", put_json, report);
    if (check->github) verdict_github(stdout, report);
    return junit || markdown || json ? 2 : 0;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static spr_gate_limit limit_of(void *argument, const char *region) {
    struct check *check = argument;
    return budget_limit(&check->budget, region, check->rule.max_slowdown);
}

static void settle_defaults(struct check *check, bool runs) {
    if (!runs && !check->limit_given) check->rule.max_slowdown = 0;
    if (!runs && !check->min_time_given) check->rule.min_time = 0;
    check->rule.limit = limit_of;
    check->rule.argument = check;
}

static int compare(struct check *check, char *const *words, spr_gate_result *result, struct compared *files,
                   struct verdict_report *report) {
    const bool runs = check->num_base > 0,
               quiet = path_is_stdout(check->junit) || path_is_stdout(check->markdown) || path_is_stdout(check->json);
    settle_defaults(check, runs);
    if (check->budget_file && !budget_read(check->budget_file, &check->budget)) return 2;
    if (compared_open(files, runs ? check->base : words, runs ? check->num_base : 1, &check->choice)) return 2;
    const size_t num_base = files->count;
    if (compared_open(files, runs ? check->candidate : words + 1, runs ? check->num_candidate : 1, &check->choice))
        return 2;
    if (!runs && files->count != 2) {
        say("check: %zu files match; several runs stand after --base and --candidate", files->count);
        return 2;
    }
    report->num_base = num_base;
    report->num_candidate = files->count - num_base;
    report->base = xalloc(report->num_base, sizeof *report->base);
    report->candidate = xalloc(report->num_candidate, sizeof *report->candidate);
    memcpy(report->base, files->paths.items, report->num_base * sizeof *report->base);
    memcpy(report->candidate, files->paths.items + num_base, report->num_candidate * sizeof *report->candidate);
    if (!compared_any_region(files)) return 2;
    const bool judged =
        runs ? check_runs(check, files, num_base, result, report, quiet) : check_pair(check, files, report, quiet);
    return judged ? report->status : 2;
}

static int work(struct check *check, char *const *words) {
    struct verdict_report report = {.rule = check->num_base ? "runs" : "pair", .metric = "total"};
    struct compared files = {0};
    spr_gate_result result = {0};
    int status = compare(check, words, &result, &files, &report);
    report.status = status;
    if (!report.sentence) /* a report is often all that is seen of a job: the cause stands in it, too */
        report.sentence = xformat("NOT COMPARED: %s", say_last() ? say_last() : "see the messages of the job");
    const int written = write_files(check, &report);
    if (written) status = written;
    verdict_report_free(&report);
    spr_gate_free(&result);
    spr_comparison_free(&check->comparison);
    spr_comparison_free(&check->totals);
    compared_close(&files);
    return status;
}

int command_check(int argc, char **argv) {
    struct check check = {.rule = spr_gate_defaults()};
    int parsed = parse(argc, argv, &check), status = parsed == OPTIONS_HELP ? 0 : 2;
    if (!parsed) status = work(&check, argv + optind);
    choice_free(&check.choice);
    budget_free(&check.budget);
    free(check.base);
    free(check.candidate);
    return status;
}
