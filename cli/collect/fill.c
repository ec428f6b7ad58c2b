#include "fill.h"
#include "tasks.h"
#include "walk.h"
#include <errno.h>
#include <stdlib.h>

struct filling {
    struct process *process;
    struct events *events;
    struct mpi_process *mpi;
    struct mpi_ended ended;  /* the call that ended last */
    const struct walk *walk; /* whose words are read */
    bool no_memory;
};

/* How long the call was suspended; nearly all are for no time. */
static void set_await(struct filling *f, struct row *row, const struct open_call *call, int64_t end) {
    const int64_t waited = task_waited(f->walk, end) - call->waited;
    const int64_t most = end - call->start;
    if (waited > 0) events_set(f->events, row, AWAIT_NS, call->slot, waited < most ? waited : most);
}

static void finish(void *owner, const struct open_call *call, int64_t end, enum finish how) {
    struct filling *f = owner;
    struct row *row = &f->process->rows[call->row];
    if (call->slot == SLOT_NONE) return;
    events_end(f->events, row, call->slot, call->start, end);
    f->ended = (struct mpi_ended){row, call->slot, call->start, end};
    if (f->walk->task) set_await(f, row, call, end);
    if (how < FINISH_CUT_OFF) return;
    if (end - call->start > row->open_ns) row->open_ns = end - call->start;
    if (!mpi_cut_off(f->mpi, &f->ended)) f->no_memory = true;
}

static void inside(void *owner, const struct open_call *call, const struct open_call *parent, int64_t ns) {
    struct filling *f = owner;
    if (call->slot != SLOT_NONE && parent->slot != SLOT_NONE) f->process->rows[parent->row].exclusive -= ns;
}

static const struct pair_owner filling_owner = {finish, inside};

/* ---- parents (only where calls overlap) ------------------------------------------------------------------------- */

/* The call begun last that is open, where it is known to last: on the stack, or of a region whose jumped calls are all
 * ended in the end; else the top of the stack. */
static int64_t parent_id(const struct walk *w, const struct pairing *open) {
    if (open->indexed && open->newest != NO_CALL) {
        const struct open_call *newest = &open->calls[open->newest];
        const struct row *row = &w->process->rows[newest->row];
        if (newest->jumped == NOT_JUMPED || (row->overlaps && !row->cut)) return newest->id;
    }
    return open->top == NO_CALL ? -1 : open->calls[open->top].id;
}

