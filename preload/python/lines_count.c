#include "lines_count.h"
#include "clock.h"
#include "recorder.h"
#include "sys.h"
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define TLS           __thread __attribute__((tls_model("initial-exec")))
#define UNLIKELY(x)   __builtin_expect(!!(x), 0)
#define FUNCTIONS_MAX 1000000
#define FILE_BYTES    (256u << 10) /* of a file of counters, where one function does not need more */
#define ARENA_BYTES   (256u << 10)

/* One function in one thread. */
struct slot {
    const struct lines_function *function;
    struct spool_line_block *block;
    uint32_t innermost; /* its newest open call: place on the stack + 1, 0 none */
    struct slot *next_free;
};

/* A call that has begun and not ended. */
struct call {
    struct slot *slot; /* NULL: it ended while calls above it were open (a switch of greenlets) */
    uint64_t since;    /* charged until then */
    uint32_t line;     /* counter of the line that it is on + 1; 0: on none yet */
    bool resumed;      /* the report of this line may come again */
    uint32_t outer;    /* the call of the same function that it was made from: place + 1, 0 none */
};

struct thread {
    struct slot **slots; /* by function id */
    uint32_t num_slots;
    struct call *stack;
    uint32_t depth, room;
    struct thread *next_free, *next_of_all;
};

/* Everything that points into the counters, and all of it zero again in a forked child: it counts into files of its
 * own. */
static struct live {
    atomic_int lock;
    bool stopped;
    uint32_t files;
    struct lines_function *logged; /* the newest that the log has */
    struct spool_lines *file;
    uint32_t used; /* bytes of it */
    char *arena;
    size_t arena_left;
    struct thread *free_threads, *all_threads;
} * live;

static struct lines_function *first, *newest; /* in order of their ids */
static pthread_key_t end_of_thread;
static TLS struct thread *mine;
static struct recorder *target;     /* NULL: the session's */
static enum spool_clock clock_kind; /* of its own */

static struct recorder *recorder(void) { return target ? target : rec_session(); }

static void lock(void) {
    while (atomic_exchange_explicit(&live->lock, 1, memory_order_acquire)) syscall(SYS_sched_yield);
}
static void unlock(void) { atomic_store_explicit(&live->lock, 0, memory_order_release); }

/* ---- memory and files: all of it locked -------------------------------------------------------------------------- */

static void *take(size_t bytes) {
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > ARENA_BYTES / 4) return sys_pages_wiped_on_fork((bytes + 4095) & ~(size_t)4095);
    if (live->arena_left < bytes) {
        live->arena = sys_pages_wiped_on_fork(ARENA_BYTES);
        live->arena_left = live->arena ? ARENA_BYTES : 0;
        if (!live->arena) return NULL;
    }
    void *taken = live->arena;
    live->arena += bytes;
    live->arena_left -= bytes;
    return taken;
}

static bool log_function(const struct lines_function *f) {
    const struct spool_line_function head = {.id = f->id,
                                             .first_line = f->first_line,
                                             .first_counted = f->first_counted,
                                             .lines = f->lines,
                                             .source_first = f->source_first,
                                             .region_length = (uint32_t)strlen(f->region),
                                             .function_length = (uint32_t)strlen(f->name),
                                             .file_length = (uint32_t)strlen(f->file),
                                             .encoding_length = (uint32_t)strlen(f->encoding),
                                             .source_length = (uint32_t)f->source_length};
    const struct iovec pieces[] = {{(void *)&head, sizeof head},
                                   {(void *)f->region, head.region_length},
                                   {(void *)f->name, head.function_length},
                                   {(void *)f->file, head.file_length},
                                   {(void *)f->encoding, head.encoding_length},
                                   {(void *)f->source, f->source_length}};
    return rec_log_in(recorder(), SPOOL_LINE_FUNCTION, pieces, 6);
}

/* The log names every function before a block does, and in the order of their ids. */
static bool log_up_to(const struct lines_function *f) {
    while (!live->logged || live->logged->id < f->id) {
        struct lines_function *next = live->logged ? live->logged->next : first;
        if (!log_function(next)) return false;
        live->logged = next;
    }
    return true;
}

