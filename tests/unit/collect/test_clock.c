/* Ticks become nanoseconds. */
#include "clock.h"
#include "collect_test.h"
#include <time.h>

static struct clock_map made(uint32_t kind, struct spool_point *points, size_t count, int64_t align,
                             enum clock_trust expected) {
    struct clock_map map;
    enum clock_trust trust;
    assert_true(clock_make(&map, kind, points, count, align, &trust));
    assert_int_equal(trust, expected);
    return map;
}

static void monotonic(void **state) {
    (void)state;
    struct clock_map map = made(SPOOL_CLOCK_MONOTONIC, NULL, 0, 5, CLOCK_KNOWN);
    assert_int_equal(clock_ns(&map, 0), 5);
    assert_int_equal(clock_ns(&map, 123456789012345), 123456789012350);
    assert_int_equal(clock_ns(&map, UINT64_MAX), INT64_C(1) << 62); /* never beyond */
    clock_free(&map);
}

/* 2.5 ticks a ns, then 2 ticks a ns; before the first point and behind the last the nearest rate holds. */
static void pieces(void **state) {
    (void)state;
    struct spool_point points[] = {
        {3000000000, 1000000000 + 400000000}, {2000000000, 1000000000}, {3040000000, 1000000000 + 416000000}};
    struct clock_map map = made(SPOOL_CLOCK_TSC, points, 3, 0, CLOCK_KNOWN);
    assert_int_equal(map.count, 2);
    assert_int_equal(clock_ns(&map, 2000000000), 1000000000);
    assert_int_equal(clock_ns(&map, 2000000005), 1000000002);
    assert_int_equal(clock_ns(&map, 3000000000), 1400000000);
    assert_int_equal(clock_ns(&map, 3040000000), 1416000000);
    assert_int_equal(clock_ns(&map, 3040000250), 1416000100);
    assert_int_equal(clock_ns(&map, 1999999000), 999999600);
    assert_int_equal(clock_ns(&map, 0), 200000000);
    clock_free(&map);
    struct clock_map shifted = made(SPOOL_CLOCK_TSC, points, 3, -300000000, CLOCK_KNOWN);
    assert_int_equal(clock_ns(&shifted, 3000000000), 1100000000);
    assert_int_equal(clock_ns(&shifted, 0), 0); /* never negative */
    clock_free(&shifted);
}

static void increasing(void **state) {
    (void)state;
    struct spool_point points[20];
    for (size_t i = 0; i < 20; i++) /* a rate that wanders by 0.1 % */
        points[i] = (struct spool_point){1000 + i * 7000003, (int64_t)(5000 + i * 3000000 + i % 3 * 900)};
    struct clock_map map = made(SPOOL_CLOCK_TSC, points, 20, 0, CLOCK_KNOWN);
    int64_t before = 0;
    for (uint64_t t = 0; t < 150000000; t += 997) {
        int64_t ns = clock_ns(&map, t);
        assert_true(ns >= before);
        before = ns;
    }
    clock_free(&map);
}

/* Points that are close, the same, impossible, or far off the line are left out. */
static void strays(void **state) {
    (void)state;
    struct spool_point points[] = {{1000000000, 1000000000}, {1000000010, 1000000500}, /* 500 ns of jitter in 10 */
                                   {1500000000, 1900000000},                           /* read late by 0.4 s */
                                   {2000000000, 2000000000}, {2000000000, 2000000000}, {0, 0}, {5, -7},
                                   {UINT64_MAX, INT64_MAX},  {3000000000, 3000000000}};
    struct clock_map map = made(SPOOL_CLOCK_TSC, points, sizeof points / sizeof *points, 0, CLOCK_KNOWN);
    for (uint64_t t = 1000000000; t <= 3000000000; t += 1234567) {
        int64_t off = clock_ns(&map, t) - (int64_t)t;
        assert_true(off >= -1 && off <= 1);
    }
    clock_free(&map);
}

/* The machine was moved: the counter goes on from elsewhere. What lies between the two points around that is lost, the
 * rest is right. */
