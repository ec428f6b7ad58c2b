/* spool.h: the format of what a recorded process leaves on disk, shared by the recorder (which writes it) and by
 * `collect` (which reads it). Nothing else of preload/ is known outside preload/.
 *
 * A session's spool is one directory. In it:
 *
 *   session        text, one `key=value` a line, values percent-encoded (SPOOL_SESSION_* below); by whoever made the
 *                  spool: `run`, or the first process of a session that was only preloaded
 *   <id>.proc      one per recorded process: struct spool_process, mapped shared by the process
 *   <id>.log       that process's log: records appended by single write(2) calls (struct spool_record)
 *   <id>-<n>.sums, <id>-<n>.open  where it aggregates (struct spool_sums)
 *   <id>-<n>.lane  that process's lanes (n = 0, 1, ... decimal): struct spool_lane, then the window, then what has been
 *                  flushed
 *
 * <id> is SPOOL_ID_DIGITS lower-case hexadecimal digits, random per process. A process makes its files at its first
 * event, so one that records nothing leaves nothing. Byte order and alignment are those of the machine; a spool is read
 * on the machine (or the kind of machine) that wrote it.
 *
 *   ended-<pid>-<start time>   by who saw a process of the session end: the moment, CLOCK_MONOTONIC ns in decimal
 *                  (SPOOL_ENDED_FILE)
 *
 * A lane is a stream of 8-byte words:  flushed words (file offset SPOOL_PAGE + window_bytes onwards, `committed` of
 * them), then the words in the window up to the first zero word. No word of a finished group is zero where the reader
 * looks for one: see SPOOL_ESCAPE. When `committed` has SPOOL_CLEARING set the window's words are already among the
 * flushed ones and are not to be read again. A zero word among the flushed ones is an event that a signal handler's
 * flush overtook: it is lost, the words behind it are good. Words behind `committed` at the end of the file are from a
 * flush that did not finish: they are still in the window.
 *
 * A lane serves one thread at a time and several one after the other: SPOOL_THREAD_BEGIN ... SPOOL_THREAD_END.
 */
#ifndef SCOPE_PROFILER_SPOOL_H
#define SCOPE_PROFILER_SPOOL_H

#include <stdint.h>

#define SPOOL_VERSION    1
#define SPOOL_PAGE       4096
#define SPOOL_ID_DIGITS  16
#define SPOOL_PROC_MAGIC 0x31434f5250435053ull /* "SPCPROC1" */
#define SPOOL_LANE_MAGIC 0x31454e414c435053ull /* "SPCLANE1" */

/* ---- words ----------------------------------------------------------------------------------------------------- */

/* word = ticks << 24 | kind << 23 | region
 *   ticks   40 bits: the clock less the lane's base (SPOOL_EPOCH sets it), modulo nothing: a lane gets a new base
 * before the difference reaches 2^40. A word may be a little earlier than the one before it (an event recorded by a
 *           signal handler in between); a reader then takes the earlier time for the later one.
 *   kind    0 begin, 1 end
 *   region  1 .. SPOOL_REGION_MAX, the process's own number of the region
 */
#define SPOOL_TICK_SHIFT  24
#define SPOOL_TICK_BITS   40
#define SPOOL_KIND_END    (UINT64_C(1) << 23)
#define SPOOL_REGION_MASK UINT64_C(0x7fffff)
#define SPOOL_REGION_MAX  0x7ffffe
#define SPOOL_LOW_MASK    UINT64_C(0xffffff)

/* Low 24 bits all ones: not an event but a group: this word, then `count` payload words (which may be zero; the escape
 * word is stored after them, so a group is whole or not there). A group never lies across a flush.
 *   bits 63..56 type, bits 55..32 argument, bits 31..24 count of payload words. Unknown types are skipped. */
