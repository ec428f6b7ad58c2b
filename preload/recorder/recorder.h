/* recorder.h: the engine's interface to the rooms that hook something (markers, mpi, python). It knows none of them.
 *
 * All functions may be called from any thread, and from a signal handler (an event that comes while the same thread is
 * inside the recorder is counted as lost). They keep errno. They never allocate with malloc.
 */
#ifndef SCOPE_PROFILER_RECORDER_H
#define SCOPE_PROFILER_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What runs at a begin and an end: chosen once per mode, replaced as a whole. */
struct rec_functions {
    void (*begin)(int region);
    void (*end)(int region);
};
extern struct rec_functions rec_now;

/* Regions are numbered 1, 2, ... in the order of their creation; -1 is "none" and is ignored by begin and end. */
static inline void rec_begin(int region) { rec_now.begin(region); }
static inline void rec_end(int region) { rec_now.end(region); }

/* Calls `changed` now and whenever rec_now is replaced, so that a room can hand the functions on (one listener). */
void rec_on_mode(void (*changed)(const struct rec_functions *functions));

/* True when begin and end record (a session is on and has not stopped). */
bool rec_active(void);

/* The region of this name, made at its first use. name: `length` bytes, any, copied. file: where it is defined (NULL
 * unknown; copied), line: -1 unknown. tags: JSON array of strings (NULL none; copied). The first location and the
 * first tags win. -1 when there are too many regions or no memory, REC_UNWANTED when the user has excluded it. */
#define REC_UNWANTED (-2)
int rec_region(const char *name, size_t length, const char *file, int line, const char *tags);

/* The same for names that the caller has chosen by itself: what the user says of regions in general does not count. */
int rec_region_chosen(const char *name, size_t length, const char *file, int line, const char *tags);

/* Between the two, begin and end of the default recorder record nothing on any thread. Calls that were begun before a
 * pause end as always; calls begun in it end unrecorded, also after it. They do not nest. */
void rec_pause(void);
void rec_resume(void);

/* The pages that this thread's next events go to are met now instead of by these: where the time does not matter. */
void rec_warm(void);

/* What MPI says of this process; -1 unknown. library: its version text (NULL unknown). */
void rec_set_mpi(int rank, int size, const char *library);
void rec_set_mpi_finalized(void);

/* What an MPI launcher says of this process in the environment; -1 unknown. */
struct rec_launch {
    int rank, size, local_size; /* local: on this machine */
};
struct rec_launch rec_launch(void);

/* This process runs a Python of that version ("3.11.2 ...": up to the blank). */
void rec_set_python(const char *version);

/* The profile is to say who ran it and where: paths may be whole. */
bool rec_full_metadata(void);

/* What the calling thread is called in the thread table, instead of its name in the kernel; the first 15 bytes count.
 */
void rec_thread_name(const char *name);

/* Tasks (coroutines, greenlets): what takes turns in a thread. `serial`: the caller's number of it within this process
 * (1, 2, ...). The default recorder is told who it is before it runs, then at each turn; 0: the thread runs none. step:
 * enum spool_task_step. kind: enum spool_task_kind; name and coro: NULL unknown, cut to SPOOL_TASK_NAME_MOST and
 * SPOOL_TASK_CORO_MOST bytes. */
void rec_task(uint64_t serial, int kind, const char *name, const char *coro);
void rec_task_switch(uint64_t serial, int step);
void rec_task_done(uint64_t serial);

/* The recorder's clock in CLOCK_MONOTONIC ns. */
int64_t rec_clock_ns(void);

/* ---- further recorders: explicit contexts, and sp_init() without a session ------------------------------------- */

struct recorder;

/* How recorders that rec_open() makes from now on record, instead of what the environment says: keys and values are
 * those of the variables SCOPE_PROFILER_<KEY>, in lower case: mode, throttle, max_size, buffer_limit, sample_every,
 * no_output, label, metadata, capture_source. value: copied; NULL: as the environment says again. False: there is no
 * such key, or the value is too long (4095 bytes). Not beside a rec_open() on another thread. */
bool rec_configure(const char *key, const char *value);

/* The recorder of the session this process belongs to (`run`, or a plain preload); NULL when there is none. */
struct recorder *rec_session(void);

/* A recorder with a spool of its own beside `output` (made absolute now; the profile that rec_finish writes). rank: -1
 * unknown. NULL with errno: EMFILE when REC_MAX_OPEN are open. */
#define REC_MAX_OPEN 16
struct recorder *rec_open(const char *output, int rank);

