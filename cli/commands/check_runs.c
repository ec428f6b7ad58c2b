/* check --base FILE... --candidate FILE...: runs are the samples. */
#include "base/memory.h"
#include "base/path.h"
#include "base/say.h"
#include "check.h"
#include "render/difference.h"
#include "render/metric.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one region -------------------------------------------------------------------------------------------------- */

static const enum verdict_kind kinds[SPR_NUM_VERDICTS] = {
    [SPR_SLOWER] = VERDICT_SLOWER,   [SPR_UNCLEAR] = VERDICT_UNCLEAR, [SPR_PARTIAL] = VERDICT_PARTIAL,
    [SPR_MISSING] = VERDICT_MISSING, [SPR_ADDED] = VERDICT_NEW,       [SPR_FASTER] = VERDICT_FASTER,
    [SPR_NO_SLOWER] = VERDICT_OK,    [SPR_TOO_SMALL] = VERDICT_SMALL,
};

static char *calls_text(const uint64_t *calls) {
    if (calls[0] == calls[1]) return xformat("%" PRIu64, calls[0]);
    return xformat("%" PRIu64 "-%" PRIu64, calls[0], calls[1]);
}

static void put_calls(FILE *out, const spr_gate_region *region) {
    char *base = calls_text(region->base_calls), *candidate = calls_text(region->candidate_calls);
    if (!region->base_runs || !region->candidate_runs || !strcmp(base, candidate))
        fprintf(out, "  %s call%s", region->base_runs ? base : candidate,
                strcmp(region->base_runs ? base : candidate, "1") ? "s" : "");
    else
        fprintf(out, "  calls %s -> %s", base, candidate);
    free(candidate);
    free(base);
}

/* "0.004", "< 0.0005": never 0. */
static char *p_text(double p) {
    return p < 0.0005 ? xcopy("< 0.0005") : p < 0.095 ? xformat("%.3f", p) : xformat("%.2f", p);
}

static void put_test(FILE *out, const spr_gate_region *region, enum verdict_kind kind) {
    char interval[64] = "";
    const double adjusted = kind == VERDICT_FASTER ? region->p_faster : region->p_all;
    if (isfinite(region->lower) && isfinite(region->upper))
        snprintf(interval, sizeof interval, "[%+.1f, %+.1f]", 100 * (region->lower - 1), 100 * (region->upper - 1));
    char *number = p_text(adjusted), *p = xformat("p %s", number);
    fprintf(out, "  %-15s  %-8s", interval, isnan(adjusted) || kind == VERDICT_OK ? "" : p);
    free(p);
    free(number);
}

static char *describe(const spr_gate_region *region, enum verdict_kind kind) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return xcopy("");
    if (!isnan(region->ratio)) {
        char *change = isinf(region->ratio) ? xcopy("new time") : metric_signed(region->ratio - 1);
        fprintf(out, "%9s", change);
        free(change);
        put_test(out, region, kind);
    }
    put_calls(out, region);
    if (region->ranks > 1 && !isnan(region->base_mean)) {
        char *base = metric_scaled(region->base_mean), *candidate = metric_scaled(region->candidate_mean);
        fprintf(out, "  mean of %" PRIu32 " ranks %s -> %s", region->ranks, base, candidate);
        free(candidate);
        free(base);
    }
    if (kind == VERDICT_PARTIAL && !region->reason)
        fprintf(out, "  in %zu base and %zu candidate runs only", region->base_runs, region->candidate_runs);
    if (region->over_budget) fprintf(out, "  budget %g s", region->limit.seconds);
    if (region->gross) fputs("  grossly: its fastest calls and its lower fifth", out);
    if (region->reason) fprintf(out, "  (%s)", region->reason);
    if (region->base_cut_off || region->candidate_cut_off)
        fprintf(out, "  calls not ended: %" PRIu64 " and %" PRIu64, region->base_cut_off, region->candidate_cut_off);
    fclose(out);
    return text;
}

