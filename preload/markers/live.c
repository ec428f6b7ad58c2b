#include "live.h"
#include "clock.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
    BUFFER_WORDS = 8192, /* more than the longest group */
    MAX_OPEN = 1 << 20,  /* calls remembered as open, a thread: begins without ends must not eat the memory */
    MAX_TRIES = 64,      /* a window that is flushed each time we look: the next question sees it */
};

static int64_t moment(const struct live *live, uint64_t ticks);

/* ---- counting words ---------------------------------------------------------------------------------------------- */

static bool hold_region(struct live *live, uint32_t region) {
    return pages_hold((void **)&live->regions, &live->num_regions, region + 1, sizeof *live->regions);
}

static void forget_oldest(struct live *live, struct live_thread *thread) {
    const size_t half = thread->depth / 2;
    for (size_t i = 0; i < half; i++) live->regions[thread->open[i].region].open--;
    memmove(thread->open, thread->open + half, (thread->depth - half) * sizeof *thread->open);
    thread->depth -= half;
}

static void forget_all(struct live *live, struct live_thread *thread) {
    for (size_t i = 0; i < thread->depth; i++) live->regions[thread->open[i].region].open--;
    thread->depth = 0;
}

static void count_begin(struct live *live, struct live_thread *thread, uint32_t region, uint64_t ticks) {
    if (!hold_region(live, region)) return;
    live->regions[region].calls++;
    if (thread->depth == MAX_OPEN) forget_oldest(live, thread);
    if (!pages_hold((void **)&thread->open, &thread->capacity, thread->depth + 1, sizeof *thread->open)) return;
    thread->open[thread->depth++] = (struct live_call){ticks, region, thread->task};
    live->regions[region].open++;
}

/* The innermost open call of the region in the task that runs ends, as in `collect`: calls opened after it stay open.
 */
static void count_end(struct live *live, struct live_thread *thread, uint32_t region, uint64_t ticks) {
    if (region >= live->num_regions || live->regions[region].open == 0) return;
    size_t i = thread->depth;
    while (i > 0 && (thread->open[i - 1].region != region || thread->open[i - 1].task != thread->task)) i--;
    if (i == 0) return;
    const uint64_t begin = thread->open[i - 1].begin;
    const uint64_t duration = ticks > begin ? ticks - begin : 0;
    memmove(thread->open + i - 1, thread->open + i, (thread->depth - i) * sizeof *thread->open);
    thread->depth--;
    struct live_region *r = &live->regions[region];
    r->open--;
    if (r->ended == 0 || duration < r->min) r->min = duration;
    if (duration > r->max) r->max = duration;
    r->total += duration;
    r->ended++;
    if (live->take) live->take(live->context, (int)region, moment(live, begin), moment(live, begin + duration));
}

static void thread_begin(struct live *live, struct live_lane *lane, uint64_t tid, uint64_t serial) {
    lane->thread = 0;
    if (serial == 0 || serial > SPOOL_REGION_MAX ||
        !pages_hold((void **)&live->threads, &live->num_threads, serial, sizeof *live->threads))
        return;
    lane->thread = serial;
    live->threads[serial - 1].tid = (int)tid;
}

static void thread_end(struct live *live, struct live_lane *lane) {
    if (lane->thread) {
        struct live_thread *thread = &live->threads[lane->thread - 1];
        forget_all(live, thread);
        pages_free((void **)&thread->open, &thread->capacity, sizeof *thread->open);
        thread->tid = 0;
        thread->task = 0;
    }
    lane->thread = 0;
}

static void count_group(struct live *live, struct live_lane *lane, const uint64_t *words) {
    switch (SPOOL_GROUP_TYPE(words[0])) {
    case SPOOL_EPOCH:
        lane->base = words[1];
        break;
    case SPOOL_THREAD_BEGIN:
        thread_begin(live, lane, words[2], words[3]);
        break;
    case SPOOL_THREAD_END:
        thread_end(live, lane);
        break;
    case SPOOL_TASK_SWITCH:
        if (lane->thread) live->threads[lane->thread - 1].task = (uint32_t)words[1];
        break;
    }
}

/* Counts whole entries of words[0..count); returns how many words they were. A zero word ends a window; among flushed
 * words it is an event that was lost. */
