/* What the gate says of runs: files in, verdicts out. */
#include "runs.h"

#define MOST 12

struct sides {
    spr_profile *base[MOST], *candidate[MOST];
    size_t m, n;
};

static unsigned files;

static spr_profile *finish_run(struct made *made) {
    char name[32];
    snprintf(name, sizeof name, "run-%u.h5", files++);
    return finish_profile(made, name);
}

/* A run of one region `solve`. */
static spr_profile *solve_run(double each_ms, size_t calls, unsigned run) {
    struct made made = {0};
    add_noisy(&made, "solve", 0, each_ms * (double)MS, calls, run);
    return finish_run(&made);
}

static struct sides solve_sides(size_t m, size_t n, double base_ms, double candidate_ms, size_t calls) {
    struct sides sides = {.m = m, .n = n};
    for (unsigned i = 0; i < m; i++) sides.base[i] = solve_run(base_ms, calls, i);
    for (unsigned i = 0; i < n; i++) sides.candidate[i] = solve_run(candidate_ms, calls, 100 + i);
    return sides;
}

static void close_sides(struct sides *sides) {
    for (size_t i = 0; i < sides->m; i++) spr_close(sides->base[i]);
    for (size_t i = 0; i < sides->n; i++) spr_close(sides->candidate[i]);
}

static spr_gate_result judge(const struct sides *sides, const spr_gate_options *options) {
    const spr_gate_options defaults = spr_gate_defaults();
    spr_gate_result result;
    spr_error error = {0};
    if (spr_gate(sides->base, sides->m, sides->candidate, sides->n, NULL, options ? options : &defaults, &result,
                 &error))
        fail_msg("%s", error.message);
    return result;
}

static const spr_gate_region *region_of(const spr_gate_result *result, const char *name) {
    for (size_t i = 0; i < result->count; i++)
        if (!strcmp(result->regions[i].name, name)) return &result->regions[i];
    fail_msg("no region %s", name);
    return NULL;
}

static void assert_verdict(const spr_gate_result *result, const char *name, enum spr_verdict verdict) {
    const spr_gate_region *region = region_of(result, name);
    if (region->verdict != verdict)
        fail_msg("%s: verdict %d, not %d (ratio %g, p %g, bounds %g %g)", name, region->verdict, verdict, region->ratio,
                 region->p_all, region->lower, region->upper);
}

/* ---- enough runs --------------------------------------------------------------------------------------------------
 */

static void the_same_files_are_ok(void **state) {
    (void)state;
    struct sides sides = solve_sides(5, 0, 2, 2, 50);
    sides.n = 5;
    memcpy(sides.candidate, sides.base, sizeof sides.base);
    spr_gate_result result = judge(&sides, NULL);
    const spr_gate_region *solve = region_of(&result, "solve");
    assert_int_equal(solve->verdict, SPR_NO_SLOWER);
    assert_true(solve->ratio == 1);
    assert_true(solve->p > 0.5 && solve->p_all > 0.5);
    assert_true(solve->upper < 1.05 && solve->lower < 1 && solve->upper > 1);
    assert_int_equal(result.gated, 1);
    assert_int_equal(result.labellings, 252);
    spr_gate_free(&result);
    sides.n = 0;
    close_sides(&sides);
}

static void ten_per_cent_are_seen(void **state) {
    (void)state;
    struct sides sides = solve_sides(5, 5, 2, 2.2, 50);
    spr_gate_result result = judge(&sides, NULL);
    const spr_gate_region *solve = region_of(&result, "solve");
    assert_int_equal(solve->verdict, SPR_SLOWER);
    assert_true(fabs(solve->ratio - 1.1) < 0.002);
    assert_near(solve->p, 1.0 / 252);
    assert_near(solve->p_all, 1.0 / 252);
    assert_true(solve->lower > 1.09 && solve->lower < solve->ratio);
    assert_true(solve->upper < 1.11 && solve->upper > solve->ratio);
    assert_true(solve->base > 0.1 && solve->base < 0.1005);
    assert_true(solve->base_calls[0] == 50 && solve->base_calls[1] == 50);
    assert_false(solve->gross);
    spr_gate_free(&result);

    /* the other way round it is faster, which never fails */
    struct sides swapped = {.m = 5, .n = 5};
    memcpy(swapped.base, sides.candidate, sizeof swapped.base);
    memcpy(swapped.candidate, sides.base, sizeof swapped.candidate);
    result = judge(&swapped, NULL);
    assert_verdict(&result, "solve", SPR_FASTER);
    assert_near(region_of(&result, "solve")->p_faster, 1.0 / 252);
    spr_gate_free(&result);
    close_sides(&sides);
}