#define SPOOL_ESCAPE SPOOL_LOW_MASK
#define SPOOL_GROUP(type, argument, count)                                                                             \
    ((uint64_t)(type) << 56 | ((uint64_t)(argument)&0xffffff) << 32 | (uint64_t)(count) << 24 | SPOOL_ESCAPE)
#define SPOOL_GROUP_TYPE(word)     ((unsigned)((word) >> 56))
#define SPOOL_GROUP_ARGUMENT(word) ((unsigned)((word) >> 32 & 0xffffff))
#define SPOOL_GROUP_COUNT(word)    ((unsigned)((word) >> 24 & 0xff))

enum spool_group {
    SPOOL_EPOCH = 1,    /* payload: [0] the lane's new base, absolute ticks */
    SPOOL_THREAD_BEGIN, /* payload: [0] absolute ticks, [1] kernel thread id, [2] the thread's serial in its process
                           (1, 2, ...; the same serial again continues that thread), [3] pthread_self(), [4][5] its
                           name then, 16 bytes, NUL-padded */
    SPOOL_THREAD_END,   /* payload: [0] absolute ticks, [1] CPU time of the thread in ns, [2][3] its name, 16 bytes,
                           NUL-padded */
    SPOOL_LOST,         /* payload: [0] events that could not be recorded just before this place */
    SPOOL_RESET,        /* payload: [0] absolute ticks: calls of this process that began before it are dropped */
    SPOOL_TASK,         /* payload: [0] the task's serial in its process (1, 2, ...), [1] SPOOL_TASK_TEXTS, then the two
                           texts one after the other, NUL-padded */
    SPOOL_TASK_SWITCH,  /* payload: [0] serial of the task that this thread runs from here on, 0: none, [1] absolute
                           ticks, [2] enum spool_task_step */
    SPOOL_TASK_DONE,    /* payload: [0] serial: that task will not run again */
    SPOOL_RESUMED,      /* payload: [0] absolute ticks: a pause of the whole process has ended */
};

/* A task that runs within another one's step interrupts it without ending it. */
enum spool_task_step {
    SPOOL_TASK_TURNS = 0, /* the one ends a step, the other begins one */
    SPOOL_TASK_INTERRUPTS,
    SPOOL_TASK_GOES_ON, /* in the step that was interrupted */
};

/* What is known of a task: enum spool_task_kind, bytes of its name, bytes of its coroutine's name. */
enum spool_task_kind { SPOOL_TASK_ASYNCIO = 1, SPOOL_TASK_GREENLET };
#define SPOOL_TASK_NAME_MOST               64
#define SPOOL_TASK_CORO_MOST               192
#define SPOOL_TASK_WORDS                   (2 + (SPOOL_TASK_NAME_MOST + SPOOL_TASK_CORO_MOST) / 8) /* of the longest payload */
#define SPOOL_TASK_TEXTS(kind, name, coro) ((uint64_t)(kind) | (uint64_t)(name) << 16 | (uint64_t)(coro) << 32)
#define SPOOL_TASK_KIND(texts)             ((unsigned)((texts)&0xffff))
#define SPOOL_TASK_NAME(texts)             ((unsigned)((texts) >> 16 & 0xffff))
#define SPOOL_TASK_CORO(texts)             ((unsigned)((texts) >> 32 & 0xffff))

/* ---- <id>-<n>.lane --------------------------------------------------------------------------------------------- */

#define SPOOL_CLEARING UINT64_C(1)

struct spool_lane { /* the first SPOOL_PAGE bytes of the file; the rest of the page is zero */
    uint64_t magic;
    uint32_t version;
    uint32_t number;       /* n of the name */
    uint64_t window_bytes; /* multiple of SPOOL_PAGE; the window is at SPOOL_PAGE */
    uint64_t committed;    /* number of flushed words << 1 | SPOOL_CLEARING; stored in one piece */
    uint64_t first_tick;   /* absolute ticks when the lane was made (also its first base) */
    uint64_t dropped;      /* events behind those that the limit allows */
};

