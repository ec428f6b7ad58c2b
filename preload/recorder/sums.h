/* sums.h: aggregation: calls are added up as they end, per thread and region, and nothing is kept of each. */
#ifndef SCOPE_PROFILER_SUMS_H
#define SCOPE_PROFILER_SUMS_H

#include "internal.h"

/* A begin or an end without sums yet, of a region beyond the rows, or with too many open calls. */
void sums_slow(struct recorder *recorder, struct lane *lane, bool end, int region, uint64_t ticks);
/* The end of something else than the innermost open call. */
void sums_end_unusual(struct lane *lane, uint32_t region, uint64_t ticks);
/* A signal handler came while a call was being added up; true: it is still being. */
bool sums_interrupted(struct lane *lane);

/* A call that began at `begin` goes on here. Quiet. */
void sums_resume(struct recorder *recorder, struct lane *lane, int region, uint64_t begin);

/* The thread ends: what it has open is cut off at `ticks`. Quiet. */
void sums_thread_end(struct lane *lane, uint64_t ticks);
void sums_free(struct lane *lane);
/* All calls are forgotten. live->lock is held. */
void sums_forget(struct recorder *recorder);

/* Stores that must not be moved by the compiler: a handler, or what is left after a kill, sees them in this order. */
#define SUMS_ORDER() __asm__ volatile("" : : : "memory")

static inline __attribute__((always_inline)) uintptr_t sums_stack(void) {
    uintptr_t here;
#if defined(__x86_64__)
    __asm__("movq %%rsp, %0" : "=r"(here));
#elif defined(__aarch64__)
    __asm__("mov %0, sp" : "=r"(here));
#else
    here = (uintptr_t)__builtin_frame_address(0);
#endif
    return here;
}

static inline __attribute__((always_inline)) void sums_add(struct spool_sum *row, uint64_t duration, uint64_t inside) {
    const uint64_t calls = row->calls;
    const struct spool_totals *from = &row->totals[calls & 1];
    struct spool_totals *to = &row->totals[~calls & 1];
    const uint64_t not_minimum = from->not_minimum, maximum = from->maximum;
    to->total = from->total + duration;
    to->inside = from->inside + inside;
    to->not_minimum = ~duration > not_minimum ? ~duration : not_minimum;
    to->maximum = duration > maximum ? duration : maximum;
    SUMS_ORDER();
    row->calls = calls + 1;
}

static inline __attribute__((always_inline)) uint64_t sums_push(struct lane_sums *sums, struct spool_open *place,
                                                                uint32_t region, enum spool_clock clock, bool kept) {
    sums->top = place; /* first: what a handler opens and ends from here on lies behind it */
    SUMS_ORDER();
    place->inside = 0;
    place->jumped = 0;
    place->kept = kept;
    const uint64_t ticks = clock_ticks(clock);
    place->begin = ticks;
    SUMS_ORDER();
    place->region = region;
    return ticks;
}

/* The innermost call ends. */
static inline __attribute__((always_inline)) void sums_pop(struct lane_sums *sums, struct spool_open *call,
                                                           struct spool_sum *row, uint64_t ticks) {
    const uint64_t begin = call->begin, inside = call->inside;
    const uint64_t duration = ticks > begin ? ticks - begin : 0;
    sums->busy = sums_stack();
    SUMS_ORDER();
    call->region = 0;
    sums->top = call - 1;
    call[-1].inside += duration;
    sums_add(row, duration, inside < duration ? inside : duration);
    SUMS_ORDER();
    sums->busy = 0;
}

/* Where a call of the region is to lie; NULL: it has been seen to otherwise. */
static inline __attribute__((always_inline)) struct spool_open *sums_place(struct recorder *recorder, struct lane *lane,
                                                                           int region) {
    const struct lane_sums *sums = &lane->sums;
    if (LIKELY((unsigned)region - 1 < sums->num_rows && sums->top + 1 <= sums->last)) return sums->top + 1;
    sums_slow(recorder, lane, false, region, 0);
    return NULL;
}

/* The call that ends, where it is the innermost one; NULL: it has been seen to otherwise. */
static inline __attribute__((always_inline)) struct spool_open *
sums_innermost(struct recorder *recorder, struct lane *lane, int region, uint64_t ticks) {
    const struct lane_sums *sums = &lane->sums;
    if (UNLIKELY((unsigned)region - 1 >= sums->num_rows || sums->busy)) {
        if (!sums->busy || !sums_interrupted(lane)) sums_slow(recorder, lane, true, region, ticks);
        return NULL;
    }
    if (LIKELY(sums->top->region == (uint32_t)region)) return sums->top;
    sums_end_unusual(lane, (uint32_t)region, ticks);
    return NULL;
}

static inline __attribute__((always_inline)) void sums_begin(struct recorder *recorder, struct lane *lane,
                                                             enum spool_clock clock, int region) {
    struct lane_sums *sums = &lane->sums;
    struct spool_open *place = sums_place(recorder, lane, region);
    if (!place) return;
    sums_push(sums, place, (uint32_t)region, clock, false);
}

static inline __attribute__((always_inline)) void sums_end(struct recorder *recorder, struct lane *lane,
                                                           enum spool_clock clock, int region) {
    const uint64_t ticks = clock_ticks(clock);
    struct lane_sums *sums = &lane->sums;
    struct spool_open *call = sums_innermost(recorder, lane, region, ticks);
    if (!call) return;
    sums_pop(sums, call, &sums->rows[region - 1], ticks);
}

/* ---- the same, and calls are kept as well until their region is called too often ----------------------------------
 */

/* Decides whether that is so by now. */
void throttle_look(struct recorder *recorder, struct spool_sum *row);

static inline __attribute__((always_inline)) void throttle_begin(struct recorder *recorder, struct lane *lane,
                                                                 enum spool_clock clock, int region) {
    struct lane_sums *sums = &lane->sums;
    struct spool_open *place = sums_place(recorder, lane, region);
    if (!place) return;
    const bool kept = !sums->rows[region - 1].throttled;
    const uint64_t ticks = sums_push(sums, place, (uint32_t)region, clock, kept);
    if (kept) lane_record_at(lane, ticks, (unsigned)region);
}

static inline __attribute__((always_inline)) void throttle_end(struct recorder *recorder, struct lane *lane,
                                                               enum spool_clock clock, int region) {
    const uint64_t ticks = clock_ticks(clock);
    struct lane_sums *sums = &lane->sums;
    struct spool_open *call = sums_innermost(recorder, lane, region, ticks);
    if (!call) return;
    struct spool_sum *row = &sums->rows[region - 1];
    const bool kept = call->kept;
    sums_pop(sums, call, row, ticks);
    if (!kept) return;
    if (UNLIKELY(row->calls >= recorder->throttle_calls && row->calls >= row->next_look)) throttle_look(recorder, row);
    lane_record_at(lane, ticks, SPOOL_KIND_END | (unsigned)region);
}

#endif
