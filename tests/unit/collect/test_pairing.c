/* Which end belongs to which begin, and what comes of the rest. */
#include "collect_test.h"

enum { PROBLEM_UNMATCHED, PROBLEM_CUT, PROBLEM_OVERLAP, PROBLEM_LOST };

static void balanced(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region_full(&p, "a", 1, "/home/user/src/a.c", 12, "[\"hot\"]"), b = make_region(&p, "b");
    make_lane(&p, &l, 1000);
    make_begin(&l, 2000, a);
    make_begin(&l, 2100, b);
    make_end(&l, 2150, b);
    make_begin(&l, 2200, b);
    make_end(&l, 2300, b);
    make_end(&l, 2500, a);
    make_begin(&l, 3000, a);
    make_end(&l, 3007, a);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT_TEXTS(h, "/region_table/names", "a", "b");
    EXPECT(h, "/rank_region_index/region_ids", 0, 1);
    EXPECT(h, "/rank_region_index/ranks", 0, 0);
    EXPECT(h, "/rank_region_index/event_offsets", 0, 2);
    EXPECT(h, "/rank_region_index/event_counts", 2, 2);
    EXPECT(h, "/rank_region_index/source_lines", 12, -1);
    EXPECT(h, "/rank_region_index/exclusive_totals", 357, 150);
    EXPECT_TEXTS(h, "/rank_region_index/source_files", "a.c", "");
    EXPECT_TEXTS(h, "/rank_region_index/source_texts", "", "");
    EXPECT_TEXTS(h, "/rank_region_index/tags", "[\"hot\"]", "[]");
    EXPECT(h, "/events/start_deltas", 2000, 1000, 2100, 100);
    EXPECT(h, "/events/durations", 500, 7, 50, 100);
    EXPECT_SUMMARY(h, "total", 507, 150);
    EXPECT_SUMMARY(h, "minimum", 7, 50);
    EXPECT_SUMMARY(h, "maximum", 500, 100);
    EXPECT_SUMMARY(h, "first", 500, 50);
    EXPECT_SUMMARY(h, "last", 7, 100);
    EXPECT_SUMMARY(h, "start_minimum", 2000, 2100);
    EXPECT_SUMMARY(h, "end_maximum", 3007, 2300);
    EXPECT_SUMMARY(h, "gpu_count", 0, 0);
    double *mean = read_summary_real(h, "mean"), *m2 = read_summary_real(h, "m2");
    assert_true(mean[0] == 253.5 && mean[1] == 75);
    assert_true(m2[0] == 2 * 246.5 * 246.5 && m2[1] == 1250);
    free(mean);
    free(m2);
    assert_int_equal(read_attribute(h, "/", "scope_profiler_schema"), 3);
    assert_false(read_has(h, "/problem_table"));
    assert_false(read_has(h, "/thread_table"));
    assert_false(read_has(h, "/events/thread_ids"));
    assert_false(read_has(h, "/events/call_ids"));
    assert_int_equal(f->result.calls, 4);
    assert_int_equal(f->result.num_notes, 0);
}

static void recursion(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a");
    make_lane(&p, &l, 0);
    for (int i = 0; i < 5000; i++) make_begin(&l, 1000 + (uint64_t)i, a);
    for (int i = 0; i < 3000; i++) make_end(&l, 10000 + (uint64_t)i, a);
    make_flush(&l);
    for (int i = 3000; i < 5000; i++) make_end(&l, 10000 + (uint64_t)i, a);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    struct numbers d = read_numbers(h, "/events/durations");
    assert_int_equal(d.count, 5000);
    for (int i = 0; i < 5000; i++) assert_int_equal(d.values[i], 10000 + 4999 - i - (1000 + i));
    numbers_free(&d);
    EXPECT(h, "/rank_region_index/exclusive_totals", 14999 - 1000);
    assert_int_equal(f->result.num_notes, 0);
}

/* Times that stand still or go back a little: the order of the words is what nests. */
static void equal_times(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a"), b = make_region(&p, "b");
    make_lane(&p, &l, 1000);
    make_begin(&l, 2000, a);
    make_begin(&l, 2000, b);
    make_end(&l, 1990, b);
    make_end(&l, 2000, a);
    make_begin(&l, 2000, a);
    make_end(&l, 2500, a);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/events/start_deltas", 2000, 4, 2001);
    EXPECT(h, "/events/durations", 3, 496, 1);
    EXPECT(h, "/rank_region_index/exclusive_totals", 498, 1);
}