/* ---- <id>.proc ------------------------------------------------------------------------------------------------- */

enum spool_clock { SPOOL_CLOCK_TSC = 1, SPOOL_CLOCK_CNTVCT, SPOOL_CLOCK_MONOTONIC /* ticks are ns */ };

struct spool_point { /* one moment on both clocks */
    uint64_t ticks;
    int64_t ns; /* CLOCK_MONOTONIC */
};

enum spool_end { SPOOL_END_UNKNOWN = 0 /* it runs, or it ended without exit handlers */, SPOOL_END_EXIT };

enum spool_stop { /* why recording stopped before the process did */
                  SPOOL_STOP_NOT = 0,
                  SPOOL_STOP_ERROR,      /* stop_errno, stop_path */
                  SPOOL_STOP_FINALIZE,   /* sp_finalize() */
                  SPOOL_STOP_LIMIT,      /* as much as was asked for is recorded; what follows is counted */
                  SPOOL_STOP_CHECKPOINT, /* another recording goes on from here, also with the calls that are open */
};

#define SPOOL_SAMPLED_MAX 256

/* Behind the page are SPOOL_TAIL bytes: the newest records of the log, before they go to its file. */
#define SPOOL_TAIL      8192
#define SPOOL_TAIL_BITS 16
#define SPOOL_TAIL_MASK ((UINT64_C(1) << SPOOL_TAIL_BITS) - 1)

struct spool_process { /* SPOOL_PAGE bytes */
    uint64_t magic;
    uint32_t version;
    uint32_t clock; /* enum spool_clock */
    uint64_t id;
    uint64_t parent_id; /* the recorded process this one was forked from, 0 if none */
    int64_t pid, ppid;
    uint64_t start_time;                  /* of the process, clock ticks since boot: field 22 of /proc/<pid>/stat */
    struct spool_point first;             /* when the process's files were made */
    struct spool_point last;              /* the newest; equal to `first` until there is another */
    int64_t realtime_ns;                  /* CLOCK_REALTIME at `first` */
    int32_t mpi_rank, mpi_size;           /* from MPI; -1 without */
    int32_t launcher_rank, launcher_size; /* from the launcher's environment; -1 without */
    uint32_t mpi_initialized, mpi_finalized;
    uint32_t lanes;    /* lanes made so far */
    uint32_t end;      /* enum spool_end */
    uint64_t end_tick; /* with SPOOL_END_EXIT */
    uint32_t stop;     /* enum spool_stop */
    int32_t stop_errno;
    uint64_t stop_tick;
    uint64_t lost;   /* events that found no lane */
    uint32_t closed; /* set by collect: stop recording, silently */
    int32_t omp_num_threads;
    char boot_id[40];   /* /proc/sys/kernel/random/boot_id */
    char host[64];      /* gethostname(), cut */
    char world[128];    /* names the MPI job this process belongs to, "" unknown: ranks are unique within a world */
    char program[256];  /* argv[0], cut */
    char command[2048]; /* argv joined by blanks, cut */
    char stop_path[512];
    uint64_t skipped_phases; /* phases that were not to be recorded */
    uint64_t sample_every, sample_start;
    char sampled[SPOOL_SAMPLED_MAX]; /* the region that is a phase; "": any outermost one */
    uint64_t time_namespace;         /* whose CLOCK_MONOTONIC it has: inode of /proc/self/ns/time; 0 unknown */
    uint64_t log; /* bytes of <id>.log that count << SPOOL_TAIL_BITS | bytes of the tail that do; stored in one piece;
                     0: all of the file, and no tail */
};

/* ---- <id>.log -------------------------------------------------------------------------------------------------- */

/* Records follow each other without padding: this head, then `length` bytes; in the file, then in the tail. None lies
 * in both. A record that is cut short ends the log. */
struct spool_record {
    uint32_t type;
    uint32_t length;
};

