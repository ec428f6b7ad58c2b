/* Quantiles of the durations of one row in bounded memory. */
#include "gate.h"

#include <math.h>
#include <stdlib.h>

#define MOST_KEPT  (1 << 20)
#define SHARE_BITS 12 /* ranges to each power of two: 2^12 */
#define NUM_RANGES ((size_t)(64 - SHARE_BITS + 1) << SHARE_BITS)

/* Below 2^12 every number is its own range. */
static size_t range_of(uint64_t value) {
    if (value < (UINT64_C(1) << SHARE_BITS)) return (size_t)value;
    const unsigned shift = 63 - (unsigned)__builtin_clzll(value) - SHARE_BITS;
    return ((size_t)shift << SHARE_BITS) + (size_t)(value >> shift);
}

static double range_start(size_t range) {
    const size_t share = (size_t)1 << SHARE_BITS;
    if (range < 2 * share) return (double)range;
    const size_t shift = (range >> SHARE_BITS) - 1;
    return ldexp((double)(range - (shift << SHARE_BITS)), (int)shift);
}

static double range_middle(size_t range) {
    return range < (size_t)2 << SHARE_BITS ? (double)range : (range_start(range) + range_start(range + 1)) / 2;
}

bool rd_durations_begin(struct rd_durations *durations, uint64_t count) {
    *durations = (struct rd_durations){0};
    if (count <= MOST_KEPT) {
        durations->room = (size_t)count;
        durations->kept = malloc((durations->room + 1) * sizeof *durations->kept);
        return durations->kept != NULL;
    }
    durations->counts = calloc(NUM_RANGES + 1, sizeof *durations->counts);
    return durations->counts != NULL;
}

void rd_durations_add(struct rd_durations *durations, int64_t ns) {
    if (durations->kept)
        durations->kept[durations->count] = (double)ns;
    else
        durations->counts[range_of((uint64_t)ns)]++;
    durations->count++;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void rd_durations_end(struct rd_durations *durations) {
    if (durations->kept)
        qsort(durations->kept, (size_t)durations->count, sizeof *durations->kept, by_value);
    else /* counts become those of a range and all below it */
        for (size_t range = 1; range < NUM_RANGES; range++) durations->counts[range] += durations->counts[range - 1];
}

static double value_at(const struct rd_durations *durations, uint64_t place) {
    if (durations->kept) return durations->kept[place];
    size_t low = 0, high = NUM_RANGES - 1; /* the first range that reaches beyond the place */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (durations->counts[middle] > place)
            high = middle;
        else
            low = middle + 1;
    }
    return range_middle(low);
}

double rd_durations_at(const struct rd_durations *durations, double position) {
    if (position < 0) position = 0;
    if (position > (double)(durations->count - 1)) position = (double)(durations->count - 1);
    const uint64_t place = (uint64_t)position;
    const double value = value_at(durations, place), part = position - (double)place;
    return part > 0 ? value + part * (value_at(durations, place + 1) - value) : value;
}

void rd_durations_free(struct rd_durations *durations) {
    free(durations->kept);
    free(durations->counts);
    *durations = (struct rd_durations){0};
}