static void jumps(void **state) {
    (void)state;
    enum { BEFORE = 6, ALL = 12 };
    const uint64_t jump = UINT64_C(77000000000000);
    struct spool_point points[ALL];
    for (size_t i = 0; i < ALL; i++)
        points[i] = (struct spool_point){(i + 1) * 2000000000 + (i < BEFORE ? 0 : jump), (int64_t)(i + 1) * 1000000000};
    struct clock_map map = made(SPOOL_CLOCK_TSC, points, ALL, 0, CLOCK_UNEVEN);
    for (uint64_t ms = 1000; ms <= ALL * 1000; ms += 100) {
        const bool lost = ms > BEFORE * 1000 && ms < (BEFORE + 1) * 1000;
        const uint64_t ticks = ms * 2000000 + (ms <= BEFORE * 1000 ? 0 : jump);
        if (!lost) assert_int_equal(clock_ns(&map, ticks), ms * 1000000);
    }
    clock_free(&map);
}

static void no_rate(void **state) {
    (void)state;
    struct spool_point one[] = {{5000, 70000}, {5000, 70000}};
    struct clock_map map = made(SPOOL_CLOCK_CNTVCT, one, 2, 0, CLOCK_UNKNOWN);
    assert_int_equal(clock_ns(&map, 5007), 70007);
    clock_free(&map);
    map = made(SPOOL_CLOCK_TSC, NULL, 0, 0, CLOCK_UNKNOWN);
    assert_int_equal(clock_ns(&map, 12), 12);
    clock_free(&map);
}

static void exact_over_days(void **state) {
    (void)state;
    const uint64_t rate = 2345678901; /* ticks a second */
    struct spool_point points[] = {{rate, 1000000000}, {rate * 864001, INT64_C(864001000000000)}};
    struct clock_map map = made(SPOOL_CLOCK_TSC, points, 2, 0, CLOCK_KNOWN);
    for (uint64_t s = 2; s < 864000; s += 1009) {
        int64_t off = clock_ns(&map, rate * s) - (int64_t)(s * 1000000000);
        assert_true(off >= -1 && off <= 1);
    }
    clock_free(&map);
}

static void now(void **state) {
    (void)state;
    struct spool_point a, b;
    assert_true(clock_now(SPOOL_CLOCK_MONOTONIC, &a));
    assert_true(clock_now(SPOOL_CLOCK_MONOTONIC, &b));
    assert_true(b.ns >= a.ns && (uint64_t)a.ns == a.ticks);
#if defined(__x86_64__)
    const struct timespec wait = {0, 20000000};
    assert_true(clock_now(SPOOL_CLOCK_TSC, &a));
    nanosleep(&wait, NULL);
    assert_true(clock_now(SPOOL_CLOCK_TSC, &b));
    assert_true(b.ticks > a.ticks && b.ns - a.ns >= 20000000);
    assert_false(clock_now(SPOOL_CLOCK_CNTVCT, &a));
#endif
}

/* A process that knew one moment only, on the session's machine: the session's start gives the rate. */
static void session_start(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_session(&f->spool,
                 "boot_id=00000000-0000-0000-0000-000000000000\nstart_ns=1000000000\nstart_ticks=2000000000\n");
    make_process(&f->spool, &p, 1);
    p.info.clock = SPOOL_CLOCK_TSC;
    p.info.first = p.info.last = (struct spool_point){4000000000, 2000000000}; /* 2 ticks a ns */
    p.info.end_tick = 4200000000;
    uint32_t a = make_region(&p, "a");
    make_lane(&p, &l, 4000000000);
    make_begin(&l, 4000000200, a);
    make_end(&l, 4000000300, a);
    make_begin(&l, 4100000000, a);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/events/start_deltas", 2000000100, 49999900);
    EXPECT(h, "/events/durations", 50, 50000000);
    EXPECT(h, "/process_table/end_ns", 2100000000);
    assert_int_equal(read_attribute(h, "/metadata", "start_time_ns"), 1000000000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(monotonic), cmocka_unit_test(pieces),  cmocka_unit_test(increasing),
        cmocka_unit_test(strays),    cmocka_unit_test(no_rate), cmocka_unit_test(exact_over_days),
        cmocka_unit_test(now),       cmocka_unit_test(jumps),   TEST(session_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
