/* Which process gets which rank, and what the file says of processes. */
#include "collect_test.h"
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

struct sketch { /* a process with one call of region "r" that begins at `first` */
    unsigned number;
    uint64_t first;
    int mpi_rank, mpi_size, launcher_rank, launcher_size;
    const char *world;
};

static void add(struct fixture *f, struct sketch s) {
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, s.number);
    p.info.mpi_rank = s.mpi_rank;
    p.info.mpi_size = s.mpi_size;
    p.info.mpi_initialized = s.mpi_rank >= 0;
    p.info.launcher_rank = s.launcher_rank;
    p.info.launcher_size = s.launcher_size;
    snprintf(p.info.world, sizeof p.info.world, "%s", s.world);
    uint32_t r = make_region(&p, "r");
    make_lane(&p, &l, 1000);
    make_begin(&l, s.first, r);
    make_end(&l, s.first + s.number, r); /* its duration tells the process */
    make_lane_write(&l);
    make_process_write(&p);
}

static void no_mpi(void **state) {
    struct fixture *f = *state;
    add(f, (struct sketch){1, 5000, -1, -1, -1, -1, ""});
    add(f, (struct sketch){2, 3000, -1, -1, -1, -1, ""});
    add(f, (struct sketch){3, 4000, -1, -1, -1, -1, ""});
    hid_t h = collected(f);
    EXPECT(h, "/rank_region_index/ranks", 0, 1, 2);
    EXPECT(h, "/events/durations", 2, 3, 1);
    EXPECT(h, "/process_table/pid", 1002, 1003, 1001);
    EXPECT(h, "/process_table/mpi_rank", -1, -1, -1);
    assert_int_equal(read_attribute(h, "/metadata", "mpi_size"), 1);
    assert_int_equal(f->result.ranks, 3);
    assert_int_equal(f->result.num_notes, 0);
}

static void mpi_first(void **state) {
    struct fixture *f = *state;
    add(f, (struct sketch){1, 2000, -1, -1, 1, 4, "job"}); /* a wrapper of rank 1: the program has it */
    add(f, (struct sketch){2, 3000, 1, 4, 1, 4, "job"});
    add(f, (struct sketch){3, 3100, 0, 4, 0, 4, "job"});
    add(f, (struct sketch){4, 2500, -1, -1, 3, 4, "job"}); /* no MPI in it */
    add(f, (struct sketch){5, 2600, -1, -1, 3, 4, "job"}); /* nor here, and later */
    add(f, (struct sketch){6, 1500, -1, -1, -1, -1, ""});  /* a program beside it */
    hid_t h = collected(f);
    EXPECT(h, "/rank_region_index/ranks", 0, 1, 3, 4, 5, 6);
    EXPECT(h, "/events/durations", 3, 2, 4, 6, 1, 5);
    EXPECT(h, "/process_table/mpi_rank", 0, 1, -1, -1, -1, -1);
    assert_int_equal(read_attribute(h, "/metadata", "mpi_size"), 4);
    assert_true(has_note(f, "rank 2 of 4 recorded nothing"));
}

static void worlds(void **state) {
    struct fixture *f = *state;
    add(f, (struct sketch){1, 5000, 0, 2, -1, -1, "second"});
    add(f, (struct sketch){2, 5001, 1, 2, -1, -1, "second"});
    add(f, (struct sketch){3, 2000, 0, 3, -1, -1, "first"});
    add(f, (struct sketch){4, 2001, 2, 3, -1, -1, "first"});
    add(f, (struct sketch){5, 6000, 0, 2, -1, -1, "second"}); /* the same rank again */
    hid_t h = collected(f);
    EXPECT(h, "/rank_region_index/ranks", 0, 2, 3, 4, 5);
    EXPECT(h, "/events/durations", 3, 4, 1, 2, 5);
    assert_int_equal(read_attribute(h, "/metadata", "mpi_size"), 3);
    assert_true(has_note(f, "rank 1 of 3 recorded nothing"));
}