static size_t count_words(struct live *live, struct live_lane *lane, const uint64_t *words, size_t count, bool window) {
    size_t i = 0;
    while (i < count) {
        const uint64_t word = words[i];
        if (word == 0) {
            if (window) break;
            i++;
            continue;
        }
        if ((word & SPOOL_LOW_MASK) == SPOOL_ESCAPE) {
            const size_t length = SPOOL_GROUP_COUNT(word) + 1;
            if (length > count - i) break;
            count_group(live, lane, words + i);
            i += length;
            continue;
        }
        if (lane->thread) {
            struct live_thread *thread = &live->threads[lane->thread - 1];
            const uint64_t ticks = lane->base + (word >> SPOOL_TICK_SHIFT);
            const uint32_t region = (uint32_t)(word & SPOOL_REGION_MASK);
            (word & SPOOL_KIND_END ? count_end : count_begin)(live, thread, region, ticks);
        }
        i++;
    }
    return i;
}

/* ---- reading lanes ----------------------------------------------------------------------------------------------- */

struct view { /* a lane file of ours, open */
    int fd;
    const struct spool_lane *header;
    size_t bytes;
};

static bool view_open(struct view *view, struct recorder *recorder, unsigned number) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%016llx-%u.lane", rec_spool_path(recorder),
             (unsigned long long)rec_process_id(recorder), number);
    struct spool_lane head;
    view->fd = sys_open(path, O_RDONLY, 0);
    if (view->fd < 0) return false;
    if (sys_read(view->fd, &head, sizeof head) == sizeof head && head.magic == SPOOL_LANE_MAGIC &&
        head.window_bytes % SPOOL_PAGE == 0) {
        view->bytes = SPOOL_PAGE + head.window_bytes;
        void *mapped = mmap(NULL, view->bytes, PROT_READ, MAP_SHARED, view->fd, 0);
        view->header = mapped;
        if (mapped != MAP_FAILED) return true;
    }
    sys_close(view->fd);
    return false;
}

static void view_close(struct view *view) {
    munmap((void *)view->header, view->bytes);
    sys_close(view->fd);
}

static uint64_t committed(const struct view *view) {
    return __atomic_load_n(&view->header->committed, __ATOMIC_SEQ_CST);
}

static bool count_flushed(struct live *live, struct live_lane *lane, const struct view *view, uint64_t flushed) {
    while (lane->read < flushed) {
        size_t want = flushed - lane->read < BUFFER_WORDS ? flushed - lane->read : BUFFER_WORDS;
        const off_t place = (off_t)(view->bytes + lane->read * sizeof(uint64_t));
        long got = syscall(SYS_pread64, view->fd, live->words, want * sizeof(uint64_t), place);
        if (got < (long)sizeof(uint64_t)) return false;
        size_t counted = count_words(live, lane, live->words, (size_t)got / sizeof(uint64_t), false);
        if (counted == 0) return false;
        lane->read += counted;
    }
    return true;
}

/* Words of the window that are not counted yet, as far as the buffer goes; false when it was flushed meanwhile. */
static bool count_window(struct live *live, struct live_lane *lane, const struct view *view, uint64_t state,
                         bool *progress) {
    const volatile uint64_t *window = (const volatile uint64_t *)((const char *)view->header + SPOOL_PAGE);
    const size_t window_words = (view->bytes - SPOOL_PAGE) / sizeof(uint64_t);
    const size_t from = (size_t)(lane->read - (state >> 1));
    size_t count = 0;
    *progress = false;
    if (from >= window_words) return true;
    while (count < BUFFER_WORDS && from + count < window_words) {
        const uint64_t word = window[from + count];
        const size_t length = (word & SPOOL_LOW_MASK) == SPOOL_ESCAPE ? SPOOL_GROUP_COUNT(word) + 1 : 1;
        if (word == 0 || length > BUFFER_WORDS - count || length > window_words - from - count) break;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        for (size_t i = 0; i < length; i++) live->words[count + i] = i ? window[from + count + i] : word;
        count += length;
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (committed(view) != state) return false;
    lane->read += count_words(live, lane, live->words, count, true);
    *progress = count > 0;
    return true;
}

static void count_lane(struct live *live, struct live_lane *lane, const struct view *view) {
    if (lane->read == 0) lane->base = view->header->first_tick;
    for (int tries = 0; tries < MAX_TRIES;) {
        const uint64_t state = committed(view);
        if (!count_flushed(live, lane, view, state >> 1)) return;
        if (state & SPOOL_CLEARING) return;
        bool progress;
        if (!count_window(live, lane, view, state, &progress))
            tries++;
        else if (!progress)
            return;
    }
}

/* ---- being up to date -------------------------------------------------------------------------------------------- */

static void forget(struct live *live) {
    for (size_t i = 0; i < live->num_threads; i++)
        pages_free((void **)&live->threads[i].open, &live->threads[i].capacity, sizeof(struct live_call));
    pages_free((void **)&live->threads, &live->num_threads, sizeof *live->threads);
    pages_free((void **)&live->lanes, &live->num_lanes, sizeof *live->lanes);
    pages_free((void **)&live->regions, &live->num_regions, sizeof *live->regions);
    pages_free((void **)&live->forgotten, &live->num_forgotten, sizeof *live->forgotten);
    live->process = 0;
}

/* The process's clock, and a first moment on it. */
static bool learn_clock(struct live *live, struct recorder *recorder) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%016llx.proc", rec_spool_path(recorder),
             (unsigned long long)rec_process_id(recorder));
    struct spool_process process;
    const int fd = sys_open(path, O_RDONLY, 0);
    if (fd < 0) return false;
    const bool ok = sys_read(fd, &process, sizeof process) == sizeof process && process.magic == SPOOL_PROC_MAGIC;
    sys_close(fd);
    if (!ok) return false;
    live->clock = process.clock;
    live->first = live->last = process.first;
    return true;
}

