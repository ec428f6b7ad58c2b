/* write.h: what the files that write profiles share: a plan of the file, made of one profile or of several. */
#ifndef SCOPE_READER_WRITE_H
#define SCOPE_READER_WRITE_H

#include "internal.h"
#include "names.h"

/* Event columns that not every file has. */
enum rd_extra { RD_CALL_IDS, RD_PARENT_IDS, RD_THREAD_IDS, RD_TASK_IDS, RD_AWAIT_NS, RD_GPU_DURATIONS, RD_EXTRAS };

struct rd_extra_column {
    const char *name, *json_name;
    size_t in_block, in_events; /* where struct rd_block and struct rd_events have it */
    int64_t missing;
};
extern const struct rd_extra_column rd_extra_columns[RD_EXTRAS];

/* A row of the file, and where it comes from. */
struct rd_plan_row {
    size_t from, row; /* profile and its row */
    uint32_t rank;
    size_t region;
    bool shared; /* another profile has calls on that rank: ids and exclusive times no longer hold */
};

struct rd_plan_problem { /* as it is stored: region -1 where there is none */
    uint32_t rank, kind;
    int64_t region;
    uint64_t count;
    int64_t at_exit, open_ns;
};

struct rd_plan {
    spr_profile *const *profiles;
    size_t num_profiles;
    uint32_t *first_rank;  /* by profile: added to its ranks */
    int64_t *first_thread; /* by profile: added to its thread and task indices */
    const spr_write_options *options;
    struct rd_arena arena;
    struct rd_names names;
    struct rd_plan_row *rows; /* by rank, then profile, then region */
    size_t num_rows;
    uint64_t num_calls;
    spr_value *metadata; /* texts belong to the profiles or the arena */
    size_t num_metadata;
    uint32_t num_ranks;
    spr_thread *threads;
    size_t num_threads;
    spr_task *tasks;
    size_t num_tasks;
    spr_process *processes;
    size_t num_processes;
    struct rd_plan_problem *problems;
    size_t num_problems;
    spr_line_profile *line_profiles; /* by profile */
    spr_line_record *lines;          /* of all, by rank; their lines belong to line_profiles */
    size_t num_lines;
    bool aggregate;
    bool partial;           /* of some rows not every call was kept */
    bool extras[RD_EXTRAS]; /* which columns at least one row has */
    const char *path;       /* as the caller has it, for messages */
    spr_error *error;
};

/* Fills the plan of `profiles`, `options`, `path` and `error`. */
int rd_plan_make(struct rd_plan *plan);
void rd_plan_free(struct rd_plan *plan);
/* plan_tables.c: its part of both. */
int rd_plan_tables(struct rd_plan *plan);
void rd_plan_tables_free(struct rd_plan *plan);

/* Both write to the file `temporary`, which is there and empty. */
int rd_write_hdf5(struct rd_plan *plan, const char *temporary);
int rd_write_json(struct rd_plan *plan, const char *temporary);

int rd_plan_fail(const struct rd_plan *plan, int status, const char *what);
const spr_row *rd_plan_source(const struct rd_plan *plan, const struct rd_plan_row *row);
/* Exclusive time to store for a row: -1 where it cannot be known. */
int rd_plan_exclusive(struct rd_plan *plan, const struct rd_plan_row *row, int64_t *exclusive_ns);

/* The next calls of a row, with the extra columns that the plan has, indices shifted. */
struct rd_plan_calls {
    struct rd_cursor cursor;
    struct rd_block block;
    size_t room;
};
int rd_plan_open(struct rd_plan *plan, const struct rd_plan_row *row, struct rd_plan_calls *calls);
/* *count: 0 at the end of the row. */
int rd_plan_read(struct rd_plan *plan, const struct rd_plan_row *row, struct rd_plan_calls *calls, size_t *count);
void rd_plan_close(struct rd_plan_calls *calls);
/* An extra column of a block. */
int64_t *rd_plan_extra(const struct rd_block *block, enum rd_extra extra);

#endif
