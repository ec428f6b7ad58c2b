/* check.h: what the two forms of `check` share. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "budget.h"
#include "compared.h"
#include "render/verdict.h"

struct check {
    struct choice choice;
    char **base, **candidate; /* words of --base and --candidate */
    size_t num_base, num_candidate;
    bool metric_given, limit_given, min_time_given, rule_given; /* rule: an option of runs alone */
    enum spr_metric metric;
    spr_gate_options rule; /* max_slowdown and min_time also of a pair */
    struct budget budget;
    const char *budget_file;
    bool fail_on_new, fail_on_missing, strict, warn_only, github;
    const char *junit, *markdown, *json;
    spr_comparison comparison; /* of a pair: the report's names belong to it */
    spr_comparison totals;     /* of a pair: by them a region is large enough or not, whatever the metric */
};

/* Two files: one number a region against a limit, as `diff` shows it. files: base, candidate. Fills the report, prints
 * (unless `quiet`). False: told on stderr, and in the report's sentence, that there is no answer. */
bool check_pair(struct check *check, const struct compared *files, struct verdict_report *report, bool quiet);

/* Several runs a side: is the difference more than chance? files: `num_base` of the base first. result: kept for the
 * report, spr_gate_free() it. */
bool check_runs(struct check *check, const struct compared *files, size_t num_base, spr_gate_result *result,
                struct verdict_report *report, bool quiet);

/* Decides which verdicts fail, and on sentence and status. compared: regions that were judged. */
void check_conclude(const struct check *check, struct verdict_report *report, size_t compared);

#endif