static void the_order_of_files_does_not_matter(void **state) {
    (void)state;
    struct sides sides = solve_sides(8, 8, 2, 2.004, 20), turned = sides; /* 2000 of 12870 labellings are drawn */
    for (size_t i = 0; i < 8; i++) {
        turned.base[i] = sides.base[7 - i];
        turned.candidate[i] = sides.candidate[(i + 3) % 8];
    }
    spr_gate_result one = judge(&sides, NULL), other = judge(&turned, NULL);
    assert_false(one.all_labellings);
    assert_true(one.regions[0].p == other.regions[0].p);
    assert_true(one.regions[0].p_all == other.regions[0].p_all);
    assert_true(one.regions[0].lower == other.regions[0].lower);
    assert_int_equal(one.regions[0].verdict, other.regions[0].verdict);
    spr_gate_free(&one);
    spr_gate_free(&other);
    close_sides(&sides);
}

static void three_per_cent_are_below_the_limit(void **state) {
    (void)state;
    struct sides sides = solve_sides(5, 5, 2, 2.06, 50);
    spr_gate_result result = judge(&sides, NULL);
    assert_verdict(&result, "solve", SPR_NO_SLOWER); /* proved to be below 5 % */
    spr_gate_free(&result);
    spr_gate_options options = spr_gate_defaults();
    options.max_slowdown = 0.02;
    result = judge(&sides, &options);
    assert_verdict(&result, "solve", SPR_SLOWER);
    spr_gate_free(&result);
    close_sides(&sides);
}

static void add_all(struct made *made, unsigned run, double factor) {
    static const char *const names[] = {"ra", "rb", "rc", "rd", "re", "rf", "rg", "rh", "ri", "rj", "rk",
                                        "rl", "rm", "rn", "ro", "rp", "rq", "rr", "rs", "rt", "ru"};
    for (size_t i = 0; i < 21; i++) add_noisy(made, names[i], 0, 2.0 * (double)MS * (i == 7 ? factor : 1), 10, run);
}

static void one_of_many_regions_is_found(void **state) {
    (void)state;
    struct sides sides = {.m = 5, .n = 5};
    for (unsigned i = 0; i < 10; i++) {
        struct made made = {0};
        add_all(&made, i, i < 5 ? 1 : 1.1);
        *(i < 5 ? &sides.base[i] : &sides.candidate[i - 5]) = finish_run(&made);
    }
    spr_gate_result result = judge(&sides, NULL);
    assert_int_equal(result.count, 21);
    assert_int_equal(result.tally[SPR_SLOWER], 1);
    assert_string_equal(result.regions[0].name, "rh"); /* worst first */
    assert_int_equal(result.regions[0].verdict, SPR_SLOWER);
    assert_nan(result.common_factor);
    spr_gate_free(&result);
    close_sides(&sides);
}

static void a_common_factor_is_named(void **state) {
    (void)state;
    struct sides sides = {.m = 3, .n = 3};
    for (unsigned i = 0; i < 6; i++) {
        struct made made = {0};
        const double each = (i < 3 ? 2.0 : 2.6) * (double)MS;
        add_noisy(&made, "a", 0, each, 10, i);
        add_noisy(&made, "b", 0, each, 10, i);
        add_noisy(&made, "c", 0, 2 * each, 10, i);
        add_noisy(&made, "d", 0, each, 12, i);
        *(i < 3 ? &sides.base[i] : &sides.candidate[i - 3]) = finish_run(&made);
    }
    spr_gate_result result = judge(&sides, NULL);
    assert_true(fabs(result.common_factor - 1.3) < 0.01);
    assert_int_equal(result.tally[SPR_SLOWER], 4);
    spr_gate_free(&result);
    close_sides(&sides);
}

