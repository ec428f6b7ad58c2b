/* internal.h: how the recorder's files see each other. Nothing outside preload/recorder/ includes it. */
#ifndef SCOPE_PROFILER_INTERNAL_H
#define SCOPE_PROFILER_INTERNAL_H

#include "clock.h"
#include "recorder.h"
#include "sys.h"
#include <limits.h>
#include <stdatomic.h>

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define TLS         __thread __attribute__((tls_model("initial-exec")))

/* ---- lanes (lane.c) --------------------------------------------------------------------------------------------- */

/* One thread's place to write in. Lives in pages that a forked child finds zero: its first event there meets a lane
 * without room and takes a new one, so parent and child never share a window. */
struct lane {
    uint64_t *cur; /* the next word's place; taken by one instruction, so a signal handler in between takes the next */
    uint64_t *limit; /* from here on lane_slow() is called; the words behind it are slack for signal handlers */
    uint64_t base;   /* ticks that the words count from */
    uint64_t *window, *hard_end; /* NULL: this lane has no file yet */
    struct spool_lane *header;
    struct recorder *recorder;
    uint64_t flushed; /* words */
    uint64_t serial;  /* of the thread that has it */
    uint32_t number;
    struct lane *next_free; /* of its recorder; of nobody, when `recorder` is NULL */
    struct lane *next_of_recorder;
    bool warm;    /* all pages of its window have been met */
    bool at_hand; /* a thread has, or had, it in lane_mine */
    struct lane_sums {
        struct spool_open *top, *last; /* the innermost open call; the last place for one */
        struct spool_sum *rows;        /* of regions 1 .. num_rows */
        uint32_t num_rows;             /* 0: sums_slow() is called */
        uint32_t all_rows;
        uintptr_t busy;   /* 0, or where the stack is of who is adding up a call */
        unsigned refused; /* calls in a row that came while it was busy */
        struct spool_sums *head;
        struct spool_open *open;
        size_t open_bytes;
        uint64_t overflow; /* calls open beyond the deepest that is kept */
    } sums;
    struct { /* what SPOOL_MPI_AGAIN would mean */
        uint64_t head, words[SPOOL_SLOT_WORDS];
    } slots[SPOOL_SLOTS];
} __attribute__((aligned(64)));

/* The lane of this thread in the default recorder. Never NULL: without a lane of its own a thread has `lane_none`. */
extern TLS struct lane *lane_mine;
extern struct lane lane_none;

/* Everything that is not "there is room": a thread's first event, a full window, a lane that was idle for long. `place`
 * is the word's place as taken from `lane`; ticks: absolute; low: kind and region. */
void lane_slow(struct lane *lane, uint64_t *place, uint64_t ticks, uint64_t low);

static inline __attribute__((always_inline)) uint64_t *lane_take(struct lane *lane) {
#if defined(__x86_64__)
    uint64_t *place = (uint64_t *)sizeof(uint64_t);
    __asm__ volatile("xaddq %0, %1" : "+r"(place), "+m"(lane->cur) : : "memory", "cc");
    return place;
#else
    /* A handler between load and store may take the same place: its event is then overwritten, not ours. */
    uint64_t *place = *(uint64_t *volatile *)&lane->cur;
    *(uint64_t *volatile *)&lane->cur = place + 1;
    return place;
#endif
}

static inline __attribute__((always_inline)) void lane_record_at(struct lane *lane, uint64_t ticks, uint64_t low) {
    uint64_t since = ticks - lane->base;
    uint64_t *place = lane_take(lane);
    if (UNLIKELY(since >> SPOOL_TICK_BITS || place >= lane->limit)) {
        lane_slow(lane, place, ticks, low);
        return;
    }
    *(volatile uint64_t *)place = since << SPOOL_TICK_SHIFT | low;
}

static inline __attribute__((always_inline)) void lane_record(struct lane *lane, enum spool_clock clock, uint64_t low) {
    lane_record_at(lane, clock_ticks(clock), low);
}

