/* tally.h: statistics of calls, gathered call by call, and combined over ranks. Nanoseconds. */
#ifndef SCOPE_READER_TALLY_H
#define SCOPE_READER_TALLY_H

#include "scope_reader.h"

/* The calls of one rank (of one region, or of one path). */
struct rd_tally {
    uint64_t calls;
    int64_t total, minimum, maximum;
    bool timed; /* the rest is known; not in aggregate files */
    int64_t first, last, start_minimum, end_maximum;
    double mean, m2; /* m2: sum of squared deviations from the mean */
    /* The time during which a call was open; wrong where calls did not come in order of their starts. */
    int64_t covered, reach, latest; /* reach: latest end so far; latest: start */
    bool unordered, covers;         /* covers: `covered` is known at all */
};

/* Tallies of several ranks, in ascending order of rank. */
struct rd_pool {
    uint64_t calls;
    uint32_t ranks, loaded; /* with calls; with a total > 0 */
    int64_t minimum, maximum;
    double total, largest; /* largest: of the ranks' totals */
    double exclusive;      /* NAN unknown */
    double covered;        /* NAN unknown */
    bool timed;
    int64_t first, last, start_minimum, end_maximum;
    double mean, m2;
};

static inline void rd_tally_cover(struct rd_tally *tally, int64_t start, int64_t end) {
    tally->unordered |= start < tally->latest;
    tally->latest = start;
    const int64_t from = start > tally->reach ? start : tally->reach;
    if (end <= from) return;
    tally->covered += end - from;
    tally->reach = end;
}

/* Adds one call; false when the durations no longer fit 64 bits. Calls come in recording order. */
static inline bool rd_tally_add(struct rd_tally *tally, int64_t start, int64_t end) {
    const int64_t duration = end - start;
    if (tally->calls++ == 0) {
        *tally = (struct rd_tally){.calls = 1,
                                   .total = duration,
                                   .minimum = duration,
                                   .maximum = duration,
                                   .timed = true,
                                   .first = duration,
                                   .last = duration,
                                   .start_minimum = start,
                                   .end_maximum = end,
                                   .mean = (double)duration,
                                   .covered = duration,
                                   .reach = end,
                                   .latest = start,
                                   .covers = true};
        return true;
    }
    if (__builtin_add_overflow(tally->total, duration, &tally->total)) return false;
    if (duration < tally->minimum) tally->minimum = duration;
    if (duration > tally->maximum) tally->maximum = duration;
    if (start < tally->start_minimum) tally->start_minimum = start;
    if (end > tally->end_maximum) tally->end_maximum = end;
    tally->last = duration;
    const double away = (double)duration - tally->mean;
    tally->mean += away / (double)tally->calls;
    tally->m2 += away * ((double)duration - tally->mean);
    rd_tally_cover(tally, start, end);
    return true;
}

/* exclusive_ns: NAN unknown. A tally without calls adds nothing. */
void rd_pool_add(struct rd_pool *pool, const struct rd_tally *tally, double exclusive_ns);
/* percentiles: 50, 95, 99 in nanoseconds; NULL: not known. */
void rd_pool_stats(const struct rd_pool *pool, const double *percentiles, spr_stats *stats);

#endif
