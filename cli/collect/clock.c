#include "clock.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#    include <x86intrin.h>
#endif

#define NS_MAX      ((int64_t)1 << 62)
#define NS_POINT    ((int64_t)1 << 61) /* of a point; NS_ALIGN more and a span stay below NS_MAX */
#define NS_SPAN     ((int64_t)1 << 60)
#define SPACING_NS  1000000 /* a rate from closer points would be mostly their jitter */
#define STRAY_SHARE 64      /* a point is a stray where the rate to it is off by more than 1/64 */

int64_t clock_monotonic_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool counter_read(uint32_t kind, uint64_t *ticks) {
#if defined(__x86_64__)
    if (kind != SPOOL_CLOCK_TSC) return false;
    *ticks = __rdtsc();
    return true;
#elif defined(__aarch64__)
    if (kind != SPOOL_CLOCK_CNTVCT) return false;
    __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(*ticks));
    return true;
#else
    (void)kind;
    (void)ticks;
    return false;
#endif
}

bool clock_now(uint32_t kind, struct spool_point *point) {
    uint64_t narrowest = UINT64_MAX, before, after;
    if (kind == SPOOL_CLOCK_MONOTONIC) {
        point->ns = clock_monotonic_now();
        point->ticks = (uint64_t)point->ns;
        return true;
    }
    for (int i = 0; i < 8; i++) {
        if (!counter_read(kind, &before)) return false;
        int64_t ns = clock_monotonic_now();
        if (!counter_read(kind, &after)) return false;
        if (after - before >= narrowest) continue;
        narrowest = after - before;
        *point = (struct spool_point){before + narrowest / 2, ns};
    }
    return true;
}

static int by_ticks(const void *a, const void *b) {
    const struct spool_point *p = a, *q = b;
    return (p->ticks > q->ticks) - (p->ticks < q->ticks);
}

/* 0: no usable rate between the two. Rounded up, so that a whole number of ns comes out as that. */
static uint64_t rate(const struct spool_point *a, const struct spool_point *b) {
    if (b->ticks <= a->ticks || b->ns <= a->ns) return 0;
    uint64_t ticks = b->ticks - a->ticks;
    u128 multiplier = (((u128)(uint64_t)(b->ns - a->ns) << CLOCK_SHIFT) + ticks - 1) / ticks;
    return multiplier > UINT64_MAX ? 0 : (uint64_t)multiplier;
}

static bool plausible(const struct spool_point *p) { return p->ns >= 0 && p->ns < NS_POINT && p->ticks; }

/* The rate between the two ends, against which the points between are judged; 0: they are too close. */
static uint64_t overall_rate(const struct spool_point *points, size_t count) {
    if (count < 2 || points[count - 1].ns - points[0].ns < 1) return 0;
    return rate(&points[0], &points[count - 1]);
}

static bool fits(uint64_t multiplier, uint64_t overall) {
    uint64_t off = multiplier > overall ? multiplier - overall : overall - multiplier;
    return multiplier && off <= overall / STRAY_SHARE;
}

/* Keeps in place the points that define segments; returns their number. The last point is always one of them. */
static size_t thin_out(struct spool_point *points, size_t count, uint64_t overall) {
    size_t kept = 1;
    struct spool_point last = points[count - 1];
    for (size_t i = 1; i + 1 < count; i++) {
        const struct spool_point p = points[i];
        if (p.ns - points[kept - 1].ns < SPACING_NS || last.ns - p.ns < SPACING_NS) continue;
        if (!fits(rate(&points[kept - 1], &p), overall) || !fits(rate(&p, &last), overall)) continue;
        points[kept++] = p;
    }
    points[kept++] = last;
    return kept;
}

static struct clock_segment segment_at(struct spool_point from, uint64_t multiplier, int64_t align) {
    u128 span = ((u128)NS_SPAN << CLOCK_SHIFT) / multiplier;
    return (struct clock_segment){from.ticks, from.ns + align, multiplier,
                                  span > UINT64_MAX / 2 ? UINT64_MAX / 2 : (uint64_t)span};
}

bool clock_make(struct clock_map *map, uint32_t kind, struct spool_point *points, size_t count, int64_t align,
                bool *known) {
    const uint64_t one = UINT64_C(1) << CLOCK_SHIFT;
    size_t usable = 0;
    uint64_t overall;
    *known = true;
    for (size_t i = 0; i < count; i++)
        if (plausible(&points[i])) points[usable++] = points[i];
    if (usable) qsort(points, usable, sizeof *points, by_ticks);
    overall = overall_rate(points, usable);
    map->count = 0;
    map->segments = malloc((usable + 1) * sizeof *map->segments);
    if (!map->segments) return false;
    if (kind == SPOOL_CLOCK_MONOTONIC || !overall) {
        struct spool_point origin = {0, 0};
        if (kind != SPOOL_CLOCK_MONOTONIC) {
            *known = false;
            if (usable) origin = points[0];
        }
        map->segments[map->count++] = segment_at(origin, one, align);
        return true;
    }
    usable = thin_out(points, usable, overall);
    for (size_t i = 0; i + 1 < usable; i++) {
        map->segments[i] = segment_at(points[i], rate(&points[i], &points[i + 1]), align);
        if (i) map->segments[i - 1].span = points[i].ticks - points[i - 1].ticks;
    }
    map->count = usable - 1;
    return true;
}

void clock_free(struct clock_map *map) {
    free(map->segments);
    *map = (struct clock_map){0};
}

const struct clock_segment *clock_find(const struct clock_map *map, uint64_t ticks) {
    size_t low = 0, high = map->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (map->segments[middle].ticks <= ticks)
            low = middle;
        else
            high = middle;
    }
    return &map->segments[low];
}

int64_t clock_in(const struct clock_segment *s, uint64_t ticks) {
    bool before = ticks < s->ticks;
    u128 distance = (u128)(before ? s->ticks - ticks : ticks - s->ticks) * s->multiplier >> CLOCK_SHIFT;
    i128 ns = before ? s->ns - (i128)distance : s->ns + (i128)distance;
    return ns < 0 ? 0 : ns > NS_MAX ? NS_MAX : (int64_t)ns;
}

int64_t clock_ns(const struct clock_map *map, uint64_t ticks) { return clock_in(clock_find(map, ticks), ticks); }