static void unmatched_and_open(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t never = make_region(&p, "never_begun"), early = make_region(&p, "early"), ok = make_region(&p, "ok"),
             open = make_region(&p, "open_at_exit");
    make_region(&p, "unused");
    make_lane(&p, &l, 1000);
    make_end(&l, 1100, never);
    make_end(&l, 1200, never);
    for (uint64_t k = 0; k < 4; k++) {
        make_begin(&l, 2000 + k * 100, early);
        if (k % 2 == 0) make_end(&l, 2050 + k * 100, early);
    }
    make_begin(&l, 3000, ok);
    make_end(&l, 3020, ok);
    make_end(&l, 3030, ok);
    make_begin(&l, 4000, open);
    make_lane_write(&l);
    p.info.end_tick = 9000;
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT_TEXTS(h, "/region_table/names", "never_begun", "early", "ok", "open_at_exit");
    EXPECT(h, "/rank_region_index/region_ids", 1, 2, 3);
    EXPECT(h, "/rank_region_index/event_counts", 4, 1, 1);
    EXPECT(h, "/events/durations", 50, 9000 - 2100, 50, 9000 - 2300, 20, 5000);
    EXPECT(h, "/problem_table/ranks", 0, 0, 0, 0);
    EXPECT(h, "/problem_table/region_ids", 0, 1, 2, 3);
    EXPECT(h, "/problem_table/kinds", PROBLEM_UNMATCHED, PROBLEM_CUT, PROBLEM_UNMATCHED, PROBLEM_CUT);
    EXPECT(h, "/problem_table/counts", 2, 2, 1, 1);
    EXPECT(h, "/problem_table/at_exit", 0, 2, 0, 1);
    EXPECT(h, "/problem_table/open_ns", 0, 6900, 0, 5000);
    assert_int_equal(f->result.num_notes, 4);
    assert_string_equal(f->result.notes[0], "never_begun: 2 ends without a begin");
    assert_string_equal(f->result.notes[1], "early: 2 of 4 calls were not ended");
    assert_string_equal(f->result.notes[2], "ok: 1 end without a begin");
    assert_string_equal(f->result.notes[3], "open_at_exit: 1 call open at exit");
}

/* The end of a call around it is as long as a call can have lasted that was never ended itself. */
static void jumped(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t outer = make_region(&p, "outer"), early = make_region(&p, "early"), after = make_region(&p, "after");
    make_lane(&p, &l, 1000);
    for (uint64_t k = 0; k < 3; k++) {
        make_begin(&l, 2000 + k * 100, outer);
        make_begin(&l, 2010 + k * 100, early);
        make_end(&l, 2050 + k * 100, outer);
    }
    make_begin(&l, 3000, after);
    make_end(&l, 3100, after);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/events/durations", 50, 50, 50, 40, 40, 40, 100);
    EXPECT(h, "/rank_region_index/exclusive_totals", 30, 120, 100);
    EXPECT(h, "/problem_table/kinds", PROBLEM_CUT);
    EXPECT(h, "/problem_table/counts", 3);
    EXPECT(h, "/problem_table/at_exit", 0);
    EXPECT(h, "/problem_table/open_ns", 40);
    assert_int_equal(f->result.num_notes, 1);
    assert_true(has_note(f, "early: 3 of 3 calls were not ended"));
    assert_false(read_has(h, "/events/call_ids"));
}

static void overlap(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a"), b = make_region(&p, "b"), c = make_region(&p, "c");
    make_lane(&p, &l, 1000);
    make_begin(&l, 2000, a); /* id 0 */
    make_begin(&l, 2100, b); /* id 1, in a */
    make_end(&l, 2200, a);
    make_begin(&l, 2300, c); /* id 2, in b, which lasts */
    make_end(&l, 2350, c);
    make_end(&l, 2400, b);
    make_begin(&l, 2500, c); /* id 3 */
    make_end(&l, 2600, c);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/events/start_deltas", 2000, 2100, 2300, 200);
    EXPECT(h, "/events/durations", 200, 300, 50, 100);
    EXPECT(h, "/events/call_ids", 0, 1, 2, 3);
    EXPECT(h, "/events/parent_ids", -1, 0, 1, -1);
    EXPECT(h, "/rank_region_index/exclusive_totals", -1, -1, -1);
    EXPECT(h, "/problem_table/region_ids", 1);
    EXPECT(h, "/problem_table/kinds", PROBLEM_OVERLAP);
    EXPECT(h, "/problem_table/counts", 1);
    assert_true(has_note(f, "b: 1 call ended after a call around it had ended"));
}

/* Where calls overlap, one that was jumped over and never ended is nobody's parent. */
static void overlap_and_cut(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a"), b = make_region(&p, "b"), dead = make_region(&p, "dead");
    make_lane(&p, &l, 1000);
    make_begin(&l, 2000, a); /* id 0 */
    make_begin(&l, 2100, b); /* id 1 */
    make_end(&l, 2200, a);
    make_end(&l, 2300, b);
    make_begin(&l, 3000, a);    /* id 2 */
    make_begin(&l, 3100, dead); /* id 3 */
    make_end(&l, 3200, a);
    make_begin(&l, 3300, a); /* id 4 */
    make_end(&l, 3400, a);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/events/call_ids", 0, 2, 4, 1, 3);
    EXPECT(h, "/events/parent_ids", -1, -1, -1, 0, 2);
    EXPECT(h, "/events/durations", 200, 200, 100, 200, 100);
}

