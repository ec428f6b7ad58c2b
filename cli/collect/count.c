#include "count.h"
#include "resumed.h"
#include "sums.h"
#include "tasks.h"
#include "walk.h"
#include <stdlib.h>
#include <string.h>

#define SLOT_KEPT    0
#define SLOT_DROPPED 1 /* began before the newest reset */

struct counter {
    struct process *process;
    const struct lane *lane;
    bool memory;
};

/* A call that goes on in the recording after this one is that one's. */
static void leave_out(struct counter *counter, struct row *row, int64_t begin) {
    struct process *p = counter->process;
    const size_t n = p->num_left_out;
    if ((n & (n - 1)) == 0) { /* 0, 1, 2, 4, ...: full */
        struct left_out *longer = realloc(p->left_out, (n ? n * 2 : 1) * sizeof *longer);
        if (!longer) counter->memory = false;
        if (!longer) return;
        p->left_out = longer;
    }
    p->left_out[p->num_left_out++] = (struct left_out){counter->lane->number, (uint64_t)begin};
    row->calls--;
    row->seen = true; /* the second pass has to meet it */
}

static void finish(void *owner, const struct open_call *call, int64_t end, enum finish how) {
    struct counter *counter = owner;
    struct process *p = counter->process;
    struct row *row = &p->rows[call->row];
    (void)end;
    if (call->slot == SLOT_DROPPED) return;
    if (how == FINISH_OPEN_AT_EXIT && p->info.stop == SPOOL_STOP_CHECKPOINT) {
        leave_out(counter, row, call->id);
        return;
    }
    if (how == FINISH_OVERLAP) {
        row->overlaps++;
        p->overlap = true;
    }
    row->cut += how == FINISH_CUT_OFF || how == FINISH_OPEN_AT_EXIT;
    row->at_exit += how == FINISH_OPEN_AT_EXIT;
}

static void inside(void *owner, const struct open_call *call, const struct open_call *parent, int64_t ns) {
    (void)owner;
    (void)call;
    (void)parent;
    (void)ns;
}

static const struct pair_owner counting = {finish, inside};

static void count_task(struct task *task, const struct thread *thread, uint64_t ticks) {
    if (task->calls++ && ticks >= task->first_call_tick) return;
    task->first_call_tick = ticks;
    task->thread = thread;
}

static bool count_begin(struct walk *w, uint32_t row, uint64_t ticks) {
    struct process *p = w->process;
    bool dropped = ticks < p->reset_tick;
    if (pair_goes_on(&w->open, row)) {
        p->rows[row].seen = true;
        return true;
    }
    const uint64_t number = w->begins++;
    struct open_call *call = pair_begin(&w->open, row);
    if (!call) {
        p->too_deep += !dropped;
        return true;
    }
    call->start = 0;
    call->id = (int64_t)number;
    call->slot = dropped ? SLOT_DROPPED : SLOT_KEPT;
    if (__builtin_expect(dropped, 0)) {
        p->rows[row].seen = true;
        return true;
    }
    struct thread *thread = w->thread;
    if (__builtin_expect(!thread, 0) && !(thread = walk_thread(w))) return false;
    if (!thread->calls++ || ticks < thread->first_call_tick) thread->first_call_tick = ticks;
    if (__builtin_expect(w->task != NULL, 0)) count_task(w->task, thread, ticks);
    p->rows[row].calls++;
    return true;
}

static void count_end(struct walk *w, uint32_t row, uint64_t ticks) {
    if (pair_end_usual(&w->open, row) || pair_end_unusual(&w->open, row, 0)) return;
    w->process->rows[row].unmatched += ticks >= w->process->reset_tick;
}

static void see_event(struct process *p, uint64_t ticks) {
    if (ticks < p->reset_tick) return;
    if (!p->events++ || ticks < p->first_event_tick) p->first_event_tick = ticks;
}

