/* Statistics against values computed by hand. */
#include "check.h"

#include "bag.h"

static const char *const names[] = {"a", "b"};
static const struct w_call two_four[] = {{.start = 0, .end = 2 * S}, {.start = 2 * S, .end = 6 * S}};
static const struct w_call two_three[] = {{.start = 10 * S, .end = 12 * S}, {.start = 13 * S, .end = 16 * S}};
static const struct w_call four_four[] = {{.start = 11 * S, .end = 15 * S}, {.start = 15 * S, .end = 19 * S}};

static spr_profile *write_rows(const char *name, const struct w_row *rows, size_t count, bool summary) {
    const struct w_file file = {.schema = 3,
                                .names = names,
                                .num_names = 2,
                                .rows = rows,
                                .num_rows = count,
                                .mpi_size = 1,
                                .start_time_ns = 8 * S,
                                .summary = summary};
    w_write(w_path(name), &file);
    return open_good(w_path(name));
}

static void test_one_rank(void **state) {
    (void)state;
    const struct w_row rows[] = {{.calls = two_four, .count = 2, .exclusive = 6 * S}};
    spr_profile *profile = write_rows("one.h5", rows, 1, true);
    spr_stats stats;
    assert_int_equal(spr_row_stats(profile, 0, SPR_FULL, &stats, NULL), SPR_OK);
    assert_int_equal(stats.calls, 2);
    assert_int_equal(stats.ranks, 1);
    assert_near(stats.total, 6);
    assert_near(stats.std, 1);
    assert_near(stats.p50, 3);
    assert_near(stats.p95, 3.9);
    assert_near(stats.p99, 3.98);
    assert_near(stats.imbalance, 1);
    assert_near(stats.imbalance_pct, 0);
    assert_int_equal(spr_row_stats(profile, 0, SPR_SUMMARY, &stats, NULL), SPR_OK);
    assert_near(stats.std, 1);
    assert_nan(stats.p50);
    spr_error error;
    assert_int_equal(spr_row_stats(profile, 1, SPR_SUMMARY, &stats, &error), -1);
    assert_int_equal(spr_region_stats(profile, 2, NULL, SPR_SUMMARY, &stats, &error), -1);
    spr_close(profile);
}

static void check_two_ranks(const spr_stats *stats, bool full) {
    assert_int_equal(stats->calls, 4);
    assert_int_equal(stats->ranks, 2);
    assert_near(stats->total, 13);
    assert_near(stats->average, 3.25);
    assert_near(stats->minimum, 2);
    assert_near(stats->maximum, 4);
    assert_near(stats->first, 2);
    assert_near(stats->last, 4);
    assert_near(stats->std, sqrt(0.6875));
    assert_near(stats->imbalance, 8 / 6.5);
    assert_true(fabs(stats->imbalance_pct - 23.08) < 0.005);
    assert_near(stats->first_start, 10);
    assert_near(stats->last_end, 19);
    if (!full) {
        assert_nan(stats->p50);
        return;
    }
    assert_near(stats->p50, 3.5);
    assert_near(stats->p95, 4);
    assert_near(stats->p99, 4);
}

static void test_two_ranks(void **state) {
    (void)state;
    for (int summary = 0; summary < 2; summary++) {
        const struct w_row rows[] = {{.calls = two_three, .count = 2, .exclusive = -1},
                                     {.rank = 1, .calls = four_four, .count = 2, .exclusive = -1}};
        spr_profile *profile = write_rows("two.h5", rows, 2, summary);
        spr_stats stats;
        assert_int_equal(spr_region_stats(profile, 0, NULL, SPR_FULL, &stats, NULL), SPR_OK);
        check_two_ranks(&stats, true);
        assert_near(stats.exclusive, 13);
        assert_int_equal(spr_region_stats(profile, 0, NULL, SPR_SUMMARY, &stats, NULL), SPR_OK);
        check_two_ranks(&stats, false);
        /* -1 beside a summary: calls did not nest when it was written, and the calls are not looked at */
        if (summary)
            assert_nan(stats.exclusive);
        else
            assert_near(stats.exclusive, 13);
        spr_run_times run;
        assert_int_equal(spr_run(profile, &run, NULL), SPR_OK);
        assert_near(run.start, 8);
        assert_near(run.origin, 8);
        assert_near(run.startup, 2);
        assert_near(run.span, 9);
        assert_near(run.total, 10);
        const uint32_t second = 1;
        spr_selection *selection;
        assert_int_equal(spr_select(profile, NULL, 0, NULL, 0, &second, 1, &selection, NULL), SPR_OK);
        assert_int_equal(spr_region_stats(profile, 0, selection, SPR_FULL, &stats, NULL), SPR_OK);
        assert_int_equal(stats.calls, 2);
        assert_near(stats.total, 8);
        assert_near(stats.imbalance_pct, 0);
        spr_selection_free(selection);
        const uint32_t absent = 7;
        assert_int_equal(spr_select(profile, NULL, 0, NULL, 0, &absent, 1, &selection, NULL), SPR_OK);
        assert_int_equal(spr_region_stats(profile, 0, selection, SPR_FULL, &stats, NULL), SPR_OK);
        assert_int_equal(stats.calls, 0);
        assert_int_equal(stats.ranks, 0);
        assert_nan(stats.minimum);
        spr_selection_free(selection);
        spr_close(profile);
    }
}