static bool new_file(size_t block_bytes) {
    size_t bytes = sizeof(struct spool_lines) + block_bytes;
    bytes = bytes > FILE_BYTES ? (bytes + SPOOL_PAGE - 1) / SPOOL_PAGE * SPOOL_PAGE : FILE_BYTES;
    struct spool_lines *file = rec_map_in(recorder(), live->files, "lines", bytes);
    if (!file) return false;
    *file = (struct spool_lines){.version = SPOOL_VERSION, .number = live->files++, .bytes = bytes};
    atomic_thread_fence(memory_order_release);
    file->magic = SPOOL_LINES_MAGIC;
    live->file = file;
    live->used = sizeof *file;
    return true;
}

static struct spool_line_block *new_block(const struct lines_function *f) {
    size_t bytes = sizeof(struct spool_line_block) + f->lines * sizeof(struct spool_line_counter);
    if (!log_up_to(f)) return NULL;
    if ((!live->file || live->file->bytes - live->used < bytes) && !new_file(bytes)) return NULL;
    struct spool_line_block *block = (struct spool_line_block *)((char *)live->file + live->used);
    live->used += (uint32_t)bytes;
    block->lines = f->lines;
    block->thread = (uint64_t)sys_gettid();
    atomic_thread_fence(memory_order_release);
    block->function = f->id;
    return block;
}

static struct slot *new_slot(struct thread *thread, const struct lines_function *f) {
    if (f->id >= thread->num_slots) {
        uint32_t room = thread->num_slots ? thread->num_slots : 32;
        while (room <= f->id) room *= 2;
        struct slot **slots = take(room * sizeof *slots);
        if (!slots) return NULL;
        if (thread->num_slots) memcpy(slots, thread->slots, thread->num_slots * sizeof *slots);
        thread->slots = slots;
        thread->num_slots = room;
    }
    struct slot *slot = take(sizeof *slot);
    if (!slot) return NULL;
    slot->function = f;
    slot->block = new_block(f);
    return slot->block ? slot : NULL;
}

static struct thread *new_thread(void) {
    struct thread *thread = live->free_threads;
    if (thread)
        live->free_threads = thread->next_free;
    else if ((thread = take(sizeof *thread))) {
        thread->next_of_all = live->all_threads;
        live->all_threads = thread;
    }
    if (thread) pthread_setspecific(end_of_thread, thread);
    return thread;
}

static void on_thread_end(void *ended) {
    struct thread *thread = ended;
    mine = NULL;
    lock();
    thread->depth = 0;
    for (uint32_t i = 0; i < thread->num_slots; i++)
        if (thread->slots[i]) thread->slots[i]->innermost = 0;
    thread->next_free = live->free_threads;
    live->free_threads = thread;
    unlock();
}

/* The slot of `f` in this thread; NULL: nothing can be counted any more. */
static __attribute__((noinline)) struct slot *make_slot(const struct lines_function *f) {
    struct slot *slot = NULL;
    int saved = errno;
    lock();
    if (!live->stopped) {
        if (!mine) mine = new_thread();
        slot = mine ? new_slot(mine, f) : NULL;
        if (slot)
            mine->slots[f->id] = slot;
        else
            live->stopped = true;
    }
    unlock();
    errno = saved;
    return slot;
}

static inline struct slot *slot_of(const struct lines_function *f) {
    struct thread *thread = mine;
    if (UNLIKELY(!thread || f->id >= thread->num_slots || !thread->slots[f->id])) return make_slot(f);
    return thread->slots[f->id];
}

