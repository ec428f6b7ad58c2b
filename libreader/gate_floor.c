/* Floors of many labellings at once.
 *
 * Two ways to the same numbers. Directly: for every labelling and column, look for the smallest duration of the side.
 * By a table over all sets of runs, where these are few: of a column with ascending durations x_1, x_2, ... of runs
 * r_1, r_2, ... the smallest in a set S is x_1 plus all x_(k+1) - x_k for which none of r_1 .. r_k is in S. So each
 * difference is noted once at the set {r_1 .. r_k}, and summing over subsets gives the floor of every S.
 */
#include "gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_RUNS 20 /* 2^20 sets: 8 MiB */

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static void sort_part(double *values, unsigned char *number, unsigned count) {
    for (unsigned i = 1; i < count; i++) {
        const double value = values[i];
        const unsigned char run = number[i];
        unsigned at = i;
        for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1], number[at] = number[at - 1];
        values[at] = value;
        number[at] = run;
    }
}

void rd_columns_sort(struct rd_columns *columns) {
    for (size_t c = 0; c < columns->count; c++) {
        double *values = columns->values + c * columns->runs;
        unsigned char *number = columns->number + c * columns->runs;
        for (unsigned r = 0; r < columns->runs; r++) number[r] = (unsigned char)r;
        sort_part(values, number, columns->base);
        sort_part(values + columns->base, number + columns->base, columns->runs - columns->base);
    }
}

void rd_columns_free(struct rd_columns *columns) {
    free(columns->values);
    free(columns->number);
    *columns = (struct rd_columns){0};
}

/* One column in ascending order, the candidate's durations scaled. */
static void merge(const struct rd_columns *columns, size_t column, double scale, double *values,
                  unsigned char *number) {
    const double *from = columns->values + column * columns->runs;
    const unsigned char *from_number = columns->number + column * columns->runs;
    unsigned b = 0, c = columns->base;
    for (unsigned out = 0; out < columns->runs; out++) {
        const bool is_base = c == columns->runs || (b < columns->base && from[b] <= from[c] * scale);
        values[out] = is_base ? from[b] : from[c] * scale;
        number[out] = from_number[is_base ? b : c];
        b += is_base;
        c += !is_base;
    }
}

/* ---- by a table over all sets ------------------------------------------------------------------------------------ */

/* table[set] becomes the sum of table[s] over all subsets s of set. */
static void sum_subsets(double *table, unsigned runs) {
    const size_t sets = (size_t)1 << runs;
    for (size_t bit = 1; bit < sets; bit *= 2)
        for (size_t block = 0; block < sets; block += 2 * bit)
            for (size_t i = block; i < block + bit; i++) table[i + bit] += table[i];
}

/* Smallest durations summed over columns, for each set but the empty one. */
static void fill_minima(const struct rd_columns *columns, double scale, double *table, double *scratch) {
    const unsigned runs = columns->runs;
    const size_t sets = (size_t)1 << runs;
    double values[TABLE_RUNS], smallest = 0;
    unsigned char number[TABLE_RUNS];
    memset(scratch, 0, sets * sizeof *scratch);
    for (size_t c = 0; c < columns->count; c++) {
        merge(columns, c, scale, values, number);
        size_t set = 0;
        smallest += values[0];
        for (unsigned k = 1; k < runs; k++) {
            set |= (size_t)1 << number[k - 1];
            scratch[set] += values[k] - values[k - 1];
        }
    }
    sum_subsets(scratch, runs);
    for (size_t set = 1; set < sets; set++) table[set] = smallest + scratch[sets - 1 - set];
}

/* Replaces minima by the mean over all subsets of k runs. */
static void average_subsets(double *table, unsigned runs, unsigned k) {
    const size_t sets = (size_t)1 << runs;
    table[0] = 0;
    for (size_t set = 1; set < sets; set++)
        if ((unsigned)__builtin_popcountll(set) != k) table[set] = 0;
    sum_subsets(table, runs);
    double divisor[TABLE_RUNS + 1];
    for (unsigned size = 0; size <= runs; size++) divisor[size] = size < k ? 1 : (double)rd_choose(size, k);
    for (size_t set = 1; set < sets; set++) table[set] /= divisor[__builtin_popcountll(set)];
}

static bool floors_by_table(const struct rd_columns *columns, const struct rd_labels *labels, double scale,
                            double *base, double *candidate) {
    const size_t sets = (size_t)1 << columns->runs;
    double *table = malloc(2 * sets * sizeof *table);
    if (!table) return false;
    fill_minima(columns, scale, table, table + sets);
    if (labels->base != labels->candidate)
        average_subsets(table, columns->runs, labels->base < labels->candidate ? labels->base : labels->candidate);
    for (size_t i = 0; i < labels->count; i++) {
        candidate[i] = table[labels->masks[i]];
        base[i] = table[(sets - 1) & ~labels->masks[i]];
    }
    free(table);
    return true;
}

/* ---- directly ---------------------------------------------------------------------------------------------------- */

/* weights[i]: how likely the i-th smallest (from 0) of `size` runs is the smallest of k of them. */
static unsigned fill_weights(double *weights, unsigned size, unsigned k) {
    for (unsigned i = 0; i + k <= size; i++)
        weights[i] = (double)rd_choose(size - 1 - i, k - 1) / (double)rd_choose(size, k);
    return size - k + 1;
}

static double expected_smallest(const double *values, const unsigned char *number, uint64_t set, const double *weights,
                                unsigned wanted) {
    double sum = 0;
    unsigned found = 0;
    for (unsigned at = 0; found < wanted; at++)
        if (set >> number[at] & 1) sum += weights[found++] * values[at];
    return sum;
}

static void floors_directly(const struct rd_columns *columns, const struct rd_labels *labels, double scale,
                            double *base, double *candidate) {
    double values[RD_GATE_MOST_RUNS], of_base[RD_GATE_MOST_RUNS], of_candidate[RD_GATE_MOST_RUNS];
    unsigned char number[RD_GATE_MOST_RUNS];
    const unsigned k = labels->base < labels->candidate ? labels->base : labels->candidate;
    const unsigned base_wanted = fill_weights(of_base, labels->base, k);
    const unsigned candidate_wanted = fill_weights(of_candidate, labels->candidate, k);
    for (size_t i = 0; i < labels->count; i++) base[i] = candidate[i] = 0;
    for (size_t c = 0; c < columns->count; c++) {
        merge(columns, c, scale, values, number);
        for (size_t i = 0; i < labels->count; i++) {
            base[i] += expected_smallest(values, number, ~labels->masks[i], of_base, base_wanted);
            candidate[i] += expected_smallest(values, number, labels->masks[i], of_candidate, candidate_wanted);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------------ */

static bool table_is_cheaper(const struct rd_columns *columns, const struct rd_labels *labels) {
    if (columns->runs > TABLE_RUNS) return false;
    const double passes = labels->base == labels->candidate ? 1 : 2;
    return passes * ldexp(columns->runs, (int)columns->runs) < 4.0 * (double)columns->count * (double)labels->count;
}

bool rd_floors(const struct rd_columns *columns, const struct rd_labels *labels, double scale, double *base,
               double *candidate) {
    if (table_is_cheaper(columns, labels)) return floors_by_table(columns, labels, scale, base, candidate);
    floors_directly(columns, labels, scale, base, candidate);
    return true;
}
