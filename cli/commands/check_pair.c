/* check BASE CANDIDATE: two files and a limit. */
#include "base/memory.h"
#include "base/say.h"
#include "check.h"
#include "render/difference.h"
#include "render/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 1e-12

static bool refuse(struct verdict_report *report, const char *why) {
    say("%s", why);
    report->sentence = xformat("NOT COMPARED: %s", why);
    report->status = 2;
    return false;
}

static const char *processor(const spr_profile *profile) {
    const spr_value *value = spr_metadata(profile, "chip_information");
    return value && value->kind == SPR_TEXT ? value->text : "";
}

static bool same_machine(const struct check *check, const struct compared *files, struct verdict_report *report) {
    const char *base = processor(files->profiles[0]), *candidate = processor(files->profiles[1]);
    if (check->rule.allow_different_machine || !*base || !*candidate || !strcmp(base, candidate)) return true;
    char *why = xformat("%s: recorded on another processor (%s) than %s (%s); --allow-different-machine compares them "
                        "all the same",
                        spr_path(files->profiles[1]), candidate, spr_path(files->profiles[0]), base);
    refuse(report, why);
    free(why);
    return false;
}

static bool comparable(const struct check *check, const struct compared *files, struct verdict_report *report) {
    spr_error error;
    for (size_t i = 0; i < 2 && !check->rule.allow_incomplete; i++)
        if (spr_check_complete(files->profiles[i], files->selections[i], &error)) return refuse(report, error.message);
    const uint32_t base = spr_num_ranks(files->profiles[0]), candidate = spr_num_ranks(files->profiles[1]);
    if (base == candidate || check->rule.allow_different_ranks) return true;
    char *why =
        xformat("%s: %u rank%s, but %s has %u; --allow-different-ranks compares them all the same",
                spr_path(files->profiles[1]), candidate, candidate == 1 ? "" : "s", spr_path(files->profiles[0]), base);
    refuse(report, why);
    free(why);
    return false;
}

/* A number that cannot be known must not pass. */
static bool all_known(const struct check *check, const struct compared *files, const spr_comparison *comparison,
                      struct verdict_report *report) {
    for (size_t i = 0; i < comparison->count; i++)
        for (size_t file = 0; file < 2; file++) {
            const spr_compared *row = &comparison->rows[i];
            if (!row->present[file] || isfinite(row->values[file])) continue;
            char *why = xformat("%s: %s of '%s' is not known: single calls were not recorded",
                                spr_path(files->profiles[file]), metric_look(check->metric)->name, row->name);
            refuse(report, why);
            free(why);
            return false;
        }
    return true;
}

static int by_name(const void *left, const void *right) {
    return strcmp(((const spr_compared *)left)->name, ((const spr_compared *)right)->name);
}

/* Its total time is below --min-time on both sides. */
static bool is_small(const struct check *check, const spr_compared *row) {
    const spr_compared *totals =
        bsearch(row, check->totals.rows, check->totals.count, sizeof *check->totals.rows, by_name);
    return totals && fmax(totals->values[0], totals->values[1]) < check->rule.min_time;
}

static enum verdict_kind judge(const struct check *check, const spr_compared *row, const struct verdict *item) {
    const bool is_time = metric_look(check->metric)->is_time;
    if (is_time && item->candidate > item->budget) return VERDICT_OVER;
    if (!row->present[0]) return VERDICT_NEW;
    if (!row->present[1]) return VERDICT_MISSING;
    if (is_small(check, row)) return VERDICT_SMALL;
    if (isinf(item->change)) return VERDICT_SLOWER;
    /* the exact change, but for the last digits of its own arithmetic */
    return item->change > item->limit + ROUNDING ? VERDICT_SLOWER : item->change < 0 ? VERDICT_FASTER : VERDICT_OK;
}

static char *describe(const struct check *check, const spr_compared *row, const struct verdict *item) {
    char *base = metric_value(check->metric, item->base), *candidate = metric_value(check->metric, item->candidate);
    char *change = isinf(item->change) ? xcopy("new time") : metric_percent(spr_percent(row, 0, 1));
    char *budget = isnan(item->budget) ? xcopy("") : xformat(", budget %g s", item->budget);
    char *text = xformat("%s %s -> %s, %s (limit +%g%%%s)", metric_look(check->metric)->label, base, candidate, change,
                         item->limit * 100, budget);
    free(budget);
    free(change);
    free(candidate);
    free(base);
    return text;
}