/* Launchers that do not name their launches: as many as there are sizes, and as often as a rank is there. */
static void launches_without_names(void **state) {
    struct fixture *f = *state;
    add(f, (struct sketch){1, 2000, 0, 2, 0, 2, ""});
    add(f, (struct sketch){2, 2001, 1, 2, 1, 2, ""});
    add(f, (struct sketch){3, 5002, 0, 3, 0, 3, ""});
    add(f, (struct sketch){4, 5001, 1, 3, 1, 3, ""});
    add(f, (struct sketch){5, 5000, 2, 3, 2, 3, ""});
    add(f, (struct sketch){6, 8001, 0, 2, 0, 2, ""});
    add(f, (struct sketch){7, 8000, 1, 2, 1, 2, ""});
    hid_t h = collected(f);
    EXPECT(h, "/rank_region_index/ranks", 0, 1, 2, 3, 4, 5, 6);
    EXPECT(h, "/events/durations", 1, 2, 3, 4, 5, 6, 7);
    EXPECT(h, "/process_table/mpi_rank", 0, 1, 0, 1, 2, 0, 1);
    assert_int_equal(read_attribute(h, "/metadata", "mpi_size"), 2);
    assert_int_equal(f->result.num_notes, 0);
}

static void expected_ranks(void **state) {
    struct fixture *f = *state;
    f->options.expected_ranks = 8;
    add(f, (struct sketch){1, 5000, 3, 4, -1, -1, "w"});
    hid_t h = collected(f);
    EXPECT(h, "/rank_region_index/ranks", 3);
    assert_int_equal(read_attribute(h, "/metadata", "mpi_size"), 8);
    assert_true(has_note(f, "ranks 0-2, 4-7 of 8 recorded nothing"));
}

/* Numbers that no launch can mean are not believed. */
static void absurd_ranks(void **state) {
    struct fixture *f = *state;
    add(f, (struct sketch){1, 2000, INT32_MAX, INT32_MAX, -1, -1, "w"});
    add(f, (struct sketch){2, 3000, 1, INT32_MAX, -1, -1, "w"});
    hid_t h = collected(f);
    EXPECT(h, "/rank_region_index/ranks", 1, 2);
    assert_int_equal(read_attribute(h, "/metadata", "mpi_size"), 2);
}

/* Rank 0's regions first, then what others add; rows rank by rank. */
static void regions_of_ranks(void **state) {
    struct fixture *f = *state;
    struct make_process p, q;
    struct make_lane l, m;
    make_process(&f->spool, &p, 1);
    make_region(&p, "only1");
    make_region(&p, "both");
    make_lane(&p, &l, 1000);
    make_begin(&l, 3000, 2);
    make_end(&l, 3010, 2);
    make_begin(&l, 3020, 1);
    make_end(&l, 3040, 1);
    make_process(&f->spool, &q, 2);
    make_region(&q, "x");
    make_region(&q, "both");
    make_lane(&q, &m, 1000);
    make_begin(&m, 2000, 2);
    make_end(&m, 2001, 2);
    make_begin(&m, 2002, 1);
    make_end(&m, 2004, 1);
    make_lane_write(&l);
    make_lane_write(&m);
    make_process_write(&p);
    make_process_write(&q);
    hid_t h = collected(f);
    EXPECT_TEXTS(h, "/region_table/names", "x", "both", "only1");
    EXPECT(h, "/rank_region_index/region_ids", 0, 1, 2, 1);
    EXPECT(h, "/rank_region_index/ranks", 0, 0, 1, 1);
    EXPECT(h, "/events/durations", 2, 1, 20, 10);
}

static void mixed_columns(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    add(f, (struct sketch){1, 2000, -1, -1, -1, -1, ""});
    make_process(&f->spool, &p, 2);
    uint32_t a = make_region(&p, "a"), b = make_region(&p, "b");
    make_lane(&p, &l, 1000);
    make_thread_begin(&l, 1000, 501, 1);
    make_begin(&l, 3000, a);
    make_begin(&l, 3100, b);
    make_end(&l, 3200, a);
    make_end(&l, 3300, b);
    make_thread_end(&l, 3400, 1, "t");
    make_thread_begin(&l, 3500, 502, 2);
    make_begin(&l, 3600, a);
    make_end(&l, 3700, a);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/events/thread_ids", 0, 0, 1, 0);
    EXPECT(h, "/events/call_ids", 0, 0, 2, 1);
    EXPECT(h, "/events/parent_ids", -1, -1, -1, 0);
    EXPECT(h, "/rank_region_index/exclusive_totals", 1, -1, -1); /* only the rank whose calls overlap has none */
    EXPECT(h, "/thread_table/ranks", 0, 1, 1);
    EXPECT(h, "/thread_table/native_id", -1, 501, 502);
}

