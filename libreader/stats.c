/* Statistics of rows, regions and the run. */
#include "feed.h"
#include "quantile.h"

#include <math.h>
#include <stdlib.h>

/* For the percentiles of a region. */
#define BUDGET ((int64_t)32 << 20)

/* ---- one row ---------------------------------------------------------------------------------------------------- */

static struct rd_tally stored_tally(const spr_row *row) {
    return (struct rd_tally){.calls = row->calls,
                             .total = row->total_ns,
                             .minimum = row->minimum_ns,
                             .maximum = row->maximum_ns,
                             .timed = row->has_summary,
                             .first = row->first_ns,
                             .last = row->last_ns,
                             .start_minimum = row->start_minimum_ns,
                             .end_maximum = row->end_maximum_ns,
                             .mean = row->mean_ns,
                             .m2 = row->m2_ns2};
}

static struct rd_tally summed_tally(const spr_row *row) {
    return (struct rd_tally){.calls = row->all_calls,
                             .total = row->all_total_ns,
                             .minimum = row->all_minimum_ns,
                             .maximum = row->all_maximum_ns};
}

/* What is done with the calls of a row, as they are read. */
struct reading {
    struct rd_tally *tally;       /* NULL: they were counted before */
    struct rd_quantile *quantile; /* NULL: no percentiles are wanted */
    struct rd_budget *budget;
};

static int add_calls(const spr_profile *profile, size_t row, const struct rd_block *block, uint64_t count,
                     const struct reading *reading, spr_error *error) {
    for (uint64_t i = 0; reading->tally && i < count; i++)
        if (!rd_tally_add(reading->tally, block->start[i], block->end[i]))
            return rd_fail(error, SPR_DAMAGED, profile->path,
                           "the durations of region '%s' on rank %u add up beyond 64 bits",
                           profile->names[profile->rows[row].region], profile->rows[row].rank);
    for (uint64_t i = 0; reading->quantile && i < count; i++)
        if (!rd_quantile_add(reading->quantile, reading->budget, block->end[i] - block->start[i]))
            return rd_no_memory(profile, error);
    return SPR_OK;
}

static int read_blocks(const spr_profile *profile, struct rd_cursor *cursor, const struct reading *reading,
                       spr_error *error) {
    const size_t room = cursor->count < RD_BLOCK ? (size_t)cursor->count : RD_BLOCK;
    int64_t *times = malloc(2 * room * sizeof *times);
    if (!times) return rd_no_memory(profile, error);
    const struct rd_block block = {.start = times, .end = times + room};
    int status = SPR_OK;
    while (status == SPR_OK && cursor->next < cursor->count) {
        const uint64_t left = cursor->count - cursor->next, part = left < room ? left : room;
        status = rd_cursor_read(profile, cursor, part, &block, error);
        if (status == SPR_OK) status = add_calls(profile, cursor->row, &block, part, reading, error);
    }
    free(times);
    return status;
}

static int read_row(const spr_profile *profile, size_t row, const struct reading *reading, spr_error *error) {
    struct rd_cursor cursor;
    int status = rd_cursor_open(profile, row, &cursor, error);
    if (status != SPR_OK) return status;
    status = read_blocks(profile, &cursor, reading, error);
    rd_cursor_close(&cursor);
    return status;
}

/* The summary must be that of the calls. */
static int compare(const spr_profile *profile, size_t row, const struct rd_tally *tally, spr_error *error) {
    const spr_row *stored = &profile->rows[row];
    if (!stored->has_summary ||
        (stored->total_ns == tally->total && stored->minimum_ns == tally->minimum &&
         stored->maximum_ns == tally->maximum && stored->start_minimum_ns == tally->start_minimum &&
         stored->end_maximum_ns == tally->end_maximum))
        return SPR_OK;
    return rd_fail(error, SPR_DAMAGED, profile->path, "the summary of region '%s' on rank %u is not that of its calls",
                   profile->names[stored->region], stored->rank);
}

/* Once more in order of time, for calls that are not stored so. */
static int cover_in_order(spr_profile *profile, size_t row, struct rd_tally *tally, spr_error *error) {
    int status;
    do {
        struct rd_feed feed;
        tally->covered = 0;
        tally->reach = tally->latest = tally->start_minimum;
        tally->unordered = false;
        status = rd_feed_open(profile, row, RD_BLOCK, false, &feed, error);
        while (status == SPR_OK) {
            status = rd_feed_fill(profile, &feed, error);
            if (status != SPR_OK || feed.at == feed.settled) break;
            for (; feed.at < feed.settled; feed.at++)
                rd_tally_cover(tally, feed.block.start[feed.at], feed.block.end[feed.at]);
        }
        rd_feed_close(&feed);
    } while (status == RD_AGAIN);
    return status;
}

