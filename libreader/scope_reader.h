/* scope_reader.h: reading profiles. A library: it prints nothing, never exits, keeps no global state, and asks for no
 * lock. One struct spr_profile may be used by one thread at a time.
 *
 * Units: every `_ns` is signed 64-bit nanoseconds of the run's clock (CLOCK_MONOTONIC); every statistic is a double in
 * seconds, NAN where it cannot be known. Strings are NUL-terminated, as stored (UTF-8 normally, any bytes possibly),
 * and belong to the profile until spr_close().
 *
 * Functions that can fail return 0, or one of enum spr_status with `error->message` filled: one line, no newline, that
 * names the file and the cause. `error` may be NULL.
 */
#ifndef SCOPE_READER_H
#define SCOPE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum spr_status {
    SPR_OK = 0,
    SPR_NOT_FOUND,   /* no such file, or not readable */
    SPR_NOT_PROFILE, /* a directory, no HDF5, HDF5 of something else */
    SPR_NEWER,       /* a schema this library does not know yet */
    SPR_DAMAGED,     /* truncated, or it contradicts itself */
    SPR_NO_EVENTS,   /* the question needs single calls and the file has none (aggregate) */
    SPR_NESTING,     /* calls overlap without nesting: there is no call tree */
    SPR_NO_MEMORY,
    SPR_CONFLICT,     /* profiles that cannot become one file */
    SPR_CANNOT_WRITE, /* the disk, the directory, or the name */
};

typedef struct {
    int status;
    char message[1024];
} spr_error;

typedef struct spr_profile spr_profile;
typedef struct spr_selection spr_selection; /* which regions and ranks a question is about */

/* Opens a profile, whatever its name, by its content: HDF5 of schema 1, 2, 3 or aggregate layout (the index is read and
 * checked, not the events), JSON of format 1, also compressed (read as a whole; calls are kept in a file without a name
 * once they are many), or a native trace (.spt) of version 1 or 2. */
int spr_open(const char *path, spr_profile **profile, spr_error *error);
void spr_close(spr_profile *profile); /* NULL is allowed */

const char *spr_path(const spr_profile *profile);
enum spr_format { SPR_HDF5, SPR_JSON, SPR_NATIVE };
enum spr_format spr_format(const spr_profile *profile);
int spr_schema(const spr_profile *profile);        /* HDF5: 1, 2, 3; else the version of the format */
bool spr_is_aggregate(const spr_profile *profile); /* statistics only, no single calls */
bool spr_is_partial(const spr_profile *profile);   /* single calls, but of some rows not of all calls */
int64_t spr_file_bytes(const spr_profile *profile);
uint32_t spr_num_ranks(const spr_profile *profile); /* max(mpi_size, highest rank + 1); 0 without rows */
uint64_t spr_num_calls(const spr_profile *profile); /* over all rows */
bool spr_has_mpi(const spr_profile *profile);       /* it knows what MPI calls carried: spr_mpi_read() */

/* ---- metadata --------------------------------------------------------------------------------------------------- */

enum spr_value_kind { SPR_TEXT, SPR_INTEGER, SPR_REAL, SPR_TEXT_LIST };

typedef struct {
    const char *key;
    enum spr_value_kind kind;
    const char *text;         /* SPR_TEXT */
    int64_t integer;          /* SPR_INTEGER */
    double real;              /* SPR_REAL */
    const char *const *items; /* SPR_TEXT_LIST: `count` strings */
    size_t count;
} spr_value;

size_t spr_metadata_count(const spr_profile *profile);
const spr_value *spr_metadata_at(const spr_profile *profile, size_t index); /* ascending by key */
const spr_value *spr_metadata(const spr_profile *profile, const char *key); /* NULL: not recorded */

/* ---- regions and rows ------------------------------------------------------------------------------------------- */

/* Regions in the order of the file's region table. */
size_t spr_num_regions(const spr_profile *profile);
const char *spr_region_name(const spr_profile *profile, size_t region);

