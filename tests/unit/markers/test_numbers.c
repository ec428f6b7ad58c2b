/* Counts and durations asked for while recording: read from the lanes, so they must not miss or repeat a word however
 * the windows are flushed meanwhile. */
#include "groups.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static void nap(long ms) { nanosleep(&(struct timespec){0, ms * 1000000}, NULL); }

static void durations_are_ns(void **state) {
    (void)state;
    sp_profiler *p = sp_create("durations", 0);
    const int region = sp_profiler_region(p, "sleep");
    int64_t most = 0;
    for (int i = 0; i < 2; i++) {
        const int64_t before = sp_now_ns();
        sp_profiler_begin(p, region);
        nap(i ? 20 : 2);
        sp_profiler_end(p, region);
        most = sp_now_ns() - before;
    }
    const sp_region_stats s = stats_of(p, region);
    assert_int_equal(s.calls, 2);
    assert_in_range(s.max_ns, 20000000 - 20000, most + 20000); /* the scale is known to 1e-3 by then */
    assert_in_range(s.min_ns, 2000000 - 2000, s.max_ns);
    assert_in_range(s.total_ns, s.min_ns + s.max_ns - 1, s.min_ns + s.max_ns + 1);
    sp_destroy(p);
}

static void every_call_is_counted_once(void **state) {
    (void)state;
    assert_int_equal(sp_init("counted", 0), 0);
    const int region = sp_region("many"), other = sp_region("other");
    int64_t done = 0;
    for (int round = 0; round < 400; round++) {
        for (int i = 0; i < 997 * (round % 7); i++) {
            sp_begin(region);
            sp_end(region);
            done++;
        }
        assert_int_equal(sp_num_calls(region), done);
    }
    for (int i = 0; i < 1000000; i++) {
        sp_begin(other);
        sp_begin(region);
        sp_end(region);
        sp_end(other);
    }
    assert_int_equal(sp_num_calls(region), done + 1000000);
    assert_int_equal(sp_num_calls(other), 1000000);
    const sp_region_stats inner = stats_of(sp_default_profiler(), region);
    const sp_region_stats outer = stats_of(sp_default_profiler(), other);
    assert_true(inner.min_ns <= inner.max_ns && inner.total_ns > 0);
    assert_true(outer.total_ns > 0 && outer.min_ns > 0);
    sp_destroy(sp_default_profiler());
}

enum { THREADS = 4, CALLS = 300000 };
static atomic_int running;

static void *record(void *region) {
    for (int i = 0; i < CALLS; i++) {
        sp_begin(*(int *)region);
        sp_end(*(int *)region);
    }
    atomic_fetch_sub(&running, 1);
    return NULL;
}

static void others_may_record_meanwhile(void **state) {
    (void)state;
    assert_int_equal(sp_init("threads", 0), 0);
    int region = sp_region("shared");
    pthread_t threads[THREADS];
    atomic_store(&running, THREADS);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, record, &region), 0);
    int64_t before = 0;
    while (atomic_load(&running)) {
        const int64_t now = sp_num_calls(region);
        assert_in_range(now, before, THREADS * CALLS);
        before = now;
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(sp_num_calls(region), THREADS * CALLS);
    for (int i = 1; i <= 25; i++) { /* these take over the lanes of those that ended */
        assert_int_equal(pthread_create(&threads[0], NULL, record, &region), 0);
        pthread_join(threads[0], NULL);
        assert_int_equal(sp_num_calls(region), (THREADS + i) * CALLS);
    }
    sp_destroy(sp_default_profiler());
}

static sp_profiler *shared;
static atomic_int stage;

static void reach(int now) { /* threads take turns */
    atomic_store(&stage, now);
    nap(15);
}

static void *first_to_begin(void *at_least) {
    sp_profiler_begin(shared, 0);
    const int64_t begun = sp_now_ns();
    reach(1);
    while (atomic_load(&stage) != 2) nap(1);
    *(int64_t *)at_least = sp_now_ns() - begun;
    sp_profiler_end(shared, 0);
    reach(3);
    return NULL;
}

/* The main thread has recorded elsewhere before, the other one has not: each is a thread of its own in the context. */
static void threads_of_a_context_are_told_apart(void **state) {
    (void)state;
    pthread_t other;
    int64_t others, mine;
    assert_int_equal(sp_init("default", 0), 0);
    const int region = sp_region("default");
    sp_begin(region);
    sp_end(region);
    shared = sp_create("shared", 0);
    assert_int_equal(sp_profiler_region(shared, "same"), 0);
    assert_int_equal(pthread_create(&other, NULL, first_to_begin, &others), 0);
    while (atomic_load(&stage) != 1) nap(1);
    nap(15);
    sp_profiler_begin(shared, 0);
    mine = sp_now_ns();
    reach(2);
    while (atomic_load(&stage) != 3) nap(1);
    nap(15);
    mine = sp_now_ns() - mine;
    sp_profiler_end(shared, 0);
    pthread_join(other, NULL);
    const sp_region_stats s = stats_of(shared, 0);
    assert_int_equal(s.calls, 2);
    /* Were they one thread, the shorter call would be where the two overlap. The clock's rate is known to 1 % by now.
     */
    const int64_t shorter = mine < others ? mine : others;
    assert_in_range(s.min_ns, shorter - shorter / 100, s.max_ns);
    assert_in_range(s.total_ns, s.min_ns + s.max_ns - 1, s.min_ns + s.max_ns + 1);
    sp_destroy(shared);
    sp_destroy(sp_default_profiler());
}

static void crossed_ends_are_the_regions_own(void **state) {
    (void)state;
    sp_profiler *p = sp_create("crossed", 0);
    const int a = sp_profiler_region(p, "a"), b = sp_profiler_region(p, "b");
    sp_profiler_begin(p, a);
    sp_profiler_begin(p, b);
    nap(5);
    sp_profiler_end(p, a);
    nap(20);
    sp_profiler_end(p, b);
    sp_profiler_end(p, b); /* one too many */
    assert_int_equal(stats_of(p, a).calls, 1);
    assert_int_equal(stats_of(p, b).calls, 1);
    assert_true(stats_of(p, a).total_ns >= 4900000 && stats_of(p, b).total_ns >= stats_of(p, a).total_ns + 15000000);
    sp_destroy(p);
}

static void begins_without_ends_are_bounded(void **state) {
    (void)state;
    assert_int_equal(sp_init("unended", 0), 0);
    const int early = sp_region("early");
    for (int i = 0; i < 3000000; i++) sp_begin(early);
    assert_int_equal(sp_num_calls(early), 3000000);
    assert_int_equal(stats_of(sp_default_profiler(), early).total_ns, 0);
    sp_destroy(sp_default_profiler());
}

int test_numbers(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_are_ns),
        cmocka_unit_test(every_call_is_counted_once),
        cmocka_unit_test(others_may_record_meanwhile),
        cmocka_unit_test(threads_of_a_context_are_told_apart),
        cmocka_unit_test(crossed_ends_are_the_regions_own),
        cmocka_unit_test(begins_without_ends_are_bounded),
    };
    return cmocka_run_group_tests_name("numbers", tests, NULL, NULL);
}