/* Reads the row's calls. */
static int read_tally(spr_profile *profile, size_t row, struct reading *reading, spr_error *error) {
    *reading->tally = (struct rd_tally){0};
    int status = read_row(profile, row, reading, error);
    if (status == SPR_OK) status = compare(profile, row, reading->tally, error);
    if (status == SPR_OK && reading->tally->unordered) status = cover_in_order(profile, row, reading->tally, error);
    if (status == SPR_OK) profile->tallies[row] = *reading->tally;
    return status;
}

/* Of the calls that can be read one by one. */
static int find_tally(spr_profile *profile, size_t row, enum spr_depth depth, struct reading *reading,
                      spr_error *error) {
    const spr_row *stored = &profile->rows[row];
    if (!profile->aggregate && depth == SPR_FULL) return read_tally(profile, row, reading, error);
    if (profile->aggregate || stored->has_summary) {
        *reading->tally = stored_tally(stored);
        return SPR_OK;
    }
    *reading->tally = profile->tallies[row];
    return reading->tally->calls ? SPR_OK : read_tally(profile, row, reading, error);
}

/* Nanoseconds; NAN when not known. The calls are looked at only when they are anyway. */
static int find_exclusive(spr_profile *profile, size_t row, enum spr_depth depth, double *exclusive, spr_error *error) {
    const spr_row *stored = &profile->rows[row];
    int64_t own_ns = stored->exclusive_ns;
    if (own_ns < 0 && !profile->aggregate && (depth == SPR_FULL || !stored->has_summary)) {
        const int status = rd_own_time(profile, row, &own_ns, error);
        if (status != SPR_OK) return status;
    }
    *exclusive = own_ns < 0 ? (double)NAN : (double)own_ns;
    return SPR_OK;
}

static int pool_row(spr_profile *profile, size_t row, enum spr_depth depth, struct rd_pool *pool,
                    struct rd_quantile *quantile, struct rd_budget *budget, spr_error *error) {
    struct rd_tally tally;
    struct reading reading = {&tally, quantile, budget};
    double exclusive;
    const spr_row *stored = &profile->rows[row];
    if (stored->partial) {
        tally = summed_tally(stored);
        rd_pool_add(pool, &tally, (double)stored->all_exclusive_ns);
        return SPR_OK;
    }
    int status = find_tally(profile, row, depth, &reading, error);
    if (status == SPR_OK) status = find_exclusive(profile, row, depth, &exclusive, error);
    if (status == SPR_OK) rd_pool_add(pool, &tally, exclusive);
    return status;
}

/* ---- several ---------------------------------------------------------------------------------------------------- */

/* The rows that a question is about. */
struct range {
    size_t first, count;
    const spr_selection *selection;
};

static bool is_asked(const spr_profile *profile, const struct range *range, size_t row) {
    return spr_selects_rank(range->selection, profile->rows[row].rank);
}

static bool any_partial(const spr_profile *profile, const struct range *range) {
    for (size_t row = range->first; profile->partial && row < range->first + range->count; row++)
        if (profile->rows[row].partial && is_asked(profile, range, row)) return true;
    return false;
}

/* Further rounds of reading, for percentiles of calls that are too many to be kept. */
static int narrow(const spr_profile *profile, const struct range *range, uint64_t calls, struct rd_quantile *quantile,
                  struct rd_budget *budget, spr_error *error) {
    const struct reading reading = {.quantile = quantile, .budget = budget};
    bool again = true;
    for (;;) {
        if (!rd_quantile_end(quantile, budget, calls, &again)) return rd_no_memory(profile, error);
        if (!again) return SPR_OK;
        if (!rd_quantile_begin(quantile, budget)) return rd_no_memory(profile, error);
        for (size_t row = range->first; row < range->first + range->count; row++) {
            const int status = is_asked(profile, range, row) ? read_row(profile, row, &reading, error) : SPR_OK;
            if (status != SPR_OK) return status;
        }
    }
}