enum spool_record_type {
    SPOOL_REGION = 1,  /* struct spool_region, then name, file, tags: as many bytes as it says, no NUL */
    SPOOL_CALIBRATION, /* struct spool_point: a further one between first and last */
    SPOOL_MPI_LIBRARY, /* text: the first line of MPI_Get_library_version */
    SPOOL_SOURCE,      /* struct spool_region with name_length 0: location learnt later for that id */
    SPOOL_COST = 7,    /* struct spool_cost */
    SPOOL_DIRECTORY,   /* text: the process's working directory when its files were made */
    SPOOL_PYTHON,      /* text: the version of the Python in the process */
    SPOOL_ENVIRONMENT, /* for full metadata: NAME=value, each with its NUL: some variables of the process */
    SPOOL_BEGUN,       /* empty: the program began this recording itself: its profile tells of it, recorded or not */
};

struct spool_cost { /* of a recorded call, measured by the process itself; in 1024ths of a tick */
    uint32_t kind;  /* 0 a region, 1 an MPI call, 2 a Python function */
    uint32_t reserved;
    uint64_t whole;  /* what the program waits for */
    uint64_t inside; /* of that, between the call's two times */
};

struct spool_region {
    uint32_t id;  /* 1 .. SPOOL_REGION_MAX; ids come in ascending order, none is left out */
    int32_t line; /* -1 unknown */
    uint32_t name_length, file_length, tags_length; /* bytes; tags: a JSON array of strings, empty = none */
};

/* ---- lines of Python functions ---------------------------------------------------------------------------------- */

/* A process that counts lines has beside its other files
 *
 *   <id>-<n>.lines  n = 0, 1, ... decimal: struct spool_lines, then blocks (struct spool_line_block) one after the
 *                   other up to a function of 0 or the end of the file, mapped shared by the process
 *
 * and in its log one SPOOL_LINE_FUNCTION for every function that a block names, written before the block. A function
 * has any number of blocks: one for each thread that has been in it, handed on when the thread ends. Its counters are
 * the sums over its blocks. */

#define SPOOL_LINES_MAGIC   0x314e494c43504353ull /* "SCPCLIN1" */
#define SPOOL_LINE_FUNCTION 5                     /* struct spool_line_function, then the texts that it measures */
#define SPOOL_COUNTS_LINES  6                     /* empty: this process counts lines, if it has any to count */

struct spool_lines {
    uint64_t magic;
    uint32_t version; /* SPOOL_VERSION */
    uint32_t number;  /* n of the name */
    uint64_t bytes;   /* of the file */
    uint64_t reserved;
};

struct spool_line_counter {
    uint64_t hits;  /* statements begun */
    uint64_t ticks; /* spent, what they called included; a recursive call's time counts where it is spent */
};

struct spool_line_block {
    uint32_t function; /* 1, 2, ...; 0: no block yet */
    uint32_t lines;    /* counters that follow: of lines `first_counted` onwards */
    uint64_t thread;   /* kernel thread id of the first thread that it served */
    struct spool_line_counter counters[];
};

struct spool_line_function {
    uint32_t id;            /* 1, 2, ... */
    uint32_t first_line;    /* of the function, its decorators included */
    uint32_t first_counted; /* line of a block's first counter */
    uint32_t lines;
    uint32_t source_first; /* line of the source text's first line */
    uint32_t region_length, function_length, file_length;
    uint32_t encoding_length; /* name of the source's encoding, as its file says; 0: UTF-8 */
    uint32_t source_length;   /* bytes as they stand in the file; 0: not known */
};

/* ---- sums: calls that are added up instead of kept ----------------------------------------------------------------
 */

/* A process that aggregates has beside each lane n in which it does
 *
 *   <id>-<n>.sums  struct spool_sums in the first page, then a struct spool_sum for each of regions 1, 2, ... up to the
 *                  end of the file, mapped shared by the process
 *   <id>-<n>.open  struct spool_open, mapped shared: the calls that are open on the lane's thread, outermost first,
 * from element 1 up to one whose region is 0. Element 0 stands for the world around them
 *
 * The lane itself then holds little but the names of the threads that it served, which are those of the sums, too. */