/* 10 000 calls of their own names that end in the order in which they began: all overlap, none is lost. */
static void first_in_first_out(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    enum { N = 10000 };
    make_process(&f->spool, &p, 1);
    for (int i = 0; i < N; i++) {
        char name[32];
        snprintf(name, sizeof name, "r%d", i);
        make_region(&p, name);
    }
    make_lane(&p, &l, 0);
    for (uint64_t i = 1; i <= N; i++) make_begin(&l, 1000 + i * 10, (uint32_t)i);
    for (uint64_t i = 1; i <= N; i++) make_end(&l, 500000 + i * 10, (uint32_t)i);
    make_flush(&l);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    struct numbers d = read_numbers(h, "/events/durations"), k = read_numbers(h, "/problem_table/kinds"),
                   parents = read_numbers(h, "/events/parent_ids");
    assert_int_equal(d.count, N);
    assert_int_equal(k.count, N - 1);
    for (size_t i = 0; i < N; i++) assert_int_equal(d.values[i], 499000);
    for (size_t i = 0; i < k.count; i++) assert_int_equal(k.values[i], PROBLEM_OVERLAP);
    for (size_t i = 0; i < N; i++) assert_int_equal(parents.values[i], (int64_t)i - 1);
    numbers_free(&d);
    numbers_free(&k);
    numbers_free(&parents);
}

/* A frame left by longjmp: the end belongs to the call that is on the stack, not to the one that was left. */
static void left_frames(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t x = make_region(&p, "x"), a = make_region(&p, "a");
    make_lane(&p, &l, 0);
    make_begin(&l, 2000, x);
    make_begin(&l, 2100, a);
    make_begin(&l, 2200, x); /* left */
    make_end(&l, 2300, a);
    make_end(&l, 2400, x);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/events/durations", 400, 100, 200);
    EXPECT(h, "/rank_region_index/exclusive_totals", 300, 100);
    EXPECT(h, "/problem_table/kinds", PROBLEM_CUT);
    EXPECT(h, "/problem_table/counts", 1);
}

/* More forgotten ends than are kept: all are cut off where they were jumped over, and memory does not grow with them.
 */
static void many_jumped(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    enum { N = 50000 };
    make_process(&f->spool, &p, 1);
    uint32_t outer = make_region(&p, "outer"), early = make_region(&p, "early");
    make_lane(&p, &l, 0);
    make_epoch(&l, 1000);
    for (uint64_t i = 0; i < N; i++) {
        make_begin(&l, 1000 + i * 10, outer);
        make_begin(&l, 1003 + i * 10, early);
        make_end(&l, 1008 + i * 10, outer);
    }
    make_flush(&l);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    struct numbers d = read_numbers(h, "/events/durations");
    assert_int_equal(d.count, 2 * N);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(d.values[i], 8);
        assert_int_equal(d.values[N + i], 5);
    }
    numbers_free(&d);
    EXPECT(h, "/problem_table/counts", N);
}

/* Nesting without end is counted where it cannot be kept. */
static void too_deep(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    const uint64_t n = 600000, kept = 512u << 10;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a"), b = make_region(&p, "b");
    make_lane(&p, &l, 0);
    for (uint64_t i = 0; i < n; i++) make_begin(&l, 1000 + i, a);
    for (uint64_t i = 0; i < n; i++) make_end(&l, 1000 + n + i, a);
    make_begin(&l, 1000 + 3 * n, b);
    make_end(&l, 1005 + 3 * n, b);
    make_flush(&l);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/rank_region_index/event_counts", (int64_t)kept, 1);
    EXPECT(h, "/problem_table/kinds", PROBLEM_LOST);
    EXPECT(h, "/problem_table/counts", (int64_t)(n - kept));
    EXPECT(h, "/problem_table/region_ids", -1);
    EXPECT_SUMMARY(h, "last", (int64_t)(2 * n - 2 * kept + 1), 5);
    assert_true(has_note(f, "process 1001 (prog): 75712 calls were nested too deeply to be kept"));
}

/* Deep nesting and a stream of ends of something that is not open: no time that grows with the product. */
static void hopeless_ends(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a"), b = make_region(&p, "b");
    make_lane(&p, &l, 0);
    for (uint64_t i = 0; i < 300000; i++) make_begin(&l, 1000 + i, a);
    for (uint64_t i = 0; i < 300000; i++) make_end(&l, 400000 + i, b);
    make_flush(&l);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/problem_table/kinds", PROBLEM_CUT, PROBLEM_UNMATCHED);
    EXPECT(h, "/problem_table/counts", 300000, 300000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(balanced),    TEST(recursion),   TEST(equal_times),     TEST(unmatched_and_open),
        TEST(jumped),      TEST(overlap),     TEST(overlap_and_cut), TEST(first_in_first_out),
        TEST(left_frames), TEST(many_jumped), TEST(too_deep),        TEST(hopeless_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
