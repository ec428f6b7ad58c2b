/* What the gate makes of runs that are not alike: other numbers of calls or ranks, limits, refusals. */
#include "sides.h"

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
        cmocka_unit_test(more_calls_are_more_time),         cmocka_unit_test(many_calls_are_taken_together),
        cmocka_unit_test(the_slowest_rank_counts),          cmocka_unit_test(other_ranks_are_refused),
        cmocka_unit_test(regions_have_limits_of_their_own), cmocka_unit_test(a_run_counts_once),
        cmocka_unit_test(aggregates_have_totals_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
