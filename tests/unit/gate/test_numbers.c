/* The arithmetic of the gate: numbers worked out elsewhere. */
#include "check.h"
#include "gate.h"

/* ---- Mann-Whitney and Hodges-Lehmann ------------------------------------------------------------------------------
 */

#define MOST 12

static const struct vector {
    const char *id;
    unsigned m, n;
    double x[MOST], y[MOST];
    double u, slower, faster, ratio, lower, upper; /* NAN: none */
} vectors[] = {
    {"A",
     5,
     5,
     {100, 101, 102, 103, 104},
     {110, 111, 112, 113, 114},
     25,
     0.0039682540,
     1,
     1.098039,
     1.077670,
     1.118812},
    {"B",
     5,
     5,
     {100, 102, 104, 106, 108},
     {103, 105, 107, 109, 111},
     19,
     0.1111111111,
     0.9246031746,
     1.028846,
     0.990566,
     1.068627},
    {"C",
     5,
     5,
     {100, 103, 101, 104, 102},
     {101.5, 100.5, 103.5, 102.5, 99.5},
     10,
     0.7261904762,
     0.3452380952,
     0.995098,
     0.975728,
     1.014851},
    {"D",
     5,
     5,
     {100, 100, 101, 102, 103},
     {101, 102, 103, 103, 104},
     20,
     0.0873015873,
     0.9642857143,
     1.010000,
     1.000000,
     1.030000},
    {"E", 4, 4, {100, 100, 100, 100}, {100, 100, 100, 100}, 8, 1, 1, 1, 1, 1},
    {"F", 3, 3, {10, 11, 12}, {13, 14, 15}, 9, 0.05, 1, 1.272727, 1.083333, 1.5},
    {"G", 4, 4, {10, 11, 12, 13}, {14, 15, 16, 17}, 16, 0.0142857143, 1, 1.348485, 1.153846, 1.6},
    {"H", 2, 2, {10, 11}, {12, 13}, 4, 0.1666666667, 1, 1.190909, NAN, NAN},
    {"I", 1, 5, {10}, {11, 12, 13, 14, 15}, 5, 0.1666666667, 1, 1.3, NAN, NAN},
    {"J", 5, 1, {10, 11, 12, 13, 14}, {15}, 5, 0.1666666667, 1, 1.25, NAN, NAN},
    {"K",
     3,
     10,
     {10, 11, 12},
     {11.5, 13, 14, 15, 16, 17, 18, 19, 20, 21},
     29,
     0.0069930070,
     0.9965034965,
     1.5,
     1.166667,
     1.818182},
    {"L",
     5,
     5,
     {78.8, 78.8, 78.8, 78.8, 78.8},
     {115, 114, 115, 115, 115},
     25,
     0.0039682540,
     1,
     1.459391,
     1.446701,
     1.459391},
    {"M",
     5,
     5,
     {100, 101, 102, 103, 180},
     {110, 111, 112, 113, 114},
     20,
     0.0753968254,
     0.9523809524,
     1.098039,
     0.633333,
     1.118812},
    {"N",
     10,
     10,
     {100, 101, 102, 103, 104, 105, 106, 107, 108, 109},
     {104.5, 105.5, 106.5, 107.5, 108.5, 109.5, 110.5, 111.5, 112.5, 113.5},
     85,
     0.0034207279,
     0.9974019788,
     1.043063,
     1.014563,
     1.070755},
    {"O", 5, 5, {110, 111, 112, 113, 114}, {100, 101, 102, 103, 104}, 0, 1, 0.0039682540, 0.910714, 0.893805, 0.927928},
};

static void assert_close(const char *id, const char *what, double actual, double expected, double within) {
    if (isnan(expected) ? isnan(actual) : fabs(actual - expected) <= within) return;
    fail_msg("%s: %s is %.12g, not %.12g", id, what, actual, expected);
}

static void ranks_give_the_known_numbers(void **state) {
    (void)state;
    for (size_t i = 0; i < W_COUNT(vectors); i++) {
        const struct vector *v = &vectors[i];
        struct rd_rank_test test;
        assert_true(rd_rank_test(v->x, v->m, v->y, v->n, 0.05, &test));
        assert_close(v->id, "U", test.u, v->u, 0);
        assert_close(v->id, "p slower", test.slower, v->slower, 6e-11);
        assert_close(v->id, "p faster", test.faster, v->faster, 6e-11);
        assert_close(v->id, "ratio", test.ratio, v->ratio, 6e-7);
        assert_close(v->id, "lower", test.lower, v->lower, 6e-7);
        assert_close(v->id, "upper", test.upper, v->upper, 6e-7);
    }
}

