/* The same spool gives the same bytes, whatever the number of threads: sessions of all that there is, in any disorder.
 */
#include "collect_test.h"
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 9, REGIONS = 5, TASKS = 4, SITES = 3 };

static uint64_t seed;
static unsigned roll(unsigned sides) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % sides;
}

/* ---- a session --------------------------------------------------------------------------------------------------- */

static void tell(const struct make_process *p, unsigned rank) {
    for (uint32_t serial = 1; serial <= SITES; serial++) { /* every process has other numbers for the same places */
        struct {
            struct spool_mpi_site head;
            char texts[17];
        } site = {{.serial = serial, .object_length = 12, .symbol_length = 5, .offset = 1 + (serial + rank) % 5},
                  "/no/where.somain"};
        make_record(p, SPOOL_MPI_SITE, &site, sizeof site);
        struct {
            struct spool_mpi_comm head;
            struct spool_mpi_run run;
            char name[5];
        } __attribute__((packed))
        comm = {{.serial = serial, .size = PROCESSES - (int)(serial + rank) % 2, .runs = 1, .name_length = 5},
                {0, 1, PROCESSES - (int)(serial + rank) % 2},
                "comm"};
        comm.head.rank = (int32_t)rank;
        comm.name[4] = (char)('0' + serial);
        make_record(p, SPOOL_MPI_COMM, &comm, sizeof comm);
    }
}

static void group(struct make_lane *l, unsigned type, unsigned argument, const uint64_t *words, unsigned count) {
    make_word(l, SPOOL_GROUP(type, argument, count));
    for (unsigned i = 0; i < count; i++) make_word(l, words[i]);
}

/* What the call that ended carried: sends, receives with requests, persistent ones, collective calls. */
static void facts(struct make_lane *l) {
    const uint64_t place = (1 + roll(SITES)) | (uint64_t)(1 + roll(SITES)) << 32, request = 1 + roll(20),
                   bytes = roll(9000);
    const uint64_t peer = roll(PROCESSES) | (uint64_t)roll(3) << 32, done[] = {1 + roll(20), peer, bytes};
    const unsigned slot = roll(SPOOL_SLOTS), flow = roll(SPOOL_MPI_FLOW_LIST + 1) << SPOOL_MPI_FLOW_SHIFT;
    switch (roll(6)) {
    case 0:
        group(l, SPOOL_MPI_CALL,
              SPOOL_MPI_HAS_SITE | SPOOL_MPI_HAS_TO | SPOOL_MPI_HAS_SENT | flow | SPOOL_HAS_SLOT |
                  slot << SPOOL_SLOT_SHIFT,
              (const uint64_t[]){place, peer, bytes}, 3);
        break;
    case 1:
        group(l, SPOOL_MPI_AGAIN, slot, &request, roll(2));
        break;
    case 2:
        group(l, SPOOL_MPI_CALL, SPOOL_MPI_HAS_SITE | SPOOL_MPI_HAS_FROM | SPOOL_MPI_HAS_REQUEST,
              (const uint64_t[]){place, peer, request}, 3);
        break;
    case 3:
        group(l, SPOOL_MPI_CALL,
              SPOOL_MPI_HAS_SITE | SPOOL_MPI_HAS_TO | SPOOL_MPI_HAS_SENT | SPOOL_MPI_HAS_REQUEST |
                  SPOOL_MPI_PERSISTENT | flow,
              (const uint64_t[]){place, peer, bytes, request}, 4);
        break;
    case 4:
        group(l, SPOOL_MPI_CALL, SPOOL_MPI_HAS_SITE, &place, 1);
        group(l, SPOOL_MPI_DONE, 0, done, 3);
        break;
    default:
        group(l, SPOOL_MPI_CALL, SPOOL_MPI_HAS_SITE | SPOOL_MPI_COLLECTIVE | SPOOL_MPI_HAS_SENT | flow,
              (const uint64_t[]){place, bytes}, 2);
        group(l, SPOOL_MPI_STARTED, 0, &request, 1);
    }
}

