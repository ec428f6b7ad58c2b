/* Verdicts. */
#include "gate_verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEWEST_CALLS   10   /* of a run, for a gross verdict */
#define FACTOR_REGIONS 4    /* a common factor is seen in no fewer, ... */
#define FACTOR_SHARE   0.8  /* ... of which so many are slower, ... */
#define FACTOR_SPREAD  0.03 /* ... and half of them so near to each other (ln) */

void rd_judge(spr_gate_region *region, const struct rd_evidence *evidence) {
    const double limit = 1 + region->limit.slowdown;
    region->verdict = region->ratio >= limit && evidence->slower       ? SPR_SLOWER
                      : region->ratio <= 1 / limit && evidence->faster ? SPR_FASTER
                      : region->upper < limit                          ? SPR_NO_SLOWER
                                                                       : SPR_UNCLEAR;
    if (region->verdict == SPR_UNCLEAR && region->ratio >= limit && evidence->slower_alone)
        region->reason = "slower if it were the only region tested";
}

void rd_judge_gross(spr_gate_region *region, const struct rd_shapes *shapes, double gross) {
    const double limit = 1 + fmax(region->limit.slowdown, gross);
    double base_least = INFINITY, base_quantile = 0, least = INFINITY, quantile = INFINITY;
    for (unsigned i = 0; i < shapes->base_runs; i++) {
        base_least = fmin(base_least, shapes->base[i].smallest);
        base_quantile = fmax(base_quantile, shapes->base[i].quantile);
    }
    for (unsigned i = 0; i < shapes->candidate_runs; i++) {
        least = fmin(least, shapes->candidate[i].smallest);
        quantile = fmin(quantile, shapes->candidate[i].quantile);
    }
    /* 1 ns more: no time at all is legal */
    const bool slower = (least + 1) / (base_least + 1) >= limit && (quantile + 1) / (base_quantile + 1) >= limit;
    region->gross = slower && shapes->fewest_calls >= FEWEST_CALLS;
    region->verdict = region->gross ? SPR_SLOWER : SPR_UNCLEAR;
    if (region->gross) return;
    region->reason = shapes->fewest_calls < FEWEST_CALLS ? "too few runs and calls" : "too few runs";
}

void rd_judge_doubts(spr_gate_region *region, unsigned base_runs, unsigned candidate_runs, bool different_ranks) {
    if (region->verdict == SPR_SLOWER && different_ranks) {
        region->verdict = SPR_UNCLEAR;
        region->gross = false;
        region->reason = "slower, but with other numbers of ranks";
    }
    const bool passes = region->verdict == SPR_NO_SLOWER || region->verdict == SPR_FASTER;
    if (passes && region->base_cut_off * candidate_runs != region->candidate_cut_off * base_runs) {
        region->verdict = SPR_UNCLEAR;
        region->reason = "calls were cut off";
    }
    if (region->verdict == SPR_NO_SLOWER && region->reason) region->verdict = SPR_UNCLEAR; /* not the same ranks */
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t count, double share) {
    const double position = share * (double)(count - 1);
    const size_t low = (size_t)position, high = low + (low + 1 < count);
    return sorted[low] + (position - (double)low) * (sorted[high] - sorted[low]);
}

double rd_common_factor(const spr_gate_region *regions, const bool *gated, size_t count, double max_slowdown) {
    double *logs = malloc((count + 1) * sizeof *logs), factor = (double)NAN;
    size_t found = 0, slower = 0;
    for (size_t i = 0; logs && i < count; i++) {
        if (!gated[i] || !isfinite(regions[i].ratio) || regions[i].ratio <= 0) continue;
        logs[found++] = log(regions[i].ratio);
        slower += regions[i].ratio > 1;
    }
    if (found >= FACTOR_REGIONS && (double)slower >= FACTOR_SHARE * (double)found) {
        qsort(logs, found, sizeof *logs, by_value);
        const double median = exp(quantile(logs, found, 0.5));
        const double spread = quantile(logs, found, 0.75) - quantile(logs, found, 0.25);
        if (median >= 1 + max_slowdown && spread < FACTOR_SPREAD) factor = median;
    }
    free(logs);
    return factor;
}

static int worst_first(const void *a, const void *b) {
    const spr_gate_region *x = a, *y = b;
    if (x->over_budget != y->over_budget) return x->over_budget ? -1 : 1;
    if (x->verdict != y->verdict) return x->verdict < y->verdict ? -1 : 1;
    if (isnan(x->ratio) != isnan(y->ratio)) return isnan(x->ratio) ? 1 : -1;
    if (x->ratio > y->ratio || x->ratio < y->ratio) return x->ratio > y->ratio ? -1 : 1;
    return strcmp(x->name, y->name);
}

void rd_sort_regions(spr_gate_region *regions, size_t count) {
    if (count) qsort(regions, count, sizeof *regions, worst_first);
}