#define SPOOL_SUMS_MAGIC 0x314d555343504353ull /* "SCPCSUM1" */
#define SPOOL_JUMPED_MAX 64

struct spool_totals {     /* of calls, in ticks; all zero where there are none */
    uint64_t total;       /* inclusive */
    uint64_t inside;      /* of that, spent in calls directly within them */
    uint64_t not_minimum; /* ~ the shortest call */
    uint64_t maximum;
};

/* One region. A call is added to the half that is not in use and comes into force with `calls`, so that whatever ends
 * the process finds sums of whole calls. */
struct spool_sum {
    uint64_t calls;                    /* ended; totals[calls & 1] are theirs */
    uint64_t unmatched, overlaps, cut; /* ends without a begin; of `calls`: ended late; ended by their thread's end */
    uint64_t open_ticks;               /* the longest of those cut off */
    uint64_t throttled;                /* 1: no more calls of it are kept, on this thread */
    uint64_t next_look;                /* at how many calls that is decided */
    uint64_t reserved;
    struct spool_totals totals[2];
};

struct spool_open {
    uint64_t begin;  /* absolute ticks */
    uint64_t inside; /* ticks spent in calls directly within it that have ended or were jumped over */
    uint64_t jumped; /* when a call around it ended first; 0 not */
    uint32_t region; /* 0: no call */
    uint32_t kept;   /* 1: its begin is in the lane, and so its end will be */
};

struct spool_sums { /* SPOOL_PAGE bytes */
    uint64_t magic;
    uint32_t version;
    uint32_t number;   /* of the lane */
    uint64_t lost;     /* calls that a signal handler made while one was being added up, and of regions that are none */
    uint64_t too_deep; /* calls within more calls than are kept */
    struct spool_open jumped[SPOOL_JUMPED_MAX]; /* open calls that were jumped over; region 0: a free place */
};

/* ---- facts of MPI calls ------------------------------------------------------------------------------------------ */

/* Groups that stand right behind the end of a call of an MPI function, and tell what it carried. Ranks are those of the
 * call's communicator: its remote group where that is an intercommunicator. */
#define SPOOL_MPI_CALL      16 /* argument: SPOOL_MPI_HAS_* and more; a payload word for each of these, ascending */
#define SPOOL_MPI_SENT_TO   17 /* argument: a rank; payload: bytes for that rank and those after it */
#define SPOOL_MPI_STARTED   18 /* payload: persistent requests that the call started */
#define SPOOL_MPI_DONE      19 /* three words each request that was completed: handle, peer word as below, bytes */
#define SPOOL_MPI_FORGOTTEN 20 /* payload: requests that were freed */
#define SPOOL_MPI_AGAIN                                                                                                \
    21 /* argument: a slot. As the lane's last SPOOL_MPI_CALL that names the slot, with the payload in the place of    \
          its last words */

#define SPOOL_MPI_HAS_SITE     (1u << 0) /* serial of the call site | serial of the communicator << 32; 0 unknown */
#define SPOOL_MPI_HAS_TO       (1u << 1) /* receiver or target: rank | tag << 32 */
#define SPOOL_MPI_HAS_SENT     (1u << 2) /* bytes */
#define SPOOL_MPI_HAS_FROM     (1u << 3) /* sender: rank | tag << 32 */
#define SPOOL_MPI_HAS_RECEIVED (1u << 4) /* bytes */
#define SPOOL_MPI_HAS_ROOT     (1u << 5) /* rank */
#define SPOOL_MPI_HAS_REQUEST  (1u << 6) /* handle of the request that it made */
#define SPOOL_MPI_HAS_OFFSET   (1u << 7) /* in the file or window */
#define SPOOL_MPI_HAS_POLLS    (1u << 8) /* unsuccessful calls that were made one after the other and are this one */
#define SPOOL_MPI_HAS_SPAN     (1u << 9) /* ticks from the begin of the first of them to the end of the last */
#define SPOOL_MPI_HAS_ALL      0x3ffu
#define SPOOL_MPI_PERSISTENT   (1u << 10) /* it moves nothing: what it says holds for every start of its request */
#define SPOOL_MPI_COLLECTIVE   (1u << 11) /* all members of the communicator make this call */
#define SPOOL_MPI_FLOW_SHIFT   12         /* 4 bits: enum spool_mpi_flow */
#define SPOOL_MPI_FAILED       (1u << 16) /* it returned an error: nothing else is told */

