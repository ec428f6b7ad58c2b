#include "internal.h"
#include <string.h>

/* One phase in so many is recorded. A phase is a call of the region that was named, or else any call that no other is
 * around, each region counted for itself; phases are counted by thread. What is not recorded is remembered, so that its
 * ends are not recorded either, in whatever order they come. */

enum {
    FIRST = 512,        /* calls that are not recorded and open, for which there is room at first; */
    MOST = 1 << 20,     /* and at most */
    MOST_LEFT = 64,     /* of those that a phase leaves open when it ends; older ones are forgotten */
    MORE_REGIONS = 512, /* a step by which `begun` grows */
};

struct sampler {     /* of a thread */
    unsigned serial; /* rec_default_serial */
    bool all;        /* for now everything is recorded */
    bool skipping;   /* in a phase that is not recorded: */
    size_t phase;    /* its place in `skipped` */
    size_t open, room;
    int *skipped;    /* regions of the `open` calls that are not recorded, outermost first */
    uint64_t beyond; /* more of them, innermost */
    uint64_t within; /* recorded calls of phase regions that are open */
    uint64_t *begun; /* phases, by region */
    size_t num_begun;
};
static TLS struct sampler *mine;

#define IN_ORDER() __asm__ volatile("" : : : "memory")

static struct sampler *make(void) {
    struct sys_quiet q = sys_quiet_begin();
    if (!mine && (mine = sys_pages(sizeof *mine))) lane_watch_thread_end();
    sys_quiet_end(q);
    return mine;
}

void sample_thread_end(void) {
    struct sampler *s = mine;
    mine = NULL;
    if (!s) return;
    if (s->begun) munmap(s->begun, s->num_begun * sizeof *s->begun);
    if (s->skipped) munmap(s->skipped, s->room * sizeof *s->skipped);
    munmap(s, sizeof *s);
}

/* Region numbers are another recorder's now. */
static void start_anew(struct sampler *s) {
    if (s->begun) memset(s->begun, 0, s->num_begun * sizeof *s->begun);
    s->open = s->beyond = s->within = 0;
    s->skipping = false;
    s->serial = rec_default_serial;
}

static struct sampler *sampler(void) {
    struct sampler *s = mine ? mine : make();
    if (s && UNLIKELY(s->serial != rec_default_serial)) start_anew(s);
    return s;
}

/* Longer pages with what was in the old ones; NULL without memory. */
static void *grown(void *old, size_t old_bytes, size_t bytes) {
    struct sys_quiet q = sys_quiet_begin();
    void *pages = sys_pages(bytes);
    if (pages && old) {
        memcpy(pages, old, old_bytes);
        munmap(old, old_bytes);
    }
    sys_quiet_end(q);
    return pages;
}

static bool hold_region(struct sampler *s, size_t region) {
    if (region < s->num_begun) return true;
    const size_t room = (region / MORE_REGIONS + 1) * MORE_REGIONS;
    uint64_t *begun = grown(s->begun, s->num_begun * sizeof *begun, room * sizeof *begun);
    if (!begun) return false;
    s->begun = begun;
    s->num_begun = room;
    return true;
}

static bool hold_skipped(struct sampler *s) {
    if (s->open < s->room) return true;
    const size_t room = s->room ? s->room * 2 : FIRST;
    int *skipped = room > MOST ? NULL : grown(s->skipped, s->room * sizeof *skipped, room * sizeof *skipped);
    if (!skipped) return false;
    s->skipped = skipped;
    s->room = room;
    return true;
}

static bool is_phase(const struct sampling *sampling, int region) {
    return !sampling->name[0] || sampling->region == region;
}

static bool chosen(struct sampler *s, const struct sampling *sampling, int region) {
    if (!hold_region(s, (size_t)region)) return true;
    const uint64_t number = s->begun[region]++;
    return number >= sampling->start && (number - sampling->start) % sampling->every == 0;
}

static void note_skipped(struct recorder *recorder) {
    struct live *live = recorder->live;
    const uint64_t phases = atomic_fetch_add_explicit(&live->skipped_phases, 1, memory_order_relaxed) + 1;
    if (live->process) __atomic_store_n(&live->process->skipped_phases, phases, __ATOMIC_RELAXED);
}

/* The place is taken first: what a signal handler begins and ends from there on lies behind it. */
static void skip(struct sampler *s, int region) {
    if (!hold_skipped(s)) {
        s->beyond++;
        return;
    }
    s->open++;
    IN_ORDER();
    s->skipped[s->open - 1] = region;
}

bool sample_begin(int region) {
    struct recorder *recorder = recorder_default;
    struct sampler *s = sampler();
    if (!s || s->all) return true;
    if (!s->skipping) {
        if (!is_phase(&recorder->sampling, region)) return true;
        if (s->within || !hold_skipped(s) || chosen(s, &recorder->sampling, region)) {
            s->within++;
            return true;
        }
        note_skipped(recorder);
        s->phase = s->open;
        s->skipping = true;
    }
    skip(s, region);
    return false;
}

static void forget(struct sampler *s, size_t from, size_t count) {
    memmove(s->skipped + from, s->skipped + from + count, (s->open - from - count) * sizeof *s->skipped);
    s->open -= count;
}

/* The innermost call of the region that was not recorded ends; false: there is none. */
static bool unskip(struct sampler *s, int region) {
    if (s->beyond) {
        s->beyond--;
        return true;
    }
    size_t i = s->open;
    while (i > 0 && s->skipped[i - 1] != region) i--;
    if (i-- == 0) return false;
    const bool phase_ends = s->skipping && i == s->phase;
    if (s->skipping && i < s->phase) s->phase--;
    forget(s, i, 1);
    if (phase_ends) {
        s->skipping = false;
        if (s->open > MOST_LEFT) forget(s, 0, s->open - MOST_LEFT);
    }
    return true;
}

bool sample_end(int region) {
    struct sampler *s = sampler();
    if (!s || s->all) return true;
    if (s->open && unskip(s, region)) return false;
    if (s->within && is_phase(&recorder_default->sampling, region)) s->within--;
    return true;
}

bool sample_all(bool all) {
    struct sampler *s = recorder_default && recorder_default->sampling.every ? sampler() : NULL;
    const bool before = s && s->all;
    if (s) s->all = all;
    return before;
}