static void write_lanes_of(struct walk *w, struct row *row, struct open_call *call, int64_t parent) {
    uint64_t at = call->slot - row->flushed;
    if (row->values[THREAD_IDS]) row->values[THREAD_IDS][at] = w->thread ? w->thread->index : 0;
    if (row->values[TASK_IDS]) {
        row->values[TASK_IDS][at] = w->task ? (int64_t)w->task->index : -1;
        row->values[AWAIT_NS][at] = 0;
    }
    if (!row->values[CALL_IDS]) return;
    row->values[CALL_IDS][at] = call->id;
    row->values[PARENT_IDS][at] = parent;
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

/* They are few: what was open when the recording ended. */
static bool is_left_out(struct walk *w) {
    const struct process *p = w->process;
    const uint64_t number = w->begins++;
    for (size_t i = 0; i < p->num_left_out; i++)
        if (p->left_out[i].begin == number && p->left_out[i].lane == w->lane->number) return true;
    return false;
}

static void fill_begin(struct filling *f, struct walk *w, uint32_t index, uint64_t ticks, int64_t time) {
    struct process *p = f->process;
    if (pair_goes_on(&w->open, index)) return;
    const bool skipped = ticks < p->reset_tick || (p->num_left_out && is_left_out(w));
    struct row *row = &p->rows[index];
    bool lanes = f->events->has[THREAD_IDS] || f->events->has[CALL_IDS]; /* with tasks there are threads */
    int64_t parent = __builtin_expect(lanes, 0) ? parent_id(w, &w->open) : -1;
    struct open_call *call = pair_begin(&w->open, index);
    if (!call) return;
    call->start = time;
    call->id = -1;
    call->slot = __builtin_expect(skipped, 0) ? SLOT_NONE : events_begin(f->events, row, time);
    if (!__builtin_expect(lanes, 0) || call->slot == SLOT_NONE) return;
    call->id = (int64_t)p->last_call_id++;
    if (!w->thread) walk_thread(w);
    if (w->task) call->waited = w->task->suspended_ns;
    write_lanes_of(w, row, call, parent);
}

static void fill_end(struct filling *f, struct walk *w, uint32_t index, int64_t time) {
    const struct open_call *call = pair_end_usual(&w->open, index);
    if (!call) {
        f->ended.row = NULL;
        pair_end_unusual(&w->open, index, time);
        return;
    }
    f->ended.row = NULL;
    if (__builtin_expect(call->slot == SLOT_NONE, 0)) return;
    struct row *rows = f->process->rows;
    const struct open_call *parent = pair_top(&w->open);
    events_end(f->events, &rows[index], call->slot, call->start, time);
    f->ended = (struct mpi_ended){&rows[index], call->slot, call->start, time};
    if (__builtin_expect(w->task != NULL, 0)) set_await(f, &rows[index], call, time);
    if (parent && parent->slot != SLOT_NONE) rows[parent->row].exclusive -= time - call->start;
}

/* Events up to the first begin after `bound`, whose time is returned; INT64_MAX: the block is done; -1: a group is
 * next. Only beginnings reserve slots, so only they need to wait for other lanes. */
static int64_t fill_events(struct filling *f, struct walk *w, int64_t bound) {
    const struct process *p = f->process;
    const uint32_t *row_of_region = p->row_of_region, num_regions = p->num_regions;
    const uint64_t *words = w->words, base = w->base;
    size_t at = w->at, length = w->length;
    int64_t now = w->now, result = INT64_MAX;
    for (; at < length; at++) {
        uint64_t word = words[at], ticks = base + (word >> SPOOL_TICK_SHIFT);
        uint32_t region = word & SPOOL_REGION_MASK;
        uint32_t row = region <= num_regions ? row_of_region[region] : NO_ROW;
        if (__builtin_expect(row == NO_ROW, 0)) {
            if (word ? (word & SPOOL_LOW_MASK) != SPOOL_ESCAPE : walk_zero(w, at)) continue;
            result = -1;
            break;
        }
        int64_t time = walk_time(w, ticks, now);
        if (word & SPOOL_KIND_END)
            fill_end(f, w, row, time);
        else if (time > bound) {
            result = time;
            break;
        } else
            fill_begin(f, w, row, ticks, time);
        now = time;
    }
    w->at = at;
    w->now = now;
    return result;
}

static void end_lane(struct walk *w) {
    int64_t stop = w->process->stop_ns;
    w->now = stop > w->now ? stop : w->now + 1;
    tasks_close(w, w->now, true);
    walk_free(w);
}

/* Goes on with a lane until it wants to begin a call after `bound`; returns when that is. The lane may be finished
 * instead. */
static int64_t fill_lane(struct filling *f, struct walk *w, int64_t bound, bool *memory) {
    f->walk = w;
    while (walk_block(w, memory)) {
        int64_t next = fill_events(f, w, bound);
        if (next == INT64_MAX) continue;
        if (next >= 0) return next;
        if (!w->words[w->at] || !walk_group(w, memory)) break;
    }
    if (*memory) end_lane(w);
    return INT64_MAX;
}

/* ---- the merge: a heap of lanes by the time of their next beginning --------------------------------------------- */

struct waiting {
    int64_t time;
    struct walk *walk;
};

static bool earlier(const struct waiting *a, const struct waiting *b) {
    return a->time != b->time ? a->time < b->time : a->walk->lane->number < b->walk->lane->number;
}

static void sink(struct waiting *heap, size_t count, size_t at) {
    struct waiting moving = heap[at];
    for (size_t child; (child = at * 2 + 1) < count; at = child) {
        if (child + 1 < count && earlier(&heap[child + 1], &heap[child])) child++;
        if (!earlier(&heap[child], &moving)) break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

static int64_t second_time(const struct waiting *heap, size_t count) {
    int64_t time = count > 1 ? heap[1].time : INT64_MAX - 1;
    return count > 2 && heap[2].time < time ? heap[2].time : time;
}

static bool merge(struct filling *f, struct waiting *heap, size_t count) {
    bool memory = true;
    for (size_t i = count / 2; i-- > 0;) sink(heap, count, i);
    while (count && memory) {
        heap[0].time = fill_lane(f, heap[0].walk, second_time(heap, count), &memory);
        if (heap[0].walk->finished) heap[0] = heap[--count];
        if (count) sink(heap, count, 0);
    }
    return memory;
}

/* Facts stand behind the end of their call, and no other lane is read in between. */
static bool take_facts(void *context, struct walk *w, unsigned type, unsigned argument, const uint64_t *payload,
                       unsigned count) {
    struct filling *f = context;
    if (type == SPOOL_RESUMED) return mpi_resumed(f->mpi, clock_ns(&w->process->clock, payload[0]));
    return !f->ended.row || mpi_take(f->mpi, &f->ended, type, argument, payload, count);
}

static bool complete(const struct process *p) {
    for (size_t i = 0; i < p->num_rows; i++)
        if (p->rows[i].next != p->rows[i].calls) return false;
    return true;
}

static int outcome(const struct process *p, const struct events *events, bool memory, int mpi_error) {
    if (!memory) return ENOMEM;
    if (mpi_error > 0) return mpi_error;
    if (events->error) return events->error;
    return events->moved || mpi_error == MPI_CHANGED || !complete(p) ? FILL_CHANGED : 0;
}

int fill_process(struct process *p, struct events events, struct mpi_process *mpi) {
    struct filling f = {.process = p, .events = &events, .mpi = mpi};
    size_t lanes = p->num_lanes;
    struct walk *walks = calloc(lanes + 1, sizeof *walks);
    struct waiting *heap = calloc(lanes + 1, sizeof *heap);
    bool good = walks && heap && events_open(&events, p);
    for (size_t i = 0; good && i < lanes; i++) {
        walk_init(&walks[i], p, &p->lanes[i], PASS_FILL, &filling_owner, &f);
        walks[i].facts = take_facts;
        walks[i].facts_context = &f;
        /* Before it is read, a lane stands with the time when it was made. */
        heap[i] = (struct waiting){clock_ns(&p->clock, p->lanes[i].first_tick), &walks[i]};
    }
    int mpi_error;
    good = good && merge(&f, heap, lanes) && !f.no_memory;
    good = mpi_end(mpi, &mpi_error) && good;
    events_close(&events, p);
    for (size_t i = 0; walks && i < lanes; i++) walk_free(&walks[i]);
    free(walks);
    free(heap);
    return outcome(p, &events, good, mpi_error);
}
