/* Calls that a process added up itself: exact numbers, and files that say what cannot be. */
#include "collect_test.h"
#include <fcntl.h>
#include <unistd.h>

enum { ROWS = 8, OPEN = 128 };

struct sums {
    struct spool_sums head;
    char rest[SPOOL_PAGE - sizeof(struct spool_sums)];
    struct spool_sum rows[ROWS];
    struct spool_open open[OPEN];
};

static void write_file(const struct make_process *p, const char *suffix, const void *bytes, size_t size) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s-0.%s", p->spool->spool, p->id, suffix);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
}

/* A process with regions "a" and "b", one thread from tick 1500, and such sums; the clock counts nanoseconds. */
static void one_process(struct fixture *f, struct sums *s, size_t rows) {
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    make_region(&p, "a");
    make_region_full(&p, "b", 1, "dir/b.c", 7, "[\"t\"]");
    make_lane(&p, &l, 1000);
    make_thread_begin(&l, 1500, 77, 1);
    make_lane_write(&l);
    make_process_write(&p);
    if (!s->head.magic) s->head.magic = SPOOL_SUMS_MAGIC;
    s->head.version = SPOOL_VERSION;
    write_file(&p, "sums", s, SPOOL_PAGE + rows * sizeof *s->rows);
    write_file(&p, "open", s->open, sizeof s->open);
}

static struct spool_sum sum(uint64_t calls, uint64_t total, uint64_t inside, uint64_t minimum, uint64_t maximum) {
    struct spool_sum s = {.calls = calls};
    s.totals[calls & 1] = (struct spool_totals){total, inside, ~minimum, maximum};
    s.totals[~calls & 1] = (struct spool_totals){99999, 9, ~UINT64_C(1), 99999}; /* of a call that did not end */
    return s;
}

#define INDEX "/rank_region_index/"

static void adds_up(void **state) {
    struct fixture *f = *state;
    struct sums s = {0};
    s.rows[0] = sum(3, 600, 250, 100, 300);
    s.rows[1] = sum(4, 250, 0, 10, 200);
    s.rows[1].unmatched = 2;
    one_process(f, &s, ROWS);
    collected(f);
    assert_int_equal(f->result.calls, 7);
    char *layout = read_attribute_text(f->file, "/", "storage_layout");
    assert_string_equal(layout, "aggregate");
    free(layout);
    EXPECT_TEXTS(f->file, "/region_table/names", "a", "b");
    EXPECT(f->file, INDEX "region_ids", 0, 1);
    EXPECT(f->file, INDEX "aggregate_counts", 3, 4);
    EXPECT(f->file, INDEX "aggregate_totals", 600, 250);
    EXPECT(f->file, INDEX "aggregate_minimums", 100, 10);
    EXPECT(f->file, INDEX "aggregate_maximums", 300, 200);
    EXPECT(f->file, INDEX "aggregate_exclusives", 350, 250);
    EXPECT(f->file, INDEX "source_lines", -1, 7);
    EXPECT_TEXTS(f->file, INDEX "source_files", "", "dir/b.c");
    EXPECT_TEXTS(f->file, INDEX "tags", "[]", "[\"t\"]");
    EXPECT(f->file, "/problem_table/kinds", 0);
    EXPECT(f->file, "/problem_table/counts", 2);
    const char *const empty[] = {"/events/start_deltas", "/events/durations", INDEX "event_counts"};
    for (size_t i = 0; i < 3; i++) {
        struct numbers none = read_numbers(f->file, empty[i]);
        assert_int_equal(none.count, 0);
        numbers_free(&none);
    }
}

/* a from 2000, within it b from 2100 (1000 ticks of it in calls that ended), both open when the process exits at
 * 1000000; a call of b from 1600 that was jumped over at 1700. */
