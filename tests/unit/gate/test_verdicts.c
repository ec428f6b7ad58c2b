/* What the gate says of runs: files in, verdicts out. */
#include "sides.h"

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
