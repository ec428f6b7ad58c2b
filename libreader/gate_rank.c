/* Mann-Whitney with ties, and the Hodges-Lehmann ratio with its bounds. */
#include "gate.h"

#include <math.h>
#include <stdlib.h>

#define MOST_EXACT 60 /* numbers: beyond, counts would not fit 64 bits */

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Twice the mid-rank of `value` in the sorted numbers. */
static unsigned double_rank(const double *sorted, unsigned count, double value) {
    unsigned below = 0, equal = 0;
    for (unsigned i = 0; i < count; i++) below += sorted[i] < value, equal += sorted[i] == value;
    return 2 * below + equal + 1;
}

/* How many of the C(count, n) choices of ranks have each sum: ways[k][s], k chosen so far. */
static uint64_t *count_sums(const unsigned *ranks, unsigned count, unsigned n, unsigned most) {
    const size_t width = (size_t)most + 1;
    uint64_t *ways = calloc((n + 1) * width, sizeof *ways);
    if (!ways) return NULL;
    ways[0] = 1;
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = n; k-- > 0;)
            for (unsigned s = most - ranks[i] + 1; s-- > 0;)
                ways[(k + 1) * width + s + ranks[i]] += ways[k * width + s];
    return ways;
}

static bool exact(const unsigned *ranks, unsigned count, unsigned n, unsigned sum, struct rd_rank_test *test) {
    const unsigned most = count * (count + 1);
    uint64_t *ways = count_sums(ranks, count, n, most), above = 0, below = 0;
    if (!ways) return false;
    const uint64_t *of_all = ways + (size_t)n * ((size_t)most + 1);
    for (unsigned s = 0; s <= most; s++) {
        if (s >= sum) above += of_all[s];
        if (s <= sum) below += of_all[s];
    }
    test->slower = (double)above / (double)rd_choose(count, n);
    test->faster = (double)below / (double)rd_choose(count, n);
    free(ways);
    return true;
}

static void normal(const double *sorted, unsigned m, unsigned n, struct rd_rank_test *test) {
    const double count = m + n, mean = (double)m * n / 2;
    double ties = 0;
    for (unsigned i = 0, run; i < m + n; i += run) {
        for (run = 1; i + run < m + n && sorted[i + run] == sorted[i];) run++;
        ties += (double)run * run * run - run;
    }
    const double sigma = sqrt((double)m * n / 12 * ((count + 1) - ties / (count * (count - 1))));
    test->slower = sigma > 0 ? 0.5 * erfc((test->u - mean - 0.5) / sigma / sqrt(2)) : 1;
    test->faster = sigma > 0 ? 0.5 * erfc((mean - test->u - 0.5) / sigma / sqrt(2)) : 1;
}

/* K: how many of the smallest values of U are, together, no more likely than alpha where nothing is tied. */
static bool bound_rank(unsigned m, unsigned n, double alpha, unsigned *rank) {
    const unsigned most = m * n;
    *rank = 0;
    if (m + n > MOST_EXACT) {
        const double sigma = sqrt((double)m * n * (m + n + 1) / 12);
        while (*rank <= most && 0.5 * erfc((most / 2.0 - *rank - 0.5) / sigma / sqrt(2)) <= alpha) ++*rank;
        return true;
    }
    unsigned ranks[MOST_EXACT];
    for (unsigned i = 0; i < m + n; i++) ranks[i] = i + 1;
    const unsigned least = n * (n + 1) / 2, highest = (m + n) * (m + n + 1) / 2;
    uint64_t *ways = count_sums(ranks, m + n, n, highest), below = 0;
    if (!ways) return false;
    const uint64_t *of_all = ways + (size_t)n * ((size_t)highest + 1);
    for (unsigned u = 0; u <= most; u++, ++*rank) {
        below += of_all[least + u];
        if ((double)below > alpha * (double)rd_choose(m + n, n) * (1 + 1e-12)) break;
    }
    free(ways);
    return true;
}

static bool hodges_lehmann(const double *x, unsigned m, const double *y, unsigned n, double alpha,
                           struct rd_rank_test *test) {
    const size_t pairs = (size_t)m * n;
    double *ratios = malloc(pairs * sizeof *ratios);
    unsigned rank;
    if (!ratios || !bound_rank(m, n, alpha, &rank)) {
        free(ratios);
        return false;
    }
    for (unsigned i = 0; i < m; i++)
        for (unsigned k = 0; k < n; k++) ratios[i * n + k] = y[k] / x[i];
    qsort(ratios, pairs, sizeof *ratios, by_value);
    test->ratio = (ratios[(pairs - 1) / 2] + ratios[pairs / 2]) / 2;
    test->lower = rank ? ratios[rank - 1] : (double)NAN;
    test->upper = rank ? ratios[pairs - rank] : (double)NAN;
    free(ratios);
    return true;
}

bool rd_rank_test(const double *x, unsigned m, const double *y, unsigned n, double alpha, struct rd_rank_test *test) {
    double sorted[RD_GATE_MOST_RUNS];
    unsigned ranks[RD_GATE_MOST_RUNS], sum = 0;
    *test = (struct rd_rank_test){0};
    for (unsigned i = 0; i < m + n; i++) sorted[i] = i < m ? x[i] : y[i - m];
    qsort(sorted, m + n, sizeof *sorted, by_value);
    for (unsigned i = 0; i < m + n; i++) ranks[i] = double_rank(sorted, m + n, sorted[i]);
    for (unsigned i = 0; i < n; i++) sum += double_rank(sorted, m + n, y[i]);
    test->u = ((double)sum - (double)n * (n + 1)) / 2;
    if (m + n > MOST_EXACT)
        normal(sorted, m, n, test);
    else if (!exact(ranks, m + n, n, sum, test))
        return false;
    return hodges_lehmann(x, m, y, n, alpha, test);
}