static void turn(struct make_lane *l, uint64_t tick, unsigned tasks) {
    if (tasks && roll(2)) make_switch(l, tick, roll(TASKS), SPOOL_TASK_TURNS);
    if (roll(200) == 0) make_lost(l, 3);
    if (roll(300) == 0) make_epoch(l, tick);
    if (roll(1000) == 0) make_reset(l, 2000 + roll(2000));
}

static void random_lane(struct make_process *p, unsigned words, unsigned disorder, unsigned tasks) {
    struct make_lane l;
    uint32_t stack[64];
    unsigned depth = 0;
    uint64_t tick = 2000;
    make_lane(p, &l, 1000);
    make_thread_begin(&l, 1500, 77 + l.number, 1 + l.number);
    for (uint64_t serial = 1; tasks && serial < TASKS; serial++)
        make_task(&l, serial, SPOOL_TASK_ASYNCIO, "task", "body");
    for (unsigned i = 0; i < words; i++) {
        const uint32_t region = 1 + roll(REGIONS); /* and one within itself */
        tick += 1 + roll(30);
        if (depth < 40 && roll(2)) {
            make_begin(&l, tick, stack[depth++] = region);
        } else if (depth && roll(100) >= disorder) {
            make_end(&l, tick, stack[--depth]);
            if (stack[depth] <= 3) facts(&l);
        } else if (depth && disorder) { /* late, or never begun */
            make_end(&l, tick, region);
        }
        if (roll(20) == 0) turn(&l, tick, tasks);
        if (l.count - l.flushed > 1000) make_flush(&l);
    }
    if (roll(2)) make_thread_end(&l, tick + 5, 100, "ended"); /* else its calls are cut off */
    make_lane_write(&l);
}

static void make_sums(const struct make_process *p) {
    struct {
        struct spool_sums head;
        char rest[SPOOL_PAGE - sizeof(struct spool_sums)];
        struct spool_sum rows[REGIONS];
    } sums = {.head = {.magic = SPOOL_SUMS_MAGIC, .version = SPOOL_VERSION}};
    char path[400];
    for (int i = 0; i < REGIONS; i++) {
        sums.rows[i].calls = 1 + roll(50);
        sums.rows[i].totals[sums.rows[i].calls & 1] = (struct spool_totals){5000, roll(5000), ~(uint64_t)roll(50), 900};
    }
    snprintf(path, sizeof path, "%s/%s-0.sums", p->spool->spool, p->id);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(&sums, sizeof sums, 1, file), 1);
    assert_int_equal(fclose(file), 0);
}

struct shape {
    unsigned words; /* of a lane */
    unsigned disorder, tasks, sums;
};