/* The events of the block up to the next group; false: the lane ends here, or no memory. */
static bool count_events(struct walk *w, bool *memory) {
    struct process *p = w->process;
    for (; w->at < w->length; w->at++) {
        uint64_t word = w->words[w->at], ticks = w->base + (word >> SPOOL_TICK_SHIFT);
        uint32_t region = word & SPOOL_REGION_MASK;
        if ((word & SPOOL_LOW_MASK) == SPOOL_ESCAPE) return true;
        uint32_t row = region <= p->num_regions ? p->row_of_region[region] : NO_ROW;
        if (!word) {
            if (!walk_zero(w, w->at)) {
                p->damaged = true;
                return false;
            }
            p->lost += w->newest_tick >= p->reset_tick;
            continue;
        }
        see_event(p, ticks);
        if (row == NO_ROW) {
            p->unknown += ticks >= p->reset_tick;
            continue;
        }
        if (ticks > w->newest_tick) w->newest_tick = ticks;
        if (word & SPOOL_KIND_END)
            count_end(w, row, ticks);
        else if (!(*memory = count_begin(w, row, ticks)))
            return false;
    }
    return true;
}

static bool count_lane(struct process *p, const struct lane *lane) {
    struct counter counter = {p, lane, true};
    struct walk w;
    bool memory = true, more = true;
    walk_init(&w, p, lane, PASS_COUNT, &counting, &counter);
    while (more && walk_block(&w, &memory)) {
        more = count_events(&w, &memory);
        if (more && w.at < w.length) more = walk_group(&w, &memory);
    }
    tasks_close(&w, 0, true);
    if (w.newest_tick > p->last_tick) p->last_tick = w.newest_tick;
    walk_free(&w);
    return memory && counter.memory;
}

static void start_over(struct process *p) {
    struct thread *thread, *next;
    HASH_ITER(hh, p->threads, thread, next) {
        HASH_DEL(p->threads, thread);
        free(thread);
    }
    tasks_start_over(p);
    for (size_t i = 0; i < p->num_rows; i++) {
        struct row *row = &p->rows[i];
        row->calls = row->unmatched = row->overlaps = row->cut = row->at_exit = 0;
    }
    p->num_left_out = 0;
    p->events = p->lost = p->unknown = p->too_deep = 0;
    p->mpi_calls = p->mpi_completions = 0;
    p->overlap = false;
    p->first_event_tick = p->last_tick = 0;
}

/* Forgets the rows of regions that no word names. */
static bool drop_unused_rows(struct process *p) {
    uint32_t *moved = malloc((p->num_rows + 1) * sizeof *moved);
    size_t kept = 0;
    if (!moved) return false;
    for (size_t i = 0; i < p->num_rows; i++) {
        const struct row *row = &p->rows[i];
        moved[i] = NO_ROW;
        if (!row_calls(row) && !row->unmatched && !row->seen) continue;
        moved[i] = (uint32_t)kept;
        p->rows[kept++] = *row;
    }
    for (uint32_t i = 0; i <= p->num_regions; i++)
        if (p->row_of_region[i] != NO_ROW) p->row_of_region[i] = moved[p->row_of_region[i]];
    free(moved);
    p->num_rows = kept;
    struct row *rows = realloc(p->rows, (kept ? kept : 1) * sizeof *rows);
    if (rows) p->rows = rows;
    return true;
}

static int by_first_call(const struct thread *a, const struct thread *b) {
    if (!a->calls != !b->calls) return a->calls ? -1 : 1;
    if (a->first_call_tick != b->first_call_tick) return a->first_call_tick < b->first_call_tick ? -1 : 1;
    return (a->serial > b->serial) - (a->serial < b->serial);
}

static void number_threads(struct process *p) {
    HASH_SORT(p->threads, by_first_call);
    p->num_threads = 0;
    for (struct thread *thread = p->threads; thread && thread->calls; thread = thread->hh.next)
        thread->index = p->num_threads++;
}

static bool count_lanes(struct process *p) {
    for (size_t i = 0; i < p->num_lanes; i++)
        if (!count_lane(p, &p->lanes[i])) return false;
    return true;
}

bool count_process(struct process *p) {
    if (!resumed_find(p) || !count_lanes(p)) return false;
    if (p->newest_reset) { /* one lane's reset drops calls of all of them: only now it is known which */
        p->reset_tick = p->newest_reset;
        start_over(p);
        if (!count_lanes(p)) return false;
    }
    if (!sums_count(p)) return false;
    for (size_t i = 0; i < p->num_rows; i++) p->calls += p->rows[i].calls;
    for (size_t i = 0; i < p->num_lanes; i++) p->lost += p->lanes[i].dropped;
    p->lost += p->unknown + p->too_deep;
    p->lost = p->info.lost > UINT64_MAX / 2 - p->lost ? UINT64_MAX / 2 : p->lost + p->info.lost;
    number_threads(p);
    tasks_number(p);
    return drop_unused_rows(p) && resumed_find(p);
}