static size_t fill(struct check *check, const struct difference *difference, struct verdict_report *report) {
    size_t compared = 0;
    report->items = xalloc(difference->count, sizeof *report->items);
    for (size_t i = 0; i < difference->count; i++) {
        const spr_compared *row = difference->rows[i];
        const spr_gate_limit limit = budget_limit(&check->budget, row->name, check->rule.max_slowdown);
        struct verdict *item = &report->items[report->count++];
        const double percent = spr_percent(row, 0, 1), before = row->present[0] ? row->values[0] : (double)NAN;
        const bool from_nothing = before == 0 && row->present[1] && row->values[1] > 0;
        *item = (struct verdict){.name = row->name,
                                 .base = before,
                                 .candidate = row->present[1] ? row->values[1] : (double)NAN,
                                 .change = from_nothing                     ? INFINITY
                                           : before == 0 && row->present[1] ? 0
                                                                            : percent / 100,
                                 .limit = limit.slowdown,
                                 .budget = limit.seconds};
        item->kind = judge(check, row, item);
        item->text = describe(check, row, item);
        compared += row->present[0] && row->present[1] && item->kind != VERDICT_SMALL;
    }
    return compared;
}

static void print_violations(const struct sink *sink, const struct verdict_report *report) {
    if (!report->failures) return;
    fputs("Budget violations: ", sink->stream);
    for (size_t i = 0, put = 0; i < report->count; i++) {
        if (!report->items[i].fails) continue;
        char *name = text_shown(report->items[i].name);
        fprintf(sink->stream, "%s%s", put++ ? ", " : "", name);
        free(name);
    }
    fputc('\n', sink->stream);
}

/* Failing regions that a budget file limits: the limit at the top is not theirs. */
static void print_budgets(const struct sink *sink, const struct check *check, const struct verdict_report *report) {
    for (size_t i = 0; i < report->count; i++) {
        const struct verdict *item = &report->items[i];
        if (!item->fails || (isnan(item->budget) && item->limit == check->rule.max_slowdown)) continue;
        char *name = text_shown(item->name);
        fprintf(sink->stream, "  %s: %s\n", name, item->text);
        free(name);
    }
}

static void print_small(const struct sink *sink, const struct verdict_report *report) {
    const size_t small = report->tally[VERDICT_SMALL];
    if (small) sink_line(sink, "  Below --min-time, not judged: %zu region%s", small, small == 1 ? "" : "s");
}

static void print_reports(const struct check *check, const struct compared *files, const struct difference *difference,
                          const struct verdict_report *report) {
    struct sink sink = sink_open(stdout);
    char *base = metric_title(files->profiles[0]), *candidate = metric_title(files->profiles[1]);
    sink_line(&sink, "Baseline: %s", base);
    sink_line(&sink, "Candidate: %s", candidate);
    sink_line(&sink, "Regression budget: +%g%% (%s)", check->rule.max_slowdown * 100, report->metric);
    sink_line(&sink, "Regression check: %s", report->failures ? "FAIL" : report->status ? "NOTHING COMPARED" : "PASS");
    difference_table(&sink, difference);
    print_violations(&sink, report);
    print_budgets(&sink, check, report);
    print_small(&sink, report);
    difference_only(&sink, difference, "Missing from the candidate: ", 0, 1);
    difference_only(&sink, difference, "New in the candidate: ", 1, 0);
    difference_new_times(&sink, difference, "New time: ", 1);
    difference_problems(&sink, "Problems of the baseline:", files->profiles[0], files->selections[0]);
    difference_problems(&sink, "Problems of the candidate:", files->profiles[1], files->selections[1]);
    free(candidate);
    free(base);
}

/* Lines of the budget that cannot limit the metric. */
static void tell_unfit_budgets(const struct check *check) {
    const struct metric_look *look = metric_look(check->metric);
    for (size_t i = 0; i < check->budget.count && !look->is_time; i++)
        if (!check->budget.lines[i].is_percent)
            say("%s:%u: a time does not limit --metric %s", check->budget.file, check->budget.lines[i].number,
                look->name);
}

bool check_pair(struct check *check, const struct compared *files, struct verdict_report *report, bool quiet) {
    spr_error error;
    report->rule = "pair";
    report->metric = metric_look(check->metric)->name;
    if (!comparable(check, files, report) || !same_machine(check, files, report)) return false;
    if (spr_compare(files->profiles, files->selections, 2, check->metric, false, &check->comparison, &error) ||
        spr_compare(files->profiles, files->selections, 2, SPR_BY_TOTAL, false, &check->totals, &error))
        return refuse(report, error.message);
    if (!all_known(check, files, &check->comparison, report)) return false;
    tell_unfit_budgets(check);
    struct difference difference = difference_make(&check->comparison, check->metric, false, BY_PERCENT, 0);
    const size_t compared = fill(check, &difference, report);
    report->heading = xformat("%zu region%s, %s of one run a side", report->count, report->count == 1 ? "" : "s",
                              metric_look(check->metric)->label);
    report->limits = xformat("limit +%g%%", check->rule.max_slowdown * 100);
    check_conclude(check, report, compared);
    if (!quiet) print_reports(check, files, &difference, report);
    difference_free(&difference);
    return true;
}
