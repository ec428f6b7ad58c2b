/* internal.h: what the files of the reader share. Nothing here is seen outside; names begin with rd_.
 *
 * Functions that can fail return an enum spr_status and fill `error` (NULL is allowed) through rd_fail().
 */
#ifndef SCOPE_READER_INTERNAL_H
#define SCOPE_READER_INTERNAL_H

#include "arena.h"
#include "heap.h"
#include "scope_reader.h"
#include "store.h"
#include "tally.h"
#include "vet/data.h"

#include <hdf5.h>

#define RD_NEWEST_SCHEMA 3

/* The calls of a block: what is read, checked and handed on at once. */
#define RD_BLOCK 65536

/* ---- columns (column.c) ----------------------------------------------------------------------------------------- */

enum rd_content { RD_INTEGERS, RD_NUMBERS /* integers or reals */, RD_TEXT, RD_RECORDS };

/* A 1-D dataset, checked: its length is one that the file can hold. Or 64-bit integers in a store. */
struct rd_column {
    hid_t id;   /* < 0: no dataset */
    hid_t type; /* as stored */
    struct rd_data *data;
    uint64_t length, element;     /* elements; bytes of one */
    uint64_t chunk;               /* elements; 0 unless chunked */
    const struct rd_store *store; /* NULL: no store either, the column is absent */
    uint64_t at;                  /* byte of the store */
};

#define RD_NO_COLUMN ((struct rd_column){.id = -1, .type = -1})

static inline bool rd_column_exists(const struct rd_column *column) { return column->id >= 0 || column->store; }

/* ---- calls (calls.c) -------------------------------------------------------------------------------------------- */

/* The event columns of the file (schema 2, 3) or of one row (schema 1, JSON, native traces). */
struct rd_events {
    struct rd_column start, end; /* with `deltas`: start_deltas and durations */
    struct rd_column call_ids, parent_ids, thread_ids, task_ids, await_ns, gpu_durations;
    bool deltas;
    uint64_t length; /* of each column */
};
void rd_events_clear(struct rd_events *events); /* no column is there */

/* Where a row's calls are. */
struct rd_place {
    uint64_t offset;                /* into the event columns */
    const char *group;              /* schema 1: the group that holds the row's own columns; NULL otherwise */
    const struct rd_events *events; /* the row's own columns, open; NULL otherwise */
};

/* Walks over the calls of one row in recording order. */
struct rd_cursor {
    const struct rd_events *events;
    struct rd_events own; /* schema 1: opened for this cursor */
    size_t row;
    uint64_t offset, count, next; /* `next`: the call that is read next */
    int64_t running;              /* with deltas: start of call next-1 */
};

/* Arrays for rd_cursor_read(); start and end are needed, the others may be NULL. */
struct rd_block {
    int64_t *start, *end, *call_ids, *parent_ids, *thread_ids, *task_ids, *await_ns, *gpu_durations;
};

/* ---- the profile ------------------------------------------------------------------------------------------------ */

enum rd_own_state { RD_OWN_UNKNOWN = 0, RD_OWN_KNOWN, RD_OWN_NEVER /* the rank's calls do not nest */ };

/* What reading a row's calls in order of time has shown. */
enum { RD_UNORDERED = 1 /* not stored in that order */, RD_NO_IDS = 2 /* its rank's call ids say nothing */ };

struct spr_profile {
    char *path;
    int descriptor; /* HDF5: the file, as it was vetted; else -1 */
    struct rd_vet *vet;
    hid_t file;
    int64_t file_bytes;
    enum spr_format format;
    int schema;
    bool aggregate;
    bool partial; /* some row is */
    struct rd_arena strings;
    struct rd_heap_file heap_file;
    struct rd_heap heap; /* while opening, and reading lines */
    uint64_t text_left;  /* bytes of variable-length strings that the file can still hold */

    spr_value *metadata;
    size_t num_metadata;

    const char **names; /* by region */
    size_t num_regions;
    size_t *first_row; /* num_regions + 1 */

    spr_row *rows; /* by region, then rank */
    struct rd_place *places;
    size_t *by_rank; /* row numbers by rank, then region */
    size_t num_rows;
    uint64_t num_calls;
    uint32_t num_ranks;

    struct rd_events events; /* schema 2, 3 */
    struct rd_store store;   /* of JSON and native traces */
    spr_line_profile lines;  /* of JSON: what spr_lines_read() gives copies of */