static __attribute__((noinline)) bool deepen(struct thread *thread) {
    uint32_t room = thread->room ? thread->room * 2 : 64;
    lock();
    struct call *stack = take(room * sizeof *stack);
    unlock();
    if (!stack) return false;
    if (thread->depth) memcpy(stack, thread->stack, thread->depth * sizeof *stack);
    thread->stack = stack;
    thread->room = room;
    return true;
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static inline uint64_t ticks_now(void) { return clock_ticks(clock_kind); }

static inline void charge(struct call *call, uint64_t now) {
    if (!call->line) return;
    const struct slot *slot = call->slot;
    slot->block->counters[slot->function->statement[call->line - 1]].ticks += now - call->since;
}

static inline struct call *push(const struct lines_function *f, uint64_t now) {
    struct slot *slot = slot_of(f);
    if (UNLIKELY(!slot)) return NULL;
    struct thread *thread = mine;
    if (UNLIKELY(thread->depth == thread->room && !deepen(thread))) return NULL;
    if (slot->innermost) charge(&thread->stack[slot->innermost - 1], now);
    struct call *call = &thread->stack[thread->depth++];
    *call = (struct call){.slot = slot, .since = now, .outer = slot->innermost};
    slot->innermost = thread->depth;
    return call;
}

void lines_enter(struct lines_function *f) {
    for (; f; f = f->also)
        if (lines_counts(f)) push(f, ticks_now());
}

/* The newest open call of `f` in this thread. One that was not seen to begin begins now. */
static inline struct call *call_of(const struct lines_function *f, uint64_t now) {
    struct slot *slot = slot_of(f);
    if (UNLIKELY(!slot)) return NULL;
    if (UNLIKELY(!slot->innermost)) return push(f, now);
    return &mine->stack[slot->innermost - 1];
}

static inline void count_line(struct lines_function *f, int line) {
    const uint64_t now = ticks_now();
    struct call *call = call_of(f, now);
    const uint32_t i = (uint32_t)line - f->first_counted;
    if (UNLIKELY(!call || i >= f->lines)) return;
    struct spool_line_counter *counters = call->slot->block->counters;
    const uint32_t statement = f->statement[i];
    bool begins = true;
    if (call->line) {
        const uint32_t before = call->line - 1, before_statement = f->statement[before];
        counters[before_statement].ticks += now - call->since;
        /* Between the lines of one statement nothing new begins; a line that comes after itself is a loop's. */
        begins = before_statement != statement || (before == i && i == statement && !call->resumed);
    }
    counters[statement].hits += begins;
    call->line = i + 1;
    call->resumed = false;
    call->since = now;
}

void lines_line(struct lines_function *f, int line) {
    for (; f; f = f->also)
        if (lines_counts(f)) count_line(f, line);
}

static void go_on_at(const struct lines_function *f, int line, bool told_again) {
    struct slot *slot = slot_of(f);
    const uint32_t i = (uint32_t)line - f->first_counted;
    if (!slot || !slot->innermost || i >= f->lines) return;
    struct call *call = &mine->stack[slot->innermost - 1];
    call->line = i + 1;
    call->resumed = told_again;
}

void lines_at(struct lines_function *f, int line, bool told_again) {
    for (; f; f = f->also)
        if (lines_counts(f)) go_on_at(f, line, told_again);
}

static inline void leave(const struct lines_function *f) {
    struct slot *slot = slot_of(f);
    if (UNLIKELY(!slot || !slot->innermost)) return;
    const uint64_t now = ticks_now();
    struct thread *thread = mine;
    struct call *call = &thread->stack[slot->innermost - 1];
    charge(call, now);
    slot->innermost = call->outer;
    if (call->outer) thread->stack[call->outer - 1].since = now;
    call->slot = NULL;
    while (thread->depth && !thread->stack[thread->depth - 1].slot) thread->depth--;
}

static inline bool is_open(const struct lines_function *f) {
    return mine && f->id < mine->num_slots && mine->slots[f->id] && mine->slots[f->id]->innermost;
}

void lines_leave(struct lines_function *f) {
    for (; f; f = f->also)
        if (is_open(f)) leave(f);
}

void lines_close(struct lines_function *f) {
    while (is_open(f)) leave(f);
}

bool lines_add(struct lines_function *f) {
    lock();
    f->id = newest ? newest->id + 1 : 1;
    bool good = f->id <= FUNCTIONS_MAX;
    if (good && newest) newest->next = f;
    if (good && !newest) first = f;
    if (good) newest = f;
    unlock();
    return good;
}

bool lines_count_start(void) {
    struct recorder *into = recorder();
    bool joined = rec_log_in(into, SPOOL_COUNTS_LINES, NULL, 0);
    if (into) clock_kind = (enum spool_clock)rec_clock_of(into);
    return joined;
}

void lines_count_into(struct recorder *into) {
    lock();
    for (struct thread *thread = live->all_threads; thread; thread = thread->next_of_all) {
        if (thread->num_slots) memset(thread->slots, 0, thread->num_slots * sizeof *thread->slots);
        thread->depth = 0;
    }
    if (live->file) munmap(live->file, live->file->bytes); /* the last one: nobody points into it any more */
    live->file = NULL;
    live->files = live->used = 0;
    live->logged = NULL;
    live->stopped = !into && !rec_session();
    target = into;
    unlock();
}

bool lines_count_init(void) {
    if (!live) live = sys_pages_wiped_on_fork(SPOOL_PAGE);
    return live && pthread_key_create(&end_of_thread, on_thread_end) == 0;
}