/* One row per (rank, region) that recorded calls; ascending by rank within a region. */
typedef struct {
    size_t region;
    uint32_t rank;
    uint64_t calls;       /* that can be read one by one; of an aggregate file, all */
    int64_t exclusive_ns; /* of these; -1: not stored */
    bool has_summary;     /* the fields below are stored in the file; aggregate files: false, but the first three are */
    int64_t total_ns, minimum_ns, maximum_ns, first_ns, last_ns, start_minimum_ns, end_maximum_ns;
    double mean_ns, m2_ns2;  /* m2: sum of squared deviations from the mean */
    const char *source_file; /* NULL unknown */
    int64_t source_line;     /* -1 unknown */
    const char *source_text; /* NULL not captured */
    const char *const *tags; /* `num_tags` strings */
    size_t num_tags;
    /* Where some, or all, of the row's calls were added up instead of kept: what is known of all of them. Statistics
     * are of these. */
    bool partial;
    uint64_t all_calls; /* otherwise the same as `calls` */
    int64_t all_total_ns, all_minimum_ns, all_maximum_ns, all_exclusive_ns;
} spr_row;

size_t spr_num_rows(const spr_profile *profile);
const spr_row *spr_row_at(const spr_profile *profile, size_t row);
/* Rows of one region: *first and *count delimit them. */
void spr_region_rows(const spr_profile *profile, size_t region, size_t *first, size_t *count);

/* Reads calls [offset, offset+count) of a row, in recording order (order of entry), into arrays of `count` elements;
 * any array may be NULL. thread: for spr_thread_at(), -1 none (or none of the table); task: its number within the rank,
 * -1 none. SPR_DAMAGED where a call ends before it begins; -1 where the row has no such calls. */
int spr_read_calls(spr_profile *profile, size_t row, uint64_t offset, uint64_t count, int64_t *start_ns,
                   int64_t *end_ns, int64_t *thread, int64_t *task, spr_error *error);

/* Columns that not every file has: as stored, -1 (await: 0) where a row has none. Ids of calls count within a rank;
 * those of threads and tasks are the `index` of spr_thread and spr_task. */
enum spr_column { SPR_CALL_IDS, SPR_PARENT_IDS, SPR_THREAD_IDS, SPR_TASK_IDS, SPR_AWAIT_NS, SPR_GPU_NS };
bool spr_has_column(spr_profile *profile, size_t row, enum spr_column column);
int spr_read_column(spr_profile *profile, size_t row, enum spr_column column, uint64_t offset, uint64_t count,
                    int64_t *values, spr_error *error);

/* The calls of one rank with their nesting, in order of their starts, each after the one around it. What is not
 * selected is left out as in the call tree below: own time stays without it. Every array is the caller's and has room
 * for spr_rank_calls() elements. */
typedef struct {
    int64_t *start_ns, *end_ns;
    int64_t *own_ns; /* without the calls directly within */
    int64_t *parent; /* where in these arrays the call around it is; -1 none */
    uint32_t *depth; /* 0: none around it */
    uint32_t *region;
    uint64_t *number; /* of the call in its row, as spr_read_calls() counts */
} spr_calls;
uint64_t spr_rank_calls(const spr_profile *profile, uint32_t rank, const spr_selection *selection);
/* SPR_NESTING, SPR_NO_EVENTS: as spr_tree_build(). */
int spr_read_nesting(spr_profile *profile, uint32_t rank, const spr_selection *selection, const spr_calls *calls,
                     spr_error *error);

/* ---- selection -------------------------------------------------------------------------------------------------- */

/* include, exclude: regular expressions of PCRE2 matched as Python's re.match does (anchored at the start only);
 * a region is selected when it matches one of `include` (or there is none) and none of `exclude`. ranks: NULL and 0 for
 * all. A pattern that does not compile, or runs away: SPR_NOT_PROFILE is not used; status -1 with the pattern and the
 * position in the message. */
int spr_select(const spr_profile *profile, const char *const *include, size_t num_include, const char *const *exclude,
               size_t num_exclude, const uint32_t *ranks, size_t num_ranks, spr_selection **selection,
               spr_error *error);
/* The same from numbers: these regions (numbers that are none do nothing) on these ranks. */
int spr_select_regions(const spr_profile *profile, const size_t *regions, size_t num_regions, const uint32_t *ranks,
                       size_t num_ranks, spr_selection **selection, spr_error *error);
void spr_selection_free(spr_selection *selection);
bool spr_selects_region(const spr_selection *selection, size_t region);
bool spr_selects_rank(const spr_selection *selection, uint32_t rank);

