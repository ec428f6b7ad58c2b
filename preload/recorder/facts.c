#include "internal.h"
#include <string.h>

/* Groups behind the end of a call. The end and its group are taken as one piece of the lane, and the end is stored
 * last: a reader stops at a word that is zero, so it finds both or none. */

static inline uint64_t *take(struct lane *lane, size_t words) {
#if defined(__x86_64__)
    uint64_t *place = (uint64_t *)(words * sizeof(uint64_t));
    __asm__ volatile("xaddq %0, %1" : "+r"(place), "+m"(lane->cur) : : "memory", "cc");
    return place;
#else
    uint64_t *place = *(uint64_t *volatile *)&lane->cur;
    *(uint64_t *volatile *)&lane->cur = place + words;
    return place;
#endif
}

static inline void put(uint64_t *place, uint64_t head, const uint64_t *payload, unsigned count) {
    for (unsigned i = 0; i < count; i++) place[1 + i] = payload[i];
    __asm__ volatile("" ::: "memory");
    *(volatile uint64_t *)place = head;
}

static inline bool is_end_of(const struct lane *lane, int region) {
    return lane->window && lane->cur > lane->window &&
           (lane->cur[-1] & SPOOL_LOW_MASK) == (SPOOL_KIND_END | (uint64_t)region);
}

/* Whatever the mode does with the end; the group follows where a word of the end has come into the lane. */
static bool end_by_mode(int region, uint64_t head, const uint64_t *payload, unsigned count) {
    const uint64_t *before = lane_mine->cur;
    mode_recording.end(region);
    if (lane_mine->cur == before || !is_end_of(lane_mine, region)) return false;
    rec_group(head, payload, count);
    return true;
}

/* A full lane is flushed, and a handler that had to wait for it would record between the end and its group. */
static __attribute__((noinline)) bool end_slowly(int region, uint64_t head, const uint64_t *payload, unsigned count) {
    enum { WORDS = 16 }; /* more than any mode writes of an end */
    const struct lane *lane = lane_mine;
    if (!lane->window || lane->cur + count + WORDS <= lane->limit) return end_by_mode(region, head, payload, count);
    struct sys_quiet q = sys_quiet_begin();
    const bool kept = end_by_mode(region, head, payload, count);
    sys_quiet_end(q);
    return kept;
}

/* Of a call that is recorded. */
static inline bool write_end(int region, uint64_t ticks, uint64_t head, const uint64_t *payload, unsigned count) {
    struct lane *lane = lane_mine;
    uint64_t since = ticks - lane->base;
    if (UNLIKELY((unsigned)region - 1 >= SPOOL_REGION_MAX || !mode_traces || since >> SPOOL_TICK_BITS ||
                 lane->cur + count + 2 > lane->limit))
        return end_slowly(region, head, payload, count);
    uint64_t *place = take(lane, count + 2);
    put(place + 1, head, payload, count);
    __asm__ volatile("" ::: "memory");
    *(volatile uint64_t *)place = since << SPOOL_TICK_SHIFT | SPOOL_KIND_END | (unsigned)region;
    return true;
}

bool rec_end_with(int region, uint64_t ticks, uint64_t head, const uint64_t *payload, unsigned count) {
    if (UNLIKELY(mode_counts) && !mode_pop(region)) return false;
    return write_end(region, ticks, head, payload, count);
}

void rec_begin_at(int region, uint64_t ticks) {
    if (region < 1) return;
    if (UNLIKELY(mode_counts)) mode_push();
    if (LIKELY(mode_traces)) lane_record_at(lane_mine, ticks, (uint64_t)region);
}

/* Whether the slot's group is this one. */
static inline bool is_alike(const struct lane *lane, unsigned slot, uint64_t head, const uint64_t *payload,
                            unsigned count) {
    uint64_t differs = lane->slots[slot].head ^ head;
    for (unsigned i = 0; i < count; i++) differs |= lane->slots[slot].words[i] ^ payload[i];
    return !differs;
}

static inline bool fits(const struct lane *lane, int region, uint64_t since, size_t words) {
    return (unsigned)region - 1 < SPOOL_REGION_MAX && mode_traces && !(since >> SPOOL_TICK_BITS) &&
           lane->cur + words <= lane->limit;
}

