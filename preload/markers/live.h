/* live.h: numbers of this process's own calls while it records. They are read from what the recorder has written, each
 * word once, so that begin and end carry no bookkeeping. */
#ifndef SCOPE_PROFILER_MARKERS_LIVE_H
#define SCOPE_PROFILER_MARKERS_LIVE_H

#include "guard.h"
#include "recorder.h"
#include "spool.h"

/* Regions are the recorder's numbers, from 1. */
struct live_numbers {
    int64_t calls;                    /* begun */
    int64_t total_ns, min_ns, max_ns; /* of those that ended; 0 without any */
};

struct live_region { /* in ticks */
    uint64_t calls, ended, open, total, min, max;
};

struct live_lane {
    uint64_t read; /* words of the lane's stream that are counted already */
    uint64_t base;
    size_t thread; /* index in `threads` + 1; 0 none */
};

struct live_call {
    uint64_t begin; /* absolute ticks */
    uint32_t region;
    uint32_t task;
};

struct live_thread {
    int tid;       /* 0: ended */
    uint32_t task; /* that it runs; 0 none */
    size_t depth, capacity;
    struct live_call *open;
};

struct live {
    struct guard guard; /* all below */
    uint64_t process;   /* whose numbers these are: a forked child begins anew */
    uint32_t clock;
    struct spool_point first, last;
    struct live_lane *lanes;
    struct live_region *regions;
    struct live_thread *threads; /* by serial - 1 */
    uint64_t *words;             /* a buffer */
    struct rec_sums *forgotten;  /* by region: what a recorder that aggregates had at a reset */
    size_t num_lanes, num_regions, num_threads, num_words, num_forgotten; /* capacities */
    void (*take)(void *context, int region, int64_t begin, int64_t end);  /* NULL: nobody asks */
    void *context;
};

/* Each brings itself up to date first, as far as the spool is still there. */
struct live_numbers live_region_numbers(struct live *live, struct recorder *recorder, int region);
/* Calls of this region open on any thread (region 0: of any region). */
uint64_t live_num_open_of(struct live *live, struct recorder *recorder, int region);
/* On the calling thread: the call opened last, 0 none; and whether one of `region` is open. */
int live_innermost(struct live *live, struct recorder *recorder);
bool live_is_open(struct live *live, struct recorder *recorder, int region);

/* Calls open on any thread, outermost first within one; stores at most `most`, and returns how many there are. Of a
 * recorder that keeps calls. */
size_t live_open_calls(struct live *live, struct recorder *recorder, struct rec_open_call *calls, size_t most);

/* Tells every call that has ended, in the order of their ends; ns of CLOCK_MONOTONIC. False without memory. */
bool live_each_call(struct recorder *recorder, void (*take)(void *context, int region, int64_t begin, int64_t end),
                    void *context);

/* Counts from 0 again; nothing is open. */
void live_forget_calls(struct live *live, struct recorder *recorder);
void live_free(struct live *live);

#endif
