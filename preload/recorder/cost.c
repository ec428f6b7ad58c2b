#include "sums.h"
#include <string.h>

/* What a recorded call costs on this machine, by kind: calls that do nothing are timed while they are recorded into
 * memory that nobody keeps. Measured once, by the functions of the mode that runs. */

enum { BATCHES = 16, CALLS = REC_COST_CALLS, WORDS = 4096, OPEN = 8 };

static struct {
    uint64_t words[WORDS];
    struct spool_open open[OPEN];
    struct spool_sum row; /* of region 1 */
    struct spool_sums head;
} scratch;
static struct lock lock; /* of all in here */
static struct rec_cost known[REC_COST_KINDS];

/* As a lane that has room for a batch. */
static void clear(struct lane *lane) {
    memset(&scratch, 0, sizeof scratch);
    *lane = (struct lane){.cur = scratch.words,
                          .window = scratch.words,
                          .limit = scratch.words + WORDS,
                          .hard_end = scratch.words + WORDS};
    lane->base = clock_ticks(recorder_default->clock);
    lane->sums = (struct lane_sums){.top = scratch.open,
                                    .last = scratch.open + OPEN - 1,
                                    .rows = &scratch.row,
                                    .num_rows = 1,
                                    .all_rows = 1,
                                    .head = &scratch.head,
                                    .open = scratch.open};
}

/* How many calls a batch recorded, and the ticks that they lasted by their own records. */
static uint64_t recorded(uint64_t *ticks) {
    uint64_t calls = 0, begin = 0;
    *ticks = scratch.row.totals[scratch.row.calls & 1].total;
    if (scratch.row.calls) return scratch.row.calls;
    for (size_t i = 0; i < WORDS && scratch.words[i]; i++) {
        const uint64_t word = scratch.words[i];
        if ((word & SPOOL_LOW_MASK) == SPOOL_ESCAPE) {
            i += SPOOL_GROUP_COUNT(word);
        } else if (word & SPOOL_KIND_END) {
            *ticks += (word >> SPOOL_TICK_SHIFT) - begin;
            calls++;
        } else {
            begin = word >> SPOOL_TICK_SHIFT;
        }
    }
    return calls;
}

static uint64_t time_batch(void (*calls)(void *, int), void *argument) {
    const uint64_t before = clock_ticks(recorder_default->clock);
    calls(argument, CALLS);
    return clock_ticks(recorder_default->clock) - before;
}

/* The least of what the batches took is what nobody disturbed. */
static void measure(void (*calls)(void *, int), uint64_t bare, void *argument, struct rec_cost *cost) {
    static struct lane lane;
    struct lane *mine = lane_mine;
    const bool all = sample_all(true);
    uint64_t whole = UINT64_MAX, inside = UINT64_MAX;
    for (int i = 0; i < BATCHES; i++) {
        clear(&lane);
        lane_mine = &lane;
        const uint64_t ticks = time_batch(calls, argument);
        lane_mine = mine;
        uint64_t within;
        if (recorded(&within) != CALLS) { /* the hook does not see these calls */
            whole = inside = 0;
            break;
        }
        if (ticks < whole) whole = ticks;
        if (within < inside) inside = within;
    }
    sample_all(all);
    cost->whole = whole > bare ? (whole - bare) * REC_COST_UNIT / CALLS : 0;
    cost->inside = inside > bare ? (inside - bare) * REC_COST_UNIT / CALLS : 0;
    if (cost->inside > cost->whole) cost->inside = cost->whole;
}

uint64_t rec_cost_bare(void (*calls)(void *argument, int count), void *argument) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; recorder_default && i < BATCHES; i++) {
        const uint64_t ticks = time_batch(calls, argument);
        if (ticks < least) least = ticks;
    }
    return least;
}

static bool can_measure(void) {
    const struct recorder *r = recorder_default;
    return r && r->clock && r->live->state == LIVE_ON && mode_records();
}

void rec_cost(enum rec_cost_kind kind, void (*calls)(void *argument, int count), uint64_t bare, void *argument) {
    struct sys_quiet q = sys_quiet_begin();
    lock_take(&lock);
    if (!known[kind].whole && can_measure()) measure(calls, bare, argument, &known[kind]);
    struct spool_cost record = {.kind = kind, .whole = known[kind].whole, .inside = known[kind].inside};
    lock_give(&lock);
    struct recorder *r = recorder_default;
    if (record.whole && r && r->live->state == LIVE_ON) {
        const struct iovec piece = {&record, sizeof record};
        lock_take(&r->live->lock);
        process_log(r, SPOOL_COST, &piece, 1);
        lock_give(&r->live->lock);
    }
    sys_quiet_end(q);
}

static void pairs(void *unused, int count) {
    (void)unused;
    for (int i = 0; i < count; i++) {
        rec_begin(1);
        rec_end(1);
    }
}

void cost_of_regions(void) { rec_cost(REC_COST_REGION, pairs, 0, NULL); }
