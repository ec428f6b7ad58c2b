/* quantile.h: exact percentiles of any number of values, in bounded memory.
 *
 * All values are added, round after round, until rd_quantile_end() says that no further round is needed. As long as
 * memory allows, the values are kept and one round does; otherwise they are counted in ranges, and each further round
 * narrows the ranges in which the wanted ones lie.
 */
#ifndef SCOPE_READER_QUANTILE_H
#define SCOPE_READER_QUANTILE_H

#include "bag.h"

#define RD_PERCENTILES 3
#define RD_TARGETS     (2 * RD_PERCENTILES) /* a percentile lies between two neighbours of the sorted values */

/* Memory that several of them share, in bytes; may be overdrawn by one histogram. */
struct rd_budget {
    int64_t left;
};

enum rd_quantile_state {
    RD_KEEPING,   /* values are kept */
    RD_COUNTING,  /* values are counted in ranges of all magnitudes */
    RD_NARROWING, /* values in the ranges of the targets are counted */
    RD_WAITING,   /* there is no memory for it in this round */
    RD_KNOWN      /* `values` are the answer */
};

/* The value at a position of the sorted ones: it is in [low, low + 2^bits), and `below` values are less than low. */
struct rd_target {
    uint64_t position, low, below;
    unsigned bits;
};

struct rd_quantile {
    enum rd_quantile_state state;
    bool narrowed; /* the targets have ranges already */
    struct rd_bag bag;
    int64_t charged; /* bytes of the bag, as the budget knows them */
    uint64_t *counts;
    uint64_t low[RD_TARGETS]; /* the ranges that are counted: ascending, each once */
    unsigned bits[RD_TARGETS];
    size_t ranges;
    struct rd_target targets[RD_TARGETS];
    const double *percents; /* RD_PERCENTILES that ascend; NULL: 50, 95, 99 */
    double values[RD_PERCENTILES];
};

/* Begins a round. False when there is no memory at all. */
bool rd_quantile_begin(struct rd_quantile *quantile, struct rd_budget *budget);
/* The room of the bag is used up, or values are not kept. */
bool rd_quantile_add_slowly(struct rd_quantile *quantile, struct rd_budget *budget, int64_t value);
/* Adds a value >= 0; false when there is no memory. */
static inline bool rd_quantile_add(struct rd_quantile *quantile, struct rd_budget *budget, int64_t value) {
    struct rd_bag *bag = &quantile->bag;
    if (quantile->state != RD_KEEPING || bag->num_fresh == bag->room)
        return rd_quantile_add_slowly(quantile, budget, value);
    bag->fresh[bag->num_fresh++] = value;
    bag->count++;
    return true;
}
/* Ends a round in which `count` values were added (of which there is at least one). *again: another one is needed.
 * False when there is no memory. */
bool rd_quantile_end(struct rd_quantile *quantile, struct rd_budget *budget, uint64_t count, bool *again);
void rd_quantile_free(struct rd_quantile *quantile, struct rd_budget *budget);

/* Where a percentile lies among n sorted values, as numpy has it by default: between the values at *below and the next,
 * *share of the way. */
void rd_percentile_position(uint64_t n, double percent, uint64_t *below, double *share);
double rd_interpolate(double lower, double upper, double share);

#endif