/* Only the 2 heavy calls of 20 are slower: medians do not see it, the floor does. */
static void few_heavy_calls_are_seen(void **state) {
    (void)state;
    struct sides sides = {.m = 4, .n = 4};
    for (unsigned i = 0; i < 8; i++) {
        struct made made = {0};
        int64_t durations[20];
        for (int k = 0; k < 20; k++) durations[k] = MS + (int64_t)((i * 7 + (unsigned)k * 3) % 5) * 1000;
        durations[5] = durations[15] = (i < 4 ? 10 : 15) * MS + (int64_t)i * 100;
        add_row(&made, "het", 0, durations, 20, 20);
        *(i < 4 ? &sides.base[i] : &sides.candidate[i - 4]) = finish_run(&made);
    }
    spr_gate_result result = judge(&sides, NULL);
    assert_verdict(&result, "het", SPR_SLOWER);
    assert_true(fabs(region_of(&result, "het")->ratio - 48.0 / 38) < 0.003);
    spr_gate_free(&result);
    close_sides(&sides);
}

/* Every candidate run has one slow call, each another: the floor is as before, and the totals are not. */
static void what_the_floor_cannot_see_is_told(void **state) {
    (void)state;
    struct sides sides = {.m = 5, .n = 5};
    for (unsigned i = 0; i < 10; i++) {
        struct made made = {0};
        int64_t durations[20];
        for (unsigned k = 0; k < 20; k++) durations[k] = MS + (i * 13 + k) % 7 * 100;
        if (i >= 5) durations[i] += 5 * MS;
        add_row(&made, "lock", 0, durations, 20, 20);
        *(i < 5 ? &sides.base[i] : &sides.candidate[i - 5]) = finish_run(&made);
    }
    spr_gate_result result = judge(&sides, NULL);
    assert_verdict(&result, "lock", SPR_NO_SLOWER);
    assert_true(fabs(region_of(&result, "lock")->total_ratio - 1.25) < 0.01);
    assert_near(region_of(&result, "lock")->total_p, 1.0 / 252);
    spr_gate_free(&result);
    spr_gate_options options = spr_gate_defaults();
    options.statistic = SPR_TOTAL;
    result = judge(&sides, &options);
    assert_verdict(&result, "lock", SPR_SLOWER);
    assert_true(fabs(region_of(&result, "lock")->ratio - 1.25) < 0.01);
    spr_gate_free(&result);
    options.test = SPR_MANN_WHITNEY;
    result = judge(&sides, &options);
    assert_verdict(&result, "lock", SPR_SLOWER);
    assert_near(region_of(&result, "lock")->p, 1.0 / 252);
    spr_gate_free(&result);
    close_sides(&sides);
}

/* ---- few runs -----------------------------------------------------------------------------------------------------
 */

static void judge_pair(double candidate_ms, size_t calls, enum spr_verdict verdict) {
    struct sides sides = solve_sides(1, 1, 2, candidate_ms, calls);
    spr_gate_result result = judge(&sides, NULL);
    assert_false(result.testable);
    assert_verdict(&result, "solve", verdict);
    assert_int_equal(region_of(&result, "solve")->gross, verdict == SPR_SLOWER);
    assert_nan(region_of(&result, "solve")->p);
    assert_nan(region_of(&result, "solve")->lower);
    assert_near(result.smallest_p, 0.5);
    spr_gate_free(&result);
    close_sides(&sides);
}

static void one_run_tells_gross_things_only(void **state) {
    (void)state;
    judge_pair(2.0, 50, SPR_UNCLEAR);
    judge_pair(2.4, 50, SPR_UNCLEAR);
    judge_pair(2.6, 50, SPR_SLOWER);
    judge_pair(2.6, 9, SPR_UNCLEAR); /* too few calls */
}

static void gross_means_the_fastest_calls_too(void **state) {
    (void)state;
    struct sides sides = {.m = 1, .n = 1};
    int64_t durations[20];
    struct made made = {0};
    for (int i = 0; i < 20; i++) durations[i] = 2 * MS;
    add_row(&made, "solve", 0, durations, 20, 20);
    sides.base[0] = finish_run(&made);
    for (int i = 1; i < 20; i++) durations[i] = 4 * MS; /* one call is as fast as ever */
    add_row(&made, "solve", 0, durations, 20, 20);
    sides.candidate[0] = finish_run(&made);
    spr_gate_result result = judge(&sides, NULL);
    assert_verdict(&result, "solve", SPR_UNCLEAR);
    spr_gate_free(&result);
    close_sides(&sides);
}