bool rec_end_alike(int region, uint64_t ticks, uint64_t head, unsigned again, const uint64_t *payload, unsigned count,
                   unsigned own) {
    if (UNLIKELY(mode_counts) && !mode_pop(region)) return false;
    struct lane *lane = lane_mine;
    const unsigned slot = payload[0] % SPOOL_SLOTS, common = count - own;
    const uint64_t since = ticks - lane->base;
    if (LIKELY(is_alike(lane, slot, head, payload, common) && fits(lane, region, since, 2 + own))) {
        uint64_t *place = take(lane, 2 + own);
        if (own) place[2] = payload[common];
        place[1] = SPOOL_GROUP(again, slot, own);
        __asm__ volatile("" ::: "memory");
        *(volatile uint64_t *)place = since << SPOOL_TICK_SHIFT | SPOOL_KIND_END | (unsigned)region;
        return true;
    }
    if (!write_end(region, ticks, head | (uint64_t)(SPOOL_HAS_SLOT | slot << SPOOL_SLOT_SHIFT) << 32, payload, count))
        return false;
    lane = lane_mine;
    lane->slots[slot].head = head;
    for (unsigned i = 0; i < common; i++) lane->slots[slot].words[i] = payload[i];
    return true;
}

bool rec_alike(int region, uint64_t begun, uint64_t ticks, uint64_t head, unsigned again, const uint64_t *payload,
               unsigned count) {
    struct lane *lane = lane_mine;
    const unsigned slot = payload[0] % SPOOL_SLOTS;
    const uint64_t since = ticks - lane->base, from = begun - lane->base;
    if (LIKELY(is_alike(lane, slot, head, payload, count) && fits(lane, region, since | from, 3))) {
        uint64_t *place = take(lane, 3);
        place[2] = SPOOL_GROUP(again, slot, 0);
        place[1] = since << SPOOL_TICK_SHIFT | SPOOL_KIND_END | (unsigned)region;
        __asm__ volatile("" ::: "memory");
        *(volatile uint64_t *)place = from << SPOOL_TICK_SHIFT | (unsigned)region;
        return true;
    }
    rec_begin_at(region, begun);
    return rec_end_alike(region, ticks, head, again, payload, count, 0);
}

void rec_group(uint64_t head, const uint64_t *payload, unsigned count) {
    struct lane *lane = lane_mine;
    if (!lane->window) return;
    if (LIKELY(lane->cur + count + 1 <= lane->limit)) {
        put(take(lane, count + 1), head, payload, count);
        return;
    }
    struct sys_quiet q = sys_quiet_begin();
    if (lane->limit > lane->window)
        lane_group(lane, SPOOL_GROUP_TYPE(head), SPOOL_GROUP_ARGUMENT(head), payload, count);
    sys_quiet_end(q);
}

/* The end of an event like this one, when it was the last of the lane; NULL: it was not. */
static inline uint64_t *earlier_one(const struct lane *lane, int region, uint64_t head, const uint64_t *payload,
                                    unsigned count) {
    uint64_t *end = lane->cur - count - 2;
    if (!lane->window || lane->cur - lane->window < (ptrdiff_t)count + 3) return NULL;
    if ((*end & SPOOL_LOW_MASK) != (SPOOL_KIND_END | (uint64_t)region) || end[1] != head ||
        (end[-1] & SPOOL_LOW_MASK) != (uint64_t)region)
        return NULL;
    for (unsigned i = 0; i < count - 2; i++)
        if (end[2 + i] != payload[i]) return NULL;
    return end;
}

bool rec_repeated(int region, uint64_t begun, uint64_t ticks, uint64_t head, uint64_t *payload, unsigned count) {
    const struct lane *lane = lane_mine;
    const uint64_t since = ticks - lane->base, lasted = ticks - begun;
    uint64_t *end = mode_traces && !(since >> SPOOL_TICK_BITS) ? earlier_one(lane, region, head, payload, count) : NULL;
    const uint64_t ended = end ? *end >> SPOOL_TICK_SHIFT : 0;
    if (LIKELY(end && ended + lasted <= since)) {
        *(volatile uint64_t *)end = (ended + lasted) << SPOOL_TICK_SHIFT | (*end & SPOOL_LOW_MASK);
        end[count]++;
        end[count + 1] = since - (end[-1] >> SPOOL_TICK_SHIFT);
        return true;
    }
    rec_begin_at(region, begun);
    return rec_end_with(region, ticks, head, payload, count);
}
