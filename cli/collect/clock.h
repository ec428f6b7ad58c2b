/* clock.h: ticks of a recorder's clock -> CLOCK_MONOTONIC nanoseconds, through moments known on both. */
#ifndef COLLECT_CLOCK_H
#define COLLECT_CLOCK_H

#include "spool.h"
#include <stdbool.h>
#include <stddef.h>

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

#define CLOCK_SHIFT     52
#define CLOCK_ALIGN_MAX ((int64_t)1 << 60)

struct clock_segment { /* ns = this ns + (ticks - this ticks) * multiplier / 2^CLOCK_SHIFT */
    uint64_t ticks;
    int64_t ns;
    uint64_t multiplier;
    uint64_t span; /* ticks from here on for which that holds and cannot overflow */
};

/* Segments follow each other; the first one also serves everything before it. */
struct clock_map {
    struct clock_segment *segments;
    size_t count;
};

enum clock_trust {
    CLOCK_KNOWN,
    CLOCK_UNKNOWN, /* its rate is: a tick is taken for a nanosecond */
    CLOCK_UNEVEN,  /* the counter has jumped: times between the points before and behind are off */
};

/* Makes the map from `count` points in any order (sorted in place). Points that lie too close to another to give a
 * rate, or that contradict the others, are left out. SPOOL_CLOCK_MONOTONIC needs no points. `align` (at most
 * CLOCK_ALIGN_MAX either way) is added to every result. False: no memory. */
bool clock_make(struct clock_map *map, uint32_t kind, struct spool_point *points, size_t count, int64_t align,
                enum clock_trust *trust);
void clock_free(struct clock_map *map);

/* The segment that serves `ticks`. */
const struct clock_segment *clock_find(const struct clock_map *map, uint64_t ticks);
/* Never negative, never above 2^62. */
int64_t clock_in(const struct clock_segment *segment, uint64_t ticks);
int64_t clock_ns(const struct clock_map *map, uint64_t ticks);

/* This moment on both clocks; false: this machine has no clock of that kind. */
bool clock_now(uint32_t kind, struct spool_point *point);
int64_t clock_monotonic_now(void);

#endif