/* ---- how they ended --------------------------------------------------------------------------------------------- */

static void read_own(const char *path, char *into, size_t size) {
    int fd = open(path, O_RDONLY);
    ssize_t n = read(fd, into, size - 1);
    close(fd);
    into[n > 0 ? n : 0] = '\0';
    into[strcspn(into, "\n")] = '\0';
}

static uint64_t own_start_time(void) {
    char text[1024];
    unsigned long long value = 0;
    read_own("/proc/self/stat", text, sizeof text);
    sscanf(strrchr(text, ')') + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
           &value);
    return value;
}

static void ended(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    f->options.child = 1003;
    f->options.child_status = 9; /* SIGKILL */
    for (unsigned n = 1; n <= 4; n++) {
        make_process(&f->spool, &p, n);
        read_own("/proc/sys/kernel/random/boot_id", p.info.boot_id, sizeof p.info.boot_id);
        uint32_t a = make_region(&p, "a");
        make_lane(&p, &l, 1000);
        make_begin(&l, 2000 + n, a);
        make_lane_write(&l);
        if (n > 1) p.info.end = SPOOL_END_UNKNOWN;
        if (n == 2) { /* this very test */
            p.info.pid = getpid();
            p.info.start_time = own_start_time();
        }
        if (n == 4) {
            p.info.stop = SPOOL_STOP_ERROR;
            p.info.stop_errno = 28;
            p.info.stop_tick = 2500;
            p.info.last = (struct spool_point){3000, 3000};
            snprintf(p.info.stop_path, sizeof p.info.stop_path, "/spool/x.lane");
        }
        make_process_write(&p);
    }
    f->options.keep = true;
    hid_t h = collected(f);
    EXPECT_TEXTS(h, "/process_table/ended", "exit", "running", "signal 9", "unknown");
    EXPECT_TEXTS(h, "/process_table/command", "prog", "prog", "prog", "prog");
    EXPECT_TEXTS(h, "/process_table/problem", "", "still running when it was collected", "",
                 "recording stopped early: No space left on device");
    EXPECT(h, "/process_table/complete", 1, 0, 1, 0);
    struct numbers since = read_numbers(h, "/process_table/incomplete_since_ns"),
                   end = read_numbers(h, "/process_table/end_ns"), d = read_numbers(h, "/events/durations");
    assert_int_equal(since.values[0], -1);
    assert_true(since.values[1] > 2002);
    assert_int_equal(since.values[2], -1);
    assert_int_equal(since.values[3], 2500);
    assert_int_equal(end.values[0], 1000000);
    assert_int_equal(end.values[1], -1);
    assert_int_equal(end.values[2], 2003); /* the last that is known of it */
    assert_int_equal(end.values[3], 3000);
    assert_int_equal(d.values[0], 1000000 - 2001);
    assert_int_equal(d.values[1], since.values[1] - 2002);
    assert_int_equal(d.values[2], 1);
    assert_int_equal(d.values[3], 2500 - 2004);
    numbers_free(&since);
    numbers_free(&end);
    numbers_free(&d);
    char line[128];
    snprintf(line, sizeof line, "process %d (prog) was still running: what it records from now on is lost", getpid());
    assert_true(has_note(f, line));
    assert_true(has_note(f, "process 1004 (prog): recording stopped early: /spool/x.lane: No space left on device"));
    assert_int_equal(f->result.running, 1);
    /* Whoever is not known to have ended was told to stop. */
    for (unsigned n = 1; n <= 4; n++) {
        char path[400];
        uint32_t closed = 7;
        snprintf(path, sizeof path, "%s/%016x.proc", f->spool.spool, n);
        int fd = open(path, O_RDONLY);
        assert_int_equal(pread(fd, &closed, sizeof closed, offsetof(struct spool_process, closed)), sizeof closed);
        close(fd);
        assert_int_equal(closed, n > 1);
    }
}