static void two_runs_a_side_must_all_be_slower(void **state) {
    (void)state;
    struct sides sides = solve_sides(2, 2, 2, 2.6, 20);
    spr_gate_result result = judge(&sides, NULL);
    assert_verdict(&result, "solve", SPR_SLOWER);
    spr_gate_free(&result);
    spr_close(sides.candidate[1]);
    sides.candidate[1] = solve_run(2.0, 20, 7);
    result = judge(&sides, NULL);
    assert_verdict(&result, "solve", SPR_UNCLEAR);
    spr_gate_free(&result);
    close_sides(&sides);
}

/* ---- what is not there --------------------------------------------------------------------------------------------
 */

static void no_time_in_the_base_is_new_time(void **state) {
    (void)state;
    static const int64_t none[] = {0}, some[] = {5 * MS};
    struct sides sides = {.m = 3, .n = 3};
    for (unsigned i = 0; i < 6; i++) {
        struct made made = {0};
        add_row(&made, "was0", 0, i < 3 ? none : some, 1, 10);
        add_row(&made, "both0", 0, none, 1, 10);
        *(i < 3 ? &sides.base[i] : &sides.candidate[i - 3]) = finish_run(&made);
    }
    spr_gate_result result = judge(&sides, NULL);
    assert_verdict(&result, "was0", SPR_SLOWER);
    assert_true(isinf(region_of(&result, "was0")->ratio));
    assert_verdict(&result, "both0", SPR_TOO_SMALL);
    assert_true(region_of(&result, "both0")->ratio == 1);
    assert_int_equal(result.gated, 1);
    spr_gate_free(&result);
    spr_gate_options options = spr_gate_defaults();
    options.min_time = 0;
    result = judge(&sides, &options);
    assert_verdict(&result, "both0", SPR_TOO_SMALL);
    spr_gate_free(&result);
    close_sides(&sides);
}

static void absent_regions_are_listed(void **state) {
    (void)state;
    struct sides sides = {.m = 3, .n = 3};
    for (unsigned i = 0; i < 6; i++) {
        struct made made = {0};
        add_noisy(&made, "both", 0, 2.0 * MS, 10, i);
        add_noisy(&made, i < 3 ? "old" : "new", 0, 2.0 * MS, 10, i);
        if (i != 4) add_noisy(&made, "once-not", 0, 2.0 * MS, 10, i);
        add_noisy(&made, "tiny", 0, 20000, 10, i);
        *(i < 3 ? &sides.base[i] : &sides.candidate[i - 3]) = finish_run(&made);
    }
    spr_gate_result result = judge(&sides, NULL);
    assert_verdict(&result, "old", SPR_MISSING);
    assert_verdict(&result, "new", SPR_ADDED);
    assert_verdict(&result, "once-not", SPR_PARTIAL);
    assert_int_equal(region_of(&result, "once-not")->candidate_runs, 2);
    assert_verdict(&result, "tiny", SPR_TOO_SMALL);
    assert_true(region_of(&result, "tiny")->base > 0.0002);
    assert_nan(region_of(&result, "old")->candidate);
    assert_true(region_of(&result, "old")->base > 0.02);
    assert_int_equal(result.gated, 1);
    spr_gate_free(&result);
    close_sides(&sides);
}

static void nothing_in_common_is_nothing_gated(void **state) {
    (void)state;
    struct sides sides = {.m = 1, .n = 1};
    struct made made = {0};
    add_noisy(&made, "one", 0, 2.0 * MS, 10, 1);
    sides.base[0] = finish_run(&made);
    add_noisy(&made, "other", 0, 2.0 * MS, 10, 1);
    sides.candidate[0] = finish_run(&made);
    spr_gate_result result = judge(&sides, NULL);
    assert_int_equal(result.gated, 0);
    assert_int_equal(result.count, 2);
    spr_gate_free(&result);
    close_sides(&sides);
}

/* ---- calls and ranks ----------------------------------------------------------------------------------------------
 */

