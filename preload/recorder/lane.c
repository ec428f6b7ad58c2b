#include "sums.h"
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define SLACK 64 /* words behind the limit: for signal handlers that record while a window is being flushed */

/* Bigger windows cost less per event (a flush of 256 KiB is 6 % of two counter reads an event pair, one of 64 KiB 30
 * %); small ones still record on a nearly full disk. Every size is a multiple of SPOOL_PAGE. */
static const size_t window_sizes[] = {256 << 10, 64 << 10, 16 << 10, SPOOL_PAGE};

/* A window's pages cost when they are first written (each 0.5 us, and 12 us in some virtual machines): a thread with
 * few events takes the first ones again and again, until what it has written would have paid for them all. */
enum { FIRST_WORDS = (64 << 10) / sizeof(uint64_t), FIRST_FLUSHES = 16 };

TLS struct lane *lane_mine = &lane_none;
static TLS struct lane *lanes[REC_MAX_OPEN + 1]; /* of this thread, by recorder; lane_mine is one of them */
/* This thread's number in a recorder. A forked child counts its threads anew, and so does a recorder's next use. */
static TLS struct { uint64_t process, serial; } thread_serials[REC_MAX_OPEN + 1];

struct lane lane_none;
static pthread_key_t end_of_thread;
static bool end_of_thread_known;

/* ---- making and giving back -------------------------------------------------------------------------------------- */

/* Lane structs of all recorders: given back when a recorder closes, unless a thread may still have it at hand as the
 * default recorder's. Wiped on fork like the structs themselves. */
static struct pool {
    struct lock lock;
    struct lane *free, *chunk;
    unsigned chunk_left;
} * pool;

static struct lane *new_lane_struct(void) {
    enum { CHUNK = 64 << 10 };
    lock_take(&pool->lock);
    struct lane *lane = pool->free;
    if (lane) {
        pool->free = lane->next_free;
        *lane = (struct lane){0};
    } else if (pool->chunk_left > 0 || (pool->chunk = sys_pages_wiped_on_fork(CHUNK))) {
        if (pool->chunk_left == 0) pool->chunk_left = CHUNK / sizeof *lane;
        pool->chunk_left--;
        lane = pool->chunk++;
    }
    lock_give(&pool->lock);
    return lane;
}

void lane_close_all(struct recorder *recorder) {
    lock_take(&pool->lock);
    for (struct lane *lane = recorder->live->all_lanes, *next; lane; lane = next) {
        next = lane->next_of_recorder;
        sums_free(lane);
        munmap(lane->header, SPOOL_PAGE + lane->header->window_bytes);
        const bool at_hand = lane->at_hand;
        *lane = (struct lane){.next_free = at_hand ? NULL : pool->free};
        if (!at_hand) pool->free = lane;
    }
    lock_give(&pool->lock);
}

/* The n-th size to try, 0 when there is none: what was asked for, or the usual ones. */
static size_t window_size(const struct recorder *recorder, size_t n) {
    enum { CALL = 2 * sizeof(uint64_t), MOST = 64 << 20 /* that collect takes */ };
    const size_t sizes = sizeof window_sizes / sizeof *window_sizes;
    const uint64_t calls = recorder->buffer_calls;
    if (recorder->mode == REC_AGGREGATE) n += sizes - 1;
    if (calls && recorder->mode != REC_AGGREGATE) {
        const uint64_t bytes = calls < MOST / CALL ? calls * CALL + SLACK * sizeof(uint64_t) : MOST;
        const size_t asked = (bytes + SPOOL_PAGE - 1) / SPOOL_PAGE * SPOOL_PAGE;
        if (n == 0) return asked < MOST ? asked : MOST;
        n--;
    }
    return n < sizes ? window_sizes[n] : 0;
}