/* ---- statistics (definitions: README.md of this directory) ------------------------------------------------------ */

typedef struct {
    uint64_t calls;
    uint32_t ranks;                                     /* ranks with calls */
    double total, exclusive, average, minimum, maximum; /* s */
    double first, last, std;                            /* s; std: population */
    double p50, p95, p99;                               /* s; numpy's linear interpolation */
    double first_start, last_end;                       /* s on the run's clock */
    double imbalance;                                   /* max over ranks of total / mean over ranks of total */
    double imbalance_pct;                               /* (imbalance - 1) * 100; 0 with fewer than two ranks */
    double
        coverage; /* s: while at least one call was open, for each rank, summed over ranks; NAN unless calls are read */
} spr_stats;

/* Full statistics read the calls as often as exact percentiles need within bounded memory (some 50 MiB): mostly once,
 * two or three times where a region has millions of calls. */
enum spr_depth { SPR_SUMMARY /* the index alone: no percentiles */, SPR_FULL /* reads the calls */ };

/* One row's statistics (imbalance 1, 0 %). SPR_SUMMARY falls back to reading the calls where the file stores no
 * summary, except for percentiles and except in aggregate files. */
int spr_row_stats(spr_profile *profile, size_t row, enum spr_depth depth, spr_stats *stats, spr_error *error);
/* A region's over the selected ranks (selection NULL: all). calls == 0 when none of them has it. */
int spr_region_stats(spr_profile *profile, size_t region, const spr_selection *selection, enum spr_depth depth,
                     spr_stats *stats, spr_error *error);
/* Any percentile (0 to 100) of a region's durations, in seconds; NAN where single calls are not known. Reads the calls.
 */
int spr_region_percentile(spr_profile *profile, size_t region, const spr_selection *selection, double percent,
                          double *seconds, spr_error *error);

/* The same of calls that the caller holds, of one rank: exclusive is NAN, and coverage where they are not in order of
 * time. -1: one ends before it begins. */
int spr_stats_of(const int64_t *start_ns, const int64_t *end_ns, uint64_t count, spr_stats *stats, spr_error *error);
int spr_percentile_of(const int64_t *start_ns, const int64_t *end_ns, uint64_t count, double percent, double *seconds,
                      spr_error *error);

/* Run level; all in seconds, NAN unknown. */
typedef struct {
    double start;   /* metadata start_time_ns */
    double origin;  /* start, else the earliest region start */
    double startup; /* earliest region start - origin */
    double span;    /* latest end - earliest start */
    double total;   /* finalize_time_ns - start_time_ns */
} spr_run_times;
int spr_run(spr_profile *profile, spr_run_times *times, spr_error *error);

/* ---- call tree -------------------------------------------------------------------------------------------------- */

/* One node per distinct call path, statistics pooled over the calls of that path on the selected ranks; pre-order,
 * siblings by earliest start. A chain of the same name directly below itself is one node, marked recursive.
 * Regions that the selection leaves out are not nodes, their children hang on the nearest selected ancestor, and still
 * do not count as that ancestor's own time. */
typedef struct {
    size_t region;
    uint32_t depth; /* 0: a root */
    bool recursive;
    bool has_children;
    spr_stats stats;
    double coverage;  /* s: of stats */
    double outermost; /* s: total of the calls that are not within another one of the same node */
} spr_node;

typedef struct {
    spr_node *nodes;
    size_t count;
} spr_tree;

/* SPR_NESTING: calls of a rank overlap (the message names two of them). SPR_NO_EVENTS: aggregate file. */
int spr_tree_build(spr_profile *profile, const spr_selection *selection, enum spr_depth depth, spr_tree *tree,
                   spr_error *error);
void spr_tree_free(spr_tree *tree);

/* ---- threads, processes, problems ------------------------------------------------------------------------------- */

typedef struct {
    uint32_t rank;
    int64_t index, ident, native_id, start_ns, end_ns, cpu_ns; /* -1 unknown */
    int daemon;
    const char *name;
} spr_thread;
size_t spr_num_threads(const spr_profile *profile);
const spr_thread *spr_thread_at(const spr_profile *profile, size_t index);