/* Beyond 60 numbers the normal form stands in: here it has to be near the exact one. */
static void many_ranks_are_nearly_normal(void **state) {
    (void)state;
    double x[31], y[31];
    struct rd_rank_test exact, normal;
    for (int i = 0; i < 31; i++) x[i] = 100 + i, y[i] = 104.5 + i;
    assert_true(rd_rank_test(x, 30, y, 30, 0.05, &exact));
    assert_true(rd_rank_test(x, 31, y, 31, 0.05, &normal));
    assert_close("31", "p", normal.slower, exact.slower, 0.005);
    assert_true(normal.slower < 0.05 && normal.slower > 0.01);
    assert_true(normal.lower > 1 && normal.lower < normal.ratio && normal.ratio < normal.upper);
}

/* ---- floors and permutations --------------------------------------------------------------------------------------
 */

#define SCALE 1e6 /* so large that the nanosecond that is added to a floor does not show */

struct runs { /* one row a run */
    unsigned base, candidate;
    size_t columns;
    double values[8][3];
};

static const struct floor_vector {
    const char *id;
    struct runs runs;
    double base, candidate, ratio, sd;
    size_t slower, labels;
} floor_vectors[] = {
    {"F1",
     {3, 3, 3, {{10, 20, 10}, {11, 19, 12}, {10, 25, 11}, {11, 22, 11}, {12, 21, 13}, {13, 22, 12}}},
     39,
     43,
     1.102564103,
     0.058009012,
     2,
     20},
    {"F2",
     {3, 3, 3, {{100, 300, 100}, {100, 100, 400}, {250, 101, 100}, {110, 110, 300}, {500, 111, 110}, {111, 109, 112}}},
     300,
     329,
     1.096666667,
     0.043003996,
     1,
     20},
    {"F3",
     {3, 3, 3, {{100, 102, 101}, {101, 100, 103}, {103, 101, 100}, {101, 101, 102}, {100, 103, 101}, {102, 100, 101}}},
     300,
     301,
     1.003333333,
     0.002574848,
     4,
     20},
    {"F4",
     {4, 2, 2, {{100, 102}, {101, 100}, {103, 101}, {104, 104}, {110, 111}, {112, 110}}},
     201.5,
     220,
     1.091811414,
     0.030664068,
     1,
     15},
    {"F5",
     {3, 3, 3, {{10, 10, 50}, {11, 10, 51}, {10, 12, 50}, {10, 11, 75}, {10, 10, 76}, {12, 10, 75}}},
     70,
     95,
     1.357142857,
     0.096882178,
     1,
     20},
};

static struct rd_columns columns_of(const struct runs *runs, double scale) {
    const unsigned count = runs->base + runs->candidate;
    struct rd_columns columns = {.count = runs->columns, .runs = count, .base = runs->base};
    columns.values = calloc(runs->columns * count, sizeof(double));
    columns.number = calloc(runs->columns * count, 1);
    for (size_t c = 0; c < runs->columns; c++)
        for (unsigned r = 0; r < count; r++) columns.values[c * count + r] = runs->values[r][c] * scale;
    rd_columns_sort(&columns);
    return columns;
}

static void floors_give_the_known_numbers(void **state) {
    (void)state;
    for (size_t i = 0; i < W_COUNT(floor_vectors); i++) {
        const struct floor_vector *v = &floor_vectors[i];
        struct rd_columns columns = columns_of(&v->runs, SCALE);
        const struct rd_region_columns region = {&columns, 1};
        const struct rd_statistic statistic = {rd_floor_statistic, &region};
        struct rd_labels labels;
        struct rd_test test;
        assert_true(rd_labels_make(v->runs.base, v->runs.candidate, &labels));
        assert_int_equal(labels.count, v->labels);
        double *base = calloc(labels.count, sizeof *base), *candidate = calloc(labels.count, sizeof *candidate);
        assert_true(rd_floors(&columns, &labels, 1, base, candidate));
        assert_close(v->id, "floor of the base", base[0] / SCALE, v->base, 1e-9);
        assert_close(v->id, "floor of the candidate", candidate[0] / SCALE, v->candidate, 1e-9);
        assert_true(rd_test_region(&statistic, &labels, &test, NULL, NULL));
        assert_close(v->id, "ratio", exp(test.t), v->ratio, 1e-8);
        assert_close(v->id, "sd", test.sd, v->sd, 1e-8);
        assert_int_equal(test.slower, v->slower);
        free(base);
        free(candidate);
        free(labels.masks);
        rd_columns_free(&columns);
    }
}