/* A group that may be meant again: it names a slot, and has at most SPOOL_SLOT_WORDS payload words. */
#define SPOOL_SLOTS      64
#define SPOOL_SLOT_WORDS 5
#define SPOOL_HAS_SLOT   (1u << 17)
#define SPOOL_SLOT_SHIFT 18 /* 6 bits */

#define SPOOL_MPI_NOBODY (-1) /* MPI_PROC_NULL; as a tag: none */
#define SPOOL_MPI_ANY    (-2) /* MPI_ANY_SOURCE, MPI_ANY_TAG */
#define SPOOL_MPI_MYSELF (-3) /* MPI_ROOT */

enum spool_mpi_flow {                      /* where the sent bytes go */
                      SPOOL_MPI_FLOW_NONE, /* nowhere in particular: they are combined on their way, or lie in a file */
                      SPOOL_MPI_FLOW_PEER, /* SPOOL_MPI_HAS_TO */
                      SPOOL_MPI_FLOW_ROOT, /* SPOOL_MPI_HAS_ROOT */
                      SPOOL_MPI_FLOW_EACH, /* all of them to every member, the sender included */
                      SPOOL_MPI_FLOW_OTHERS, /* the sender not included */
                      SPOOL_MPI_FLOW_SHARE,  /* the same number to every member */
                      SPOOL_MPI_FLOW_SHARE_OTHERS,
                      SPOOL_MPI_FLOW_LIST, /* SPOOL_MPI_SENT_TO */
};

/* In the log: */
#define SPOOL_MPI_COMM      16 /* struct spool_mpi_comm, then runs, then the name */
#define SPOOL_MPI_COMM_NAME 17 /* uint32_t serial, then the name */
#define SPOOL_MPI_SITE      18 /* struct spool_mpi_site, then the object's path and the symbol */
#define SPOOL_MPI_CLOCK     19 /* struct spool_mpi_clock */

struct spool_mpi_run { /* of ranks in MPI_COMM_WORLD: first, first + stride, ...; -1 (stride 0): not in that world */
    int32_t first, stride, count;
};

struct spool_mpi_clock { /* by one rank of each machine but rank 0's: at MPI_Init and at MPI_Finalize */
    int64_t ns;          /* CLOCK_MONOTONIC here */
    int64_t ahead_ns;    /* that of rank 0 at the same moment, less `ns` */
    int64_t error_ns;    /* by which that may be wrong at the most, either way */
};

#define SPOOL_MPI_COMM_INTER   1u
#define SPOOL_MPI_COMM_UNKNOWN 2u /* the members are not known: there is no MPI_COMM_WORLD */
#define SPOOL_MPI_COMM_SAME    4u /* a duplicate: no runs follow, it has those of `of` */

struct spool_mpi_comm {
    uint32_t serial; /* 1, 2, ... in a process; 1 is MPI_COMM_WORLD */
    uint32_t flags;
    int32_t size, remote_size, rank; /* remote: of an intercommunicator; rank: this process's in the local group */
    uint32_t runs, remote_runs, name_length;
    uint32_t of; /* serial of the one that all its members made it from; 0: not known */
};