/* The same for where there are no columns: values first, one blank between words, the limit last. */
static char *one_line(const struct verdict *item) {
    char *base = metric_scaled(item->base), *candidate = metric_scaled(item->candidate);
    char *limit = metric_signed(item->limit), *text = xformat("%s -> %s %s", base, candidate, item->columns);
    size_t length = 0;
    for (const char *from = text; *from; from++)
        if (*from != ' ' || (length && text[length - 1] != ' ')) text[length++] = *from;
    text[length] = '\0';
    char *line = xformat("%s (limit %s)", text, limit);
    free(text);
    free(limit);
    free(candidate);
    free(base);
    return line;
}

/* What the floor cannot see: calls or whole runs that are slower now and then. */
static char *advise(const struct check *check, const spr_gate_region *region) {
    if (check->rule.statistic == SPR_TOTAL || isnan(region->total_ratio)) return NULL;
    if (region->ratio >= 1 + region->limit.slowdown) return NULL; /* it sees it */
    if (region->total_ratio < 1 + region->limit.slowdown || region->total_p > check->rule.alpha) return NULL;
    char *change = metric_signed(region->total_ratio - 1), *p = p_text(region->total_p);
    char *text = xformat("total %s (p %s): some calls or runs are slower, not all", change, p);
    free(p);
    free(change);
    return text;
}

static void fill(const struct check *check, const spr_gate_result *result, struct verdict_report *report) {
    report->items = xalloc(result->count, sizeof *report->items);
    for (size_t i = 0; i < result->count; i++) {
        const spr_gate_region *region = &result->regions[i];
        struct verdict *item = &report->items[report->count++];
        *item = (struct verdict){.name = region->name,
                                 .kind = region->over_budget ? VERDICT_OVER : kinds[region->verdict],
                                 .base = region->base,
                                 .candidate = region->candidate,
                                 .change = region->ratio - 1,
                                 .limit = region->limit.slowdown,
                                 .budget = region->limit.seconds,
                                 .region = region};
        item->columns = describe(region, item->kind);
        item->text = one_line(item);
        item->advice = advise(check, region);
    }
}

/* ---- around it --------------------------------------------------------------------------------------------------- */

static void head(const struct check *check, const spr_gate_result *result, struct verdict_report *report) {
    char *least = metric_scaled(check->rule.min_time), *limit = metric_signed(check->rule.max_slowdown);
    report->heading =
        xformat("%zu base run%s, %zu candidate run%s, %zu region%s (%zu gated, %zu below %s)", result->base_runs,
                result->base_runs == 1 ? "" : "s", result->candidate_runs, result->candidate_runs == 1 ? "" : "s",
                result->count, result->count == 1 ? "" : "s", result->gated, result->tally[SPR_TOO_SMALL], least);
    const double confidence = 100 * (1 - check->rule.alpha);
    if (!result->testable)
        report->limits = xformat("so few runs show gross slow-downs alone: %+.0f %% of the fastest calls and of the "
                                 "lower fifth",
                                 100 * fmax(check->rule.gross, check->rule.max_slowdown));
    else if (check->rule.test == SPR_MANN_WHITNEY)
        report->limits = xformat("limit %s, %g %% confidence for each region alone (Mann-Whitney)", limit, confidence);
    else
        report->limits = xformat("limit %s, %g %% confidence for all regions together", limit, confidence);
    free(limit);
    free(least);
}

static char *quoted_list(char *const *paths, size_t count) {
    char *text = xcopy("");
    for (size_t i = 0; i < count; i++) {
        char *quoted = path_quoted(paths[i]), *more = xformat("%s %s", text, quoted);
        free(quoted);
        free(text);
        text = more;
    }
    return text;
}

static bool on_several_ranks(const spr_gate_result *result) {
    for (size_t i = 0; i < result->count; i++)
        if (result->regions[i].ranks > 1) return true;
    return false;
}

