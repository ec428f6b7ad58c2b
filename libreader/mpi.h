/* mpi.h: what the files of mpi*.c share: the calls of /mpi one by one, and what matching them finds. */
#ifndef SCOPE_READER_MPI_H
#define SCOPE_READER_MPI_H

#include "order.h"

/* The group /mpi; -1: the profile has none. */
hid_t rd_mpi_open(const spr_profile *profile);

/* ---- when events began and ended (mpi_times.c) ------------------------------------------------------------------- */

struct rd_mpi_times;
struct rd_mpi_times *rd_mpi_times_new(spr_profile *profile); /* NULL: no memory */
void rd_mpi_times_free(struct rd_mpi_times *times);          /* NULL is allowed */
/* Of the event with that number in the file; `row` of the profile. Memory is bounded; cheapest for events that come in
 * the order in which they are stored, row by row or with rows in turn. */
int rd_mpi_times_of(struct rd_mpi_times *times, int64_t event, int64_t *start, int64_t *end, int64_t *row,
                    spr_error *error);

/* ---- calls (mpi_calls.c) ----------------------------------------------------------------------------------------- */

/* flags of /mpi/calls */
enum { RD_MPI_COLLECTIVE = 1, RD_MPI_PERSISTENT = 2, RD_MPI_STARTED = 4, RD_MPI_FAILED = 8, RD_MPI_REQUEST = 16 };

/* One row of /mpi/calls, with the times of its event. */
struct rd_mpi_call {
    uint64_t number; /* of the row */
    int64_t event, sent, received, start, end;
    int64_t row; /* of the profile: its rank and region */
    int32_t comm, flags, to, to_tag, from, from_tag, polls;
    uint32_t rank;
};

struct rd_mpi_completion {
    int64_t event, call;
    int64_t start, end, row; /* of the event */
};

/* Both tables from their beginning, in the order of the file. */
struct rd_mpi_stream;
int rd_mpi_stream_open(spr_profile *profile, struct rd_mpi_stream **stream, spr_error *error);
void rd_mpi_stream_close(struct rd_mpi_stream *stream); /* NULL is allowed */
/* *more false: there are none left. */
int rd_mpi_next_call(struct rd_mpi_stream *stream, struct rd_mpi_call *call, bool *more, spr_error *error);
int rd_mpi_next_completion(struct rd_mpi_stream *stream, struct rd_mpi_completion *completion, bool *more,
                           spr_error *error);

struct rd_mpi_part {
    uint32_t rank;
    uint64_t gaps; /* how often some of its calls were left out */
};
/* free(*parts). */
int rd_mpi_parts_read(spr_profile *profile, struct rd_mpi_part **parts, size_t *count, spr_error *error);

/* ---- sums of waits (mpi_wait_sums.c) ----------------------------------------------------------------------------- */

struct rd_mpi_wait {
    int64_t row;    /* of the profile: who waited, where */
    uint32_t cause; /* the rank that was waited for */
    enum spr_mpi_wait_kind kind;
    int64_t wait_ns, lasted_ns;
};

struct rd_wait_sums {
    struct rd_wait_row *rows;
    struct rd_wait_cause *causes;
};

/* One matched call. False: no memory. */
bool rd_wait_sums_add(struct rd_wait_sums *sums, const spr_profile *profile, const struct rd_mpi_wait *wait);
/* In the order of the tables; false: no memory. */
bool rd_wait_sums_list(const struct rd_wait_sums *sums, spr_mpi_waits *waits);
void rd_wait_sums_free(struct rd_wait_sums *sums);

/* ---- what waits for a call (mpi_windows.c) ----------------------------------------------------------------------- */

/* Words of a record that say it: the call itself, or the one that completed its request. */
struct rd_window {
    uint64_t from, until; /* as words */
    uint64_t row;         /* of the profile */
    uint64_t event;       /* of the completing call; or one of the two below */
};
#define RD_WINDOW_WORDS 4
#define RD_ITSELF       (UINT64_MAX - 1)
#define RD_NOTHING      UINT64_MAX

/* Calls that complete others. Such a call waits for all its requests at once: the longest wait is the whole. */
struct rd_windows {
    struct rd_order *completions; /* by call */
    struct rd_order_reader *reader;
    const uint64_t *next;   /* completion that has not been passed */
    struct rd_order *waits; /* of completing calls */
};

/* ---- matching (mpi_waits.c) -------------------------------------------------------------------------------------- */

struct rd_waiting {
    spr_profile *profile;
    const spr_mpi *mpi;
    struct rd_mpi_part *parts;
    size_t num_parts;
    bool gaps; /* some part has */
    struct rd_windows windows;
    struct rd_wait_sums sums;
    uint64_t unmatched; /* calls */
    spr_error *error;
};

bool rd_waiting_has_gaps(const struct rd_waiting *w, uint32_t rank);
int rd_waiting_add(struct rd_waiting *w, const struct rd_mpi_wait *wait);

static inline uint64_t rd_pack(uint32_t high, uint32_t low) { return (uint64_t)high << 32 | low; }
static inline uint32_t rd_high(uint64_t word) { return (uint32_t)(word >> 32); }
static inline uint32_t rd_low(uint64_t word) { return (uint32_t)word; }

int rd_windows_open(struct rd_waiting *w);
void rd_windows_close(struct rd_waiting *w);
/* All completions, before the first window is asked for. */
int rd_windows_take(struct rd_waiting *w, const struct rd_mpi_completion *completion);
/* Of calls in the order of the file. */
int rd_window_of(struct rd_waiting *w, const struct rd_mpi_call *call, struct rd_window *window);
/* What waited in the window did so until `until` (ns), or the window's end where that is earlier. */
int rd_window_wait(struct rd_waiting *w, const struct rd_window *window, int64_t until, uint32_t cause,
                   enum spr_mpi_wait_kind kind);
/* When all waits are known: adds those of the completing calls. */
int rd_windows_add(struct rd_waiting *w);

/* Collective calls (mpi_collectives.c): given one by one, then matched. */
struct rd_order *rd_collectives_new(const struct rd_waiting *w);
int rd_collectives_take(struct rd_waiting *w, struct rd_order *calls, const struct rd_mpi_call *call,
                        const struct rd_window *window);
int rd_collectives_match(struct rd_waiting *w, struct rd_order *calls);

/* Messages (mpi_messages.c): both ends of each, and the probes that found one; given one by one, then matched. */
enum rd_end { RD_SENDS, RD_RECEIVES, RD_PROBES, RD_ENDS };
struct rd_messages {
    struct rd_order *ends[RD_ENDS];
};
int rd_messages_open(const struct rd_waiting *w, struct rd_messages *messages);
void rd_messages_close(struct rd_messages *messages);
int rd_messages_take(struct rd_waiting *w, struct rd_messages *messages, const struct rd_mpi_call *call,
                     const struct rd_window *window);
int rd_messages_match(struct rd_waiting *w, struct rd_messages *messages);

#endif