    spr_thread *threads;
    size_t num_threads;
    spr_task *tasks;
    size_t num_tasks;
    spr_process *processes;
    size_t num_processes;
    spr_problem *problems;
    size_t num_problems;

    /* What questions left behind, to be cheap when asked again. */
    struct rd_tally *tallies;        /* by row; calls == 0: not read yet */
    int64_t *own_ns;                 /* by row: exclusive time found by nesting */
    unsigned char *own_state;        /* by row: enum rd_own_state */
    unsigned char *traits;           /* by row: RD_UNORDERED, RD_NO_IDS */
    const struct rd_events **sorted; /* by 2 * row (+ 1: by id): calls put in order; NULL: none yet */
    struct rd_store sorted_store;
    struct rd_cursor resume; /* where the last spr_read_calls() stopped */
    bool can_resume;
};

/* ---- error.c ---------------------------------------------------------------------------------------------------- */

/* Fills `error` with "<path>: <text>", control characters replaced, and returns `status`. */
int rd_fail(spr_error *error, int status, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int rd_no_memory(const spr_profile *profile, spr_error *error);
/* What HDF5 itself has to say about its last failure: the innermost message. Only before the next call of
 * HDF5, which forgets it. */
void rd_hdf5_reason(char *text, size_t size);

/* HDF5 prints its errors unless told not to; every function that calls HDF5 stands between these two. */
struct rd_quiet {
    H5E_auto2_t function;
    void *data;
    bool restore;
};
void rd_quiet_begin(struct rd_quiet *quiet);
void rd_quiet_end(const struct rd_quiet *quiet);

/* ---- column.c --------------------------------------------------------------------------------------------------- */

/* True when `name` is a link of the group that leads to an object of this file itself. */
bool rd_has_link(hid_t group, const char *name);
/* Opens a group (-1: there is none, or it is none). */
hid_t rd_open_group(hid_t parent, const char *name);

/* Opens dataset `name` of `group`; `where` is the group's path, for messages. An absent one is RD_NO_COLUMN and no
 * error. Anything but a 1-D dataset of the content, stored in this file, no longer than the file can hold, is one. */
int rd_column_open(const spr_profile *profile, hid_t group, const char *where, const char *name,
                   enum rd_content content, struct rd_column *column, spr_error *error);
void rd_column_close(struct rd_column *column);

/* Reads elements [first, first+count) in memory type `type`. */
int rd_column_read(const spr_profile *profile, const struct rd_column *column, hid_t type, uint64_t first,
                   uint64_t count, void *values, spr_error *error);
/* Reads all strings into the profile's arena; none becomes "". */
int rd_column_read_text(spr_profile *profile, const struct rd_column *column, const char **values, spr_error *error);

/* ---- text.c ----------------------------------------------------------------------------------------------------- */

struct rd_text {
    bool variable;
    H5T_str_t padding;
    size_t size;  /* of one in memory */
    hid_t memory; /* the type to read them with */
};

/* Strings of type `type` as they are stored, text->size bytes each. */
void rd_text_stored(hid_t type, struct rd_text *text);
/* The same of an attribute: between the two, they are read as bytes of type `memory`. */
bool rd_text_begin(const spr_profile *profile, hid_t type, struct rd_text *text);
void rd_text_end(const spr_profile *profile, struct rd_text *text);
/* Makes strings of the arena out of such bytes; false when the file does not hold them, or there is no memory. */
bool rd_text_take(spr_profile *profile, const struct rd_text *text, const unsigned char *bytes, size_t count,
                  const char **values);

/* ---- table.c ---------------------------------------------------------------------------------------------------- */

enum rd_field_kind { RD_I64, RD_U32, RD_U64, RD_INT, RD_BOOL, RD_STRING };

/* One column of a group of parallel datasets, and where it goes in a C record. */
struct rd_field {
    const char *name;
    enum rd_field_kind kind;
    size_t offset;       /* in the record */
    int64_t least, most; /* for numbers: others are damage */
    bool optional;       /* may be absent; `absent` stands for it */
    int64_t absent;      /* strings: "" */
};

#define RD_MOST_FIELDS 16

/* A group of columns that is read piece by piece. The first members are the caller's. */
struct rd_table {
    spr_profile *profile;
    const char *where; /* the group's path, for messages */
    const struct rd_field *fields;
    size_t num_fields; /* RD_MOST_FIELDS at the most */
    size_t size;       /* bytes of a record */
    struct rd_column columns[RD_MOST_FIELDS];
    uint64_t count; /* records: as many as the first field has */
};

/* `ragged`: an optional column of length 0 is as good as an absent one. */
int rd_table_open(struct rd_table *table, hid_t group, bool ragged, spr_error *error);
void rd_table_close(struct rd_table *table);
/* Reads records [first, first + count); where a field is a string, only all of them at once. */
int rd_table_records(const struct rd_table *table, uint64_t first, size_t count, void *records, spr_error *error);

/* Reads the whole of a group into an array of records (`size` bytes each; free() it). */
int rd_table_read(spr_profile *profile, hid_t group, const char *where, const struct rd_field *fields,
                  size_t num_fields, size_t size, bool ragged, void **records, size_t *count, spr_error *error);

/* ---- metadata.c ------------------------------------------------------------------------------------------------- */

/* Adds a value (key and texts in the arena); false when there is no memory. rd_metadata_sort() must follow. */
bool rd_metadata_add(spr_profile *profile, const spr_value *value);
void rd_metadata_sort(spr_profile *profile);
/* Reads one attribute as text, number or list of texts; false when it is none of them. */
bool rd_attribute(spr_profile *profile, hid_t object, const char *name, spr_value *value);
int rd_metadata_read(spr_profile *profile, spr_error *error);
/* A number of the metadata, NAN if there is none. */
double rd_metadata_number(const spr_profile *profile, const char *key);

/* ---- index.c, schema1.c, summary.c, tables.c, json_profile.c, native.c: what spr_open() reads ---------------------
 */

int rd_index_read(spr_profile *profile, spr_error *error);   /* schema 2, 3 */
int rd_schema1_read(spr_profile *profile, spr_error *error); /* schema 1 */
/* Other files than HDF5; `descriptor` is open at its beginning, and is the callee's. */
int rd_json_read(spr_profile *profile, int descriptor, spr_error *error);
int rd_native_read(spr_profile *profile, int descriptor, spr_error *error);
/* Whether calls can have such a summary: one that they cannot have is damage, and must not be shown. */
bool rd_summary_is_possible(const spr_row *row);
bool rd_aggregate_is_possible(const spr_row *row);
/* num_ranks: the highest rank that recorded and one, or mpi_size where the run had more; 0 without rows. */
void rd_count_ranks(spr_profile *profile);
/* Fills the rows' summaries; `rows` are those of the file in its order, `count` of them. */
int rd_summary_read(const spr_profile *profile, hid_t index, spr_row *rows, size_t count, spr_error *error);
int rd_tables_read(spr_profile *profile, spr_error *error);
/* Number of a group name "rank<digits>"; -1 if it is none. */
int64_t rd_rank_of_group(const char *name);
/* Parses the JSON array of strings of the tags column. */
int rd_tags_parse(spr_profile *profile, const char *text, spr_row *row, spr_error *error);
/* Takes rows and places (malloc'ed, any order), sorts them and builds the tables over them. */
int rd_rows_adopt(spr_profile *profile, spr_row *rows, struct rd_place *places, size_t count, spr_error *error);

/* ---- calls.c ---------------------------------------------------------------------------------------------------- */

/* Opens the event columns in `group`. */
int rd_events_open(const spr_profile *profile, hid_t group, const char *where, struct rd_events *events,
                   spr_error *error);
void rd_events_close(struct rd_events *events);
int rd_cursor_open(const spr_profile *profile, size_t row, struct rd_cursor *cursor, spr_error *error);
void rd_cursor_close(struct rd_cursor *cursor);
/* Reads the next `count` calls, which there must be, and checks that each ends no earlier than it starts. Columns that
 * the file does not have give -1, await_ns 0. */
int rd_cursor_read(const spr_profile *profile, struct rd_cursor *cursor, uint64_t count, const struct rd_block *block,
                   spr_error *error);
int rd_cursor_skip(const spr_profile *profile, struct rd_cursor *cursor, uint64_t count, spr_error *error);

/* ---- stats.c, own.c ---------------------------------------------------------------------------------------------- */

/* Exclusive time of a row from the nesting of its rank's calls; -1 where they do not nest. */
int rd_own_time(spr_profile *profile, size_t row, int64_t *own_ns, spr_error *error);

#endif