static void open_calls_end_with_the_process(void **state) {
    struct fixture *f = *state;
    struct sums s = {0};
    s.rows[0] = sum(1, 40, 0, 40, 40);
    s.open[1] = (struct spool_open){.begin = 2000, .inside = 50, .region = 1};
    s.open[2] = (struct spool_open){.begin = 2100, .inside = 1000, .region = 2};
    s.open[4] = (struct spool_open){.begin = 2200, .region = 1}; /* behind a free place: left over */
    s.head.jumped[5] = (struct spool_open){.begin = 1600, .jumped = 1700, .region = 2};
    one_process(f, &s, ROWS);
    collected(f);
    EXPECT(f->file, INDEX "aggregate_counts", 2, 2);
    EXPECT(f->file, INDEX "aggregate_totals", 40 + 998000, 997900 + 100);
    EXPECT(f->file, INDEX "aggregate_minimums", 40, 100);
    EXPECT(f->file, INDEX "aggregate_maximums", 998000, 997900);
    EXPECT(f->file, INDEX "aggregate_exclusives", 40 + 998000 - 50 - 997900, 997900 - 1000 + 100);
    EXPECT(f->file, "/problem_table/counts", 1, 2);
    EXPECT(f->file, "/problem_table/at_exit", 1, 1);
    EXPECT(f->file, "/problem_table/open_ns", 998000, 997900);
}

/* Another process kept its calls: the file has both. */
static void beside_a_trace(void **state) {
    struct fixture *f = *state;
    struct sums s = {0};
    struct make_process p;
    struct make_lane l;
    s.rows[0] = sum(3, 600, 250, 100, 300);
    one_process(f, &s, ROWS);
    make_process(&f->spool, &p, 2);
    const uint32_t outer = make_region(&p, "outer"), a = make_region(&p, "a");
    make_lane(&p, &l, 1000);
    make_begin(&l, 2000, outer);
    make_begin(&l, 2100, a);
    make_end(&l, 2300, a);
    make_end(&l, 3000, outer);
    make_lane_write(&l);
    make_process_write(&p);
    collected(f);
    assert_int_equal(f->result.calls, 5);
    EXPECT_TEXTS(f->file, "/region_table/names", "a", "outer");
    EXPECT(f->file, INDEX "region_ids", 0, 1, 0);
    EXPECT(f->file, INDEX "ranks", 0, 1, 1);
    EXPECT(f->file, INDEX "event_counts", 0, 1, 1);
    EXPECT(f->file, INDEX "exclusive_totals", 0, 800, 200);
    EXPECT(f->file, INDEX "aggregate_counts", 3, 1, 1);
    EXPECT(f->file, INDEX "aggregate_totals", 600, 1000, 200);
    EXPECT(f->file, INDEX "aggregate_exclusives", 350, 800, 200);
    EXPECT(f->file, "/events/durations", 1000, 200);
}

static void what_cannot_be(void **state) {
    struct fixture *f = *state;
    struct sums s = {0};
    s.rows[0] = sum(UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX);
    s.rows[1] = sum(2, 10, 20, 30, 5);
    s.rows[1].cut = s.rows[1].overlaps = UINT64_MAX;
    s.rows[5] = sum(6, 1, 1, 1, 1); /* no such region */
    s.head.lost = s.head.too_deep = UINT64_MAX;
    s.open[1] = (struct spool_open){.begin = UINT64_MAX, .inside = UINT64_MAX, .region = 900};
    one_process(f, &s, ROWS);
    collected(f);
    struct numbers totals = read_numbers(f->file, INDEX "aggregate_totals"),
                   least = read_numbers(f->file, INDEX "aggregate_minimums"),
                   most = read_numbers(f->file, INDEX "aggregate_maximums"),
                   own = read_numbers(f->file, INDEX "aggregate_exclusives");
    assert_int_equal(totals.count, 2);
    for (size_t i = 0; i < totals.count; i++) {
        assert_true(least.values[i] >= 0 && least.values[i] <= most.values[i] && most.values[i] <= totals.values[i]);
        assert_true(own.values[i] >= 0 && own.values[i] <= totals.values[i]);
    }
    numbers_free(&totals);
    numbers_free(&least);
    numbers_free(&most);
    numbers_free(&own);
}

static void cut_short(void **state) {
    struct fixture *f = *state;
    struct sums s = {0};
    s.rows[0] = sum(3, 600, 0, 100, 300);
    s.rows[1] = sum(4, 250, 0, 10, 200);
    one_process(f, &s, 1);
    collected(f);
    EXPECT(f->file, INDEX "aggregate_counts", 3);
}

static void of_something_else(void **state) {
    struct fixture *f = *state;
    struct sums s = {.head.magic = 1};
    s.rows[0] = sum(3, 600, 0, 100, 300);
    one_process(f, &s, ROWS);
    assert_int_not_equal(run_collect(f), COLLECT_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(adds_up),        TEST(open_calls_end_with_the_process),
                                       TEST(what_cannot_be), TEST(beside_a_trace),
                                       TEST(cut_short),      TEST(of_something_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