static int pool_range(spr_profile *profile, const struct range *range, enum spr_depth depth, const double *percents,
                      spr_stats *stats, spr_error *error) {
    struct rd_pool pool = {0};
    struct rd_quantile quantile = {.percents = percents};
    struct rd_budget budget = {BUDGET};
    const bool full = depth == SPR_FULL && !profile->aggregate && !any_partial(profile, range);
    int status = SPR_OK;
    for (size_t row = range->first; status == SPR_OK && row < range->first + range->count; row++)
        if (is_asked(profile, range, row))
            status = pool_row(profile, row, depth, &pool, full ? &quantile : NULL, &budget, error);
    const bool percentiles = full && pool.calls;
    if (status == SPR_OK && percentiles) status = narrow(profile, range, pool.calls, &quantile, &budget, error);
    if (status == SPR_OK) rd_pool_stats(&pool, percentiles ? quantile.values : NULL, stats);
    rd_quantile_free(&quantile, &budget);
    return status;
}

static int pool_rows(spr_profile *profile, size_t first, size_t count, const spr_selection *selection,
                     enum spr_depth depth, const double *percents, spr_stats *stats, spr_error *error) {
    const struct range range = {first, count, selection};
    struct rd_quiet quiet;
    rd_quiet_begin(&quiet);
    const int status = pool_range(profile, &range, depth, percents, stats, error);
    rd_quiet_end(&quiet);
    return status;
}

int spr_row_stats(spr_profile *profile, size_t row, enum spr_depth depth, spr_stats *stats, spr_error *error) {
    if (row >= profile->num_rows) return rd_fail(error, -1, profile->path, "no such row: %zu", row);
    return pool_rows(profile, row, 1, NULL, depth, NULL, stats, error);
}

int spr_region_stats(spr_profile *profile, size_t region, const spr_selection *selection, enum spr_depth depth,
                     spr_stats *stats, spr_error *error) {
    if (region >= profile->num_regions) return rd_fail(error, -1, profile->path, "no such region: %zu", region);
    size_t first, count;
    spr_region_rows(profile, region, &first, &count);
    return pool_rows(profile, first, count, selection, depth, NULL, stats, error);
}

int spr_region_percentile(spr_profile *profile, size_t region, const spr_selection *selection, double percent,
                          double *seconds, spr_error *error) {
    *seconds = (double)NAN;
    if (region >= profile->num_regions) return rd_fail(error, -1, profile->path, "no such region: %zu", region);
    if (!(percent >= 0 && percent <= 100))
        return rd_fail(error, -1, profile->path, "a percentile is between 0 and 100, not %g", percent);
    const double percents[RD_PERCENTILES] = {percent, percent, percent};
    spr_stats stats;
    size_t first, count;
    spr_region_rows(profile, region, &first, &count);
    const int status = pool_rows(profile, first, count, selection, SPR_FULL, percents, &stats, error);
    if (status == SPR_OK) *seconds = stats.p50;
    return status;
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

/* Earliest start and latest end of all calls; false when there are none, or no times. */
static int find_bounds(spr_profile *profile, int64_t *earliest, int64_t *latest, bool *known, spr_error *error) {
    *earliest = INT64_MAX;
    *latest = INT64_MIN;
    *known = !profile->aggregate && profile->num_rows > 0;
    if (!*known) return SPR_OK;
    for (size_t row = 0; row < profile->num_rows; row++) {
        struct rd_tally tally;
        struct reading reading = {.tally = &tally};
        if (!profile->rows[row].calls) continue;
        const int status = find_tally(profile, row, SPR_SUMMARY, &reading, error);
        if (status != SPR_OK) return status;
        if (tally.start_minimum < *earliest) *earliest = tally.start_minimum;
        if (tally.end_maximum > *latest) *latest = tally.end_maximum;
    }
    return SPR_OK;
}

int spr_run(spr_profile *profile, spr_run_times *times, spr_error *error) {
    int64_t earliest, latest;
    bool known;
    struct rd_quiet quiet;
    rd_quiet_begin(&quiet);
    const int status = find_bounds(profile, &earliest, &latest, &known, error);
    rd_quiet_end(&quiet);
    if (status != SPR_OK) return status;

    const double unknown = (double)NAN, ns = 1e9;
    const double start = rd_metadata_number(profile, "start_time_ns");
    const double begin = known ? (double)earliest : unknown, end = known ? (double)latest : unknown;
    const double origin = isnan(start) ? begin : start;
    *times = (spr_run_times){.start = start / ns,
                             .origin = origin / ns,
                             .startup = (begin - origin) / ns,
                             .span = (end - begin) / ns,
                             .total = (rd_metadata_number(profile, "finalize_time_ns") - start) / ns};
    return SPR_OK;
}