/* /task_table: coroutines and the like. Times -1 unknown. */
typedef struct {
    uint32_t rank;
    int64_t index, thread_index, created_ns, done_ns, steps, running_ns, suspended_ns;
    const char *kind, *name, *coro_name;
} spr_task;
size_t spr_num_tasks(const spr_profile *profile);
const spr_task *spr_task_at(const spr_profile *profile, size_t index);

/* /process_table: one row per recorded process. */
typedef struct {
    uint32_t rank;
    int64_t pid, parent_pid;
    int64_t mpi_rank; /* -1: no MPI */
    int64_t node;     /* 0, 1, ...: processes of one machine share it */
    int64_t start_ns, end_ns;
    const char *command;         /* minimal metadata: the program's base name */
    const char *ended;           /* "exit 0", "exit 3", "signal 9", "exit", "unknown", "running" */
    bool complete;               /* every call up to its end is in the file */
    int64_t incomplete_since_ns; /* -1 unless recording stopped early */
    const char *problem;         /* "" or why it is not complete */
} spr_process;
size_t spr_num_processes(const spr_profile *profile);
const spr_process *spr_process_at(const spr_profile *profile, size_t index);

/* /problem_table: what did not balance, per rank and region. */
enum spr_problem_kind {
    SPR_END_WITHOUT_BEGIN,
    SPR_CUT_OFF, /* calls that were not ended: stored as ended when their thread or process (or the call around
                    them) ended */
    SPR_OVERLAP, /* calls that ended while a call begun within them was open */
    SPR_LOST,    /* events that could not be recorded; region is SIZE_MAX */
};
typedef struct {
    uint32_t rank;
    size_t region;
    enum spr_problem_kind kind;
    uint64_t count;
    int64_t at_exit; /* SPR_CUT_OFF: how many of them were open when the process ended */
    int64_t open_ns; /* SPR_CUT_OFF: how long the longest of them had been open */
} spr_problem;
size_t spr_num_problems(const spr_profile *profile);
const spr_problem *spr_problem_at(const spr_profile *profile, size_t index);

/* ---- lines of Python functions ---------------------------------------------------------------------------------- */

typedef struct {
    int64_t number;
    int64_t hits;   /* statements begun on this line */
    double time;    /* as stored, in units of the record */
    double seconds; /* spent in them, with what they called; NAN where the file has no number */
} spr_line;

typedef struct {
    uint32_t rank;
    const char *region, *function; /* "" where not recorded */
    const char *filename;
    int64_t first_line;        /* of the function, decorators included; 0 unknown */
    double unit;               /* seconds */
    const char *source;        /* the function's text as it ran, NULL when not stored */
    int64_t source_first_line; /* line number of its first line */
    spr_line *lines;           /* `num_lines` executed ones, ascending */
    size_t num_lines;
} spr_line_record;

typedef struct {
    spr_line_record *records; /* by rank, then in the order of the file */
    size_t count;
} spr_line_profile;

/* Reads the line records of the selected ranks (selection NULL: all). Texts belong to the profile; spr_lines_free()
 * gives the rest back. */
int spr_lines_read(spr_profile *profile, const spr_selection *selection, spr_line_profile *lines, spr_error *error);
void spr_lines_free(spr_line_profile *lines);

/* ---- writing ---------------------------------------------------------------------------------------------------- */

enum spr_ranks {
    SPR_RANKS_KEEP,     /* a rank that two profiles hold is an error */
    SPR_RANKS_RENUMBER, /* the ranks of each profile go on after those of the profiles before it */
    SPR_RANKS_SHARE,    /* the first profile may hold ranks that others hold, but no region that they have */
};

typedef struct {
    const char *label; /* NULL or "": as the first profile has it */
    int compress;      /* HDF5: 0 none, 1 to 9 */
    int indent;        /* JSON: blanks per level; 0: one line */
    enum spr_ranks ranks;
} spr_write_options;

/* Writes the profiles as one: JSON where the name ends in .json or .json.gz, else HDF5 of the newest schema. Ranks,
 * threads, tasks, processes, problems and lines are kept, other things may not be (spr_left_out()). Metadata are
 * those of the first profile that has some; of several profiles start and end of the run are the earliest and the
 * latest, and mpi_size is the number of ranks. Exclusive times that are not stored are found from the nesting.
 *
 * The file is made under another name in the same directory and then replaces `path`; after a failure that is what it
 * was. options: NULL for none. Memory is bounded, whatever the number of calls. */