struct spool_mpi_site {
    uint32_t serial; /* 1, 2, ... in a process */
    uint32_t object_length, symbol_length, reserved;
    uint64_t address;       /* that the call returns to */
    uint64_t offset;        /* the same from where the object was loaded */
    uint64_t symbol_offset; /* from the symbol's begin */
};

/* ---- session --------------------------------------------------------------------------------------------------- */

#define SPOOL_ENDED_FILE             "ended-%lld-%llu" /* pid, start_time as in struct spool_process */
#define SPOOL_SESSION_FILE           "session"
#define SPOOL_SESSION_OUTPUT         "output" /* absolute path of the profile to write */
#define SPOOL_SESSION_LABEL          "label"
#define SPOOL_SESSION_START_NS       "start_ns"    /* CLOCK_MONOTONIC */
#define SPOOL_SESSION_START_TICKS    "start_ticks" /* the same moment on the recorder's clock, if it has one */
#define SPOOL_SESSION_REALTIME_NS    "realtime_ns" /* CLOCK_REALTIME of the same moment */
#define SPOOL_SESSION_BOOT_ID        "boot_id"
#define SPOOL_SESSION_TIME_NAMESPACE "time_namespace" /* whose clock it was: see struct spool_process */
#define SPOOL_SESSION_COMPRESS       "compress"       /* gzip level 1-9; absent: none */
#define SPOOL_SESSION_UMASK          "umask"          /* octal: for the profile */
#define SPOOL_SESSION_METADATA       "metadata" /* full: the profile says who ran it, where, and with which environment */
#define SPOOL_SESSION_CAPTURE        "capture_source" /* 1: the profile holds the source text of regions */

/* ---- environment, set by `run` for what it starts --------------------------------------------------------------- */

#define SPOOL_ENV_SPOOL "SCOPE_PROFILER_SPOOL" /* absolute path of the session's spool; present: somebody collects */
#define SPOOL_ENV_OUTPUT                                                                                               \
    "SCOPE_PROFILER_OUTPUT" /* by the user, plain preload: the profile; default profiling_data.h5 */
#define SPOOL_ENV_INCLUDE        "SCOPE_PROFILER_INCLUDE"      /* globs on names of regions, one a line: only these */
#define SPOOL_ENV_EXCLUDE        "SCOPE_PROFILER_EXCLUDE"      /* and none of these */
#define SPOOL_ENV_TAGS           "SCOPE_PROFILER_TAGS"         /* one a line: only regions that have one of them */
#define SPOOL_ENV_MAX_SIZE       "SCOPE_PROFILER_MAX_SIZE"     /* bytes of calls that a process keeps */
#define SPOOL_ENV_THROTTLE       "SCOPE_PROFILER_THROTTLE"     /* CALLS:NANOSECONDS */
#define SPOOL_ENV_BUFFER_LIMIT   "SCOPE_PROFILER_BUFFER_LIMIT" /* calls that a thread keeps before it writes them */
#define SPOOL_ENV_SAMPLE_EVERY   "SCOPE_PROFILER_SAMPLE_EVERY" /* N[:START][:REGION] */
#define SPOOL_ENV_NO_OUTPUT      "SCOPE_PROFILER_NO_OUTPUT"    /* 1: no file */
#define SPOOL_ENV_LABEL          "SCOPE_PROFILER_LABEL"
#define SPOOL_ENV_METADATA       "SCOPE_PROFILER_METADATA"       /* minimal (the default), full */
#define SPOOL_ENV_CAPTURE_SOURCE "SCOPE_PROFILER_CAPTURE_SOURCE" /* 1: the profile holds the regions' source text */
#define SPOOL_ENV_MODE           "SCOPE_PROFILER_MODE"           /* off, trace (the default), aggregate */
#define SPOOL_ENV_COMMAND        "SCOPE_PROFILER_COMMAND" /* path of the scope-profiler command, for a plain preload */

#endif
