/* Tasks take turns in a lane; each has calls of its own. */
#include "collect_test.h"

enum { PROBLEM_UNMATCHED, PROBLEM_CUT, PROBLEM_OVERLAP, PROBLEM_LOST };

static void turns(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t run = make_region(&p, "run"), x = make_region(&p, "x"), y = make_region(&p, "y");
    make_lane(&p, &l, 1000);
    make_thread_begin(&l, 1000, 77, 1);
    make_begin(&l, 2000, run);
    make_task(&l, 5, SPOOL_TASK_ASYNCIO, "Task-1", "main.<locals>.w\xc3\xb6rk");
    make_switch(&l, 2100, 5, SPOOL_TASK_TURNS);
    make_begin(&l, 2110, x);
    make_begin(&l, 2120, y);
    make_end(&l, 2130, y);
    make_switch(&l, 2150, 0, SPOOL_TASK_TURNS); /* x waits */
    make_task(&l, 9, SPOOL_TASK_GREENLET, "", "");
    make_switch(&l, 2200, 9, SPOOL_TASK_TURNS);
    make_begin(&l, 2210, x);
    make_switch(&l, 2300, 5, SPOOL_TASK_TURNS);
    make_end(&l, 2350, x); /* its own, not the other's */
    make_switch(&l, 2400, 9, SPOOL_TASK_TURNS);
    make_end(&l, 2500, x);
    make_switch(&l, 2600, 0, SPOOL_TASK_TURNS);
    make_task_done(&l, 5);
    make_end(&l, 3000, run);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT_TEXTS(h, "/region_table/names", "run", "x", "y");
    EXPECT(h, "/rank_region_index/event_counts", 1, 2, 1);
    EXPECT(h, "/events/start_deltas", 2000, 2110, 100, 2120);
    EXPECT(h, "/events/durations", 1000, 240, 290, 10);
    EXPECT(h, "/events/task_ids", -1, 0, 1, 0);
    EXPECT(h, "/events/thread_ids", 0, 0, 0, 0);
    EXPECT(h, "/events/await_ns", 0, 150, 100, 0);
    EXPECT(h, "/rank_region_index/exclusive_totals", 1000, 520, 10); /* each lane by itself */
    EXPECT(h, "/task_table/ranks", 0, 0);
    EXPECT(h, "/task_table/index", 0, 1);
    EXPECT(h, "/task_table/thread_index", 0, 0);
    EXPECT(h, "/task_table/created_ns", 2100, 2200);
    EXPECT(h, "/task_table/done_ns", 2400, -1);
    EXPECT(h, "/task_table/steps", 2, 2);
    EXPECT(h, "/task_table/running_ns", 150, 300);
    EXPECT(h, "/task_table/suspended_ns", 150, 100);
    EXPECT_TEXTS(h, "/task_table/kind", "asyncio", "greenlet");
    EXPECT_TEXTS(h, "/task_table/name", "Task-1", "");
    EXPECT_TEXTS(h, "/task_table/coro_name", "main.<locals>.w\xc3\xb6rk", "");
    EXPECT_TEXTS(h, "/thread_table/name", "");
    assert_false(read_has(h, "/problem_table"));
}

/* A task within another one's step: neither suspends the other. */
static void interrupted(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a"), b = make_region(&p, "b");
    make_lane(&p, &l, 1000);
    make_switch(&l, 2000, 1, SPOOL_TASK_TURNS);
    make_begin(&l, 2010, a);
    make_switch(&l, 2100, 2, SPOOL_TASK_INTERRUPTS);
    make_begin(&l, 2110, b);
    make_end(&l, 2190, b);
    make_switch(&l, 2200, 1, SPOOL_TASK_GOES_ON);
    make_end(&l, 2300, a);
    make_switch(&l, 2310, 0, SPOOL_TASK_TURNS);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/events/durations", 290, 80);
    EXPECT(h, "/events/task_ids", 0, 1);
    EXPECT(h, "/events/await_ns", 0, 0);
    EXPECT(h, "/rank_region_index/exclusive_totals", 290, 80);
    EXPECT(h, "/task_table/steps", 1, 1);
    EXPECT(h, "/task_table/running_ns", 310, 100);
    EXPECT(h, "/task_table/suspended_ns", 0, 0);
    EXPECT_TEXTS(h, "/task_table/kind", "", "");
}