/* The recording has stopped because it holds as much as was asked for; from then on events are counted: */
bool lane_limit_reached(const struct recorder *recorder);
void lane_drop(struct recorder *recorder);

/* The lane of this thread in `recorder`, made if need be; NULL when recording has stopped. Call it quiet. */
struct lane *lane_acquire(struct recorder *recorder);
/* Writes a group of `count` payload words. Call it quiet, from the lane's thread. */
void lane_group(struct lane *lane, unsigned type, unsigned argument, const uint64_t *payload, unsigned count);
/* The thread ends: what it has open is closed by `collect`, the lane goes to the next thread. */
void lane_thread_end(struct lane *lane);
void lane_init(void);
void lane_watch_thread_end(void); /* also without a lane */
/* The recorder is not the default one any more. */
void lane_detach_all(struct recorder *recorder);
/* Takes every lane's memory back. No thread uses the recorder any more. */
void lane_close_all(struct recorder *recorder);

/* Makes it this thread's lane_mine; NULL for none. */
void lane_take_at_hand(struct lane *lane);
/* The lane that this thread has in `recorder`, NULL none. */
struct lane *lane_known(const struct recorder *recorder);
/* This thread's lane in `recorder`; NULL when recording has stopped. Quiet. */
struct lane *lane_of(struct recorder *recorder);

/* ---- recorders (recorder.c, process.c) -------------------------------------------------------------------------- */

struct lock {
    atomic_int held;
};
void lock_take(struct lock *lock); /* quiet callers only: no handler can want it while its thread has it */
void lock_give(struct lock *lock);

enum live_state { LIVE_NONE = 0 /* no files yet */, LIVE_ON, LIVE_STOPPED };

/* What belongs to one process: zero again in a forked child. */
struct live {
    struct lock lock; /* everything here but `state` */
    atomic_int state; /* enum live_state */
    uint64_t id;
    struct spool_process *process;
    uint32_t regions_logged;
    struct lane *free_lanes, *all_lanes;
    atomic_uint lanes;
    atomic_ullong threads;
    int64_t calibrated_ns;
    atomic_ullong bytes; /* flushed, all lanes */
    atomic_ullong skipped_phases;
    bool is_mpi;
    int mpi_rank, mpi_size;
};

struct region;
struct regions { /* made longer under live->lock */
    struct region_table *_Atomic table;
    struct region *pages[8192];
    atomic_uint count;
    char *arena;
    size_t arena_left;
};

/* One phase in `every`, from number `start` on; every 0: all. name: the region that is a phase, "" any outermost one.
 */
struct sampling {
    uint64_t every, start;
    char name[SPOOL_SAMPLED_MAX];
    int region; /* its number, 0 not yet */
};

enum rec_mode { REC_TRACE, REC_AGGREGATE, REC_OFF, REC_THROTTLE /* both, until a region is called too often */ };

struct recorder {
    char spool[PATH_MAX];
    char output[PATH_MAX];
    enum spool_clock clock;
    enum rec_mode mode;
    uint64_t most_bytes;     /* of words that a process keeps; 0: all */
    uint64_t throttle_calls; /* REC_THROTTLE: a region with so many calls on a thread, of */
    uint64_t throttle_ns;    /* less than that on average, is not traced any more */
    uint64_t buffer_calls;   /* that a thread has room for before it writes them; 0: as usual */
    struct sampling sampling;
    int index;                /* its place in the threads' tables; 0: the session's */
    bool own;                 /* of rec_open() */
    bool in_memory;           /* no profile is written: what is recorded goes with the process */
    bool keeps_spool;         /* also when it is closed */
    int opener;               /* the process that called rec_open() */
    int rank;                 /* given to rec_open(), -1 */
    int size;                 /* of its launch; -1 unknown */
    int stop_errno;           /* why it stopped by itself */
    struct spool_point start; /* of a recording that begins before its first event; ns 0 otherwise */
    int64_t start_realtime_ns;
    struct rec_open_call *carried; /* from the recording before this one, not begun yet; thread 0: taken */
    size_t num_carried;
    uint64_t last_id; /* not wiped: a forked child's parent */
    int last_pid;
    struct live *live;
    struct regions regions;
};