static void more_calls_are_more_time(void **state) {
    (void)state;
    struct sides sides = {.m = 4, .n = 4};
    for (unsigned i = 0; i < 4; i++)
        sides.base[i] = solve_run(2, 100, i), sides.candidate[i] = solve_run(2, 120, 50 + i);
    spr_gate_result result = judge(&sides, NULL);
    const spr_gate_region *solve = region_of(&result, "solve");
    assert_int_equal(solve->verdict, SPR_SLOWER);
    assert_true(fabs(solve->ratio - 1.2) < 0.005);
    assert_true(solve->base_calls[1] == 100 && solve->candidate_calls[0] == 120);
    spr_gate_free(&result);
    close_sides(&sides);
}

/* More columns than are kept: neighbouring calls are taken together. */
static void many_calls_are_taken_together(void **state) {
    (void)state;
    struct sides sides = solve_sides(3, 3, 0.002, 0.0024, 50001);
    spr_gate_result result = judge(&sides, NULL);
    assert_verdict(&result, "solve", SPR_SLOWER);
    assert_true(fabs(region_of(&result, "solve")->ratio - 1.2) < 0.005);
    assert_true(fabs(region_of(&result, "solve")->base - 0.1) < 0.001);
    spr_gate_free(&result);
    close_sides(&sides);
}

static spr_profile *ranked_run(const double *each_ms, uint32_t ranks, int64_t mpi_size, unsigned run) {
    struct made made = {.mpi_size = mpi_size};
    for (uint32_t rank = 0; rank < ranks; rank++)
        if (each_ms[rank] > 0) add_noisy(&made, "solve", rank, each_ms[rank] * (double)MS, 10, run);
    return finish_run(&made);
}

static void the_slowest_rank_counts(void **state) {
    (void)state;
    static const double before[] = {2, 3, 1}, after[] = {2, 3.6, 0.4}; /* the mean is as before */
    struct sides sides = {.m = 4, .n = 4};
    for (unsigned i = 0; i < 4; i++)
        sides.base[i] = ranked_run(before, 3, 3, i), sides.candidate[i] = ranked_run(after, 3, 3, 20 + i);
    spr_gate_result result = judge(&sides, NULL);
    const spr_gate_region *solve = region_of(&result, "solve");
    assert_int_equal(solve->verdict, SPR_SLOWER);
    assert_true(fabs(solve->ratio - 1.2) < 0.003);
    assert_true(fabs(solve->candidate_mean / solve->base_mean - 1) < 0.003);
    assert_int_equal(solve->ranks, 3);
    spr_gate_free(&result);
    close_sides(&sides);
}

static void other_ranks_are_refused(void **state) {
    (void)state;
    static const double two[] = {2, 2}, three[] = {3, 3, 3}, gap[] = {2, 0, 2};
    struct sides sides = {.m = 4, .n = 4};
    spr_gate_options options = spr_gate_defaults();
    spr_gate_result result;
    spr_error error = {0};
    for (unsigned i = 0; i < 4; i++)
        sides.base[i] = ranked_run(two, 2, 2, i), sides.candidate[i] = ranked_run(three, 3, 3, 20 + i);
    assert_int_equal(spr_gate(sides.base, 4, sides.candidate, 4, NULL, &options, &result, &error), -1);
    assert_message(&error, NULL, "3 ranks, but ");
    options.allow_different_ranks = true;
    result = judge(&sides, &options);
    assert_true(result.different_ranks);
    assert_verdict(&result, "solve", SPR_UNCLEAR); /* half as slow again, and yet no failure */
    assert_string_equal(region_of(&result, "solve")->reason, "slower, but with other numbers of ranks");
    spr_gate_free(&result);
    close_sides(&sides);

    for (unsigned i = 0; i < 4; i++)
        sides.base[i] = ranked_run((const double[]){2, 2, 2}, 3, 3, i),
        sides.candidate[i] = ranked_run(gap, 3, 3, 20 + i);
    result = judge(&sides, NULL);
    assert_verdict(&result, "solve", SPR_UNCLEAR); /* as fast as before, but on rank 1 nobody knows */
    assert_int_equal(region_of(&result, "solve")->ranks, 2);
    spr_gate_free(&result);
    close_sides(&sides);
}