int spr_write(spr_profile *const *profiles, size_t count, const char *path, const spr_write_options *options,
              spr_error *error);
bool spr_is_json_name(const char *path);
/* What of the file spr_write() leaves out in a file of that kind, in words; NULL: nothing. */
const char *spr_left_out(const spr_profile *profile, bool json);

/* ---- MPI: what calls carried ------------------------------------------------------------------------------------- */

/* Sums over the calls of one rank, function and call site. */
typedef struct {
    uint32_t rank, region;
    uint32_t site;         /* 1 + index of spr_mpi.sites; 0 unknown */
    uint64_t calls, polls; /* polls: of them, those that found nothing; many in a row are one event */
    int64_t total_ns, minimum_ns, maximum_ns; /* of the events */
    uint64_t messages_sent, bytes_sent, messages_received, bytes_received;
} spr_mpi_function;

/* And by peer. A message counts where it was sent as sent, where it was received as received. */
typedef struct {
    uint32_t rank, region, site;
    int64_t peer; /* a rank of the file; -2 any, -3 unknown */
    uint64_t messages_sent, bytes_sent, messages_received, bytes_received;
} spr_mpi_traffic;

typedef struct {
    uint32_t rank, region;
    uint32_t bucket; /* messages of 0 bytes: 0; of 2^(b-1) .. 2^b - 1: b */
    uint64_t messages, bytes;
} spr_mpi_size;

typedef struct {
    const char *object, *symbol, *file; /* base names; "" unknown */
    int64_t line;                       /* -1 unknown */
    int64_t offset;                     /* of the return address in the object */
} spr_mpi_site;

typedef struct {
    const char *name;
    int64_t size, remote_size; /* remote: of an intercommunicator; 0 */
} spr_mpi_comm;

typedef struct {
    spr_mpi_function *functions;
    spr_mpi_traffic *traffic;
    spr_mpi_size *sizes;
    spr_mpi_site *sites;
    spr_mpi_comm *comms;
    size_t num_functions, num_traffic, num_sizes, num_sites, num_comms;
} spr_mpi;

/* Reads the sums; none where the profile has none. Texts belong to the profile; spr_mpi_free() gives the rest back. */
int spr_mpi_read(spr_profile *profile, spr_mpi *mpi, spr_error *error);
void spr_mpi_free(spr_mpi *mpi);

enum spr_mpi_wait_kind {
    SPR_MPI_COLLECTIVE,    /* for the member that came last */
    SPR_MPI_LATE_SENDER,   /* a receive or a probe, for the send to begin */
    SPR_MPI_LATE_RECEIVER, /* a send that did not go without its receive, for that to begin */
    SPR_MPI_WAIT_KINDS
};

/* Of the matched calls of one rank and function: time waiting, and time that they lasted. */
typedef struct {
    uint32_t rank;
    size_t region;
    uint64_t calls;
    int64_t wait_ns[SPR_MPI_WAIT_KINDS], matched_ns;
} spr_mpi_wait;

typedef struct {
    uint32_t rank, cause; /* who waited for whom */
    int64_t wait_ns;
    enum spr_mpi_wait_kind kind; /* of one of them */
} spr_mpi_cause;

typedef struct {
    spr_mpi_wait *rows;    /* by rank, then region */
    spr_mpi_cause *causes; /* by rank, then cause */
    size_t num_rows, num_causes;
    uint64_t
        unmatched; /* collective calls, sends and receives whose other side is not in the profile, or not for certain */
} spr_mpi_waits;

/* Matches the calls of all ranks with each other; reads them all. `mpi`: of the same profile. */
int spr_mpi_waits_read(spr_profile *profile, const spr_mpi *mpi, spr_mpi_waits *waits, spr_error *error);
void spr_mpi_waits_free(spr_mpi_waits *waits);

/* Whether `text` matches the Python-like regular expression at its start (`anywhere`: at any place). Returns 0, or -1
 * with the message for a pattern that is none or needs too many steps. */
int spr_match(const char *pattern, bool anywhere, const char *text, bool *matches, spr_error *error);

#ifdef __cplusplus
}
#endif
#endif
