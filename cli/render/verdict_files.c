/* Verdicts as JUnit XML, Markdown and JSON. */
#include "base/memory.h"
#include "difference.h"
#include "json.h"
#include "metric.h"
#include "verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- JUnit ------------------------------------------------------------------------------------------------------- */

/* One byte that XML does not know loses the whole report. */
static void put_xml(FILE *out, const char *text) {
    char *lossy = text_lossy(text);
    size_t length;
    int32_t code;
    for (const char *at = lossy; (length = text_decode(at, &code)); at += length) {
        const char *name = code == '&'   ? "&amp;"
                           : code == '<' ? "&lt;"
                           : code == '>' ? "&gt;"
                           : code == '"' ? "&quot;"
                                         : NULL;
        if (name)
            fputs(name, out);
        else if (code < 0x20 || code == 0x7f || (code & 0xfffe) == 0xfffe)
            fputs("\xef\xbf\xbd", out);
        else
            fwrite(at, 1, length, out);
    }
    free(lossy);
}

enum outcome { PASSED, FAILED, BROKEN, SKIPPED };

static enum outcome outcome_of(const struct verdict *item) {
    if (item->fails) return FAILED;
    switch (item->kind) {
    case VERDICT_PARTIAL:
        return BROKEN;
    case VERDICT_OK:
    case VERDICT_FASTER:
        return PASSED;
    default:
        return SKIPPED;
    }
}

static void put_case(FILE *out, const struct verdict *item) {
    static const char *const elements[] = {"system-out", "failure", "error", "skipped"};
    const enum outcome outcome = outcome_of(item);
    char *name = text_shown(item->name); /* escaped, not replaced: of two cases with one name readers drop one */
    char *text = xformat("%s: %s%s%s", verdict_word(item->kind), item->text, item->advice ? "; " : "",
                         item->advice ? item->advice : "");
    fputs("    <testcase classname=\"scope-profiler check\" name=\"", out);
    put_xml(out, name);
    fprintf(out, "\" time=\"%.9f\">\n      <%s",
            item->candidate > 0 && isfinite(item->candidate) ? item->candidate : 0.0, elements[outcome]);
    if (outcome != PASSED) {
        fputs(" message=\"", out);
        put_xml(out, text);
        fputc('"', out);
    }
    if (outcome == FAILED || outcome == BROKEN) fprintf(out, " type=\"%s\"", verdict_key(item->kind));
    fputc('>', out);
    put_xml(out, text);
    fprintf(out, "</%s>\n    </testcase>\n", elements[outcome]);
    free(text);
    free(name);
}

void verdict_junit(FILE *out, const struct verdict_report *report) {
    size_t count[4] = {0};
    for (size_t i = 0; i < report->count; i++) count[outcome_of(&report->items[i])]++;
    const bool broken = report->status == 2;
    char *numbers = xformat("tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", report->count + broken,
                            count[FAILED], count[BROKEN] + broken, count[SKIPPED]);
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"scope-profiler check\" %s>\n",
            numbers);
    fprintf(out, "  <testsuite name=\"scope-profiler check\" %s>\n", numbers);
    for (size_t i = 0; i < report->count; i++) put_case(out, &report->items[i]);
    if (broken) {
        fputs("    <testcase classname=\"scope-profiler check\" name=\"(comparison)\">\n      <error message=\"", out);
        put_xml(out, report->sentence);
        fputs("\" type=\"not_compared\">", out);
        put_xml(out, report->sentence);
        fputs("</error>\n    </testcase>\n", out);
    }
    fputs("  </testsuite>\n</testsuites>\n", out);
    free(numbers);
}

/* ---- Markdown ---------------------------------------------------------------------------------------------------- */

enum { MOST_ROWS = 200 }; /* GitHub drops a summary that is too long */

static bool is_urgent(const struct verdict *item) {
    return item->fails || item->kind == VERDICT_UNCLEAR || item->kind == VERDICT_PARTIAL;
}

static char *shown_value(const struct verdict_report *report, double value) {
    if (!strcmp(report->metric, "calls") || !strcmp(report->metric, "imbalance"))
        return isfinite(value) ? xformat("%.6g", value) : xcopy("-");
    return metric_scaled(value);
}

static void put_rows(FILE *out, const struct verdict_report *report, bool urgent) {
    size_t rows = 0, cut = 0;
    for (size_t i = 0; i < report->count; i++) {
        const struct verdict *item = &report->items[i];
        if (is_urgent(item) != urgent) continue;
        if (rows == MOST_ROWS) {
            cut++;
            continue;
        }
        if (!rows++)
            fputs("| verdict | region | base | candidate | change | |\n| --- | --- | ---: | ---: | ---: | --- |\n",
                  out);
        char *name = markdown_text(item->name), *base = shown_value(report, item->base);
        char *candidate = shown_value(report, item->candidate), *text = markdown_text(item->text);
        char *change = isinf(item->change) ? xcopy("new time") : metric_signed(item->change);
        fprintf(out, "| %s | %s | %s | %s | %s | %s |\n", verdict_word(item->kind), name, base, candidate, change,
                text);
        free(change);
        free(text);
        free(candidate);
        free(base);
        free(name);
    }
    if (cut) fprintf(out, "\n%zu more rows are not shown.\n", cut);
}