/* ---- limits and refusals ------------------------------------------------------------------------------------------
 */

static spr_gate_limit limit_of(void *argument, const char *region) {
    (void)region;
    return *(const spr_gate_limit *)argument;
}

static void regions_have_limits_of_their_own(void **state) {
    (void)state;
    struct sides sides = solve_sides(5, 5, 2, 2.2, 50);
    spr_gate_limit limit = {0.2, NAN};
    spr_gate_options options = spr_gate_defaults();
    options.limit = limit_of;
    options.argument = &limit;
    spr_gate_result result = judge(&sides, &options);
    assert_verdict(&result, "solve", SPR_NO_SLOWER);
    assert_int_equal(result.over_budget, 0);
    spr_gate_free(&result);
    limit.seconds = 0.109;
    result = judge(&sides, &options);
    assert_verdict(&result, "solve", SPR_NO_SLOWER);
    assert_true(region_of(&result, "solve")->over_budget);
    assert_int_equal(result.over_budget, 1);
    spr_gate_free(&result);
    close_sides(&sides);
}

static void a_run_counts_once(void **state) {
    (void)state;
    struct sides sides = solve_sides(3, 3, 2, 2, 10);
    const spr_gate_options options = spr_gate_defaults();
    spr_gate_result result;
    spr_error error = {0};
    spr_profile *const twice[] = {sides.base[0], sides.base[1], sides.base[0]};
    assert_int_equal(spr_gate(twice, 3, sides.candidate, 3, NULL, &options, &result, &error), -1);
    assert_message(&error, NULL, "the same run as");
    assert_int_equal(spr_gate(sides.base, 0, sides.candidate, 3, NULL, &options, &result, &error), -1);
    assert_message(&error, NULL, "no run of the base");
    assert_int_equal(spr_gate(sides.base, 3, sides.candidate, 0, NULL, &options, &result, &error), -1);
    assert_message(&error, NULL, "no run of the candidate");
    close_sides(&sides);
}

static void aggregates_have_totals_only(void **state) {
    (void)state;
    struct sides sides = {.m = 3, .n = 3};
    for (unsigned i = 0; i < 6; i++) {
        struct made made = {.aggregate = true};
        add_noisy(&made, "solve", 0, (i < 3 ? 2.0 : 3.0) * (double)MS, 10, i);
        *(i < 3 ? &sides.base[i] : &sides.candidate[i - 3]) = finish_run(&made);
    }
    spr_gate_options options = spr_gate_defaults();
    spr_gate_result result;
    spr_error error = {0};
    assert_int_equal(spr_gate(sides.base, 3, sides.candidate, 3, NULL, &options, &result, &error), SPR_NO_EVENTS);
    assert_message(&error, NULL, "without single calls only totals can be compared");
    options.statistic = SPR_TOTAL;
    result = judge(&sides, &options);
    assert_verdict(&result, "solve", SPR_SLOWER);
    spr_gate_free(&result);
    close_sides(&sides);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_files_are_ok),
        cmocka_unit_test(ten_per_cent_are_seen),
        cmocka_unit_test(the_order_of_files_does_not_matter),
        cmocka_unit_test(three_per_cent_are_below_the_limit),
        cmocka_unit_test(one_of_many_regions_is_found),
        cmocka_unit_test(a_common_factor_is_named),
        cmocka_unit_test(few_heavy_calls_are_seen),
        cmocka_unit_test(what_the_floor_cannot_see_is_told),
        cmocka_unit_test(one_run_tells_gross_things_only),
        cmocka_unit_test(gross_means_the_fastest_calls_too),
        cmocka_unit_test(two_runs_a_side_must_all_be_slower),
        cmocka_unit_test(no_time_in_the_base_is_new_time),
        cmocka_unit_test(absent_regions_are_listed),
        cmocka_unit_test(nothing_in_common_is_nothing_gated),
        cmocka_unit_test(more_calls_are_more_time),
        cmocka_unit_test(many_calls_are_taken_together),
        cmocka_unit_test(the_slowest_rank_counts),
        cmocka_unit_test(other_ranks_are_refused),
        cmocka_unit_test(regions_have_limits_of_their_own),
        cmocka_unit_test(a_run_counts_once),
        cmocka_unit_test(aggregates_have_totals_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
