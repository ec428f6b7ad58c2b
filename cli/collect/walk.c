#include "walk.h"
#include "lane.h"
#include "tasks.h"
#include <stdlib.h>
#include <string.h>

#define BLOCK_LARGEST  32768      /* words */
#define BLOCK_SMALLEST 512        /* more than the longest group */
#define BLOCKS_TOTAL   (2u << 20) /* of all lanes that are read at once */
#define DEPTH_LARGEST  (512u << 10)
#define DEPTH_SMALLEST (16u << 10)

static size_t share(size_t total, size_t parts, size_t smallest, size_t largest) {
    size_t one = total / (parts ? parts : 1);
    return one < smallest ? smallest : one > largest ? largest : one;
}

void walk_init(struct walk *w, struct process *process, const struct lane *lane, enum pass pass,
               const struct pair_owner *owner, void *context) {
    size_t lanes = process->num_lanes;
    *w = (struct walk){.process = process, .lane = lane, .pass = pass, .base = lane->first_tick, .now = -1};
    w->capacity = share(BLOCKS_TOTAL / process->at_once, lanes, BLOCK_SMALLEST, BLOCK_LARGEST);
    pair_init(&w->open, (uint32_t)share(DEPTH_LARGEST, lanes, DEPTH_SMALLEST, DEPTH_LARGEST), owner, context);
    w->open.resumed = process->resumed;
    w->open.goes_on_elsewhere = process->info.stop == SPOOL_STOP_CHECKPOINT;
    if (pass == PASS_FILL) w->segment = *clock_find(&process->clock, lane->first_tick);
}

void walk_free(struct walk *w) {
    tasks_free_lanes(w);
    pair_free(&w->open);
    free(w->words);
    w->words = NULL;
    w->finished = true;
}

/* Keeps what is left of the block in front of the next one. */
static bool read_more(struct walk *w) {
    size_t left = w->length - w->at;
    memmove(w->words, w->words + w->at, left * sizeof *w->words);
    size_t got = lane_read(w->process, w->lane, w->next, w->words + left, w->capacity - left);
    w->next += got;
    w->at = 0;
    w->length = left + got;
    return got > 0;
}

bool walk_block(struct walk *w, bool *memory) {
    *memory = true;
    if (w->at < w->length) return true;
    if (!w->words && !(w->words = malloc(w->capacity * sizeof *w->words))) return *memory = false;
    return read_more(w);
}

bool walk_zero(struct walk *w, size_t at) {
    enum { MOST = 64 };
    const uint64_t place = w->next - (w->length - at);
    w->zeros = w->zeros && place == w->zero_place + 1 ? w->zeros + 1 : 1;
    w->zero_place = place;
    return w->zeros <= MOST;
}

