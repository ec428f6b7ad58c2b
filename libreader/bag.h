/* bag.h: a multiset of durations, for exact percentiles.
 *
 * At most 8 bytes a value, less where values repeat: the sorted part writes a run of equal values as the value followed
 * by minus the number of further ones. Values are not negative. So a file that packs a billion equal calls into a few
 * kilobytes takes a few kilobytes here, too.
 */
#ifndef SCOPE_READER_BAG_H
#define SCOPE_READER_BAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rd_bag {
    int64_t *sorted; /* runs, ascending */
    size_t num_sorted;
    int64_t *fresh; /* values in any order */
    size_t num_fresh, room;
    uint64_t count;
};

/* The room is full: rd_bag_grow() makes some. */
bool rd_bag_grow(struct rd_bag *bag);

/* Adds a value >= 0; false when there is no memory. */
static inline bool rd_bag_add(struct rd_bag *bag, int64_t value) {
    if (bag->num_fresh == bag->room && !rd_bag_grow(bag)) return false;
    bag->fresh[bag->num_fresh++] = value;
    bag->count++;
    return true;
}
/* Every value of the bag, ascending, with the number of times that it is there. False when there is no memory. */
bool rd_bag_visit(struct rd_bag *bag, void (*visit)(void *context, int64_t value, uint64_t times), void *context);
/* Percentiles (0..100, ascending) with linear interpolation between neighbours, as numpy does by default. The bag must
 * not be empty. False when there is no memory. */
bool rd_bag_percentiles(struct rd_bag *bag, const double *percents, double *values, size_t count);
void rd_bag_free(struct rd_bag *bag);

#endif
