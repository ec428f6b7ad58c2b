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

/* The next point behind `i` that is far enough from it for a rate; the last one where there is none. */
static size_t next_distant(const struct spool_point *points, size_t count, size_t i) {
    const int64_t from = points[i++].ns;
    while (i + 1 < count && points[i].ns - from < SPACING_NS) i++;
    return i;
}

static int by_size(const void *a, const void *b) {
    const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return (p > q) - (p < q);
}

/* The usual rate, against which the points are judged: the median of those between neighbours, or where they are few
 * that between the two ends. 0: they are too close. rates: room for `count`. */
static uint64_t usual_rate(const struct spool_point *points, size_t count, uint64_t *rates) {
    size_t found = 0;
    if (count < 2 || points[count - 1].ns - points[0].ns < 1) return 0;
    for (size_t i = 0, next; i + 1 < count; i = next) {
        next = next_distant(points, count, i);
        if (points[next].ns - points[i].ns >= SPACING_NS) rates[found++] = rate(&points[i], &points[next]);
    }
    if (found < 5) return rate(&points[0], &points[count - 1]);
    qsort(rates, found, sizeof *rates, by_size);
    return rates[found / 2];
}

static bool fits(uint64_t multiplier, uint64_t usual) {
    uint64_t off = multiplier > usual ? multiplier - usual : usual - multiplier;
    return multiplier && off <= usual / STRAY_SHARE;
}

/* Keeps in place the points that define segments; returns their number. The last point is always one of them. Where the
 * counter has jumped, the points before and behind fit their neighbours on one side. */
static size_t thin_out(struct spool_point *points, size_t count, uint64_t usual) {
    size_t kept = 1;
    struct spool_point last = points[count - 1];
    for (size_t i = 1; i + 1 < count; i++) {
        const struct spool_point p = points[i];
        if (p.ns - points[kept - 1].ns < SPACING_NS || last.ns - p.ns < SPACING_NS) continue;
        if (!fits(rate(&points[kept - 1], &p), usual) &&
            !fits(rate(&p, &points[next_distant(points, count, i)]), usual))
            continue;
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

static bool make_unknown(struct clock_map *map, uint32_t kind, const struct spool_point *points, size_t count,
                         int64_t align, enum clock_trust *trust) {
    struct spool_point origin = {0, 0};
    if (kind != SPOOL_CLOCK_MONOTONIC) {
        *trust = CLOCK_UNKNOWN;
        if (count) origin = points[0];
    }
    map->segments[map->count++] = segment_at(origin, UINT64_C(1) << CLOCK_SHIFT, align);
    return true;
}

bool clock_make(struct clock_map *map, uint32_t kind, struct spool_point *points, size_t count, int64_t align,
                enum clock_trust *trust) {
    size_t usable = 0;
    *trust = CLOCK_KNOWN;
    for (size_t i = 0; i < count; i++)
        if (plausible(&points[i])) points[usable++] = points[i];
    if (usable) qsort(points, usable, sizeof *points, by_ticks);
    uint64_t *rates = malloc((usable + 1) * sizeof *rates);
    map->count = 0;
    map->segments = malloc((usable + 1) * sizeof *map->segments);
    const uint64_t usual = rates && kind != SPOOL_CLOCK_MONOTONIC ? usual_rate(points, usable, rates) : 0;
    free(rates);
    if (!rates || !map->segments) return false;
    if (!usual) return make_unknown(map, kind, points, usable, align, trust);
    usable = thin_out(points, usable, usual);
    for (size_t i = 0; i + 1 < usable; i++) {
        const uint64_t multiplier = rate(&points[i], &points[i + 1]);
        if (usable > 2 && !fits(multiplier, usual)) *trust = CLOCK_UNEVEN;
        map->segments[i] = segment_at(points[i], multiplier ? multiplier : usual, align);
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