extern struct recorder *recorder_default; /* where rec_begin and rec_end go; NULL nowhere */

/* process.c. All quiet. */
bool process_start(struct recorder *recorder); /* the process's files; false: stopped */
void process_stop(struct recorder *recorder, enum spool_stop why, int error, const char *path);
/* Appends one record to the process's log: the pieces one after the other. Locked by the caller. */
bool process_log(struct recorder *recorder, enum spool_record_type type, const struct iovec *pieces, int count);
void process_calibrate(struct recorder *recorder);
void process_path(const struct recorder *recorder, char path[PATH_MAX + 64], const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* regions.c */
void region_forget_all(struct recorder *recorder);
int region_get(struct recorder *recorder, const char *name, size_t length, const char *file, int line, const char *tags,
               bool filtered);
void region_log_all(struct recorder *recorder); /* those not logged yet; live->lock is held */

/* recorder.c */
extern struct recorder session_recorder; /* its spool is "" where this process belongs to no session */

/* session.c */
struct launch { /* what an MPI launcher says in the environment; -1, "" without one */
    int rank, size, local_size;
    char world[128]; /* the job: ranks are unique in it */
    char proxy[64];  /* Hydra's, which says the same where the environment names no job */
};
extern struct launch session_launch;
void session_read_environment(void); /* before the program can change it: from the constructor */
/* The spool's directory and session file, where this process is the one that makes them; false with errno. */
bool session_make_spool(const struct recorder *recorder);
bool session_name(struct recorder *recorder, const char *output); /* its output and spool; false with errno */
void session_remove_spool(const struct recorder *recorder);
/* A new name, of files that are memory where the machine has such; false: too long. */
bool session_memory_path(char path[PATH_MAX], const char *suffix);
int64_t session_realtime_ns(void);
void session_at_exit(void);

/* command.c */
void command_find(void); /* from the constructor */
/* Runs `scope-profiler collect` on the spool, outside this process, and waits. output: NULL: the session's. 0 or an
 * errno. everywhere: on all processors that this user may have, whatever this process is bound to. */
int command_collect(const char *spool, const char *output, bool keep, bool everywhere);

/* warn.c */
void warn_init(void);

/* cost.c */
void cost_of_regions(void);

/* settings.c: what the environment or rec_configure() asks for */
enum setting {
    SETTING_MODE,
    SETTING_THROTTLE,
    SETTING_MAX_SIZE,
    SETTING_BUFFER_LIMIT,
    SETTING_SAMPLE_EVERY,
    SETTING_NO_OUTPUT,
    SETTING_LABEL,
    SETTING_METADATA,
    SETTING_CAPTURE_SOURCE,
    SETTINGS
};
const char *setting_text(const struct recorder *recorder, enum setting setting); /* "" not given */
bool setting_is_on(const struct recorder *recorder, enum setting setting);
void settings_read(struct recorder *recorder); /* how it records */

/* about.c */
void about_log(struct recorder *recorder); /* locked, quiet */

/* sample.c: whether the call that begins, or ends, is to be recorded */
bool sample_begin(int region);
bool sample_end(int region);
bool sample_all(bool all); /* true: this thread records everything for now; how it was */
void sample_thread_end(void);

/* filter.c */
void filter_init(void); /* from the constructor */
/* tags: a JSON array of strings, NULL none. */
bool filter_wants(const char *name, size_t length, const char *tags);

/* modes.c */
void mode_choose(void);                     /* sets rec_now by recorder_default */
extern struct rec_functions mode_recording; /* who records what pauses and sampling let through */
extern bool mode_traces;                    /* that writes words of events, and nothing else */
extern bool mode_counts;                    /* pauses, sampling: every end asks whether it is recorded: */
void mode_push(void);                       /* a call begins that is recorded, without sampling */
bool mode_pop(int region);                  /* a call ends; true: it is a recorded one */
bool mode_records(void);                    /* an event now would be recorded */

#endif