int64_t walk_slow_time(struct walk *w, uint64_t ticks) {
    w->segment = *clock_find(&w->process->clock, ticks);
    return clock_in(&w->segment, ticks);
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

static struct thread *thread_of(struct process *p, uint64_t serial) {
    struct thread *thread;
    HASH_FIND(hh, p->threads, &serial, sizeof serial, thread);
    if (thread) return thread;
    thread = calloc(1, sizeof *thread);
    if (!thread) return NULL;
    thread->serial = serial;
    thread->ident = thread->native_id = thread->cpu_ns = -1;
    HASH_ADD(hh, p->threads, serial, sizeof serial, thread);
    if (thread->hh.tbl) return thread;
    free(thread);
    return NULL;
}

struct thread *walk_thread(struct walk *w) {
    if (!w->thread) w->thread = thread_of(w->process, UNNAMED_THREAD | w->lane->number);
    return w->thread;
}

static void close_calls(struct walk *w, uint64_t ticks) {
    if (w->pass == PASS_FILL) w->now = walk_time(w, ticks, w->now);
    tasks_close(w, w->now, false);
}

static void see_tick(struct walk *w, uint64_t ticks) {
    if (ticks > w->newest_tick) w->newest_tick = ticks;
}

static bool thread_begins(struct walk *w, const uint64_t *payload) {
    uint64_t ticks = payload[0];
    struct thread *thread = thread_of(w->process, payload[2] & ~UNNAMED_THREAD);
    if (!thread) return false;
    if (w->thread && w->thread != thread) close_calls(w, ticks); /* the one before vanished without a word */
    w->thread = thread;
    see_tick(w, ticks);
    if (w->pass != PASS_COUNT) return true;
    if (!thread->begin_tick || ticks < thread->begin_tick) thread->begin_tick = ticks;
    if (ticks > thread->last_begin_tick) thread->last_begin_tick = ticks;
    thread->native_id = (int64_t)payload[1];
    thread->ident = (int64_t)payload[3];
    memcpy(thread->name, &payload[4], sizeof thread->name - 1); /* until its end tells the last one */
    return true;
}

static bool thread_ends(struct walk *w, const uint64_t *payload) {
    uint64_t ticks = payload[0];
    struct thread *thread = walk_thread(w);
    if (!thread) return false;
    close_calls(w, ticks);
    see_tick(w, ticks);
    w->thread = NULL;
    if (w->pass != PASS_COUNT || ticks < thread->end_tick) return true;
    thread->end_tick = ticks;
    thread->cpu_ns = (int64_t)payload[1];
    memcpy(thread->name, &payload[2], sizeof thread->name - 1);
    return true;
}

/* ---- groups ----------------------------------------------------------------------------------------------------- */

static bool take_epoch(struct walk *w, const uint64_t *payload) {
    w->base = payload[0];
    return true;
}

static bool take_lost(struct walk *w, const uint64_t *payload) {
    struct process *p = w->process;
    if (w->pass == PASS_COUNT && w->newest_tick >= p->reset_tick)
        p->lost = payload[0] > UINT64_MAX / 4 - p->lost ? UINT64_MAX / 4 : p->lost + payload[0];
    return true;
}

static bool take_reset(struct walk *w, const uint64_t *payload) {
    if (w->pass == PASS_COUNT && payload[0] > w->process->newest_reset) w->process->newest_reset = payload[0];
    return true;
}

/* As the slot says, but for its last words. */
static bool hand_on_again(struct walk *w, unsigned slot, const uint64_t *words, unsigned count) {
    const struct walk_slot *as = &w->slots[slot];
    uint64_t all[SPOOL_SLOT_WORDS];
    if (as->count == 0 || count > as->count) return true;
    memcpy(all, as->words, as->count * sizeof *all);
    memcpy(all + as->count - count, words, count * sizeof *all);
    return w->facts(w->facts_context, w, SPOOL_MPI_CALL, as->argument, all, as->count);
}

static bool hand_on_facts(struct walk *w, unsigned type, unsigned argument, const uint64_t *words, unsigned count) {
    if (type == SPOOL_MPI_AGAIN) return hand_on_again(w, argument % SPOOL_SLOTS, words, count);
    if (type == SPOOL_MPI_CALL && argument & SPOOL_HAS_SLOT && count <= SPOOL_SLOT_WORDS) {
        struct walk_slot *as = &w->slots[argument >> SPOOL_SLOT_SHIFT & (SPOOL_SLOTS - 1)];
        as->argument = argument;
        as->count = count;
        memcpy(as->words, words, count * sizeof *words);
    }
    return w->facts(w->facts_context, w, type, argument, words, count);
}

/* Rows of /mpi that the group may become. */
static void count_rows(struct process *p, unsigned type, unsigned count) {
    p->mpi_calls += type == SPOOL_MPI_CALL || type == SPOOL_MPI_AGAIN;
    if (type == SPOOL_MPI_STARTED) p->mpi_calls += count;
    if (type == SPOOL_MPI_DONE) p->mpi_completions += count / 3;
}

bool walk_group(struct walk *w, bool *memory) {
    static const struct {
        unsigned payload;
        bool (*take)(struct walk *, const uint64_t *);
    } groups[] = {
        [SPOOL_EPOCH] = {1, take_epoch},          [SPOOL_THREAD_BEGIN] = {4, thread_begins},
        [SPOOL_THREAD_END] = {4, thread_ends},    [SPOOL_LOST] = {1, take_lost},
        [SPOOL_RESET] = {1, take_reset},          [SPOOL_TASK] = {2, task_named},
        [SPOOL_TASK_SWITCH] = {2, task_switched}, [SPOOL_TASK_DONE] = {1, task_over},
    };
    uint64_t head = w->words[w->at];
    unsigned type = SPOOL_GROUP_TYPE(head), count = SPOOL_GROUP_COUNT(head);
    *memory = true;
    if (count >= w->length - w->at && (!read_more(w) || count >= w->length)) return false;
    if (type >= SPOOL_MPI_CALL && type <= SPOOL_MPI_AGAIN) {
        const uint64_t *words = w->words + w->at + 1;
        w->at += 1 + count;
        if (w->pass == PASS_COUNT) count_rows(w->process, type, count);
        return !w->facts || (*memory = hand_on_facts(w, type, SPOOL_GROUP_ARGUMENT(head), words, count));
    }
    uint64_t payload[SPOOL_TASK_WORDS] = {0}; /* what a group leaves out is 0 */
    memcpy(payload, w->words + w->at + 1, (count < SPOOL_TASK_WORDS ? count : SPOOL_TASK_WORDS) * sizeof *payload);
    w->at += 1 + count;
    if (type == SPOOL_RESUMED && w->facts) return *memory = w->facts(w->facts_context, w, type, 0, payload, 1);
    if (type >= sizeof groups / sizeof *groups || !groups[type].take || count < groups[type].payload) return true;
    return *memory = groups[type].take(w, payload);
}
