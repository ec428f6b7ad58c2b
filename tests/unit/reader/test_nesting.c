/* Calls with their nesting, optional columns, statistics of calls that the caller holds, percentiles, selections. */
#include "check.h"

static const char *const names[] = {"a", "b", "c"};
enum { A, B, C, MOST = 8 };

/* Room for the calls of a rank. */
struct held {
    int64_t start[MOST], end[MOST], own[MOST], parent[MOST];
    uint32_t depth[MOST], region[MOST];
    uint64_t number[MOST];
};

static spr_profile *write_rows(const struct w_row *rows, size_t count, bool ids, bool lanes) {
    const struct w_file file = {.schema = 3,
                                .names = names,
                                .num_names = 3,
                                .rows = rows,
                                .num_rows = count,
                                .mpi_size = 1,
                                .ids = ids,
                                .threads = lanes};
    w_write(w_path("nesting.h5"), &file);
    return open_good(w_path("nesting.h5"));
}

static void read_nesting(spr_profile *profile, uint32_t rank, const spr_selection *selection, uint64_t wanted,
                         struct held *held) {
    assert_int_equal(spr_rank_calls(profile, rank, selection), wanted);
    const spr_calls calls = {held->start, held->end, held->own, held->parent, held->depth, held->region, held->number};
    spr_error error = {0};
    if (spr_read_nesting(profile, rank, selection, &calls, &error) != SPR_OK) fail_msg("%s", error.message);
}

static void expect(const struct held *held, size_t at, uint32_t region, uint64_t number, int64_t parent, uint32_t depth,
                   int64_t own) {
    if (held->region[at] != region || held->number[at] != number || held->parent[at] != parent ||
        held->depth[at] != depth || held->own[at] != own)
        fail_msg("call %zu: region %u number %llu parent %lld depth %u own %lld", at, held->region[at],
                 (unsigned long long)held->number[at], (long long)held->parent[at], held->depth[at],
                 (long long)held->own[at]);
}

/* a [0,100] > b [10,30] > c [12,20]; a > c [40,50] */
static const struct w_call a_calls[] = {{.start = 0, .end = 100}};
static const struct w_call b_calls[] = {{.start = 10, .end = 30}};
static const struct w_call c_calls[] = {{.start = 12, .end = 20}, {.start = 40, .end = 50}};
static const struct w_row abc[] = {{.region = A, .calls = a_calls, .count = 1, .exclusive = -1},
                                   {.region = B, .calls = b_calls, .count = 1, .exclusive = -1},
                                   {.region = C, .calls = c_calls, .count = 2, .exclusive = -1}};

static void test_order(void **state) {
    (void)state;
    struct held held;
    spr_profile *profile = write_rows(abc, 3, false, false);
    read_nesting(profile, 0, NULL, 4, &held);
    expect(&held, 0, A, 0, -1, 0, 70);
    expect(&held, 1, B, 0, 0, 1, 12);
    expect(&held, 2, C, 0, 1, 2, 8);
    expect(&held, 3, C, 1, 0, 1, 10);
    assert_int_equal(held.start[3], 40);
    assert_int_equal(held.end[3], 50);
    read_nesting(profile, 1, NULL, 0, &held);

    /* without b: its c hangs on a, whose own time stays without b */
    const size_t regions[] = {A, C, 17};
    spr_selection *selection;
    assert_int_equal(spr_select_regions(profile, regions, 3, NULL, 0, &selection, NULL), SPR_OK);
    assert_true(spr_selects_region(selection, C));
    assert_false(spr_selects_region(selection, B));
    assert_true(spr_selects_rank(selection, 5));
    read_nesting(profile, 0, selection, 3, &held);
    expect(&held, 0, A, 0, -1, 0, 70);
    expect(&held, 1, C, 0, 0, 1, 8);
    expect(&held, 2, C, 1, 0, 1, 10);
    spr_selection_free(selection);

    const uint32_t rank = 3;
    assert_int_equal(spr_select_regions(profile, regions, 1, &rank, 1, &selection, NULL), SPR_OK);
    assert_false(spr_selects_rank(selection, 0));
    assert_true(spr_selects_rank(selection, 3));
    spr_selection_free(selection);
    spr_close(profile);
}

/* Calls of a region that are stored out of order keep the numbers that they are stored under. */
static void test_numbers(void **state) {
    (void)state;
    static const struct w_call mixed[] = {{.start = 60, .end = 70}, {.start = 10, .end = 50}, {.start = 20, .end = 30}};
    const struct w_row rows[] = {{.region = A, .calls = a_calls, .count = 1, .exclusive = -1},
                                 {.region = B, .calls = mixed, .count = 3, .exclusive = -1}};
    struct held held;
    spr_profile *profile = write_rows(rows, 2, false, false);
    read_nesting(profile, 0, NULL, 4, &held);
    expect(&held, 0, A, 0, -1, 0, 50);
    expect(&held, 1, B, 1, 0, 1, 30);
    expect(&held, 2, B, 2, 1, 2, 10);
    expect(&held, 3, B, 0, 0, 1, 10);
    spr_close(profile);
}

static void test_overlap(void **state) {
    (void)state;
    static const struct w_call other[] = {{.start = 90, .end = 120}};
    const struct w_row rows[] = {{.region = A, .calls = a_calls, .count = 1, .exclusive = -1},
                                 {.region = B, .calls = other, .count = 1, .exclusive = -1}};
    spr_profile *profile = write_rows(rows, 2, false, false);
    struct held held;
    const spr_calls calls = {held.start, held.end, held.own, held.parent, held.depth, held.region, held.number};
    spr_error error;
    assert_int_equal(spr_read_nesting(profile, 0, NULL, &calls, &error), SPR_NESTING);
    assert_message(&error, w_path("nesting.h5"), "overlap");
    spr_close(profile);
}

