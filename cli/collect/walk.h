/* walk.h: going through the words of one lane: blocks, groups, whose thread it is. The events themselves are read by
 * the passes (count.c, fill.c). */
#ifndef COLLECT_WALK_H
#define COLLECT_WALK_H

#include "model.h"
#include "pair.h"

enum pass { PASS_COUNT, PASS_FILL };

struct walk {
    struct process *process;
    const struct lane *lane;
    enum pass pass;
    struct pairing open; /* of the task, or of the thread */
    uint64_t *words;     /* the block in memory: words[at .. length) are to be read */
    size_t capacity, at, length;
    uint64_t next; /* word of the lane behind the block */
    uint64_t base; /* ticks */
    uint64_t newest_tick;
    uint64_t begins;              /* met so far; in the second pass only where some are left out */
    uint64_t zeros, zero_place;   /* the zero words in a row that were met last, and where */
    struct thread *thread;        /* NULL: no thread has named itself */
    struct task *task;            /* that the words belong to; NULL: none, and the calls are the thread's own */
    struct task_lanes *lanes;     /* tasks.h; NULL: there has been no task */
    struct clock_segment segment; /* PASS_FILL: the one in use */
    int64_t now;                  /* PASS_FILL: time of the last word; each is later than the one before */
    bool finished;
    /* What else is told of the call that ended last; NULL: nobody asks. False: no memory. */
    bool (*facts)(void *context, struct walk *w, unsigned type, unsigned argument, const uint64_t *payload,
                  unsigned count);
    void *facts_context;
    struct walk_slot {            /* what SPOOL_MPI_AGAIN means */
        unsigned argument, count; /* count 0: nothing yet */
        uint64_t words[SPOOL_SLOT_WORDS];
    } slots[SPOOL_SLOTS];
};

/* No memory is taken before the first walk_block(). The lanes of a process
 * share a bounded amount, and so do processes that are read at once. */
void walk_init(struct walk *w, struct process *process, const struct lane *lane, enum pass pass,
               const struct pair_owner *owner, void *context);
void walk_free(struct walk *w);

/* Makes sure that there is a word at `at`; false at the end of the lane, or without memory (*memory false). */
bool walk_block(struct walk *w, bool *memory);

/* For a zero word at `at` of the block: true, an event was lost there (see spool.h) and the lane goes on; false, there
 * are more of them in a row than signal handlers leave: the disk lost a piece, and the lane ends. */
bool walk_zero(struct walk *w, size_t at);

/* Reads the group at `at` and passes over it; false: it is cut short, and the lane ends here. */
bool walk_group(struct walk *w, bool *memory);

/* The thread that the words belong to, made up where none has named itself; NULL: no memory. */
struct thread *walk_thread(struct walk *w);

/* PASS_FILL: the time of a tick, later than `now` */
int64_t walk_slow_time(struct walk *w, uint64_t ticks);
static inline int64_t walk_time(struct walk *w, uint64_t ticks, int64_t now) {
    uint64_t distance = ticks - w->segment.ticks;
    int64_t ns;
    if (__builtin_expect(distance < w->segment.span, 1))
        ns = w->segment.ns + (int64_t)((u128)distance * w->segment.multiplier >> CLOCK_SHIFT);
    else
        ns = walk_slow_time(w, ticks);
    return ns > now ? ns : now + 1;
}

#endif
