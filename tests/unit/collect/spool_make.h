/* spool_make.h: makes spools as a recorder would leave them, word by word, so that a test knows what must come out. The
 * clock is SPOOL_CLOCK_MONOTONIC unless a test changes it: ticks are nanoseconds. Any failure ends the test. */
#ifndef SPOOL_MAKE_H
#define SPOOL_MAKE_H

#include "spool.h"
#include <stddef.h>
#include <stdint.h>

struct make_spool {
    char directory[256]; /* everything of the test is in it */
    char spool[300], output[300];
};

struct make_process {
    const struct make_spool *spool;
    char id[SPOOL_ID_DIGITS + 1];
    struct spool_process info; /* change what you like, then make_process_write() */
    uint32_t regions, lanes;
    char tail[SPOOL_TAIL]; /* of the log */
};

struct make_lane {
    const struct make_process *process;
    uint64_t *words; /* in order; the first `flushed` of them are in the file, the others in the window */
    size_t count, capacity, flushed;
    uint64_t base, window_bytes, first_tick;
    uint64_t committed_more; /* added to `committed`: claims words that are not there */
    int clearing;            /* the window has been flushed and still holds its words */
    size_t clearing_words;   /* how many of the flushed words it still holds */
    size_t trailing;         /* words of an unfinished flush behind the flushed ones */
    uint32_t number;
};

void make_spool(struct make_spool *s); /* a fresh directory below TMPDIR, with a spool in it */
void make_spool_in(struct make_spool *s, const char *directory);
void make_spool_remove(struct make_spool *s);                    /* all of it */
void make_session(const struct make_spool *s, const char *text); /* appended as it is */

/* Process `number` (1, 2, ...): pid 1000 + number, starts at tick 1000, exits at 1000000. */
void make_process(const struct make_spool *s, struct make_process *p, unsigned number);
void make_process_write(const struct make_process *p);
uint32_t make_region(struct make_process *p, const char *name);
uint32_t make_region_full(struct make_process *p, const char *name, size_t length, const char *file, int line,
                          const char *tags);
void make_record(const struct make_process *p, uint32_t type, const void *body, uint32_t length);
void make_log_cut(const struct make_process *p, size_t bytes_off); /* cuts the end of the log off */
/* The last `bytes` of the log's file are in the tail, too, and only there do they count. */
void make_log_tail(struct make_process *p, size_t bytes);

/* Lanes start with a 64 KiB window and base `first_tick`. */
void make_lane(struct make_process *p, struct make_lane *lane, uint64_t first_tick);
void make_begin(struct make_lane *lane, uint64_t tick, uint32_t region);
void make_end(struct make_lane *lane, uint64_t tick, uint32_t region);
void make_word(struct make_lane *lane, uint64_t word);
void make_epoch(struct make_lane *lane, uint64_t base);
void make_thread_begin(struct make_lane *lane, uint64_t tick, uint64_t tid, uint64_t serial);
void make_thread_end(struct make_lane *lane, uint64_t tick, uint64_t cpu_ns, const char *name);
void make_lost(struct make_lane *lane, uint64_t events);
void make_reset(struct make_lane *lane, uint64_t tick);
/* A task's announcement; texts shorter than 256 bytes. */
void make_task(struct make_lane *lane, uint64_t serial, unsigned kind, const char *name, const char *coro);
void make_switch(struct make_lane *lane, uint64_t tick, uint64_t serial, unsigned step);
void make_task_done(struct make_lane *lane, uint64_t serial);
void make_flush(struct make_lane *lane); /* what has come so far is in the file, not in the window */
void make_lane_write(struct make_lane *lane);

#endif