/* What is open when the thread or the process ends, in tasks that wait. */
static void cut_off(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a"), b = make_region(&p, "b");
    make_lane(&p, &l, 1000);
    make_thread_begin(&l, 1000, 77, 1);
    make_switch(&l, 2000, 1, SPOOL_TASK_TURNS);
    make_begin(&l, 2010, a);
    make_switch(&l, 2100, 2, SPOOL_TASK_TURNS);
    make_begin(&l, 2110, a);
    make_thread_end(&l, 3000, 1, "w");
    make_end(&l, 3500, a); /* nobody's */
    make_thread_begin(&l, 4000, 78, 2);
    make_begin(&l, 4100, b);
    make_end(&l, 4200, b);
    make_switch(&l, 5000, 3, SPOOL_TASK_TURNS);
    make_begin(&l, 5010, b);
    make_switch(&l, 5100, 0, SPOOL_TASK_TURNS);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/events/start_deltas", 2010, 100, 4100, 910);
    EXPECT(h, "/events/durations", 990, 890, 100, 994990);
    EXPECT(h, "/events/task_ids", 0, 1, -1, 2);
    EXPECT(h, "/events/thread_ids", 0, 0, 1, 1);
    EXPECT(h, "/events/await_ns", 900, 0, 0, 994900);
    EXPECT(h, "/problem_table/kinds", PROBLEM_UNMATCHED, PROBLEM_CUT, PROBLEM_CUT);
    EXPECT(h, "/problem_table/counts", 1, 2, 1);
}

/* More waiting tasks than are kept: the calls of those beyond are cut off as they begin to wait; nothing is lost. */
static void many(void **state) {
    enum { TASKS = 140000, KEPT = 131072 };
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a");
    make_lane(&p, &l, 1000);
    for (uint64_t i = 0; i < TASKS; i++) {
        make_switch(&l, 2000 + 3 * i, 1 + i, SPOOL_TASK_TURNS);
        make_begin(&l, 2001 + 3 * i, a);
    }
    for (uint64_t i = 0; i < KEPT; i++) {
        make_switch(&l, 500000 + 3 * i, 1 + i, SPOOL_TASK_TURNS);
        make_end(&l, 500001 + 3 * i, a);
    }
    make_flush(&l);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/rank_region_index/event_counts", TASKS);
    EXPECT(h, "/problem_table/kinds", PROBLEM_CUT);
    EXPECT(h, "/problem_table/counts", TASKS - KEPT);
    struct numbers ids = read_numbers(h, "/events/task_ids"), durations = read_numbers(h, "/events/durations");
    for (size_t i = 0; i < TASKS; i++) assert_int_equal(ids.values[i], i);
    for (size_t i = 0; i < KEPT; i++) assert_int_equal(durations.values[i], 498000);
    numbers_free(&ids);
    numbers_free(&durations);
}

/* A reset drops what was before; steps before it do not count. */
static void reset(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a");
    make_lane(&p, &l, 1000);
    for (int step = 0; step < 3; step++) {
        if (step == 1) make_reset(&l, 3000);
        make_switch(&l, 2000 + 2000u * (unsigned)step, 1, SPOOL_TASK_TURNS);
        make_begin(&l, 2010 + 2000u * (unsigned)step, a);
        make_end(&l, 2020 + 2000u * (unsigned)step, a);
        make_switch(&l, 2030 + 2000u * (unsigned)step, 0, SPOOL_TASK_TURNS);
    }
    make_switch(&l, 9000, 2, SPOOL_TASK_TURNS); /* no calls: no row */
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/events/task_ids", 0, 0);
    EXPECT(h, "/task_table/created_ns", 4000);
    EXPECT(h, "/task_table/steps", 2);
    EXPECT(h, "/task_table/running_ns", 60);
    EXPECT(h, "/task_table/suspended_ns", 1970);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(turns, fixture_start, fixture_stop),
        cmocka_unit_test_setup_teardown(interrupted, fixture_start, fixture_stop),
        cmocka_unit_test_setup_teardown(cut_off, fixture_start, fixture_stop),
        cmocka_unit_test_setup_teardown(many, fixture_start, fixture_stop),
        cmocka_unit_test_setup_teardown(reset, fixture_start, fixture_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
