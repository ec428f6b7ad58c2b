#include "sums.h"

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

#define THROTTLE(clock_name, clock_kind)                                                                               \
    static void throttle_begin_##clock_name(int region) {                                                              \
        throttle_begin(recorder_default, lane_mine, clock_kind, region);                                               \
    }                                                                                                                  \
    static void throttle_end_##clock_name(int region) { throttle_end(recorder_default, lane_mine, clock_kind, region); }

THROTTLE(counter, SPOOL_CLOCK_TSC)
THROTTLE(monotonic, SPOOL_CLOCK_MONOTONIC)

/* As much as was asked for is recorded. */
static void drop(int region) {
    if (region > 0) lane_drop(recorder_default);
}

/* The first event of a session: the clock is chosen only now, so that a program that records nothing pays nothing. */
static void first_begin(int region);
static void first_end(int region);

enum mode {
    MODE_OFF,
    MODE_DROP,
    MODE_FIRST,
    MODE_TRACE_COUNTER,
    MODE_TRACE_MONOTONIC,
    MODE_AGGREGATE_COUNTER,
    MODE_AGGREGATE_MONOTONIC,
    MODE_THROTTLE_COUNTER,
    MODE_THROTTLE_MONOTONIC
};
static const struct rec_functions functions[] = {
    [MODE_OFF] = {off, off},
    [MODE_DROP] = {drop, drop},
    [MODE_FIRST] = {first_begin, first_end},
    [MODE_TRACE_COUNTER] = {trace_begin_counter, trace_end_counter},
    [MODE_TRACE_MONOTONIC] = {trace_begin_monotonic, trace_end_monotonic},
    [MODE_AGGREGATE_COUNTER] = {aggregate_begin_counter, aggregate_end_counter},
    [MODE_AGGREGATE_MONOTONIC] = {aggregate_begin_monotonic, aggregate_end_monotonic},
    [MODE_THROTTLE_COUNTER] = {throttle_begin_counter, throttle_end_counter},
    [MODE_THROTTLE_MONOTONIC] = {throttle_begin_monotonic, throttle_end_monotonic},
};

struct rec_functions rec_now = {off, off};
struct rec_functions mode_recording = {off, off};
static void (*listener)(const struct rec_functions *functions);

bool mode_traces, mode_counts, rec_takes_facts, rec_tells_late;
int rec_now_clock;

/* ---- sampling: some calls are not for whoever records ------------------------------------------------------------ */

static bool sampled;

static void sampled_begin(int region) {
    if (region > 0 && sample_begin(region)) mode_recording.begin(region);
}
static void sampled_end(int region) {
    if (region > 0 && sample_end(region)) mode_recording.end(region);
}

static struct rec_functions unpaused = {off, off}; /* what runs outside of pauses */

/* ------------------------------------------------------------------------------------------------------------------ */

static bool keeps_calls(const struct recorder *r) { return r->mode == REC_TRACE || r->mode == REC_THROTTLE; }

static void set(enum mode mode, struct rec_functions now, bool paused) {
    const bool monotonic =
        mode == MODE_TRACE_MONOTONIC || mode == MODE_AGGREGATE_MONOTONIC || mode == MODE_THROTTLE_MONOTONIC;
    rec_now = now;
    rec_now_clock = monotonic ? SPOOL_CLOCK_MONOTONIC : SPOOL_CLOCK_TSC;
    mode_traces = mode == MODE_TRACE_COUNTER || mode == MODE_TRACE_MONOTONIC;
    rec_takes_facts = !paused && mode >= MODE_FIRST && keeps_calls(recorder_default);
    rec_tells_late = rec_takes_facts && mode_traces && !sampled;
    if (listener) listener(&rec_now);
}

