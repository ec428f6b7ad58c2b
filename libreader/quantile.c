#include "quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double usual[RD_PERCENTILES] = {50, 95, 99};

static const double *percents_of(const struct rd_quantile *quantile) {
    return quantile->percents ? quantile->percents : usual;
}

/* Of each power of two this many ranges are told apart at first. */
#define FIRST_BITS   10
#define FIRST_RANGES ((size_t)(64 - FIRST_BITS) << FIRST_BITS)
/* In each further round a range is cut into this many. */
#define NEXT_BITS   13
#define NEXT_RANGES ((size_t)1 << NEXT_BITS)

#define FIRST_BYTES ((int64_t)(FIRST_RANGES * sizeof(uint64_t)))
/* Values are kept up to here even if there were memory for more: sorting them takes longer than counting. */
#define MOST_KEPT ((int64_t)16 << 20)

/* ---- numpy's way ------------------------------------------------------------------------------------------------ */

void rd_percentile_position(uint64_t n, double percent, uint64_t *below, double *share) {
    const double position = (double)(n - 1) * (percent / 100.0);
    double whole = floor(position);
    if (whole > (double)(n - 1)) whole = (double)(n - 1);
    *below = (uint64_t)whole;
    *share = position - whole;
}

double rd_interpolate(double lower, double upper, double share) {
    const double apart = upper - lower;
    return share < 0.5 ? lower + apart * share : upper - apart * (1 - share);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static int64_t bag_bytes(const struct rd_bag *bag) {
    return (int64_t)((bag->num_sorted + bag->room) * sizeof(int64_t));
}

static void drop_bag(struct rd_quantile *quantile, struct rd_budget *budget) {
    budget->left += quantile->charged;
    quantile->charged = 0;
    rd_bag_free(&quantile->bag);
}

static int64_t counts_bytes(const struct rd_quantile *quantile) {
    return quantile->state == RD_COUNTING ? FIRST_BYTES : (int64_t)(quantile->ranges * NEXT_RANGES * sizeof(uint64_t));
}

static bool make_counts(struct rd_quantile *quantile, struct rd_budget *budget) {
    quantile->counts = calloc((size_t)counts_bytes(quantile), 1);
    budget->left -= counts_bytes(quantile);
    return quantile->counts != NULL;
}

static void drop_counts(struct rd_quantile *quantile, struct rd_budget *budget) {
    if (quantile->counts) budget->left += counts_bytes(quantile);
    free(quantile->counts);
    quantile->counts = NULL;
}

void rd_quantile_free(struct rd_quantile *quantile, struct rd_budget *budget) {
    drop_bag(quantile, budget);
    drop_counts(quantile, budget);
}

/* ---- the ranges of the first round ------------------------------------------------------------------------------ */

static size_t first_range(uint64_t value) {
    if (value < (UINT64_C(1) << FIRST_BITS)) return (size_t)value;
    const unsigned shift = 63 - (unsigned)__builtin_clzll(value) - FIRST_BITS;
    return ((size_t)shift << FIRST_BITS) + (size_t)(value >> shift);
}

static void first_bounds(size_t range, uint64_t *low, unsigned *bits) {
    const size_t magnitude = range >> FIRST_BITS;
    if (magnitude == 0) {
        *low = range;
        *bits = 0;
        return;
    }
    *bits = (unsigned)magnitude - 1;
    *low = ((uint64_t)(range - ((size_t)*bits << FIRST_BITS))) << *bits;
}

/* ---- adding ----------------------------------------------------------------------------------------------------- */

static void count_first(void *context, int64_t value, uint64_t times) {
    struct rd_quantile *quantile = context;
    quantile->counts[first_range((uint64_t)value)] += times;
}

/* The values kept so far are counted, and no longer kept. */
static bool start_counting(struct rd_quantile *quantile, struct rd_budget *budget) {
    quantile->state = RD_COUNTING;
    if (!make_counts(quantile, budget) || !rd_bag_visit(&quantile->bag, count_first, quantile)) return false;
    drop_bag(quantile, budget);
    return true;
}

static unsigned step_of(unsigned bits) { return bits > NEXT_BITS ? bits - NEXT_BITS : 0; }

static void count_next(struct rd_quantile *quantile, uint64_t value) {
    for (size_t i = 0; i < quantile->ranges; i++) {
        const uint64_t within = value - quantile->low[i];
        if (value < quantile->low[i] || within >> quantile->bits[i]) continue;
        quantile->counts[i * NEXT_RANGES + (size_t)(within >> step_of(quantile->bits[i]))]++;
        return;
    }
}

static bool keep(struct rd_quantile *quantile, struct rd_budget *budget, int64_t value) {
    if (!rd_bag_add(&quantile->bag, value)) return false;
    const int64_t after = bag_bytes(&quantile->bag);
    budget->left -= after - quantile->charged;
    quantile->charged = after;
    if (after > MOST_KEPT || (budget->left < 0 && after > FIRST_BYTES)) return start_counting(quantile, budget);
    if (budget->left < 0) {
        drop_bag(quantile, budget);
        quantile->state = RD_WAITING;
    }
    return true;
}

bool rd_quantile_add_slowly(struct rd_quantile *quantile, struct rd_budget *budget, int64_t value) {
    switch (quantile->state) {
    case RD_KEEPING:
        return keep(quantile, budget, value);
    case RD_COUNTING:
        quantile->counts[first_range((uint64_t)value)]++;
        return true;
    case RD_NARROWING:
        count_next(quantile, (uint64_t)value);
        return true;
    case RD_WAITING:
    case RD_KNOWN:
        break;
    }
    return true;
}

/* ---- rounds ----------------------------------------------------------------------------------------------------- */

/* The ranges of all targets that are not known to the bit, each once: targets ascend. */
static void list_ranges(struct rd_quantile *quantile) {
    quantile->ranges = 0;
    for (size_t i = 0; i < RD_TARGETS; i++) {
        const struct rd_target *target = &quantile->targets[i];
        const size_t last = quantile->ranges - 1;
        if (!target->bits || (quantile->ranges && quantile->low[last] == target->low)) continue;
        quantile->low[quantile->ranges] = target->low;
        quantile->bits[quantile->ranges++] = target->bits;
    }
}

bool rd_quantile_begin(struct rd_quantile *quantile, struct rd_budget *budget) {
    if (quantile->state != RD_WAITING) return true;
    if (budget->left <= 0) return true; /* those before it take all there is */
    quantile->state = quantile->narrowed ? RD_NARROWING : RD_KEEPING;
    if (!quantile->narrowed) return true;
    list_ranges(quantile);
    return make_counts(quantile, budget);
}

/* Finds the range of `counts` in which the target's position lies; `below` values come before them. */
static size_t find_range(const uint64_t *counts, size_t ranges, uint64_t position, uint64_t *below) {
    size_t at = 0;
    while (at + 1 < ranges && *below + counts[at] <= position) *below += counts[at++];
    return at;
}

static void set_targets(struct rd_quantile *quantile, uint64_t count) {
    for (size_t i = 0; i < RD_PERCENTILES; i++) {
        uint64_t below;
        double share;
        rd_percentile_position(count, percents_of(quantile)[i], &below, &share);
        quantile->targets[2 * i].position = below;
        quantile->targets[2 * i + 1].position = below + 1 < count ? below + 1 : below;
    }
    for (size_t i = 0; i < RD_TARGETS; i++) {
        struct rd_target *target = &quantile->targets[i];
        target->below = 0;
        first_bounds(find_range(quantile->counts, FIRST_RANGES, target->position, &target->below), &target->low,
                     &target->bits);
    }
    quantile->narrowed = true;
}

static void narrow_targets(struct rd_quantile *quantile) {
    for (size_t i = 0; i < RD_TARGETS; i++) {
        struct rd_target *target = &quantile->targets[i];
        if (!target->bits) continue;
        size_t range = 0;
        while (quantile->low[range] != target->low) range++;
        const unsigned step = step_of(target->bits);
        const size_t at =
            find_range(quantile->counts + range * NEXT_RANGES, NEXT_RANGES, target->position, &target->below);
        target->low += (uint64_t)at << step;
        target->bits = step;
    }
}

static bool all_known(const struct rd_quantile *quantile) {
    for (size_t i = 0; i < RD_TARGETS; i++)
        if (quantile->targets[i].bits) return false;
    return true;
}

static void answer(struct rd_quantile *quantile, uint64_t count) {
    for (size_t i = 0; i < RD_PERCENTILES; i++) {
        uint64_t below;
        double share;
        rd_percentile_position(count, percents_of(quantile)[i], &below, &share);
        quantile->values[i] =
            rd_interpolate((double)quantile->targets[2 * i].low, (double)quantile->targets[2 * i + 1].low, share);
    }
    quantile->state = RD_KNOWN;
}

bool rd_quantile_end(struct rd_quantile *quantile, struct rd_budget *budget, uint64_t count, bool *again) {
    bool fine = true;
    switch (quantile->state) {
    case RD_KEEPING:
        fine = rd_bag_percentiles(&quantile->bag, percents_of(quantile), quantile->values, RD_PERCENTILES);
        drop_bag(quantile, budget);
        quantile->state = RD_KNOWN;
        break;
    case RD_COUNTING:
    case RD_NARROWING:
        if (quantile->narrowed)
            narrow_targets(quantile);
        else
            set_targets(quantile, count);
        drop_counts(quantile, budget);
        quantile->state = RD_WAITING;
        if (all_known(quantile)) answer(quantile, count);
        break;
    case RD_WAITING:
    case RD_KNOWN:
        break;
    }
    *again = quantile->state != RD_KNOWN;
    return fine;
}