/* With the guard. What cannot be read (the spool is gone) leaves the numbers as they were. */
static void update(struct live *live, struct recorder *recorder) {
    const uint64_t process = recorder ? rec_process_id(recorder) : live->process;
    if (process != live->process) forget(live);
    if (!recorder || process == 0) return;
    if (live->process == 0 && !learn_clock(live, recorder)) return;
    live->process = process;
    live->last = clock_point(live->clock);
    const unsigned lanes = rec_num_lanes(recorder);
    if (!pages_hold((void **)&live->words, &live->num_words, BUFFER_WORDS, sizeof *live->words) ||
        !pages_hold((void **)&live->lanes, &live->num_lanes, lanes, sizeof *live->lanes))
        return;
    for (unsigned i = 0; i < lanes; i++) {
        struct view view;
        if (!view_open(&view, recorder, i)) continue;
        count_lane(live, &live->lanes[i], &view);
        view_close(&view);
    }
    live->last = clock_point(live->clock);
}

static int64_t in_ns(const struct live *live, uint64_t ticks) {
    if (live->clock == SPOOL_CLOCK_MONOTONIC || live->last.ticks <= live->first.ticks) return (int64_t)ticks;
    const double ns = (double)(live->last.ns - live->first.ns);
    return (int64_t)((double)ticks * (ns / (double)(live->last.ticks - live->first.ticks)) + 0.5);
}

/* On CLOCK_MONOTONIC. */
static int64_t moment(const struct live *live, uint64_t ticks) {
    const uint64_t first = live->first.ticks;
    return ticks >= first ? live->first.ns + in_ns(live, ticks - first) : live->first.ns - in_ns(live, first - ticks);
}

/* The calling thread's state; NULL when it has recorded nothing. */
static struct live_thread *my_thread(struct live *live) {
    const int tid = sys_gettid();
    for (size_t i = 0; i < live->num_threads; i++)
        if (live->threads[i].tid == tid) return &live->threads[i];
    return NULL;
}

/* The recorder counts by itself; what came before the latest live_forget_calls() is taken off again. */
static struct live_numbers summed_numbers(struct live *live, struct recorder *recorder, int region) {
    struct rec_sums sums, before = {0};
    rec_sums(recorder, region, &sums);
    struct sys_quiet quiet = guard_enter(&live->guard);
    if (region > 0 && (size_t)region < live->num_forgotten && live->process == rec_process_id(recorder))
        before = live->forgotten[region];
    guard_leave(&live->guard, quiet);
    if (sums.calls < before.calls) before = (struct rec_sums){0};
    if (sums.ended == before.ended) return (struct live_numbers){.calls = (int64_t)(sums.calls - before.calls)};
    return (struct live_numbers){(int64_t)(sums.calls - before.calls), sums.total_ns - before.total_ns, sums.minimum_ns,
                                 sums.maximum_ns};
}