/* How many ranks there are of the launch that `rank` is one of; before its first event. */
void rec_set_size(struct recorder *recorder, int size);

/* Makes this process's files now, so that the profile tells of it whether or not it records an event, and begins here.
 * False with errno. */
bool rec_start(struct recorder *recorder);

/* A call that has begun and not ended. */
struct rec_open_call {
    uint64_t begin; /* ticks */
    uint32_t region;
    int thread;    /* its id in the kernel */
    uint32_t task; /* serial of the task that it is open in; 0 none */
};

/* The recorder's recording is complete, and another one takes its place, as the default one too: of the same output,
 * rank and mode, and with the regions under the same numbers. The `count` calls, outermost first within a
 * thread, go on in it; where calls are added up it finds those of the calling thread by itself. NULL with errno:
 * nothing has changed. The old recorder waits to be collected, then for rec_close(). */
struct recorder *rec_next(struct recorder *recorder, const struct rec_open_call *calls, size_t count);

/* What it recorded stays on disk when it is closed. */
void rec_keep_spool(struct recorder *recorder);

/* False in a forked child, which records into its parent's recorder and leaves the rest to the parent: rec_close() then
 * removes nothing. */
bool rec_is_mine(const struct recorder *recorder);

/* While `on` a collection of the spool finds a recording that is complete up to now, though it goes on. */
void rec_hold_still(struct recorder *recorder, bool on);

/* Runs the scope-profiler command outside this process and waits. arguments: from its first one on, NULL at the end.
 * Its exit status, or -1 with errno. Makes no use of the recorder: another thread may record meanwhile. */
int rec_command(const char *const *arguments);
const char *rec_command_path(void);

int rec_region_in(struct recorder *recorder, const char *name, size_t length, const char *file, int line,
                  const char *tags);
void rec_begin_in(struct recorder *recorder, int region);
void rec_end_in(struct recorder *recorder, int region);
void rec_reset(struct recorder *recorder); /* calls begun before now are dropped */

int rec_num_regions(const struct recorder *recorder);
/* Name of region 1 .. rec_num_regions(); NUL-terminated, the recorder's; NULL otherwise. */
const char *rec_region_name(const struct recorder *recorder, int region);
/* Gives `to`, which has none, all regions of `from`, under the same numbers, with their places and tags. */
void rec_carry_regions(struct recorder *to, const struct recorder *from);

const char *rec_spool_path(const struct recorder *recorder);
const char *rec_output_path(const struct recorder *recorder);
/* This process's id in the spool, 0 before its first event; and how many lanes it has made. */
uint64_t rec_process_id(const struct recorder *recorder);
unsigned rec_num_lanes(const struct recorder *recorder);

/* Writes the profile: runs the scope-profiler command on the spool and waits for it. stop: recording into it ends, the
 * spool goes. 0 or an errno. Only for recorders of rec_open. */
int rec_finish(struct recorder *recorder, bool stop);

/* A descriptor (close-on-exec, the caller's) of an HDF5 profile of what a recorder of rec_open() holds now, which has
 * no name and is in memory where the machine has files there; /proc/self/fd/<n> opens it again. Recording goes on.
 * Works until rec_finish(recorder, true) has written a profile. -1 with errno; ENODATA: nothing was recorded. */
int rec_profile(struct recorder *recorder);
/* It was opened with no_output: rec_finish() writes nothing, and what was recorded goes with rec_close(). */
bool rec_in_memory(const struct recorder *recorder);

/* Gives a recorder of rec_open back, with what it recorded and did not finish. No other thread may use it any more. */
void rec_close(struct recorder *recorder);

/* rec_begin and rec_end go to this recorder (NULL: to the session's, or nowhere). Numbers that rec_region() gave before
 * are another recorder's from then on: who keeps them compares rec_default_serial, which is never 0. */
void rec_make_default(struct recorder *recorder);
extern unsigned rec_default_serial;

/* ---- what a recorder that aggregates knows of this process's calls ----------------------------------------------- */

bool rec_aggregates(const struct recorder *recorder);

struct rec_sums {
    uint64_t calls; /* begun */
    uint64_t ended;
    int64_t total_ns, minimum_ns, maximum_ns; /* of those that ended; 0 without any */
};
/* Of all threads. */
void rec_sums(struct recorder *recorder, int region, struct rec_sums *sums);
/* Calls of the region (0: of any) that are open on any thread. */
uint64_t rec_sums_open(struct recorder *recorder, int region);
/* On the calling thread: the region of the call opened last, 0 none; and whether one of `region` is open. */
int rec_sums_innermost(const struct recorder *recorder);
bool rec_sums_is_open(const struct recorder *recorder, int region);