void verdict_markdown(FILE *out, const struct verdict_report *report) {
    size_t calm = 0;
    char *sentence = markdown_text(report->sentence);
    fprintf(out, "### scope-profiler check\n\n**%s**\n\n", sentence);
    free(sentence);
    for (size_t i = 0; i < report->num_notes; i++) {
        char *note = markdown_text(report->notes[i]);
        fprintf(out, "%s\n\n", note);
        free(note);
    }
    put_rows(out, report, true);
    for (size_t i = 0; i < report->count; i++) calm += !is_urgent(&report->items[i]);
    if (calm) {
        fprintf(out, "\n<details><summary>%zu other region%s</summary>\n\n", calm, calm == 1 ? "" : "s");
        put_rows(out, report, false);
        fputs("\n</details>\n", out);
    }
    if (!report->heading || !report->limits) return; /* nothing was compared */
    char *heading = markdown_text(report->heading), *limits = markdown_text(report->limits);
    fprintf(out, "\n%s; %s\n", heading, limits);
    free(limits);
    free(heading);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *texts(char *const *items, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(array, json_text_lossy(items[i]));
    return array;
}

static json_t *range(const uint64_t *calls) { return json_pack("[I, I]", (json_int_t)calls[0], (json_int_t)calls[1]); }

static void set_evidence(json_t *object, const spr_gate_region *region) {
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"base_mean", region->base_mean},
                   {"candidate_mean", region->candidate_mean},
                   {"ratio", region->ratio},
                   {"lower", region->lower},
                   {"upper", region->upper},
                   {"p", region->p},
                   {"p_adjusted", region->p_all},
                   {"p_faster", region->p_faster},
                   {"total_ratio", region->total_ratio},
                   {"total_p", region->total_p}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(object, numbers[i].key, json_number(numbers[i].value));
    json_object_set_new(object, "base_runs", json_integer((json_int_t)region->base_runs));
    json_object_set_new(object, "candidate_runs", json_integer((json_int_t)region->candidate_runs));
    json_object_set_new(object, "base_calls", range(region->base_calls));
    json_object_set_new(object, "candidate_calls", range(region->candidate_calls));
    json_object_set_new(object, "base_cut_off", json_integer((json_int_t)region->base_cut_off));
    json_object_set_new(object, "candidate_cut_off", json_integer((json_int_t)region->candidate_cut_off));
    json_object_set_new(object, "ranks", json_integer(region->ranks));
    json_object_set_new(object, "reason", region->reason ? json_string(region->reason) : json_null());
}

static json_t *region_object(const struct verdict *item) {
    json_t *object = json_object();
    json_object_set_new(object, "name", json_text_lossy(item->name));
    json_object_set_new(object, "verdict", json_string(verdict_key(item->kind)));
    json_object_set_new(object, "fails", json_boolean(item->fails));
    json_object_set_new(object, "base", json_number(item->base));
    json_object_set_new(object, "candidate", json_number(item->candidate));
    json_object_set_new(object, "change", json_number(item->change));
    json_object_set_new(object, "new_time", json_boolean(isinf(item->change)));
    json_object_set_new(object, "limit", json_number(item->limit));
    json_object_set_new(object, "budget", json_number(item->budget));
    json_object_set_new(object, "text", json_text_lossy(item->text));
    if (item->region) set_evidence(object, item->region);
    return object;
}

static json_t *rule_object(const struct verdict_report *report) {
    const spr_gate_options *options = report->options;
    const spr_gate_result *result = report->result;
    json_t *object = json_object();
    json_object_set_new(object, "rule", json_string(report->rule));
    json_object_set_new(object, "metric", json_string(report->metric));
    if (!options || !result) return object;
    json_object_set_new(object, "test",
                        json_string(options->test == SPR_MANN_WHITNEY ? "mann-whitney" : "permutation"));
    json_object_set_new(object, "max_slowdown", json_number(options->max_slowdown));
    json_object_set_new(object, "alpha", json_number(options->alpha));
    json_object_set_new(object, "min_time", json_number(options->min_time));
    json_object_set_new(object, "gross", json_number(options->gross));
    json_object_set_new(object, "testable", json_boolean(result->testable));
    json_object_set_new(object, "gated", json_integer((json_int_t)result->gated));
    json_object_set_new(object, "labellings", json_integer((json_int_t)result->labellings));
    json_object_set_new(object, "all_labellings", json_boolean(result->all_labellings));
    json_object_set_new(object, "seed", json_integer(0x53434F5045));
    json_object_set_new(object, "smallest_p", json_number(result->smallest_p));
    json_object_set_new(object, "common_factor", json_number(result->common_factor));
    json_object_set_new(object, "one_after_other", json_boolean(result->one_after_other));
    json_object_set_new(object, "different_hosts", json_boolean(result->different_hosts));
    json_object_set_new(object, "different_ranks", json_boolean(result->different_ranks));
    return object;
}

json_t *verdict_json(const struct verdict_report *report) {
    static const char *const verdicts[] = {"passed", "failed", "not_compared"};
    json_t *document = json_object(), *regions = json_array();
    for (size_t i = 0; i < report->count; i++) json_array_append_new(regions, region_object(&report->items[i]));
    const bool failed = report->status == 0 && report->failures > 0; /* with --warn-only */
    json_object_set_new(document, "format", json_string("scope-profiler-check"));
    json_object_set_new(document, "format_version", json_integer(1));
    json_object_set_new(document, "verdict", json_string(verdicts[failed ? 1 : report->status]));
    json_object_set_new(document, "exit_status", json_integer(report->status));
    json_object_set_new(document, "sentence", json_text_lossy(report->sentence));
    json_object_set_new(document, "units", json_string("seconds; changes, limits and ratios as fractions"));
    json_object_set_new(document, "rule", rule_object(report));
    json_object_set_new(document, "base", texts(report->base, report->num_base));
    json_object_set_new(document, "candidate", texts(report->candidate, report->num_candidate));
    json_object_set_new(document, "notes", texts(report->notes, report->num_notes));
    json_object_set_new(document, "regions", regions);
    return document;
}
