#include "sums.h"
#include <stdlib.h>
#include <string.h>

/* What runs at a begin and an end. One pair of functions per way of recording; which one runs is chosen when something
 * changes, never per event. */

static void off(int region) { (void)region; }

/* `region` is 1 .. SPOOL_REGION_MAX or nothing happens: -1 is what an unknown or refused region is. */
#define TRACE(clock_name, clock_kind)                                                                                  \
    static void trace_begin_##clock_name(int region) {                                                                 \
        if (LIKELY((unsigned)region - 1 < SPOOL_REGION_MAX)) lane_record(lane_mine, clock_kind, (unsigned)region);     \
    }                                                                                                                  \
    static void trace_end_##clock_name(int region) {                                                                   \
        if (LIKELY((unsigned)region - 1 < SPOOL_REGION_MAX))                                                           \
            lane_record(lane_mine, clock_kind, SPOOL_KIND_END | (unsigned)region);                                     \
    }

TRACE(counter, SPOOL_CLOCK_TSC) /* the processor's counter, whichever it is */
TRACE(monotonic, SPOOL_CLOCK_MONOTONIC)

#define AGGREGATE(clock_name, clock_kind)                                                                              \
    static void aggregate_begin_##clock_name(int region) {                                                             \
        sums_begin(recorder_default, lane_mine, clock_kind, region);                                                   \
    }                                                                                                                  \
    static void aggregate_end_##clock_name(int region) { sums_end(recorder_default, lane_mine, clock_kind, region); }

AGGREGATE(counter, SPOOL_CLOCK_TSC)
AGGREGATE(monotonic, SPOOL_CLOCK_MONOTONIC)

/* The first event of a session: the clock is chosen only now, so that a program that records nothing pays nothing. */
static void first_begin(int region);
static void first_end(int region);

enum mode {
    MODE_OFF,
    MODE_FIRST,
    MODE_TRACE_COUNTER,
    MODE_TRACE_MONOTONIC,
    MODE_AGGREGATE_COUNTER,
    MODE_AGGREGATE_MONOTONIC
};
static const struct rec_functions functions[] = {
    [MODE_OFF] = {off, off},
    [MODE_FIRST] = {first_begin, first_end},
    [MODE_TRACE_COUNTER] = {trace_begin_counter, trace_end_counter},
    [MODE_TRACE_MONOTONIC] = {trace_begin_monotonic, trace_end_monotonic},
    [MODE_AGGREGATE_COUNTER] = {aggregate_begin_counter, aggregate_end_counter},
    [MODE_AGGREGATE_MONOTONIC] = {aggregate_begin_monotonic, aggregate_end_monotonic},
};

struct rec_functions rec_now = {off, off};
static void (*listener)(const struct rec_functions *functions);

static void set(enum mode mode) {
    rec_now = functions[mode];
    if (listener) listener(&rec_now);
}

void mode_choose(void) {
    struct recorder *r = recorder_default;
    if (!r || r->live->state == LIVE_STOPPED)
        set(MODE_OFF);
    else if (!r->clock)
        set(MODE_FIRST);
    else
        set((r->mode == REC_AGGREGATE ? MODE_AGGREGATE_COUNTER : MODE_TRACE_COUNTER) +
            (r->clock == SPOOL_CLOCK_MONOTONIC));
}

enum rec_mode mode_wanted(void) {
    static const char *const names[] = {[REC_TRACE] = "trace", [REC_AGGREGATE] = "aggregate", [REC_OFF] = "off"};
    const char *wanted = getenv(SPOOL_ENV_MODE);
    for (size_t i = 0; wanted && i < sizeof names / sizeof *names; i++)
        if (strcmp(wanted, names[i]) == 0) return (enum rec_mode)i;
    if (wanted && *wanted) rec_warn(SPOOL_ENV_MODE ": '%.40s' is none of off, trace, aggregate: trace", wanted);
    return REC_TRACE;
}

static void choose_clock(void) {
    struct sys_quiet q = sys_quiet_begin();
    struct recorder *r = recorder_default;
    if (r && !r->clock) r->clock = clock_choose();
    mode_choose();
    sys_quiet_end(q);
}

static void first_begin(int region) {
    if (region < 1) return;
    choose_clock();
    rec_begin(region);
}
static void first_end(int region) {
    if (region < 1) return;
    choose_clock();
    rec_end(region);
}

void rec_on_mode(void (*changed)(const struct rec_functions *functions)) {
    listener = changed;
    if (changed) changed(&rec_now);
}

bool rec_active(void) {
    struct recorder *r = recorder_default;
    return r && r->live->state != LIVE_STOPPED;
}