/* ---- what recording costs ---------------------------------------------------------------------------------------- */

enum rec_cost_kind { REC_COST_REGION, REC_COST_MPI, REC_COST_PYTHON, REC_COST_KINDS };
#define REC_COST_UNIT  1024 /* a tick of rec_cost */
#define REC_COST_CALLS 64   /* the `count` below */
struct rec_cost {
    uint64_t whole;  /* of a call: what the program waits for */
    uint64_t inside; /* of that, between the two times that the call is recorded with */
};

/* Measures a kind of call once and notes it in the recording. calls: makes `count` recorded calls of region 1 that do
 * nothing, on this thread, by the hook in question; what they record is forgotten. bare: what rec_cost_bare() says of
 * the same calls without the hook, 0 for nothing at all. Call it when recording has begun. */
void rec_cost(enum rec_cost_kind kind, void (*calls)(void *argument, int count), uint64_t bare, void *argument);
uint64_t rec_cost_bare(void (*calls)(void *argument, int count), void *argument);

/* ---- counters of other rooms, beside the session's lanes --------------------------------------------------------- */

struct iovec;

/* Makes this process's files in the session's spool if it has none yet: it is in the profile then, whether or not it
 * records an event. False: there is no session, or it has stopped. */
bool rec_join(void);

/* Appends one record to this process's log in the session: type of enum spool_record_type or behind it, at most 7
 * pieces one after the other. False as above; an error stops the recording and is told. */
bool rec_log(unsigned type, const struct iovec *pieces, int count);

/* The same for the recorder of rec_open(), or the session's; NULL: false. */
bool rec_join_in(struct recorder *recorder);
bool rec_log_in(struct recorder *recorder, unsigned type, const struct iovec *pieces, int count);

/* Makes `<id>-<number>.<suffix>` in the recorder's spool, `bytes` zero bytes long, mapped shared. A forked child must
 * not use the mapping: keep the pointer where a fork wipes it. NULL: no recorder, or the recording has stopped. */
void *rec_map_in(struct recorder *recorder, unsigned number, const char *suffix, size_t bytes);
/* The recorder's clock, for clock_ticks() of clock.h: an enum spool_clock, 0 before rec_join_in(). */
int rec_clock_of(const struct recorder *recorder);

/* ---- facts of a call, behind its end ----------------------------------------------------------------------------- */

/* False: calls are not kept one by one, and facts of them would go nowhere. */
extern bool rec_takes_facts;

/* The default recorder's clock, for clock_ticks() of clock.h; 0: nothing is recorded. */
extern int rec_now_clock;

/* Like rec_end(), at the moment `ticks`, and behind it a group (SPOOL_GROUP() is `head`, `count` payload words, at most
 * 255). False: the call is not kept (it began in a pause, its region is throttled, ...), and no group is told of it. */
bool rec_end_with(int region, uint64_t ticks, uint64_t head, const uint64_t *payload, unsigned count);

/* Likewise, with 1 to SPOOL_SLOT_WORDS words and for calls that are often alike but for the last `own` (0, 1) of them:
 * a group that was told already is only referred to, by one of type `again` with these. The first word tells calls
 * apart that differ from each other. */
bool rec_end_alike(int region, uint64_t ticks, uint64_t head, unsigned again, const uint64_t *payload, unsigned count,
                   unsigned own);

/* A further group right behind, of a call that is kept. */
void rec_group(uint64_t head, const uint64_t *payload, unsigned count);

/* A call may be told when it has ended, where this is true: rec_begin_at(), which takes the place of rec_begin(), comes
 * right before its end then. For calls that do not wait. */
extern bool rec_tells_late;
void rec_begin_at(int region, uint64_t ticks);

/* Such a call as a whole, like rec_end_alike() without words of its own. */
bool rec_alike(int region, uint64_t begun, uint64_t ticks, uint64_t head, unsigned again, const uint64_t *payload,
               unsigned count);

/* Such a call as a whole, by a group of which the last two payload words are a number of calls, 1, and the ticks that
 * they span. When the last event of the thread was another with the same head and other words, the two become one, as
 * long as both together. */
bool rec_repeated(int region, uint64_t begun, uint64_t ticks, uint64_t head, uint64_t *payload, unsigned count);

/* ---- words to the user ------------------------------------------------------------------------------------------ */

/* One line on stderr, once per process and text; printf-like without floating point, "scope-profiler: " put before it.
 */
void rec_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