static enum mode choose(const struct recorder *r) {
    static const enum mode by_recorder[] = {
        [REC_TRACE] = MODE_TRACE_COUNTER,
        [REC_AGGREGATE] = MODE_AGGREGATE_COUNTER,
        [REC_OFF] = MODE_OFF,
        [REC_THROTTLE] = MODE_THROTTLE_COUNTER,
    };
    if (!r || r->mode == REC_OFF) return MODE_OFF;
    if (r->live->state == LIVE_STOPPED) return lane_limit_reached(r) ? MODE_DROP : MODE_OFF;
    if (!r->clock) return MODE_FIRST;
    return by_recorder[r->mode] + (r->clock == SPOOL_CLOCK_MONOTONIC);
}

/* ---- pauses ------------------------------------------------------------------------------------------------------ */

/* Which of a thread's open calls are recorded, outermost first: those from before the first pause; then `run[0]` that
 * are not, run[1] that are, and so on. An end belongs to the innermost. */
enum { RUNS = 32 };
static TLS struct {
    unsigned count;
    uint64_t run[RUNS];
} opened;

static enum { NEVER_PAUSED, PAUSED, RESUMED } pause_state;

static void opened_push(bool recorded) {
    if (opened.count == 0 && recorded) return;
    if (opened.count == 0 || (opened.count & 1) == recorded) {
        if (opened.count < RUNS) opened.run[opened.count++] = 0;
    }
    opened.run[opened.count - 1]++;
}

/* True when the call that ends is a recorded one. */
static bool opened_pop(void) {
    if (opened.count == 0) return true;
    const bool recorded = (opened.count & 1) == 0;
    if (--opened.run[opened.count - 1] == 0) opened.count--;
    return recorded;
}

static void paused_begin(int region) {
    if (region > 0) opened_push(false);
}
static void resumed_begin(int region) {
    if (region < 1) return;
    opened_push(true);
    unpaused.begin(region);
}
static void counted_end(int region) {
    if (region > 0 && opened_pop()) unpaused.end(region);
}

void mode_push(void) { opened_push(true); }
bool mode_pop(int region) { return region > 0 && opened_pop() && (!sampled || sample_end(region)); }

void mode_choose(void) {
    static const struct rec_functions counting[] = {
        [PAUSED] = {paused_begin, counted_end}, [RESUMED] = {resumed_begin, counted_end}};
    const enum mode mode = choose(recorder_default);
    mode_recording = functions[mode];
    sampled = mode > MODE_DROP && recorder_default->sampling.every;
    unpaused = sampled ? (struct rec_functions){sampled_begin, sampled_end} : mode_recording;
    mode_counts = sampled || pause_state != NEVER_PAUSED;
    set(mode, pause_state == NEVER_PAUSED ? unpaused : counting[pause_state], pause_state == PAUSED);
}

bool mode_records(void) { return pause_state != PAUSED && choose(recorder_default) > MODE_FIRST; }

/* What was under way may have ended unseen. */
static void tell_resumed(struct recorder *recorder) {
    if (!recorder || recorder->live->state != LIVE_ON) return;
    const uint64_t now = clock_ticks(recorder->clock);
    struct lane *lane = lane_of(recorder);
    if (lane && lane->cur) lane_group(lane, SPOOL_RESUMED, 0, &now, 1);
}

static void set_pause(bool pause) {
    struct sys_quiet q = sys_quiet_begin();
    if (pause || pause_state != NEVER_PAUSED) {
        if (!pause && pause_state == PAUSED) tell_resumed(recorder_default);
        pause_state = pause ? PAUSED : RESUMED;
        mode_choose();
    }
    sys_quiet_end(q);
}

void rec_pause(void) { set_pause(true); }
void rec_resume(void) { set_pause(false); }

/* ---- the first event ------------------------------------------------------------------------------------------------
 */

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
    mode_recording.begin(region);
}
static void first_end(int region) {
    if (region < 1) return;
    choose_clock();
    mode_recording.end(region);
}

void rec_on_mode(void (*changed)(const struct rec_functions *functions)) {
    listener = changed;
    if (changed) changed(&rec_now);
}

bool rec_active(void) {
    struct recorder *r = recorder_default;
    return r && r->live->state != LIVE_STOPPED;
}
