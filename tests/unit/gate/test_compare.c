/* Several profiles side by side. */
#include "runs.h"

static spr_profile *profile_with(const char *file, const int64_t *solve, size_t calls, const char *other) {
    struct made made = {0};
    add_row(&made, "solve", 0, solve, calls, calls);
    if (other) add_row(&made, other, 0, (const int64_t[]){7 * S}, 1, 1);
    return finish_profile(&made, file);
}

static const spr_compared *row_of(const spr_comparison *comparison, const char *name) {
    for (size_t i = 0; i < comparison->count; i++)
        if (!strcmp(comparison->rows[i].name, name)) return &comparison->rows[i];
    fail_msg("no row %s", name);
    return NULL;
}

static spr_comparison compare(spr_profile *const *profiles, size_t count, enum spr_metric metric, bool by_path) {
    spr_comparison comparison;
    spr_error error = {0};
    if (spr_compare(profiles, NULL, count, metric, by_path, &comparison, &error)) fail_msg("%s", error.message);
    return comparison;
}

static void regions_of_both_are_there(void **state) {
    (void)state;
    spr_profile *profiles[] = {profile_with("a.h5", (const int64_t[]){2 * S, 3 * S}, 2, "old"),
                               profile_with("b.h5", (const int64_t[]){2 * S, 4 * S, 6 * S}, 3, "new")};
    spr_comparison comparison = compare(profiles, 2, SPR_BY_TOTAL, false);
    assert_int_equal(comparison.count, 3);
    assert_string_equal(comparison.rows[0].name, "new"); /* by name */
    assert_string_equal(comparison.rows[1].name, "old");
    const spr_compared *solve = row_of(&comparison, "solve");
    assert_near(solve->values[0], 5);
    assert_near(solve->values[1], 12);
    assert_near(spr_delta(solve, 0, 1), 7);
    assert_near(spr_percent(solve, 0, 1), 140);
    assert_near(spr_percent(solve, 1, 0), -700.0 / 12);
    const spr_compared *gone = row_of(&comparison, "old"), *added = row_of(&comparison, "new");
    assert_true(gone->present[0] && !gone->present[1]);
    assert_nan(gone->values[1]);
    assert_near(spr_delta(gone, 0, 1), -7);
    assert_near(spr_percent(gone, 0, 1), -100);
    assert_near(spr_delta(added, 0, 1), 7);
    assert_nan(spr_percent(added, 0, 1));
    spr_comparison_free(&comparison);
    spr_close(profiles[0]);
    spr_close(profiles[1]);
}

static void every_metric_is_there(void **state) {
    (void)state;
    static const double wanted[] = {
        [SPR_BY_TOTAL] = 12, [SPR_BY_AVERAGE] = 4, [SPR_BY_MINIMUM] = 2,   [SPR_BY_MAXIMUM] = 6, [SPR_BY_P50] = 4,
        [SPR_BY_P95] = 5.8,  [SPR_BY_P99] = 5.96,  [SPR_BY_IMBALANCE] = 0, [SPR_BY_CALLS] = 3};
    spr_profile *profile = profile_with("m.h5", (const int64_t[]){2 * S, 4 * S, 6 * S}, 3, NULL);
    for (int metric = SPR_BY_TOTAL; metric <= SPR_BY_CALLS; metric++) {
        spr_comparison comparison = compare(&profile, 1, (enum spr_metric)metric, false);
        assert_near(row_of(&comparison, "solve")->values[0], wanted[metric]);
        spr_comparison_free(&comparison);
    }
    spr_close(profile);
}

static void no_time_has_no_percentage(void **state) {
    (void)state;
    spr_profile *profiles[] = {profile_with("z.h5", (const int64_t[]){0}, 1, NULL),
                               profile_with("s.h5", (const int64_t[]){3 * S}, 1, NULL)};
    spr_comparison comparison = compare(profiles, 2, SPR_BY_TOTAL, false);
    assert_true(comparison.rows[0].values[0] == 0);
    assert_near(spr_delta(&comparison.rows[0], 0, 1), 3);
    assert_nan(spr_percent(&comparison.rows[0], 0, 1));
    assert_near(spr_percent(&comparison.rows[0], 1, 0), -100);
    spr_comparison_free(&comparison);
    spr_close(profiles[0]);
    spr_close(profiles[1]);
}