/* Equal first starts: the lowest rank's first; equal last ends: the lowest rank's last. A rank whose calls take no
 * time does not count for the balance. */
static void test_ties_and_zero(void **state) {
    (void)state;
    static const struct w_call none[] = {{.start = 10, .end = 10}};
    static const struct w_call early[] = {{.start = 10, .end = 11}, {.start = 12, .end = 16}};
    static const struct w_call late[] = {{.start = 10, .end = 12}, {.start = 13, .end = 16}};
    const struct w_row rows[] = {{.rank = 2, .calls = none, .count = 1, .exclusive = 0},
                                 {.rank = 4, .calls = late, .count = 2, .exclusive = 5},
                                 {.rank = 3, .calls = early, .count = 2, .exclusive = 5}};
    spr_profile *profile = write_rows("ties.h5", rows, 3, true);
    spr_stats stats;
    assert_int_equal(spr_region_stats(profile, 0, NULL, SPR_SUMMARY, &stats, NULL), SPR_OK);
    assert_int_equal(stats.ranks, 3);
    assert_near(stats.first, 0);
    assert_near(stats.last, 4e-9);
    assert_near(stats.imbalance, 1);
    const uint32_t ranks[] = {4, 3};
    spr_selection *selection;
    assert_int_equal(spr_select(profile, NULL, 0, NULL, 0, ranks, 2, &selection, NULL), SPR_OK);
    assert_int_equal(spr_region_stats(profile, 0, selection, SPR_SUMMARY, &stats, NULL), SPR_OK);
    assert_near(stats.first, 1e-9);
    spr_selection_free(selection);
    spr_close(profile);
}

/* Stored -1 and no summary: found from the nesting, across regions. */
static void test_exclusive_from_nesting(void **state) {
    (void)state;
    static const struct w_call outer[] = {{.start = 0, .end = 10 * S}, {.start = 20 * S, .end = 21 * S}};
    static const struct w_call inner[] = {{.start = 1 * S, .end = 3 * S}, {.start = 3 * S, .end = 4 * S}};
    const struct w_row rows[] = {{.calls = outer, .count = 2, .exclusive = -1},
                                 {.region = 1, .calls = inner, .count = 2, .exclusive = -1}};
    spr_profile *profile = write_rows("own.h5", rows, 2, false);
    spr_stats stats;
    assert_int_equal(spr_region_stats(profile, 0, NULL, SPR_SUMMARY, &stats, NULL), SPR_OK);
    assert_near(stats.exclusive, 8);
    assert_int_equal(spr_region_stats(profile, 1, NULL, SPR_FULL, &stats, NULL), SPR_OK);
    assert_near(stats.exclusive, 3);
    spr_close(profile);

    static const struct w_call crossing[] = {{.start = 1 * S, .end = 11 * S}};
    const struct w_row crossed[] = {{.calls = outer, .count = 2, .exclusive = -1},
                                    {.region = 1, .calls = crossing, .count = 1, .exclusive = -1}};
    profile = write_rows("own.h5", crossed, 2, false);
    assert_int_equal(spr_region_stats(profile, 0, NULL, SPR_FULL, &stats, NULL), SPR_OK);
    assert_near(stats.total, 11);
    assert_nan(stats.exclusive);
    spr_close(profile);
}