/* One process, two programs one after the other. */
static void two_programs(struct fixture *f, int64_t pid, uint64_t start_time, uint32_t end) {
    struct make_process p;
    struct make_lane l;
    for (unsigned n = 1; n <= 2; n++) {
        make_process(&f->spool, &p, n);
        read_own("/proc/sys/kernel/random/boot_id", p.info.boot_id, sizeof p.info.boot_id);
        uint32_t a = make_region(&p, "a");
        make_lane(&p, &l, 1000);
        make_begin(&l, 2000 * n, a);
        make_end(&l, 2000 * n + 1, a);
        make_lane_write(&l);
        p.info.pid = pid;
        p.info.start_time = start_time;
        p.info.first = p.info.last = (struct spool_point){1000 * n, 1000 * (int64_t)n};
        p.info.end = n == 1 ? SPOOL_END_UNKNOWN : end;
        make_process_write(&p);
    }
}

/* The status is the last one's. */
static void replaced(void **state) {
    struct fixture *f = *state;
    f->options.child = 1001;
    f->options.child_status = 3 << 8;
    two_programs(f, 1001, 77, SPOOL_END_EXIT);
    hid_t h = collected(f);
    EXPECT_TEXTS(h, "/process_table/ended", "unknown", "exit 3");
    EXPECT(h, "/process_table/pid", 1001, 1001);
}

/* And it is the last one that still runs. */
static void replaced_and_running(void **state) {
    struct fixture *f = *state;
    two_programs(f, getpid(), own_start_time(), SPOOL_END_UNKNOWN);
    hid_t h = collected(f);
    EXPECT_TEXTS(h, "/process_table/ended", "unknown", "running");
    assert_int_equal(f->result.running, 1);
}

static void in_use(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    make_process(&f->spool, &p, 1);
    make_process_write(&p);
    assert_false(collect_spool_in_use(f->spool.spool));
    read_own("/proc/sys/kernel/random/boot_id", p.info.boot_id, sizeof p.info.boot_id);
    p.info.pid = getpid();
    p.info.start_time = own_start_time() + 1; /* the pid was given again */
    make_process_write(&p);
    assert_false(collect_spool_in_use(f->spool.spool));
    p.info.start_time--;
    make_process_write(&p);
    assert_true(collect_spool_in_use(f->spool.spool));
    assert_false(collect_spool_in_use("/nonexistent"));
}

static void nodes(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    for (unsigned n = 1; n <= 3; n++) {
        make_process(&f->spool, &p, n);
        p.info.mpi_rank = (int)n - 1;
        p.info.mpi_size = 3;
        p.info.mpi_initialized = 1;
        p.info.omp_num_threads = 4;
        uint32_t a = make_region(&p, "a");
        make_lane(&p, &l, 1000);
        make_begin(&l, 2000, a);
        make_end(&l, 2100, a);
        make_lane_write(&l);
        if (n == 2) { /* another machine: booted 500000 ns later by the calendar */
            snprintf(p.info.boot_id, sizeof p.info.boot_id, "11111111-0000-0000-0000-000000000000");
            p.info.realtime_ns += 500000;
        }
        make_process_write(&p);
    }
    make_record(&p, SPOOL_MPI_LIBRARY, "Open MPI v4.1.4, package: root@host", 35);
    hid_t h = collected(f);
    EXPECT(h, "/process_table/node", 0, 1, 0);
    EXPECT(h, "/events/start_deltas", 2000, 502000, 2000);
    EXPECT(h, "/events/durations", 100, 100, 100);
    assert_int_equal(read_attribute(h, "/metadata", "num_nodes"), 2);
    assert_int_equal(read_attribute(h, "/metadata", "mpi_size"), 3);
    assert_int_equal(read_attribute(h, "/metadata", "total_cores"), 12);
    char *library = read_attribute_text(h, "/metadata", "mpi_library");
    assert_string_equal(library, "Open MPI v4.1.4");
    free(library);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(no_mpi),
        TEST(mpi_first),
        TEST(worlds),
        TEST(launches_without_names),
        TEST(expected_ranks),
        TEST(absurd_ranks),
        TEST(regions_of_ranks),
        TEST(mixed_columns),
        TEST(ended),
        TEST(replaced),
        TEST(replaced_and_running),
        TEST(in_use),
        TEST(nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
