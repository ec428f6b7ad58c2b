/* Percentiles of values that are too many to be kept, against those of the sorted values. */
#include "check.h"

#include "quantile.h"

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t random_state = 88172645463325252u;
static uint64_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static void expect(int64_t *values, size_t count, const double got[RD_PERCENTILES]) {
    static const double percents[] = {50, 95, 99};
    qsort(values, count, sizeof *values, compare);
    for (size_t i = 0; i < RD_PERCENTILES; i++) {
        const double position = (double)(count - 1) * (percents[i] / 100);
        const size_t below = (size_t)position;
        const double low = (double)values[below], high = (double)values[below + 1 < count ? below + 1 : below];
        const double wanted = low + (high - low) * (position - (double)below);
        assert_true(fabs(got[i] - wanted) <= 1e-12 * fabs(wanted));
    }
}

/* Adds all values in each round, until there is an answer; returns the number of rounds. */
static int find(struct rd_quantile *quantile, struct rd_budget *budget, const int64_t *values, size_t count) {
    int rounds = 0;
    for (bool again = true; again;) {
        if (rounds++) assert_true(rd_quantile_begin(quantile, budget));
        for (size_t i = 0; i < count; i++) assert_true(rd_quantile_add(quantile, budget, values[i]));
        assert_true(rd_quantile_end(quantile, budget, count, &again));
        assert_true(rounds < 12);
    }
    return rounds;
}

enum { MANY = 3000000 };

/* Without memory to keep them: short ones, ones of every magnitude, equal ones, the largest there are. */
static void test_shapes(void **state) {
    (void)state;
    int64_t *values = malloc(MANY * sizeof *values);
    for (int shape = 0; shape < 5; shape++) {
        for (size_t i = 0; i < MANY; i++) {
            const uint64_t random = next_random();
            switch (shape) {
            case 0:
                values[i] = (int64_t)(random % 5000);
                break;
            case 1:
                values[i] = (int64_t)(random >> (1 + random % 63));
                break;
            case 2:
                values[i] = (int64_t)(random >> 1);
                break;
            case 3:
                values[i] = i % 1000 == 0 ? (int64_t)(random >> 2) : INT64_C(123456789012345);
                break;
            default:
                values[i] = INT64_MAX - (int64_t)(i % 3);
            }
        }
        struct rd_quantile quantile = {0};
        struct rd_budget budget = {1 << 20};
        const int rounds = find(&quantile, &budget, values, MANY);
        assert_true(rounds >= (shape == 0 || shape >= 3 ? 1 : 2));
        assert_true(rounds <= 7);
        expect(values, MANY, quantile.values);
        rd_quantile_free(&quantile, &budget);
        assert_int_equal(budget.left, 1 << 20);
    }
    free(values);
}

/* Many of them share what is not enough for all: some wait for a later round, and all get their answer. */
static void test_shared_memory(void **state) {
    (void)state;
    enum { EACH = 4000, NUMBER = 300 };
    struct rd_quantile *quantiles = calloc(NUMBER, sizeof *quantiles);
    int64_t(*values)[EACH] = malloc(NUMBER * sizeof *values);
    struct rd_budget budget = {2 << 20};
    for (size_t k = 0; k < NUMBER; k++)
        for (size_t i = 0; i < EACH; i++) values[k][i] = (int64_t)(next_random() >> (20 + k % 30));
    int rounds = 0;
    for (bool again = true; again; rounds++) {
        again = false;
        for (size_t i = 0; i < EACH; i++)
            for (size_t k = 0; k < NUMBER; k++) assert_true(rd_quantile_add(&quantiles[k], &budget, values[k][i]));
        assert_true(budget.left > -(4 << 20));
        for (size_t k = 0; k < NUMBER; k++) {
            bool more;
            assert_true(rd_quantile_end(&quantiles[k], &budget, EACH, &more));
            again |= more;
        }
        for (size_t k = 0; again && k < NUMBER; k++) assert_true(rd_quantile_begin(&quantiles[k], &budget));
    }
    assert_in_range(rounds, 2, 40);
    for (size_t k = 0; k < NUMBER; k++) expect(values[k], EACH, quantiles[k].values);
    assert_int_equal(budget.left, 2 << 20);
    free(quantiles);
    free(values);
}

static void test_few(void **state) {
    (void)state;
    for (size_t count = 1; count < 70; count++) {
        int64_t values[70];
        for (size_t i = 0; i < count; i++) values[i] = (int64_t)(next_random() % 1000);
        struct rd_quantile quantile = {0};
        struct rd_budget budget = {1 << 20};
        assert_int_equal(find(&quantile, &budget, values, count), 1);
        expect(values, count, quantile.values);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_shared_memory),
                                       cmocka_unit_test(test_few)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