static void regions_are_judged_together(void **state) {
    (void)state;
    static const double scaled[] = {1.68316036, 1.29242175};
    static const size_t together[] = {2, 5};
    struct rd_labels labels;
    struct rd_test tests[2];
    double largest[20], smallest[20];
    assert_true(rd_labels_make(3, 3, &labels));
    for (int i = 0; i < 20; i++) largest[i] = -INFINITY, smallest[i] = INFINITY;
    for (int i = 0; i < 2; i++) {
        struct rd_columns columns = columns_of(&floor_vectors[2 * i].runs, SCALE); /* F1, F3 */
        const struct rd_region_columns region = {&columns, 1};
        const struct rd_statistic statistic = {rd_floor_statistic, &region};
        assert_true(rd_test_region(&statistic, &labels, &tests[i], largest, smallest));
        rd_columns_free(&columns);
    }
    for (int i = 0; i < 2; i++) {
        assert_close(i ? "F3" : "F1", "T/s", tests[i].t / tests[i].sd, scaled[i], 1e-6);
        assert_int_equal(rd_test_slower_all(&labels, &tests[i], largest), together[i]);
    }
    free(labels.masks);
}

/* ---- the same numbers in two ways ---------------------------------------------------------------------------------
 */

static uint64_t state_of_dice = 1;
static double dice(void) {
    state_of_dice = state_of_dice * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (double)(state_of_dice >> 40);
}

static double plain_floor(const double *values, unsigned runs, size_t columns, uint64_t side, unsigned k) {
    double sum = 0;
    for (size_t c = 0; c < columns; c++) { /* mean over all subsets of k runs of their smallest */
        double all = 0, subsets = 0;
        for (uint64_t set = 1; set < (UINT64_C(1) << runs); set++) {
            if ((set & side) != set || (unsigned)__builtin_popcountll(set) != k) continue;
            double least = INFINITY;
            for (unsigned r = 0; r < runs; r++)
                if (set >> r & 1) least = fmin(least, values[c * runs + r]);
            all += least;
            subsets++;
        }
        sum += all / subsets;
    }
    return sum;
}

/* Few columns are gone through directly, many by way of a table; both have to give the plain definition. */
static void check_floors(unsigned m, unsigned n, size_t count) {
    const unsigned runs = m + n, k = m < n ? m : n;
    struct rd_columns columns = {.count = count, .runs = runs, .base = m};
    struct rd_labels labels;
    columns.values = calloc(count * runs, sizeof(double));
    columns.number = calloc(count * runs, 1);
    double *plain = calloc(count * runs, sizeof *plain);
    for (size_t i = 0; i < count * runs; i++) plain[i] = columns.values[i] = floor(dice() / 1e6); /* with ties */
    rd_columns_sort(&columns);
    assert_true(rd_labels_make(m, n, &labels));
    double *base = calloc(labels.count, sizeof *base), *candidate = calloc(labels.count, sizeof *candidate);
    assert_true(rd_floors(&columns, &labels, 1, base, candidate));
    const uint64_t all = (UINT64_C(1) << runs) - 1;
    for (size_t i = 0; i < labels.count; i += labels.count / 7 + 1) {
        assert_near(base[i], plain_floor(plain, runs, count, all & ~labels.masks[i], k));
        assert_near(candidate[i], plain_floor(plain, runs, count, labels.masks[i], k));
    }
    free(base);
    free(candidate);
    free(plain);
    free(labels.masks);
    rd_columns_free(&columns);
}