static void test_columns(void **state) {
    (void)state;
    static const struct w_call two[] = {{.start = 0, .end = 5, .id = 7, .parent = -1, .thread = 3},
                                        {.start = 6, .end = 9, .id = 8, .parent = 7, .thread = -1}};
    const struct w_row rows[] = {{.region = A, .calls = two, .count = 2, .exclusive = -1}};
    int64_t values[2];
    spr_error error;
    spr_profile *profile = write_rows(rows, 1, true, true);
    assert_true(spr_has_column(profile, 0, SPR_CALL_IDS));
    assert_true(spr_has_column(profile, 0, SPR_THREAD_IDS));
    assert_false(spr_has_column(profile, 0, SPR_TASK_IDS));
    assert_false(spr_has_column(profile, 1, SPR_CALL_IDS));
    assert_int_equal(spr_read_column(profile, 0, SPR_CALL_IDS, 0, 2, values, &error), SPR_OK);
    assert_true(values[0] == 7 && values[1] == 8);
    assert_int_equal(spr_read_column(profile, 0, SPR_PARENT_IDS, 1, 1, values, &error), SPR_OK);
    assert_int_equal(values[0], 7);
    assert_int_equal(spr_read_column(profile, 0, SPR_THREAD_IDS, 0, 2, values, &error), SPR_OK);
    assert_true(values[0] == 3 && values[1] == -1);
    assert_int_equal(spr_read_column(profile, 0, SPR_AWAIT_NS, 0, 2, values, &error), SPR_OK);
    assert_true(values[0] == 0 && values[1] == 0);
    assert_int_equal(spr_read_column(profile, 0, SPR_GPU_NS, 0, 2, values, &error), SPR_OK);
    assert_true(values[0] == -1 && values[1] == -1);
    assert_int_equal(spr_read_column(profile, 0, SPR_CALL_IDS, 1, 2, values, &error), -1);
    assert_int_equal(spr_read_column(profile, 0, (enum spr_column)6, 0, 1, values, &error), -1);
    spr_close(profile);
}

static void test_statistics(void **state) {
    (void)state;
    static const int64_t start[] = {0, 2 * S, 1 * S}, end[] = {2 * S, 6 * S, 0};
    spr_stats stats;
    spr_error error;
    double seconds;
    assert_int_equal(spr_stats_of(start, end, 2, &stats, &error), SPR_OK);
    assert_int_equal(stats.calls, 2);
    assert_near(stats.total, 6);
    assert_near(stats.std, 1);
    assert_near(stats.p95, 3.9);
    assert_near(stats.first_start, 0);
    assert_near(stats.last_end, 6);
    assert_nan(stats.exclusive);
    assert_int_equal(spr_percentile_of(start, end, 2, 25, &seconds, &error), SPR_OK);
    assert_near(seconds, 2.5);
    assert_int_equal(spr_stats_of(NULL, NULL, 0, &stats, &error), SPR_OK);
    assert_int_equal(stats.calls, 0);
    assert_nan(stats.p50);
    assert_int_equal(spr_stats_of(start, end, 3, &stats, &error), -1);
    assert_message(&error, NULL, "before it begins");

    const struct w_call calls[] = {{.start = start[0], .end = end[0]}, {.start = start[1], .end = end[1]}};
    const struct w_row rows[] = {{.region = A, .calls = calls, .count = 2, .exclusive = -1}};
    spr_profile *profile = write_rows(rows, 1, false, false);
    assert_int_equal(spr_region_percentile(profile, A, NULL, 10, &seconds, &error), SPR_OK);
    assert_near(seconds, 2.2);
    assert_int_equal(spr_region_percentile(profile, A, NULL, 100, &seconds, &error), SPR_OK);
    assert_near(seconds, 4);
    assert_int_equal(spr_region_percentile(profile, B, NULL, 50, &seconds, &error), SPR_OK);
    assert_nan(seconds);
    assert_int_equal(spr_region_percentile(profile, A, NULL, 100.5, &seconds, &error), -1);
    spr_close(profile);
}

static void test_aggregate(void **state) {
    (void)state;
    const struct w_file file = {
        .schema = 3, .names = names, .num_names = 3, .rows = abc, .num_rows = 3, .mpi_size = 1, .aggregate = true};
    w_write(w_path("sums.h5"), &file);
    spr_profile *profile = open_good(w_path("sums.h5"));
    int64_t value;
    double seconds;
    spr_error error;
    const spr_calls none = {0};
    assert_int_equal(spr_rank_calls(profile, 0, NULL), 0);
    assert_int_equal(spr_read_nesting(profile, 0, NULL, &none, &error), SPR_NO_EVENTS);
    assert_false(spr_has_column(profile, 0, SPR_CALL_IDS));
    assert_int_equal(spr_read_column(profile, 0, SPR_CALL_IDS, 0, 1, &value, &error), -1);
    assert_int_equal(spr_region_percentile(profile, A, NULL, 50, &seconds, &error), SPR_OK);
    assert_nan(seconds);
    spr_close(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),   cmocka_unit_test(test_numbers),    cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_columns), cmocka_unit_test(test_statistics), cmocka_unit_test(test_aggregate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