static void forget_summed(struct live *live, struct recorder *recorder) {
    const size_t count = (size_t)rec_num_regions(recorder) + 1;
    struct sys_quiet quiet = guard_enter(&live->guard);
    live->process = rec_process_id(recorder);
    if (pages_hold((void **)&live->forgotten, &live->num_forgotten, count, sizeof *live->forgotten))
        for (size_t i = 1; i < count; i++) rec_sums(recorder, (int)i, &live->forgotten[i]);
    guard_leave(&live->guard, quiet);
}

struct live_numbers live_region_numbers(struct live *live, struct recorder *recorder, int region) {
    struct live_numbers numbers = {0};
    if (rec_aggregates(recorder)) return summed_numbers(live, recorder, region);
    struct sys_quiet quiet = guard_enter(&live->guard);
    update(live, recorder);
    if (region > 0 && (size_t)region < live->num_regions) {
        const struct live_region *r = &live->regions[region];
        numbers =
            (struct live_numbers){(int64_t)r->calls, in_ns(live, r->total), in_ns(live, r->min), in_ns(live, r->max)};
    }
    guard_leave(&live->guard, quiet);
    return numbers;
}

uint64_t live_num_open_of(struct live *live, struct recorder *recorder, int region) {
    if (rec_aggregates(recorder)) return rec_sums_open(recorder, region);
    struct sys_quiet quiet = guard_enter(&live->guard);
    update(live, recorder);
    uint64_t open = 0;
    for (size_t i = 0; i < live->num_regions; i++)
        if (region == 0 || i == (size_t)region) open += live->regions[i].open;
    guard_leave(&live->guard, quiet);
    return open;
}

size_t live_open_calls(struct live *live, struct recorder *recorder, struct rec_open_call *calls, size_t most) {
    struct sys_quiet quiet = guard_enter(&live->guard);
    update(live, recorder);
    size_t count = 0;
    for (size_t i = 0; i < live->num_threads; i++) {
        const struct live_thread *thread = &live->threads[i];
        for (size_t k = 0; k < thread->depth; k++, count++)
            if (count < most)
                calls[count] = (struct rec_open_call){.begin = thread->open[k].begin,
                                                      .region = thread->open[k].region,
                                                      .thread = thread->tid,
                                                      .task = thread->open[k].task};
    }
    guard_leave(&live->guard, quiet);
    return count;
}

bool live_each_call(struct recorder *recorder, void (*take)(void *, int, int64_t, int64_t), void *context) {
    void *pages = NULL;
    size_t count = 0;
    if (!pages_hold(&pages, &count, 1, sizeof(struct live))) return false;
    struct live *anew = pages;
    anew->take = take;
    anew->context = context;
    struct sys_quiet quiet = guard_enter(&anew->guard);
    update(anew, recorder);
    guard_leave(&anew->guard, quiet);
    live_free(anew);
    pages_free(&pages, &count, sizeof *anew);
    return true;
}

int live_innermost(struct live *live, struct recorder *recorder) {
    if (rec_aggregates(recorder)) return rec_sums_innermost(recorder);
    struct sys_quiet quiet = guard_enter(&live->guard);
    update(live, recorder);
    const struct live_thread *thread = my_thread(live);
    const int region = thread && thread->depth ? (int)thread->open[thread->depth - 1].region : 0;
    guard_leave(&live->guard, quiet);
    return region;
}

bool live_is_open(struct live *live, struct recorder *recorder, int region) {
    if (rec_aggregates(recorder)) return rec_sums_is_open(recorder, region);
    struct sys_quiet quiet = guard_enter(&live->guard);
    update(live, recorder);
    const struct live_thread *thread = my_thread(live);
    bool found = false;
    for (size_t i = thread ? thread->depth : 0; i > 0 && !found; i--)
        found = thread->open[i - 1].region == (uint32_t)region;
    guard_leave(&live->guard, quiet);
    return found;
}

void live_forget_calls(struct live *live, struct recorder *recorder) {
    if (rec_aggregates(recorder)) {
        forget_summed(live, recorder);
        return;
    }
    struct sys_quiet quiet = guard_enter(&live->guard);
    update(live, recorder);
    for (size_t i = 0; i < live->num_threads; i++) forget_all(live, &live->threads[i]);
    if (live->regions) memset(live->regions, 0, live->num_regions * sizeof *live->regions);
    guard_leave(&live->guard, quiet);
}

void live_free(struct live *live) {
    struct sys_quiet quiet = guard_enter(&live->guard);
    forget(live);
    pages_free((void **)&live->words, &live->num_words, sizeof *live->words);
    guard_leave(&live->guard, quiet);
}
