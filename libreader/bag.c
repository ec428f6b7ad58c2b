#include "bag.h"

#include "quantile.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16
#define FULL_ROOM  65536

/* ---- sorting ---------------------------------------------------------------------------------------------------- */

#define DIGIT_BITS 11
#define DIGITS     (1u << DIGIT_BITS)

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* One pass of a least-significant-digit radix sort. */
static void sort_by_digit(const int64_t *from, int64_t *to, size_t count, unsigned shift) {
    size_t place[DIGITS] = {0};
    for (size_t i = 0; i < count; i++) place[(uint64_t)from[i] >> shift & (DIGITS - 1)]++;
    size_t sum = 0;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        const size_t here = place[digit];
        place[digit] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++) to[place[(uint64_t)from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

static bool sort_values(int64_t *values, size_t count) {
    if (count < DIGITS) {
        qsort(values, count, sizeof *values, compare);
        return true;
    }
    int64_t *other = malloc(count * sizeof *other);
    if (!other) return false;
    int64_t most = 0;
    for (size_t i = 0; i < count; i++) most |= values[i];
    int64_t *from = values, *to = other;
    for (unsigned shift = 0; shift < 63 && most >> shift; shift += DIGIT_BITS) {
        sort_by_digit(from, to, count, shift);
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != values) memcpy(values, from, count * sizeof *values);
    free(other);
    return true;
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

struct run_reader {
    const int64_t *values;
    size_t count, at;
};

/* The next run of the sorted part; false at its end. */
static bool next_run(struct run_reader *reader, int64_t *value, uint64_t *times) {
    if (reader->at == reader->count) return false;
    *value = reader->values[reader->at++];
    *times = 1;
    if (reader->at < reader->count && reader->values[reader->at] < 0) *times += (uint64_t)-reader->values[reader->at++];
    return true;
}

/* The next run of plain sorted values. */
static bool next_equals(struct run_reader *reader, int64_t *value, uint64_t *times) {
    if (reader->at == reader->count) return false;
    const size_t from = reader->at;
    *value = reader->values[from];
    while (reader->at < reader->count && reader->values[reader->at] == *value) reader->at++;
    *times = reader->at - from;
    return true;
}

static size_t put_run(int64_t *out, int64_t value, uint64_t times) {
    out[0] = value;
    if (times == 1) return 1;
    out[1] = -(int64_t)(times - 1);
    return 2;
}

/* Sorts the fresh values into the sorted part. */
static bool settle(struct rd_bag *bag) {
    if (!bag->num_fresh) return true;
    if (!sort_values(bag->fresh, bag->num_fresh)) return false;
    int64_t *merged = malloc((bag->num_sorted + bag->num_fresh) * sizeof *merged);
    if (!merged) return false;

    struct run_reader old = {bag->sorted, bag->num_sorted, 0};
    struct run_reader new = {bag->fresh, bag->num_fresh, 0};
    int64_t old_value = 0, new_value = 0;
    uint64_t old_times = 0, new_times = 0;
    bool has_old = next_run(&old, &old_value, &old_times), has_new = next_equals(&new, &new_value, &new_times);
    size_t count = 0;
    while (has_old || has_new) {
        const bool take_old = has_old && (!has_new || old_value <= new_value);
        const bool take_new = has_new && (!has_old || new_value <= old_value);
        count += put_run(merged + count, take_old ? old_value : new_value,
                         (take_old ? old_times : 0) + (take_new ? new_times : 0));
        if (take_old) has_old = next_run(&old, &old_value, &old_times);
        if (take_new) has_new = next_equals(&new, &new_value, &new_times);
    }
    free(bag->sorted);
    int64_t *fitted = realloc(merged, count * sizeof *merged);
    bag->sorted = fitted ? fitted : merged;
    bag->num_sorted = count;
    bag->num_fresh = 0;
    return true;
}

bool rd_bag_grow(struct rd_bag *bag) {
    if (bag->room >= FULL_ROOM && !settle(bag)) return false;
    size_t room = bag->room ? bag->room * 2 : FIRST_ROOM;
    /* After settling the fresh part grows only with the sorted one: a value is merged O(log n) times, and the room
     * stays in proportion to what the values take. */
    if (bag->room >= FULL_ROOM && bag->num_sorted <= bag->room) return true;
    int64_t *fresh = realloc(bag->fresh, room * sizeof *fresh);
    if (!fresh) return false;
    bag->fresh = fresh;
    bag->room = room;
    return true;
}

bool rd_bag_visit(struct rd_bag *bag, void (*visit)(void *context, int64_t value, uint64_t times), void *context) {
    if (!settle(bag)) return false;
    struct run_reader reader = {bag->sorted, bag->num_sorted, 0};
    int64_t value;
    uint64_t times;
    while (next_run(&reader, &value, &times)) visit(context, value, times);
    return true;
}

/* ---- percentiles ------------------------------------------------------------------------------------------------ */

bool rd_bag_percentiles(struct rd_bag *bag, const double *percents, double *values, size_t count) {
    if (!settle(bag)) return false;
    struct run_reader reader = {bag->sorted, bag->num_sorted, 0};
    int64_t value = 0;
    uint64_t times = 0, seen = 0; /* `value` stands at positions [seen - times, seen) */
    for (size_t i = 0; i < count; i++) {
        uint64_t below;
        double share;
        rd_percentile_position(bag->count, percents[i], &below, &share);
        while (seen <= below && next_run(&reader, &value, &times)) seen += times;
        double upper = (double)value;
        if (below + 1 >= seen) {
            struct run_reader ahead = reader;
            int64_t next;
            uint64_t next_times;
            if (next_run(&ahead, &next, &next_times)) upper = (double)next;
        }
        values[i] = rd_interpolate((double)value, upper, share);
    }
    return true;
}

void rd_bag_free(struct rd_bag *bag) {
    free(bag->sorted);
    free(bag->fresh);
    *bag = (struct rd_bag){0};
}
