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

/* If the word at `at` is `old` it becomes `new`, in one instruction: no signal handler comes in between. */
static inline bool swap(void *at, uint64_t old, uint64_t new) {
#if defined(__x86_64__)
    bool done;
    __asm__ volatile("cmpxchgq %3, %1" : "=@ccz"(done), "+m"(*(uint64_t *)at), "+a"(old) : "r"(new) : "memory");
    return done;
#else
    bool same = *(volatile uint64_t *)at == old;
    if (same) *(volatile uint64_t *)at = new;
    return same;
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
static __attribute__((noinline)) bool end_slowly(int region, uint64_t head, const uint64_t *payload, unsigned count) {
    const uint64_t *before = lane_mine->cur;
    mode_recording.end(region);
    if (lane_mine->cur == before || !is_end_of(lane_mine, region)) return false;
    rec_group(head, payload, count);
    return true;
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

bool rec_end_alike(int region, uint64_t ticks, uint64_t head, unsigned again, const uint64_t *payload, unsigned count) {
    if (UNLIKELY(mode_counts) && !mode_pop(region)) return false;
    struct lane *lane = lane_mine;
    const unsigned slot = (unsigned)region % SPOOL_SLOTS;
    const uint64_t since = ticks - lane->base;
    uint64_t differs = lane->slots[slot].head ^ head;
    for (unsigned i = 0; i < count; i++) differs |= lane->slots[slot].words[i] ^ payload[i];
    if (LIKELY(!differs && (unsigned)region - 1 < SPOOL_REGION_MAX && mode_traces && !(since >> SPOOL_TICK_BITS) &&
               lane->cur + 2 <= lane->limit)) {
        uint64_t *place = take(lane, 2);
        place[1] = SPOOL_GROUP(again, slot, 0);
        __asm__ volatile("" ::: "memory");
        *(volatile uint64_t *)place = since << SPOOL_TICK_SHIFT | SPOOL_KIND_END | (unsigned)region;
        return true;
    }
    if (!write_end(region, ticks, head | (uint64_t)(SPOOL_HAS_SLOT | slot << SPOOL_SLOT_SHIFT) << 32, payload, count))
        return false;
    lane = lane_mine;
    lane->slots[slot].head = head;
    memcpy(lane->slots[slot].words, payload, count * sizeof *payload);
    return true;
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

/* The end of an event like this one, right before this one's begin; NULL: there is none. */
static uint64_t *earlier_one(const struct lane *lane, int region, uint64_t head, const uint64_t *payload,
                             unsigned count) {
    if (!lane->window || lane->cur - lane->window < (ptrdiff_t)count + 4) return NULL;
    uint64_t *begin = lane->cur - 1, *end = begin - count - 2;
    const uint64_t low = (uint64_t)region;
    if ((*begin & SPOOL_LOW_MASK) != low || (*end & SPOOL_LOW_MASK) != (SPOOL_KIND_END | low) ||
        (end[-1] & SPOOL_LOW_MASK) != low || end[1] != head)
        return NULL;
    return memcmp(end + 2, payload, (count - 2) * sizeof *payload) ? NULL : end;
}

/* Takes the begin back; false: somebody wrote behind it. */
static bool take_back(struct lane *lane, uint64_t *begin, uint64_t word) {
    if (!swap(&lane->cur, (uint64_t)(uintptr_t)(begin + 1), (uint64_t)(uintptr_t)begin)) return false;
    swap(begin, word, 0);
    return true;
}

bool rec_end_repeated(int region, uint64_t ticks, uint64_t head, uint64_t *payload, unsigned count) {
    if (UNLIKELY(mode_counts) && !mode_pop(region)) return false;
    struct lane *lane = lane_mine;
    const uint64_t since = ticks - lane->base;
    payload[count - 2] = 1;
    payload[count - 1] = 0;
    if (LIKELY(lane->window && lane->cur > lane->window && (since >> SPOOL_TICK_BITS) == 0)) {
        uint64_t *end = mode_traces ? earlier_one(lane, region, head, payload, count) : NULL, *begin = lane->cur - 1;
        if (end) {
            const uint64_t word = *begin, first = end[-1] >> SPOOL_TICK_SHIFT;
            const uint64_t lasted = since - (word >> SPOOL_TICK_SHIFT), ended = *end >> SPOOL_TICK_SHIFT;
            if (ended + lasted <= since && take_back(lane, begin, word)) {
                *(volatile uint64_t *)end = (ended + lasted) << SPOOL_TICK_SHIFT | (*end & SPOOL_LOW_MASK);
                end[count]++;
                end[count + 1] = since - first;
                return true;
            }
        } else if ((*begin & SPOOL_LOW_MASK) == (uint64_t)region) {
            payload[count - 1] = since - (*begin >> SPOOL_TICK_SHIFT);
        }
    }
    return write_end(region, ticks, head, payload, count);
}