/* numpy.percentile(x, [50, 95, 99]) of x[i] = (i * 7919) % 1009 for i < 300000: every value nearly 297 times. */
static void test_bag(void **state) {
    (void)state;
    static const double percents[] = {0, 50, 95, 99, 100};
    double values[5];
    struct rd_bag bag = {0};
    int64_t *plain = malloc(300000 * sizeof *plain);
    for (int64_t i = 0; i < 300000; i++) assert_true(rd_bag_add(&bag, plain[i] = i * 7919 % 1009));
    assert_true(rd_bag_percentiles(&bag, percents, values, 5));
    assert_true(bag.num_sorted <= 2 * 1009);
    for (size_t i = 0; i < 5; i++) {
        /* by counting: the smallest value that enough others do not exceed */
        const uint64_t position = (uint64_t)(299999 * percents[i] / 100);
        uint64_t below = 0;
        int64_t value = -1;
        while (below <= position) {
            value++;
            for (size_t k = 0; k < 300000; k++) below += plain[k] == value;
        }
        assert_near(values[i], (double)value);
    }
    rd_bag_free(&bag);

    /* far apart values, and large ones */
    for (int64_t i = 200000; i-- > 0;) assert_true(rd_bag_add(&bag, i * (INT64_MAX / 200000)));
    assert_true(rd_bag_percentiles(&bag, percents, values, 5));
    const double step = (double)(INT64_MAX / 200000);
    for (size_t i = 0; i < 5; i++) assert_near(values[i] / step, 199999 * percents[i] / 100);
    rd_bag_free(&bag);
    free(plain);
}

/* More calls than a block holds, and a percentile between two of them. */
static void test_many_calls(void **state) {
    (void)state;
    enum { MANY = 200001 };
    struct w_call *calls = calloc(MANY, sizeof *calls);
    for (int64_t i = 0; i < MANY; i++) {
        calls[i].start = i * 1000000;
        calls[i].end = calls[i].start + (i * 7) % MANY; /* 0 .. MANY-1, each once */
    }
    const struct w_row rows[] = {{.calls = calls, .count = MANY, .exclusive = -1}};
    const struct w_file file = {.schema = 3,
                                .names = names,
                                .num_names = 1,
                                .rows = rows,
                                .num_rows = 1,
                                .chunk = 1000,
                                .gzip = 1,
                                .mpi_size = 1};
    w_write(w_path("many.h5"), &file);
    spr_profile *profile = open_good(w_path("many.h5"));
    spr_stats stats;
    assert_int_equal(spr_row_stats(profile, 0, SPR_FULL, &stats, NULL), SPR_OK);
    assert_int_equal(stats.calls, MANY);
    assert_near(stats.total * 1e9, 200000.0 * 200001 / 2);
    assert_near(stats.exclusive, stats.total);
    assert_near(stats.p50 * 1e9, 100000);
    assert_near(stats.p95 * 1e9, 190000);
    assert_near(stats.p99 * 1e9, 198000);
    assert_true(fabs(stats.std * 1e9 / sqrt((200001.0 * 200001 - 1) / 12) - 1) < 1e-12);
    int64_t start, end;
    assert_int_equal(spr_read_calls(profile, 0, 170000, 1, &start, &end, NULL, NULL, NULL), SPR_OK);
    assert_int_equal(start, INT64_C(170000000000));
    assert_int_equal(end - start, 170000 * 7 % MANY);
    int64_t *ends = malloc(MANY * sizeof *ends);
    assert_int_equal(spr_read_calls(profile, 0, 0, MANY, NULL, ends, NULL, NULL, NULL), SPR_OK);
    for (int64_t i = 0; i < MANY; i++) assert_int_equal(ends[i], calls[i].end);
    free(ends);
    free(calls);
    spr_close(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_rank),      cmocka_unit_test(test_two_ranks),
        cmocka_unit_test(test_ties_and_zero), cmocka_unit_test(test_exclusive_from_nesting),
        cmocka_unit_test(test_bag),           cmocka_unit_test(test_many_calls),
    };
    return cmocka_run_group_tests_name("reader: statistics", tests, NULL, NULL);
}
