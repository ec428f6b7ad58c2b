/* model.h: what the parts of collect hand to each other. */
#ifndef COLLECT_MODEL_H
#define COLLECT_MODEL_H

#include "clock.h"
#include "collect.h"
#include "names.h"
#include "spool.h"

#define NO_ROW UINT32_MAX

/* The one message of a failure, and the notes to the user. */
struct report {
    char message[sizeof((struct collect_result *)0)->message];
    char **notes;
    size_t num_notes;
    size_t more_notes; /* beyond the number that is kept */
};

/* Each returns false (fail), so that a caller can `return fail(...)`. Texts are one line: control characters are
 * replaced. The first failure stays. */
bool fail(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool fail_memory(struct report *report);
void note(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_close(struct report *report); /* adds "... and N more" */

/* Calls of which only this is known; in ticks until sums_convert(), then in nanoseconds. */
struct totals {
    bool known;
    uint64_t calls;
    u128 total, inside;
    uint64_t minimum, maximum;
};

enum event_column { START_DELTAS, DURATIONS, THREAD_IDS, CALL_IDS, PARENT_IDS, TASK_IDS, AWAIT_NS, EVENT_COLUMNS };

/* The calls of one region in one process: a row of /rank_region_index. */
struct row {
    struct name *name;
    struct name *file, *tags; /* NULL unknown, none; file: as the profile has it */
    struct name *source;      /* its text; NULL: not captured */
    struct name *path;        /* the same as the program gave it; only where source text is wanted */
    int64_t line;             /* -1 unknown */
    uint32_t region;          /* index in region_table, set before the file is written */
    struct totals sums;       /* of all its calls, where the process added them up */
    /* counted in the first pass */
    uint64_t calls; /* in the event columns */
    uint64_t unmatched, overlaps, cut, at_exit;
    bool seen;      /* calls of it were dropped */
    bool throttled; /* from some call on they were added up only */
    /* second pass: where the next call goes, and the window of calls that are still in memory */
    uint64_t offset;   /* of call 0 in the event columns */
    uint64_t next;     /* calls begun so far */
    uint64_t flushed;  /* calls already in the file */
    uint64_t capacity; /* slots of the window as it stands now */
    uint64_t window;   /* slots of its memory */
    int64_t *memory;
    int64_t *values[EVENT_COLUMNS]; /* NULL: a column that is not written */
    int64_t previous_start;
    /* statistics of the durations */
    i128 total;
    u128 squares;
    i128 exclusive;
    int64_t minimum, maximum, first, last, first_start, last_end;
    int64_t open_ns; /* the longest of the calls that were cut off */
};

/* How many calls a row stands for. */
static inline uint64_t row_calls(const struct row *row) { return row->sums.known ? row->sums.calls : row->calls; }

struct lane {
    uint32_t number;
    uint64_t window_bytes;
    uint64_t words; /* flushed ones and those in the window, as of when the spool was opened */
    uint64_t first_tick;
    uint64_t dropped; /* events that a limit did not allow */
};

struct thread {
    uint64_t serial; /* key; for words of a lane that name no thread: UNNAMED_THREAD | lane number */
    int64_t ident, native_id, cpu_ns;
    uint64_t begin_tick;      /* of the first THREAD_BEGIN */
    uint64_t last_begin_tick; /* of the newest */
    uint64_t end_tick;        /* 0: none seen */
    uint64_t first_call_tick;
    uint64_t calls;
    uint32_t index; /* dense, in order of the first call */
    char name[17];
    UT_hash_handle hh;
};
#define UNNAMED_THREAD (UINT64_C(1) << 63)

struct open_sum {
    struct spool_open call;
    bool outermost;
};

/* What takes turns in a thread. */
struct task {
    uint64_t serial; /* key */
    uint64_t calls;
    uint64_t first_call_tick;
    const struct thread *thread; /* of the first call */
    uint32_t index;              /* dense, in order of the first call */
    unsigned kind;               /* enum spool_task_kind; 0 unknown */
    bool done;
    char *name, *coro; /* in one piece of memory, name's; NULL unknown */
    /* by the second pass */
    uint64_t steps;
    int64_t first_ns, last_ns; /* the first step's begin, the last one's end */
    int64_t running_ns, suspended_ns;
    int64_t step_ns; /* when the present step began */
    bool in_step;
    UT_hash_handle hh;
};

struct spool_dir {
    const char *path;
    int fd;
    bool locked;
};

struct process {
    const struct spool_dir *dir;
    char id[SPOOL_ID_DIGITS + 1];
    struct spool_process info; /* its texts are terminated, its numbers are as found */
    struct lane *lanes;        /* ascending by number */
    size_t num_lanes;
    uint32_t *sums; /* numbers of the lanes that have sums */
    size_t num_sums;
    struct open_sum *open; /* calls open in them, outermost first within a lane */
    size_t num_open;
    struct spool_point *points; /* further calibrations, from the log */
    size_t num_points;
    char *mpi_library;          /* NULL unknown */
    char *python;               /* version, NULL: no Python */
    char *directory;            /* where it worked, NULL unknown */
    char *environment;          /* NAME=value texts, each with its NUL, and one more; NULL: not told */
    struct spool_cost costs[3]; /* of a recorded call, by kind; whole 0: not measured */
    struct clock_map clock;
    struct spool_mpi_clock clocks[2]; /* measured against rank 0's */
    unsigned num_clocks;
    struct { /* the session's clock is ahead by ns, and by `more` after `within` from `since` on; within 0: always ns */
        int64_t ns, more, since, within;
    } align;
    uint32_t node;
    unsigned at_once; /* processes that share the memory for words and slots; 1 alone */
    bool here;        /* it ran on this machine since its last boot */
    bool running;     /* now */
    bool replaced;    /* another program took the process over (exec) */
    /* by the first pass */
    uint32_t *row_of_region; /* region id -> row, NO_ROW unknown; `num_regions` + 1 elements */
    uint32_t num_regions;
    struct row *rows; /* in order of creation; after the first pass only those with something to tell */
    size_t num_rows;
    uint32_t *resumed; /* row -> that of its resumptions, which is its own; NO_ROW: no coroutine's; NULL: none is */
    struct thread *threads; /* uthash by serial */
    uint32_t num_threads;   /* with calls */
    struct task *tasks;     /* uthash by serial */
    uint32_t num_tasks;     /* with calls */
    uint64_t calls, events; /* calls: in the event columns; events: begins and ends */
    uint64_t mpi_calls;     /* rows that the second pass will make of the lanes, at the most */
    uint64_t mpi_completions;
    uint64_t lost;     /* events that are not in the spool */
    uint64_t unknown;  /* events of regions that the log does not name; part of lost */
    uint64_t too_deep; /* calls that were nested deeper than is kept; part of lost */
    bool overlap;
    bool counts_lines; /* of Python functions */
    bool damaged;      /* a file of it ends too early or makes no sense */
    bool begun;        /* by the program itself: it is in the profile whether or not it recorded anything */
    struct left_out {  /* calls that go on in another recording: the `begin`th begin of the lane */
        uint32_t lane;
        uint64_t begin;
    } * left_out;
    size_t num_left_out;
    uint64_t reset_tick;   /* calls that began before are dropped; 0 none */
    uint64_t newest_reset; /* the latest that the lanes name */
    uint64_t first_event_tick, last_tick;
    int64_t first_event_ns;
    int64_t stop_ns; /* when its recording ended: no call lasts longer */
    uint32_t rank;
    bool unclaimed; /* no launch gave it its rank */
    uint64_t last_call_id;
};

/* It has said itself that nothing more will come. */
static inline bool process_is_complete(const struct process *p) {
    return p->info.stop == SPOOL_STOP_FINALIZE || p->info.stop == SPOOL_STOP_CHECKPOINT;
}

struct session { /* texts NULL: not given */
    char *output, *label, *boot_id;
    bool full_metadata, capture_source;
    bool has_start, has_ticks, has_realtime, has_namespace;
    int64_t start_ns, realtime_ns, time_namespace; /* namespace 0: not known */
    uint64_t start_ticks;
    int compress; /* 0 none */
    int umask;    /* -1: not given */
};

struct machine { /* the one that collects */
    char boot_id[40];
    char host[64];
    uint64_t time_namespace; /* 0 unknown */
    int64_t now_ns;
};

struct collection {
    const struct collect_options *options;
    struct report *report;
    struct spool_dir *dirs;
    size_t num_dirs;
    struct session session;
    struct machine machine;
    struct process *processes; /* after ranks_assign(): ascending by rank */
    size_t num_processes;
    unsigned processors; /* that may be used */
    unsigned workers;    /* threads that it is worth to read processes with */
    struct names regions, texts;
    uint32_t world_size; /* ranks of the first launch, 1 without */
    uint32_t num_nodes;
    bool threads_column, ids_columns, tasks_columns;
    bool aggregate;         /* no process has calls in the event columns, and some have sums */
    uint64_t calls;         /* in the event columns */
    int64_t clock_error_ns; /* between clocks that MPI ranks have compared; -1: none have */
};

#endif