static void both_ways_give_the_floor(void **state) {
    (void)state;
    static const unsigned sides[][2] = {{1, 1}, {3, 3}, {5, 5}, {4, 2}, {2, 5}, {6, 3}, {1, 4}};
    for (size_t i = 0; i < W_COUNT(sides); i++) {
        check_floors(sides[i][0], sides[i][1], 1);
        check_floors(sides[i][0], sides[i][1], 400);
    }
}

/* More runs than a table has room for. */
static void many_runs_have_floors(void **state) {
    (void)state;
    enum { M = 13, N = 12, RUNS = M + N, COLUMNS = 5 };
    struct rd_columns columns = {.count = COLUMNS, .runs = RUNS, .base = M};
    struct rd_labels labels;
    columns.values = calloc(COLUMNS * RUNS, sizeof(double));
    columns.number = calloc(COLUMNS * RUNS, 1);
    for (int c = 0; c < COLUMNS; c++)
        for (int r = 0; r < RUNS; r++) columns.values[c * RUNS + r] = r < M ? 100 + r : 200 + r;
    rd_columns_sort(&columns);
    assert_true(rd_labels_make(M, N, &labels));
    assert_int_equal(labels.count, 2000);
    assert_false(labels.all);
    double base[2000], candidate[2000];
    assert_true(rd_floors(&columns, &labels, 1, base, candidate));
    assert_near(candidate[0], COLUMNS * (200.0 + M));
    /* 12 of 13: the smallest is left out once in 13 times */
    assert_near(base[0], COLUMNS * (100 * 12.0 + 101) / 13);
    free(labels.masks);
    rd_columns_free(&columns);
}

/* ---- labellings ---------------------------------------------------------------------------------------------------
 */