static uint64_t *limit_of(const struct lane *lane) {
    const size_t words = (size_t)(lane->hard_end - lane->window);
    const bool is_new = lane->flushed < FIRST_FLUSHES * FIRST_WORDS && !lane->warm && !lane->recorder->buffer_calls;
    return lane->window + (is_new && words > FIRST_WORDS ? FIRST_WORDS : words) - SLACK;
}

static bool make_file(struct lane *lane, struct recorder *recorder) {
    char path[PATH_MAX + 64];
    unsigned number = atomic_fetch_add(&recorder->live->lanes, 1);
    process_path(recorder, path, "-%u.lane", number);
    for (size_t i = 0, bytes; (bytes = window_size(recorder, i)); i++) {
        struct spool_lane *header = sys_map_new_file(path, SPOOL_PAGE + bytes);
        if (!header) {
            if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) continue;
            break;
        }
        lane->header = header;
        lane->window = (uint64_t *)((char *)header + SPOOL_PAGE);
        lane->hard_end = lane->window + bytes / sizeof(uint64_t);
        lane->recorder = recorder;
        lane->number = number;
        lane->base = clock_ticks(recorder->clock);
        *header = (struct spool_lane){
            .version = SPOOL_VERSION, .number = number, .window_bytes = bytes, .first_tick = lane->base};
        atomic_thread_fence(memory_order_release);
        header->magic = SPOOL_LANE_MAGIC;
        lane->cur = lane->window;
        lane->limit = limit_of(lane);
        recorder->live->process->lanes = number + 1;
        return true;
    }
    process_stop(recorder, SPOOL_STOP_ERROR, errno, path);
    return false;
}

static TLS char given_name[16];

void rec_thread_name(const char *name) {
    memset(given_name, 0, sizeof given_name);
    memcpy(given_name, name, strnlen(name, sizeof given_name - 1));
}

static void thread_name(uint64_t name[2]) {
    name[0] = name[1] = 0;
    if (given_name[0])
        memcpy(name, given_name, sizeof given_name);
    else
        prctl(PR_GET_NAME, (char *)name);
}

/* Locked. A lane that a thread has given back, or a new one. */
static struct lane *free_or_new(struct recorder *recorder) {
    struct live *live = recorder->live;
    struct lane *lane = live->free_lanes;
    if (lane) {
        live->free_lanes = lane->next_free;
        lane->next_free = NULL;
        return lane;
    }
    lane = new_lane_struct();
    if (!lane) {
        process_stop(recorder, SPOOL_STOP_ERROR, ENOMEM, "memory");
        return NULL;
    }
    if (!make_file(lane, recorder)) return NULL; /* recording has stopped: the struct is not worth returning */
    lane->next_of_recorder = live->all_lanes;
    return live->all_lanes = lane;
}

void lane_watch_thread_end(void) {
    if (end_of_thread_known) pthread_setspecific(end_of_thread, &lane_mine);
}

static bool room_for(const struct lane *lane, size_t words) {
    return (size_t)(lane->hard_end - lane->cur) >= words && lane->cur < lane->hard_end;
}

/* What is open in a task that waits: no step of it begins here. */
static void resume_task(struct lane *lane, uint32_t task) {
    const uint64_t payload[] = {task, clock_ticks(lane->recorder->clock), SPOOL_TASK_GOES_ON};
    lane_group(lane, SPOOL_TASK_SWITCH, 0, payload, 3);
}

/* Calls that this thread had open in the recording before go on here. */
static void resume_calls(struct lane *lane) {
    struct recorder *recorder = lane->recorder;
    const int tid = sys_gettid();
    uint32_t task = 0;
    bool any = false;
    for (size_t i = 0; i < recorder->num_carried; i++) {
        struct rec_open_call *call = &recorder->carried[i];
        if (call->thread != tid) continue;
        call->thread = 0;
        if (recorder->mode != REC_TRACE) sums_resume(recorder, lane, (int)call->region, call->begin);
        if (recorder->mode == REC_AGGREGATE) continue;
        any = true;
        if (call->task != task) resume_task(lane, task = call->task);
        lane_group(lane, SPOOL_EPOCH, 0, &call->begin, 1);
        if (room_for(lane, 1)) *(volatile uint64_t *)lane->cur++ = call->region;
    }
    if (!any) return;
    if (task) resume_task(lane, 0);
    lane->base = clock_ticks(recorder->clock);
    lane_group(lane, SPOOL_EPOCH, 0, &lane->base, 1);
}