static void session(struct fixture *f, const struct shape *shape) {
    for (unsigned rank = 0; rank < PROCESSES; rank++) {
        struct make_process p;
        char name[32];
        make_process(&f->spool, &p, rank + 1);
        p.info.mpi_initialized = 1;
        p.info.mpi_rank = (int32_t)(rank * 5 % PROCESSES); /* not in the order of the files */
        p.info.mpi_size = PROCESSES;
        p.info.first.ns += rank;
        if (rank == 4) p.info.end = SPOOL_END_UNKNOWN; /* killed */
        for (unsigned i = 0; i < REGIONS; i++) {
            snprintf(name, sizeof name, "region %u", (i * (rank + 1)) % 7);
            make_region_full(&p, name, strlen(name), i & 1 ? "dir/file.c" : NULL, (int)i, i & 2 ? "[\"t\"]" : NULL);
        }
        tell(&p, rank);
        for (unsigned lanes = 1 + roll(4); lanes > 0; lanes--)
            random_lane(&p, roll(shape->words), roll(2) ? shape->disorder : 0, shape->tasks);
        if (shape->sums && rank % 3 == 1) make_sums(&p);
        make_process_write(&p);
    }
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

struct bytes {
    char *at;
    size_t count;
};

static struct bytes file_bytes(const char *path) {
    struct bytes b = {0};
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    b.count = (size_t)ftell(file);
    rewind(file);
    b.at = malloc(b.count);
    assert_non_null(b.at);
    assert_int_equal(fread(b.at, 1, b.count, file), b.count);
    fclose(file);
    return b;
}

static struct bytes collected_by(struct fixture *f, unsigned jobs) {
    f->options.jobs = jobs;
    f->options.keep = true;
    const enum collect_status status = run_collect(f);
    if (status != COLLECT_OK) fail_msg("%u threads: status %d: %s", jobs, status, f->result.message);
    return file_bytes(f->spool.output);
}

/* HDF5 notes the second in which it makes a column, as a message of 16 bytes in its header: not compared. */
static void forget_times(struct bytes *b, time_t begin) {
    static const char head[12] = {0x12, 0, 8, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    const time_t end = time(NULL);
    for (size_t i = 0; i + 16 <= b->count; i++) {
        uint32_t seconds;
        if (memcmp(b->at + i, head, sizeof head) != 0) continue;
        memcpy(&seconds, b->at + i + sizeof head, sizeof seconds);
        if (seconds >= begin && seconds <= end) memset(b->at + i + sizeof head, 0, sizeof seconds);
    }
}

static void same_bytes(struct fixture *f) {
    static const unsigned jobs[] = {1, 2, 7};
    struct bytes made[3];
    const time_t begin = time(NULL);
    for (int i = 0; i < 3; i++) {
        made[i] = collected_by(f, jobs[i]);
        forget_times(&made[i], begin);
        assert_int_equal(made[i].count, made[0].count);
        if (memcmp(made[i].at, made[0].at, made[0].count) != 0) fail_msg("%u threads make another file", jobs[i]);
    }
    for (int i = 0; i < 3; i++) free(made[i].at);
}

/* What a session was made for is there. */
static void has(struct fixture *f, const char *const *paths) {
    f->file = read_open(f->spool.output);
    for (; *paths; paths++) {
        struct numbers n = {0};
        if (read_has(f->file, *paths)) n = read_numbers(f->file, *paths);
        if (!n.count) fail_msg("%s: nothing there", *paths);
        numbers_free(&n);
    }
}
#define HAS(f, ...) has(f, (const char *const[]){__VA_ARGS__, NULL})

static void tidy(void **state) {
    struct fixture *f = *state;
    seed = 1;
    session(f, &(struct shape){.words = 2000});
    same_bytes(f);
    HAS(f, "/events/thread_ids", "/mpi/calls/events", "/mpi/completions/calls", "/mpi/traffic/peers");
}

static void disorderly(void **state) {
    struct fixture *f = *state;
    seed = 2;
    session(f, &(struct shape){.words = 1000, .disorder = 10, .tasks = 1, .sums = 1});
    same_bytes(f);
    HAS(f, "/events/task_ids", "/events/call_ids", "/task_table/steps", "/problem_table/counts", "/mpi/sizes/buckets");
}

/* Few enough facts that they need no file. */
static void small(void **state) {
    struct fixture *f = *state;
    seed = 3;
    session(f, &(struct shape){.words = 150, .tasks = 1});
    same_bytes(f);
    HAS(f, "/mpi/calls/events", "/mpi/completions/calls");
}

/* Longer than blocks and windows are where seven share the memory. */
static void large(void **state) {
    struct fixture *f = *state;
    seed = 4;
    session(f, &(struct shape){.words = 40000, .disorder = 1});
    same_bytes(f);
    f->file = read_open(f->spool.output);
    struct numbers calls = read_numbers(f->file, "/mpi/calls/events"),
                   starts = read_numbers(f->file, "/events/start_deltas");
    assert_true(calls.count > 30000 && starts.count > 65536);
    numbers_free(&calls);
    numbers_free(&starts);
}

/* Columns of several chunks, the last of them not full. */
static void packed(void **state) {
    struct fixture *f = *state;
    seed = 5;
    f->options.compress = 3;
    session(f, &(struct shape){.words = 30000, .disorder = 1, .tasks = 1});
    same_bytes(f);
    f->file = read_open(f->spool.output);
    struct numbers starts = read_numbers(f->file, "/events/start_deltas");
    assert_true(starts.count > 65536 && starts.count % 65536);
    numbers_free(&starts);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(tidy), TEST(disorderly), TEST(small), TEST(large), TEST(packed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
