#include "sums.h"

/* Questions about this process's own sums. Their threads go on recording meanwhile. */

bool rec_aggregates(const struct recorder *recorder) {
    return recorder && (recorder->mode == REC_AGGREGATE || recorder->mode == REC_THROTTLE);
}

struct seen { /* of one region, in ticks */
    uint64_t ended, total, minimum, maximum;
};

/* One thread's, whole: a call that ends while they are read changes `calls`, and two halves later these. */
static void see_row(const struct spool_sum *row, struct seen *seen) {
    enum { TRIES = 64 };
    for (int i = 0; i < TRIES; i++) {
        const uint64_t calls = __atomic_load_n(&row->calls, __ATOMIC_ACQUIRE);
        const struct spool_totals totals = row->totals[calls & 1];
        atomic_thread_fence(memory_order_acquire);
        if (__atomic_load_n(&row->calls, __ATOMIC_RELAXED) != calls && i + 1 < TRIES) continue;
        if (calls == 0) return;
        if (seen->ended == 0 || ~totals.not_minimum < seen->minimum) seen->minimum = ~totals.not_minimum;
        if (totals.maximum > seen->maximum) seen->maximum = totals.maximum;
        seen->ended += calls;
        seen->total += totals.total;
        return;
    }
}

static uint64_t count_open(const struct lane_sums *sums, uint32_t region) {
    uint64_t count = 0;
    for (const struct spool_open *call = sums->open + 1; call <= sums->last && call->region; call++)
        count += region == 0 || call->region == region;
    for (int i = 0; i < SPOOL_JUMPED_MAX; i++) {
        const uint32_t jumped = sums->head->jumped[i].region;
        count += jumped != 0 && (region == 0 || jumped == region);
    }
    return count;
}

static double ns_per_tick(const struct recorder *recorder) {
    const struct spool_process *process = recorder->live->process;
    if (recorder->clock == SPOOL_CLOCK_MONOTONIC || !process) return 1;
    const struct spool_point now = clock_point(recorder->clock);
    if (now.ticks <= process->first.ticks) return 1;
    return (double)(now.ns - process->first.ns) / (double)(now.ticks - process->first.ticks);
}

static int64_t in_ns(uint64_t ticks, double rate) { return (int64_t)((double)ticks * rate + 0.5); }

void rec_sums(struct recorder *recorder, int region, struct rec_sums *sums) {
    struct seen seen = {0};
    uint64_t open = 0;
    struct sys_quiet q = sys_quiet_begin();
    lock_take(&recorder->live->lock);
    for (struct lane *lane = recorder->live->all_lanes; lane; lane = lane->next_of_recorder) {
        if (region < 1 || (uint32_t)region > lane->sums.all_rows) continue;
        see_row(&lane->sums.rows[region - 1], &seen);
        open += count_open(&lane->sums, (uint32_t)region);
    }
    const double rate = ns_per_tick(recorder);
    *sums = (struct rec_sums){seen.ended + open, seen.ended, in_ns(seen.total, rate), in_ns(seen.minimum, rate),
                              in_ns(seen.maximum, rate)};
    lock_give(&recorder->live->lock);
    sys_quiet_end(q);
}

uint64_t rec_sums_open(struct recorder *recorder, int region) {
    uint64_t open = 0;
    struct sys_quiet q = sys_quiet_begin();
    lock_take(&recorder->live->lock);
    for (struct lane *lane = recorder->live->all_lanes; lane; lane = lane->next_of_recorder)
        if (lane->sums.head) open += count_open(&lane->sums, (uint32_t)region);
    lock_give(&recorder->live->lock);
    sys_quiet_end(q);
    return open;
}

int rec_sums_innermost(const struct recorder *recorder) {
    const struct lane *lane = lane_known(recorder);
    return lane && lane->sums.top > lane->sums.open ? (int)lane->sums.top->region : 0;
}

bool rec_sums_is_open(const struct recorder *recorder, int region) {
    const struct lane *lane = lane_known(recorder);
    if (!lane || !lane->sums.head) return false;
    for (const struct spool_open *call = lane->sums.top; call > lane->sums.open; call--)
        if (call->region == (uint32_t)region) return true;
    for (int i = 0; i < SPOOL_JUMPED_MAX; i++)
        if (lane->sums.head->jumped[i].region == (uint32_t)region) return true;
    return false;
}
