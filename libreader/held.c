/* Statistics of calls that the caller holds. */
#include "internal.h"
#include "quantile.h"

#include <math.h>

#define BUDGET ((int64_t)32 << 20)

static int complain(spr_error *error, int status, const char *what) { return rd_fail(error, status, NULL, "%s", what); }

static int add_all(const int64_t *start, const int64_t *end, uint64_t count, struct rd_tally *tally, spr_error *error) {
    *tally = (struct rd_tally){0};
    for (uint64_t i = 0; i < count; i++) {
        int64_t duration;
        if (end[i] < start[i] || __builtin_sub_overflow(end[i], start[i], &duration))
            return complain(error, -1, "a call ends before it begins");
        if (!rd_tally_add(tally, start[i], end[i])) return complain(error, -1, "the durations add up beyond 64 bits");
    }
    return SPR_OK;
}

/* All values are added as often as the percentiles need. */
static bool find_percentiles(const int64_t *start, const int64_t *end, uint64_t count, struct rd_quantile *quantile,
                             struct rd_budget *budget) {
    bool again = true;
    while (again) {
        for (uint64_t i = 0; i < count; i++)
            if (!rd_quantile_add(quantile, budget, end[i] - start[i])) return false;
        if (!rd_quantile_end(quantile, budget, count, &again)) return false;
        if (again && !rd_quantile_begin(quantile, budget)) return false;
    }
    return true;
}

static int find_stats(const int64_t *start, const int64_t *end, uint64_t count, const double *percents,
                      spr_stats *stats, spr_error *error) {
    struct rd_tally tally;
    struct rd_pool pool = {0};
    struct rd_quantile quantile = {.percents = percents};
    struct rd_budget budget = {BUDGET};
    int status = add_all(start, end, count, &tally, error);
    if (status == SPR_OK && count && !find_percentiles(start, end, count, &quantile, &budget))
        status = complain(error, SPR_NO_MEMORY, "not enough memory");
    if (status == SPR_OK) {
        if (count) rd_pool_add(&pool, &tally, (double)NAN);
        rd_pool_stats(&pool, count ? quantile.values : NULL, stats);
    }
    rd_quantile_free(&quantile, &budget);
    return status;
}

int spr_stats_of(const int64_t *start_ns, const int64_t *end_ns, uint64_t count, spr_stats *stats, spr_error *error) {
    return find_stats(start_ns, end_ns, count, NULL, stats, error);
}

int spr_percentile_of(const int64_t *start_ns, const int64_t *end_ns, uint64_t count, double percent, double *seconds,
                      spr_error *error) {
    *seconds = (double)NAN;
    if (!(percent >= 0 && percent <= 100)) return complain(error, -1, "a percentile is between 0 and 100");
    const double percents[RD_PERCENTILES] = {percent, percent, percent};
    spr_stats stats;
    const int status = find_stats(start_ns, end_ns, count, percents, &stats, error);
    if (status == SPR_OK) *seconds = stats.p50;
    return status;
}