/* The same region below two others is two paths; a name that holds the separator is still one name. */
static void paths_are_kept_apart(void **state) {
    (void)state;
    static const struct w_call outer[] = {{.start = 0, .end = 100}}, other[] = {{.start = 200, .end = 300}},
                               inner[] = {{.start = 10, .end = 30}, {.start = 210, .end = 250}},
                               odd[] = {{.start = 400, .end = 460}};
    static const char *const names[] = {"one", "two", "solve", "one > solve"};
    static const struct w_row rows[] = {{.region = 0, .calls = outer, .count = 1, .exclusive = -1, .line = -1},
                                        {.region = 1, .calls = other, .count = 1, .exclusive = -1, .line = -1},
                                        {.region = 2, .calls = inner, .count = 2, .exclusive = -1, .line = -1},
                                        {.region = 3, .calls = odd, .count = 1, .exclusive = -1, .line = -1}};
    const struct w_file file = {
        .schema = 3, .summary = true, .names = names, .num_names = 4, .rows = rows, .num_rows = 4};
    char path[256];
    snprintf(path, sizeof path, "%s", w_path("paths.h5"));
    w_write(path, &file);
    spr_profile *profile = open_good(path);
    spr_comparison comparison = compare(&profile, 1, SPR_BY_TOTAL, true);
    assert_int_equal(comparison.count, 5);
    double both = 0;
    size_t found = 0;
    for (size_t i = 0; i < comparison.count; i++)
        if (!strcmp(comparison.rows[i].name, "one > solve")) both += comparison.rows[i].values[0], found++;
    assert_int_equal(found, 2);
    assert_near(both * 1e9, 80);
    assert_near(row_of(&comparison, "two > solve")->values[0] * 1e9, 40);
    spr_comparison_free(&comparison);
    comparison = compare(&profile, 1, SPR_BY_TOTAL, false);
    assert_near(row_of(&comparison, "solve")->values[0] * 1e9, 60);
    spr_comparison_free(&comparison);
    spr_close(profile);
}

static void aggregates_have_no_paths(void **state) {
    (void)state;
    struct made made = {.aggregate = true};
    add_row(&made, "solve", 0, (const int64_t[]){5}, 1, 3);
    spr_profile *profile = finish_profile(&made, "aggregate.h5");
    spr_comparison comparison;
    spr_error error = {0};
    assert_int_equal(spr_compare(&profile, NULL, 1, SPR_BY_TOTAL, true, &comparison, &error), SPR_NO_EVENTS);
    assert_message(&error, spr_path(profile), "");
    comparison = compare(&profile, 1, SPR_BY_P95, false);
    assert_nan(comparison.rows[0].values[0]);
    assert_true(comparison.rows[0].present[0]);
    spr_comparison_free(&comparison);
    spr_close(profile);
}

static void the_selection_counts(void **state) {
    (void)state;
    struct made made = {.mpi_size = 2};
    add_row(&made, "solve", 0, (const int64_t[]){2 * S}, 1, 1);
    add_row(&made, "solve", 1, (const int64_t[]){3 * S}, 1, 1);
    add_row(&made, "io", 1, (const int64_t[]){9 * S}, 1, 1);
    spr_profile *profile = finish_profile(&made, "ranks.h5");
    spr_selection *selection;
    spr_comparison comparison;
    const uint32_t first = 0;
    assert_int_equal(spr_select(profile, NULL, 0, NULL, 0, &first, 1, &selection, NULL), 0);
    assert_int_equal(spr_compare(&profile, &selection, 1, SPR_BY_TOTAL, false, &comparison, NULL), 0);
    assert_int_equal(comparison.count, 1); /* io has no calls there */
    assert_near(comparison.rows[0].values[0], 2);
    spr_comparison_free(&comparison);
    spr_selection_free(selection);
    spr_close(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_of_both_are_there), cmocka_unit_test(every_metric_is_there),
        cmocka_unit_test(no_time_has_no_percentage), cmocka_unit_test(paths_are_kept_apart),
        cmocka_unit_test(aggregates_have_no_paths),  cmocka_unit_test(the_selection_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