static void note_how(const struct check *check, const spr_gate_result *result, struct verdict_report *report) {
    const bool totals = check->rule.statistic == SPR_TOTAL || check->rule.test == SPR_MANN_WHITNEY;
    const char *what = result->different_ranks ? "mean over ranks of the total of a run"
                       : totals                ? "total of a run"
                                               : "for each call the fastest of the runs, summed (floor)";
    const char *ranks = !result->different_ranks && on_several_ranks(result) ? ", of the slowest rank" : "";
    const char *p = check->rule.test == SPR_MANN_WHITNEY ? "of the region alone" : "adjusted for all gated regions";
    if (!result->testable)
        verdict_note(report, xformat("time: %s%s.", what, ranks));
    else
        verdict_note(report, xformat("time: %s%s; [low, high]: %g %% interval; p: %s.", what, ranks,
                                     100 * (1 - 2 * check->rule.alpha), p));
}

static void note_few_runs(const spr_gate_result *result, struct verdict_report *report) {
    const size_t fewest = result->base_runs < result->candidate_runs ? result->base_runs : result->candidate_runs;
    if (!result->testable)
        verdict_note(report,
                     xformat("%zu and %zu runs cannot tell a slow-down from chance (smallest p %.2g): 5 or more a "
                             "side can.",
                             result->base_runs, result->candidate_runs, result->smallest_p));
    else if (fewest < 5)
        verdict_note(report, xformat("%zu and %zu runs: only a nearly complete separation counts; 5 or more a side are "
                                     "recommended.",
                                     result->base_runs, result->candidate_runs));
    else if (result->tally[SPR_UNCLEAR])
        verdict_note(report, xformat("More runs narrow what is unclear (now %zu and %zu; try %zu a side).",
                                     result->base_runs, result->candidate_runs, fewest + 3));
}

static void note_circumstances(const spr_gate_result *result, struct verdict_report *report) {
    if (!isnan(result->common_factor))
        verdict_note(report, xformat("Nearly everything is slower by about the same factor (x%.2f): machine, load or "
                                     "build flags?",
                                     result->common_factor));
    if (result->one_after_other && result->base_runs > 1 && result->candidate_runs > 1)
        verdict_note(report, xcopy("Base and candidate ran one after the other; alternate them to rule out drift "
                                   "(scope-profiler run --repeat N --alternate COMMAND)."));
    if (result->different_hosts) verdict_note(report, xcopy("The runs were made on different hosts."));
    if (result->different_ranks)
        verdict_note(report, xcopy("Numbers of ranks differ: means over ranks are compared, and nothing fails."));
}

/* For a failure: how to see more, and what to open. */
static void note_next(const struct compared *files, size_t num_base, struct verdict_report *report) {
    if (!report->failures) return;
    char *pair[] = {files->paths.items[0], files->paths.items[num_base]}, *open = quoted_list(pair, 2);
    char *base = quoted_list(report->base, report->num_base);
    char *candidate = quoted_list(report->candidate, report->num_candidate);
    verdict_note(report, xformat("again: scope-profiler check --base%s --candidate%s", base, candidate));
    verdict_note(report, xformat("where: scope-profiler diff%s --by path", open));
    free(candidate);
    free(base);
    free(open);
}

bool check_runs(struct check *check, const struct compared *files, size_t num_base, spr_gate_result *result,
                struct verdict_report *report, bool quiet) {
    spr_error error;
    report->rule = "runs";
    report->metric = check->rule.statistic == SPR_TOTAL || check->rule.test == SPR_MANN_WHITNEY ? "total" : "floor";
    if (spr_gate(files->profiles, num_base, files->profiles + num_base, files->count - num_base, files->selections,
                 &check->rule, result, &error)) {
        say("%s", error.message);
        report->sentence = xformat("NOT COMPARED: %s", error.message);
        report->status = 2;
        return false;
    }
    report->result = result;
    report->options = &check->rule;
    fill(check, result, report);
    head(check, result, report);
    check_conclude(check, report, result->gated);
    note_how(check, result, report);
    note_few_runs(result, report);
    note_circumstances(result, report);
    note_next(files, num_base, report);
    struct sink sink = sink_open(stdout);
    if (!quiet) verdict_text(&sink, report);
    for (size_t i = 0; !quiet && i < files->count; i++) {
        char *shown = text_shown(files->paths.items[i]), *heading = xformat("Problems of %s:", shown);
        difference_problems(&sink, heading, files->profiles[i], files->selections[i]);
        free(heading);
        free(shown);
    }
    return true;
}
