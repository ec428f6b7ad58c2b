#include "tally.h"

#include <math.h>

#define NS 1e9

void rd_pool_add(struct rd_pool *pool, const struct rd_tally *tally, double exclusive_ns) {
    if (!tally->calls) return;
    const bool first_rank = pool->ranks == 0;
    if (first_rank || tally->minimum < pool->minimum) pool->minimum = tally->minimum;
    if (first_rank || tally->maximum > pool->maximum) pool->maximum = tally->maximum;
    if (first_rank || (double)tally->total > pool->largest) pool->largest = (double)tally->total;
    pool->timed = tally->timed && (first_rank || pool->timed);
    if (first_rank || tally->start_minimum < pool->start_minimum) {
        pool->start_minimum = tally->start_minimum;
        pool->first = tally->first;
    }
    if (first_rank || tally->end_maximum > pool->end_maximum) {
        pool->end_maximum = tally->end_maximum;
        pool->last = tally->last;
    }
    /* The mean is taken from the total, which is exact, rather than from the tally's running one. */
    const double n = (double)pool->calls, k = (double)tally->calls;
    const double mean = (double)tally->total / k, away = mean - pool->mean;
    pool->m2 += tally->m2 + away * away * (n * k / (n + k));
    pool->mean += away * (k / (n + k));
    pool->calls += tally->calls;
    pool->ranks++;
    pool->loaded += tally->total > 0;
    pool->total += (double)tally->total;
    pool->exclusive += exclusive_ns;
    pool->covered += tally->covers && !tally->unordered ? (double)tally->covered : (double)NAN;
}

void rd_pool_stats(const struct rd_pool *pool, const double *percentiles, spr_stats *stats) {
    const double unknown = (double)NAN;
    *stats = (spr_stats){.calls = pool->calls,
                         .ranks = pool->ranks,
                         .average = unknown,
                         .minimum = unknown,
                         .maximum = unknown,
                         .first = unknown,
                         .last = unknown,
                         .std = unknown,
                         .p50 = unknown,
                         .p95 = unknown,
                         .p99 = unknown,
                         .first_start = unknown,
                         .last_end = unknown,
                         .imbalance = 1,
                         .coverage = pool->covered / NS};
    if (!pool->calls) return;
    stats->total = pool->total / NS;
    stats->exclusive = pool->exclusive / NS;
    stats->average = pool->total / (double)pool->calls / NS;
    stats->minimum = (double)pool->minimum / NS;
    stats->maximum = (double)pool->maximum / NS;
    if (pool->loaded > 1) {
        stats->imbalance = pool->largest / (pool->total / pool->loaded);
        stats->imbalance_pct = (stats->imbalance - 1) * 100;
    }
    if (pool->timed) {
        stats->first = (double)pool->first / NS;
        stats->last = (double)pool->last / NS;
        stats->std = sqrt(pool->m2 > 0 ? pool->m2 / (double)pool->calls : 0) / NS;
        stats->first_start = (double)pool->start_minimum / NS;
        stats->last_end = (double)pool->end_maximum / NS;
    }
    if (percentiles) {
        stats->p50 = percentiles[0] / NS;
        stats->p95 = percentiles[1] / NS;
        stats->p99 = percentiles[2] / NS;
    }
}