static int by_mask(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void all_labellings_are_there_once(void **state) {
    (void)state;
    struct rd_labels labels;
    assert_true(rd_labels_make(5, 5, &labels));
    assert_int_equal(labels.count, 252);
    assert_true(labels.all);
    assert_true(labels.masks[0] == 0x3e0);
    qsort(labels.masks, labels.count, sizeof *labels.masks, by_mask);
    for (size_t i = 0; i < labels.count; i++) {
        assert_int_equal(__builtin_popcountll(labels.masks[i]), 5);
        assert_true(labels.masks[i] < 1024);
        if (i) assert_true(labels.masks[i] > labels.masks[i - 1]);
    }
    free(labels.masks);
}

static void drawn_labellings_are_always_the_same(void **state) {
    (void)state;
    struct rd_labels first, again;
    assert_true(rd_labels_make(8, 8, &first));
    assert_true(rd_labels_make(8, 8, &again));
    assert_int_equal(first.count, 2000);
    assert_memory_equal(first.masks, again.masks, 2000 * sizeof *first.masks);
    for (size_t i = 0; i < first.count; i++) assert_int_equal(__builtin_popcountll(first.masks[i]), 8);
    free(first.masks);
    free(again.masks);
}

static void one_in_twenty_is_five_per_cent(void **state) {
    (void)state;
    const struct rd_labels twenty = {.count = 20}, other = {.count = 252};
    assert_true(rd_labels_reject(&twenty, 1, 0.05));
    assert_false(rd_labels_reject(&twenty, 2, 0.05));
    assert_true(rd_labels_reject(&other, 12, 0.05));
    assert_false(rd_labels_reject(&other, 13, 0.05));
    assert_true(rd_choose(62, 31) == UINT64_C(465428353255261088));
    assert_true(rd_choose(10, 5) == 252 && rd_choose(5, 0) == 1 && rd_choose(3, 4) == 0);
}

/* ---- bounds -------------------------------------------------------------------------------------------------------
 */

static void bounds_and_p_never_contradict(void **state) {
    (void)state;
    for (int round = 0; round < 40; round++) {
        struct runs runs = {.base = 4, .candidate = 4, .columns = 3};
        for (int r = 0; r < 8; r++)
            for (int c = 0; c < 3; c++)
                runs.values[r][c] = 1000 + fmod(dice(), 200) + (r >= 4 ? 10.0 * round - 100 : 0);
        struct rd_columns columns = columns_of(&runs, SCALE);
        const struct rd_region_columns region = {&columns, 1};
        const struct rd_statistic statistic = {rd_floor_statistic, &region};
        struct rd_labels labels;
        struct rd_test test;
        assert_true(rd_labels_make(4, 4, &labels));
        assert_true(rd_test_region(&statistic, &labels, &test, NULL, NULL));
        assert_true(rd_test_bounds(&statistic, &labels, 0.05, &test));
        assert_true(test.lower < test.t && test.t < test.upper);
        assert_int_equal(test.lower > 1e-6, rd_labels_reject(&labels, test.slower, 0.05));
        assert_int_equal(test.upper < -1e-6, rd_labels_reject(&labels, test.faster, 0.05));
        free(labels.masks);
        rd_columns_free(&columns);
    }
}

static void no_bounds_where_no_test_can_tell(void **state) {
    (void)state;
    const struct runs runs = {2, 2, 1, {{1}, {2}, {3}, {4}}};
    struct rd_columns columns = columns_of(&runs, SCALE);
    const struct rd_region_columns region = {&columns, 1};
    const struct rd_statistic statistic = {rd_floor_statistic, &region};
    struct rd_labels labels;
    struct rd_test test;
    assert_true(rd_labels_make(2, 2, &labels));
    assert_true(rd_test_region(&statistic, &labels, &test, NULL, NULL));
    assert_true(rd_test_bounds(&statistic, &labels, 0.05, &test));
    assert_nan(test.lower);
    assert_nan(test.upper);
    free(labels.masks);
    rd_columns_free(&columns);
}

/* ---- quantiles ----------------------------------------------------------------------------------------------------
 */

static void quantiles_of_few_are_exact(void **state) {
    (void)state;
    struct rd_durations durations;
    assert_true(rd_durations_begin(&durations, 5));
    for (int i = 0; i < 5; i++) rd_durations_add(&durations, (const int[]){50, 10, 40, 20, 30}[i]);
    rd_durations_end(&durations);
    assert_near(rd_durations_at(&durations, 0), 10);
    assert_near(rd_durations_at(&durations, 0.8), 18);
    assert_near(rd_durations_at(&durations, 4), 50);
    assert_near(rd_durations_at(&durations, -0.5), 10);
    assert_near(rd_durations_at(&durations, 4.5), 50);
    rd_durations_free(&durations);
}

static void quantiles_of_many_are_near(void **state) {
    (void)state;
    enum { COUNT = 3000000 };
    struct rd_durations durations;
    assert_true(rd_durations_begin(&durations, COUNT));
    for (int64_t i = COUNT; i > 0; i--) rd_durations_add(&durations, i * i);
    rd_durations_end(&durations);
    for (double position = 0; position < COUNT; position += 99999.5) {
        const double value = rd_durations_at(&durations, position), wanted = (position + 1) * (position + 1);
        if (fabs(value - wanted) > wanted * 3e-4) fail_msg("at %g: %g, not %g", position, value, wanted);
    }
    rd_durations_free(&durations);
}

static void quantiles_of_extremes(void **state) {
    (void)state;
    struct rd_durations durations;
    assert_true(rd_durations_begin(&durations, 2000000));
    for (int i = 0; i < 1000000; i++) rd_durations_add(&durations, 0);
    for (int i = 0; i < 1000000; i++) rd_durations_add(&durations, INT64_MAX);
    rd_durations_end(&durations);
    assert_true(rd_durations_at(&durations, 999999) == 0);
    assert_true(fabs(rd_durations_at(&durations, 1000000) / (double)INT64_MAX - 1) < 3e-4);
    assert_true(fabs(rd_durations_at(&durations, 1999999) / (double)INT64_MAX - 1) < 3e-4);
    rd_durations_free(&durations);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_give_the_known_numbers),     cmocka_unit_test(many_ranks_are_nearly_normal),
        cmocka_unit_test(floors_give_the_known_numbers),    cmocka_unit_test(regions_are_judged_together),
        cmocka_unit_test(both_ways_give_the_floor),         cmocka_unit_test(many_runs_have_floors),
        cmocka_unit_test(all_labellings_are_there_once),    cmocka_unit_test(drawn_labellings_are_always_the_same),
        cmocka_unit_test(one_in_twenty_is_five_per_cent),   cmocka_unit_test(bounds_and_p_never_contradict),
        cmocka_unit_test(no_bounds_where_no_test_can_tell), cmocka_unit_test(quantiles_of_few_are_exact),
        cmocka_unit_test(quantiles_of_many_are_near),       cmocka_unit_test(quantiles_of_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
