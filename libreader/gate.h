/* gate.h: the arithmetic of the gate, apart from files. Names begin with rd_; nothing here is seen outside.
 *
 * Runs are numbered with those of the base first; a set of runs is a bit mask. A labelling says which runs are called
 * candidate; the first labelling is the true one.
 */
#ifndef SCOPE_READER_GATE_H
#define SCOPE_READER_GATE_H

#include "scope_gate.h"

#define RD_GATE_MOST_RUNS    62 /* bits of a mask, and C(62, 31) fits 64 bits */
#define RD_GATE_MOST_COLUMNS 20000

/* ---- labellings (gate_labels.c) ---------------------------------------------------------------------------------- */

struct rd_labels {
    unsigned base, candidate; /* runs a side */
    size_t count;
    uint64_t *masks; /* of the candidate's runs */
    bool all;
};

/* C(n, k), k <= n <= RD_GATE_MOST_RUNS. */
uint64_t rd_choose(unsigned n, unsigned k);
/* All labellings where there are at most 3500, else the true one and 1999 others, the same ones every time. False when
 * there is no memory. free() the masks. */
bool rd_labels_make(unsigned base, unsigned candidate, struct rd_labels *labels);
/* p <= alpha, for p = hits / labels->count; 1/20 passes at 0.05. */
bool rd_labels_reject(const struct rd_labels *labels, size_t hits, double alpha);

/* ---- durations of a region on one rank (gate_floor.c) -------------------------------------------------------------
 */

/* `count` columns, one a call (or a block of calls), of `runs` durations each. */
struct rd_columns {
    size_t count;
    unsigned runs, base;   /* base: how many of them, the first ones, are of the base */
    double *values;        /* column by column; ns */
    unsigned char *number; /* of the run, beside each value once they are sorted */
};

/* Sorts each column's durations, the base's and the candidate's each for themselves. */
void rd_columns_sort(struct rd_columns *columns);
void rd_columns_free(struct rd_columns *columns);

/* For each labelling the floors of its two sides: over the columns, the expected smallest of k durations, k being the
 * runs of the smaller side; the candidate's durations are multiplied by `scale` first. Columns have to be sorted. False
 * when there is no memory. */
bool rd_floors(const struct rd_columns *columns, const struct rd_labels *labels, double scale, double *base,
               double *candidate);

/* ---- tests (gate_test.c) ------------------------------------------------------------------------------------------
 */

/* What is tested: T of each labelling, with the candidate's durations multiplied by `scale`. */
struct rd_statistic {
    bool (*evaluate)(const struct rd_statistic *statistic, const struct rd_labels *labels, double scale, double *t);
    const void *data;
};

/* ln of the ratio of floors, of the slowest rank on each side. data: struct rd_region_columns. */
struct rd_region_columns {
    struct rd_columns *ranks;
    size_t count;
};
bool rd_floor_statistic(const struct rd_statistic *statistic, const struct rd_labels *labels, double scale, double *t);
/* Mean over the candidate's runs of ln of their totals, less the base's. data: doubles, ns, by run. */
bool rd_total_statistic(const struct rd_statistic *statistic, const struct rd_labels *labels, double scale, double *t);

struct rd_test {
    double t;              /* of the true labelling */
    double sd;             /* of T over the labellings; at least 0.002 */
    size_t slower, faster; /* labellings with T at least, at most as large */
    double lower, upper;   /* ln of the bounds, NAN none */
};

/* The test of one region. `largest` and `smallest` (by labelling; NULL: not wanted) gather T / sd over the regions;
 * start with -INFINITY and INFINITY. False when there is no memory. */
bool rd_test_region(const struct rd_statistic *statistic, const struct rd_labels *labels, struct rd_test *test,
                    double *largest, double *smallest);
/* Fills lower and upper by inverting the test; they stay NAN where no labelling can reach alpha. */
bool rd_test_bounds(const struct rd_statistic *statistic, const struct rd_labels *labels, double alpha,
                    struct rd_test *test);
/* How many labellings have any region that is as much slower (faster) as this one. */
size_t rd_test_slower_all(const struct rd_labels *labels, const struct rd_test *test, const double *largest);
size_t rd_test_faster_all(const struct rd_labels *labels, const struct rd_test *test, const double *smallest);

/* ---- ranks (gate_rank.c) ------------------------------------------------------------------------------------------
 */

struct rd_rank_test {
    double u;
    double slower, faster;      /* one-sided p */
    double ratio, lower, upper; /* Hodges-Lehmann; bounds NAN: none */
};

/* Exact one-sided Mann-Whitney with ties (a normal approximation beyond 60 numbers) of y against x, all above 0, at
 * most RD_GATE_MOST_RUNS together; bounds each with confidence 1 - alpha. False when there is no memory. */
bool rd_rank_test(const double *x, unsigned m, const double *y, unsigned n, double alpha, struct rd_rank_test *test);

/* ---- durations of one run (gate_durations.c) -----------------------------------------------------------------------
 */

/* Durations of a row, for quantiles. Up to a million are kept; of more, how many fall in each of the ranges of width
 * 1/4096 of their value, so that a quantile is right to 0.03 %. */
struct rd_durations {
    double *kept;
    size_t room;
    uint64_t *counts;
    uint64_t count;
};

bool rd_durations_begin(struct rd_durations *durations, uint64_t count);
void rd_durations_add(struct rd_durations *durations, int64_t ns);
void rd_durations_end(struct rd_durations *durations); /* all are in: from now on quantiles can be asked for */
/* At a position from 0 to count - 1 in ascending order; linear between neighbours. */
double rd_durations_at(const struct rd_durations *durations, double position);
void rd_durations_free(struct rd_durations *durations);

#endif