struct lane *lane_acquire(struct recorder *recorder) {
    if (!process_start(recorder)) return NULL;
    struct live *live = recorder->live;
    lock_take(&live->lock);
    struct lane *lane = free_or_new(recorder);
    if (lane) {
        uint64_t *serial = &thread_serials[recorder->index].serial;
        if (thread_serials[recorder->index].process != live->id) *serial = atomic_fetch_add(&live->threads, 1) + 1;
        thread_serials[recorder->index].process = live->id;
        lane->serial = *serial;
    }
    lock_give(&live->lock);
    if (!lane) return NULL;
    uint64_t name[2];
    thread_name(name);
    const uint64_t payload[6] = {
        clock_ticks(recorder->clock), (uint64_t)sys_gettid(), lane->serial, (uint64_t)pthread_self(), name[0], name[1]};
    lane_group(lane, SPOOL_THREAD_BEGIN, 0, payload, 6);
    lanes[recorder->index] = lane;
    if (UNLIKELY(recorder->num_carried)) resume_calls(lane);
    lane_watch_thread_end();
    return lane;
}

void lane_thread_end(struct lane *lane) {
    struct recorder *recorder = lane->recorder;
    if (!recorder || lane->serial == 0) return;
    struct timespec cpu = {0, 0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    sums_thread_end(lane, clock_ticks(recorder->clock));
    uint64_t name[2];
    thread_name(name);
    const uint64_t payload[4] = {clock_ticks(recorder->clock),
                                 (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec, name[0], name[1]};
    lane_group(lane, SPOOL_THREAD_END, 0, payload, 4);
    struct live *live = recorder->live;
    lock_take(&live->lock);
    lane->serial = 0;
    lane->next_free = live->free_lanes;
    live->free_lanes = lane;
    lock_give(&live->lock);
}

/* Destructors of other keys may still record after this one: they get a lane again, and this runs again. */
static void on_thread_end(void *unused) {
    (void)unused;
    struct sys_quiet q = sys_quiet_begin();
    lane_mine = &lane_none;
    for (int i = 0; i <= REC_MAX_OPEN; i++) {
        struct lane *lane = lanes[i];
        lanes[i] = NULL;
        if (lane) lane_thread_end(lane);
    }
    sample_thread_end();
    sys_quiet_end(q);
}

void lane_init(void) {
    pool = sys_pages_wiped_on_fork(SPOOL_PAGE);
    end_of_thread_known = pthread_key_create(&end_of_thread, on_thread_end) == 0;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

bool lane_limit_reached(const struct recorder *recorder) {
    const struct spool_process *process = recorder->live->process;
    return process && process->stop == SPOOL_STOP_LIMIT;
}

void lane_drop(struct recorder *recorder) {
    struct lane *lane = lane_known(recorder);
    uint64_t *dropped = lane && lane->header ? &lane->header->dropped : &recorder->live->process->lost;
    __atomic_fetch_add(dropped, 1, __ATOMIC_RELAXED);
}

/* False when the recorder keeps as many bytes as it was asked for: what is in windows stays, and nothing more comes. */
static bool allowed(struct lane *lane, size_t words) {
    struct recorder *recorder = lane->recorder;
    const uint64_t bytes = words * sizeof(uint64_t);
    if (!recorder->most_bytes) return true;
    if (atomic_fetch_add(&recorder->live->bytes, bytes) + bytes <= recorder->most_bytes) return true;
    lane->limit = lane->window;
    process_stop(recorder, SPOOL_STOP_LIMIT, 0, "");
    return false;
}

/* Moves the window's words to the end of the lane's file. False: recording has stopped; the words stay in the window,
 * which is part of the file. */
static bool flush(struct lane *lane) {
    struct recorder *recorder = lane->recorder;
    uint64_t *end = lane->cur < lane->hard_end ? lane->cur : lane->hard_end;
    size_t words = (size_t)(end - lane->window);
    char path[PATH_MAX + 64];
    if (!allowed(lane, words)) return false;
    process_path(recorder, path, "-%u.lane", lane->number);
    if (!sys_append(path, lane->window, words * sizeof(uint64_t))) {
        lane->limit = lane->window; /* nothing more fits */
        process_stop(recorder, SPOOL_STOP_ERROR, errno, path);
        return false;
    }
    lane->flushed += words;
    _Atomic uint64_t *committed = (_Atomic uint64_t *)&lane->header->committed;
    atomic_store_explicit(committed, lane->flushed << 1 | SPOOL_CLEARING, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    memset(lane->window, 0, words * sizeof(uint64_t));
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(committed, lane->flushed << 1, memory_order_release);
    lane->cur = lane->window;
    lane->limit = limit_of(lane);
    process_calibrate(recorder);
    return true;
}

void lane_group(struct lane *lane, unsigned type, unsigned argument, const uint64_t *payload, unsigned count) {
    if (!room_for(lane, count + 1) && !flush(lane)) return;
    uint64_t *place = lane->cur;
    lane->cur += count + 1;
    memcpy(place + 1, payload, count * sizeof *payload);
    atomic_thread_fence(memory_order_release);
    *(volatile uint64_t *)place = SPOOL_GROUP(type, argument, count);
    if (lane->cur >= lane->limit) flush(lane);
}

/* One word, when nothing about it is usual any more. */
static void write_word(struct lane *lane, uint64_t ticks, uint64_t low) {
    uint64_t since = ticks - lane->base;
    if (since >> SPOOL_TICK_BITS) {
        if ((int64_t)since < 0) ticks = lane->base; /* a handler's event moved the base on meanwhile */
        lane_group(lane, SPOOL_EPOCH, 0, &ticks, 1);
        lane->base = ticks;
        since = 0;
    }
    if (room_for(lane, 1)) *(volatile uint64_t *)lane->cur++ = since << SPOOL_TICK_SHIFT | low;
}

struct lane *lane_known(const struct recorder *recorder) {
    struct lane *lane = lanes[recorder->index];
    return lane && lane->recorder == recorder ? lane : NULL;
}

struct lane *lane_of(struct recorder *recorder) {
    struct lane *lane = lanes[recorder->index];
    bool usable = lane && lane->window && lane->recorder == recorder && recorder->live->state == LIVE_ON;
    return usable ? lane : lane_acquire(recorder);
}

/* True in a handler that interrupted an event between its taking a place and its writing there: flushed now, the event
 * would be lost. There is room behind the limit to wait until it is written. */
static bool overtakes(const struct lane *lane) {
    if (!room_for(lane, 8)) return false;
    for (const uint64_t *word = lane->cur; word > lane->window && word > lane->cur - SLACK;)
        if (*--word == 0) return true;
    return false;
}

void lane_take_at_hand(struct lane *lane) {
    if (lane) lane->at_hand = true;
    lane_mine = lane ? lane : &lane_none;
}

void lane_slow(struct lane *lane, uint64_t *place, uint64_t ticks, uint64_t low) {
    struct sys_quiet q = sys_quiet_begin();
    if (lane->window && place >= lane->window && place < lane->hard_end)
        *(volatile uint64_t *)place = SPOOL_GROUP(0, 0, 0); /* the place is taken and must hold something */
    struct recorder *recorder = lane == lane_mine ? recorder_default : lane->recorder;
    struct lane *right = recorder ? lane_of(recorder) : NULL;
    bool took_long = right != lane;
    if (lane == lane_mine) lane_take_at_hand(right);
    if (right && right->cur >= right->limit && !overtakes(right)) {
        took_long = true;
        if (!flush(right)) right = NULL;
    }
    if (!right && recorder && lane_limit_reached(recorder)) lane_drop(recorder);
    if (right) {
        /* The time that was spent here is not the region's that begins, nor the one's that ended. */
        if (took_long && !(low & SPOOL_KIND_END)) ticks = clock_ticks(recorder->clock);
        write_word(right, ticks, low);
    }
    sys_quiet_end(q);
}

/* Threads keep the default recorder's lane at hand: with no room left in it they ask again. */
void lane_detach_all(struct recorder *recorder) {
    lock_take(&recorder->live->lock);
    for (struct lane *lane = recorder->live->all_lanes; lane; lane = lane->next_of_recorder) {
        lane->limit = NULL;
        lane->sums.num_rows = 0;
    }
    lock_give(&recorder->live->lock);
}

/* Both sides meet each page: some virtual machines have page tables of their own for the kernel, which will read the
 * window when it is written. What is behind lane->cur is zero, and nobody else writes there. */
void rec_warm(void) {
    struct sys_quiet q = sys_quiet_begin();
    struct lane *lane = recorder_default ? lane_known(recorder_default) : NULL;
    if (lane && lane->limit > lane->window && !lane->warm) {
        lane->warm = true;
        lane->limit = limit_of(lane);
        for (uint64_t *at = lane->cur + 1; at < lane->limit; at += SPOOL_PAGE / sizeof *at) {
            syscall(SYS_rt_sigpending, at, sizeof *at);
            *(volatile uint64_t *)at = 0;
        }
    }
    sys_quiet_end(q);
}

/* ---- events of explicit contexts -----------------------------------------------------------------------------------
 */

static void add_up_in(struct recorder *recorder, struct lane *lane, uint64_t low) {
    const int region = (int)(low & SPOOL_REGION_MASK);
    const bool end = low & SPOOL_KIND_END;
    if (!lane || lane->recorder != recorder) lane = &lane_none;
    if (recorder->mode == REC_AGGREGATE)
        (end ? sums_end : sums_begin)(recorder, lane, recorder->clock, region);
    else
        (end ? throttle_end : throttle_begin)(recorder, lane, recorder->clock, region);
}

static void record_in(struct recorder *recorder, uint64_t low) {
    if (recorder->live->state == LIVE_STOPPED) {
        if (lane_limit_reached(recorder)) lane_drop(recorder);
        return;
    }
    struct lane *lane = lanes[recorder->index];
    if (recorder->mode != REC_TRACE) {
        add_up_in(recorder, lane, low);
        return;
    }
    if (UNLIKELY(!lane || lane->limit == NULL || lane->recorder != recorder)) {
        struct sys_quiet q = sys_quiet_begin();
        if (lane && lane == lane_mine && recorder != recorder_default) lane_mine = &lane_none; /* detached */
        lane = lane_of(recorder);
        if (lane && lane->limit == NULL) lane->limit = limit_of(lane);
        sys_quiet_end(q);
        if (!lane) return;
    }
    lane_record(lane, recorder->clock, low);
}

void rec_begin_in(struct recorder *recorder, int region) {
    if (region > 0 && region <= SPOOL_REGION_MAX) record_in(recorder, (uint64_t)region);
}
void rec_end_in(struct recorder *recorder, int region) {
    if (region > 0 && region <= SPOOL_REGION_MAX) record_in(recorder, SPOOL_KIND_END | (uint64_t)region);
}

void rec_reset(struct recorder *recorder) {
    struct sys_quiet q = sys_quiet_begin();
    struct lane *lane = lane_of(recorder);
    const uint64_t now = clock_ticks(recorder->clock);
    if (lane) lane_group(lane, SPOOL_RESET, 0, &now, 1);
    sums_forget(recorder);
    sys_quiet_end(q);
}
