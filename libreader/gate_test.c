/* Permutation tests, one region at a time and jointly over regions. */
#include "gate.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_SD       0.002
#define SAME           1e-12 /* T that differ by rounding alone */
#define SAME_SCALED    1e-9
#define SMALLEST_RATIO 0.2 /* bounds are looked for between these */
#define LARGEST_RATIO  5.0
#define STEPS          24

/* ---- statistics -------------------------------------------------------------------------------------------------- */

bool rd_floor_statistic(const struct rd_statistic *statistic, const struct rd_labels *labels, double scale, double *t) {
    const struct rd_region_columns *region = statistic->data;
    const size_t count = labels->count;
    double *buffer = malloc(4 * count * sizeof *buffer);
    if (!buffer) return false;
    double *base = buffer, *candidate = base + count, *most_base = candidate + count,
           *most_candidate = most_base + count;
    bool fine = true;
    for (size_t i = 0; i < count; i++) most_base[i] = most_candidate[i] = 0;
    for (size_t rank = 0; fine && rank < region->count; rank++) {
        fine = rd_floors(&region->ranks[rank], labels, scale, base, candidate);
        for (size_t i = 0; fine && i < count; i++) {
            most_base[i] = fmax(most_base[i], base[i]);
            most_candidate[i] = fmax(most_candidate[i], candidate[i]);
        }
    }
    /* 1 ns more: no time at all is legal */
    for (size_t i = 0; fine && i < count; i++) t[i] = log((most_candidate[i] + 1) / (most_base[i] + 1));
    free(buffer);
    return fine;
}

bool rd_total_statistic(const struct rd_statistic *statistic, const struct rd_labels *labels, double scale, double *t) {
    const double *totals = statistic->data;
    const unsigned runs = labels->base + labels->candidate;
    double logs[RD_GATE_MOST_RUNS], sum = 0;
    for (unsigned r = 0; r < runs; r++) {
        logs[r] = log((r < labels->base ? totals[r] : totals[r] * scale) + 1);
        sum += logs[r];
    }
    for (size_t i = 0; i < labels->count; i++) {
        double of_candidate = 0;
        for (uint64_t set = labels->masks[i]; set; set &= set - 1) of_candidate += logs[__builtin_ctzll(set)];
        t[i] = of_candidate / labels->candidate - (sum - of_candidate) / labels->base;
    }
    return true;
}

/* ---- one region -------------------------------------------------------------------------------------------------- */

static double deviation(const double *t, size_t count) {
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++) mean += t[i];
    mean /= (double)count;
    for (size_t i = 0; i < count; i++) squares += (t[i] - mean) * (t[i] - mean);
    return sqrt(squares / (double)count);
}

static size_t count_slower(const double *t, size_t count) {
    size_t hits = 0;
    for (size_t i = 0; i < count; i++) hits += t[i] >= t[0] - SAME;
    return hits;
}

static size_t count_faster(const double *t, size_t count) {
    size_t hits = 0;
    for (size_t i = 0; i < count; i++) hits += t[i] <= t[0] + SAME;
    return hits;
}

bool rd_test_region(const struct rd_statistic *statistic, const struct rd_labels *labels, struct rd_test *test,
                    double *largest, double *smallest) {
    double *t = malloc(labels->count * sizeof *t);
    const bool fine = t && statistic->evaluate(statistic, labels, 1, t);
    if (fine) {
        *test = (struct rd_test){.t = t[0],
                                 .sd = fmax(deviation(t, labels->count), LEAST_SD),
                                 .slower = count_slower(t, labels->count),
                                 .faster = count_faster(t, labels->count),
                                 .lower = (double)NAN,
                                 .upper = (double)NAN};
        for (size_t i = 0; largest && i < labels->count; i++) largest[i] = fmax(largest[i], t[i] / test->sd);
        for (size_t i = 0; smallest && i < labels->count; i++) smallest[i] = fmin(smallest[i], t[i] / test->sd);
    }
    free(t);
    return fine;
}

size_t rd_test_slower_all(const struct rd_labels *labels, const struct rd_test *test, const double *largest) {
    size_t hits = 0;
    for (size_t i = 0; i < labels->count; i++) hits += largest[i] >= test->t / test->sd - SAME_SCALED;
    return hits;
}

size_t rd_test_faster_all(const struct rd_labels *labels, const struct rd_test *test, const double *smallest) {
    size_t hits = 0;
    for (size_t i = 0; i < labels->count; i++) hits += smallest[i] <= test->t / test->sd + SAME_SCALED;
    return hits;
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

struct inversion {
    const struct rd_statistic *statistic;
    const struct rd_labels *labels;
    double alpha;
    size_t (*hits)(const double *t, size_t count);
    double *t;
    bool fine;
};

/* Would a candidate that is faster by this factor (of ln `shift`) still be called slower (or faster)? */
static bool rejects(struct inversion *inversion, double shift) {
    const struct rd_labels *labels = inversion->labels;
    if (!inversion->fine) return false;
    inversion->fine = inversion->statistic->evaluate(inversion->statistic, labels, exp(-shift), inversion->t);
    return inversion->fine && rd_labels_reject(labels, inversion->hits(inversion->t, labels->count), inversion->alpha);
}

/* The shift nearest to `open` that is rejected; `closed` is where it is most likely to be. NAN: not even there. */
static double last_rejected(struct inversion *inversion, double closed, double open) {
    if (!rejects(inversion, closed)) return (double)NAN;
    if (rejects(inversion, open)) return open;
    for (int step = 0; inversion->fine && step < STEPS; step++) {
        const double middle = (closed + open) / 2;
        *(rejects(inversion, middle) ? &closed : &open) = middle;
    }
    return closed;
}

bool rd_test_bounds(const struct rd_statistic *statistic, const struct rd_labels *labels, double alpha,
                    struct rd_test *test) {
    struct inversion inversion = {statistic, labels, alpha, count_slower, malloc(labels->count * sizeof(double)), true};
    if (!inversion.t) return false;
    if (rd_labels_reject(labels, 1, alpha)) {
        const double least = log(SMALLEST_RATIO), most = log(LARGEST_RATIO);
        test->lower = last_rejected(&inversion, least, most);
        inversion.hits = count_faster;
        test->upper = last_rejected(&inversion, most, least);
    }
    free(inversion.t);
    return inversion.fine;
}
