/* gate_input.h: the runs that a gate is given, and what they hold of a region. */
#ifndef SCOPE_READER_GATE_INPUT_H
#define SCOPE_READER_GATE_INPUT_H

#include "gate.h"

/* ---- runs (gate_runs.c) ------------------------------------------------------------------------------------------ */

struct rd_named {
    const char *name;
    size_t region;
};

struct rd_run {
    spr_profile *profile;
    const spr_selection *selection; /* NULL: all */
    struct rd_named *names;         /* of the selected regions, ascending by name */
    size_t num_names;
    int64_t start, finish; /* metadata, ns of the run's clock; -1 unknown */
    const char *timestamp; /* metadata; "" unknown */
};

/* Base first; each side in an order that does not depend on that of the files. */
struct rd_runs {
    struct rd_run *items;
    unsigned base, count;
};

/* Fills `runs` and refuses what cannot be compared, see spr_gate(). rd_runs_free() in any case. */
int rd_runs_begin(struct rd_runs *runs, spr_profile *const *base, size_t num_base, spr_profile *const *candidate,
                  size_t num_candidate, spr_selection *const *selections, const spr_gate_options *options,
                  spr_error *error);
void rd_runs_free(struct rd_runs *runs);

bool rd_runs_ranks_differ(const struct rd_runs *runs);
bool rd_runs_hosts_differ(const struct rd_runs *runs);
/* Whether every base run had ended before the first candidate run began, as far as they tell. */
bool rd_runs_one_after_other(const struct rd_runs *runs);

/* The run's region of that name; SIZE_MAX: it has none. */
size_t rd_run_region(const struct rd_run *run, const char *name);

/* ---- what they hold of one region (gate_columns.c) ----------------------------------------------------------------
 */

/* The row of a rank in one run, and the shape of its calls. */
struct rd_sample {
    size_t row;
    double smallest, quantile; /* ns, of the calls: the least, and the 20 % quantile; only where asked for */
};

struct rd_region_data {
    size_t *regions;   /* by run; SIZE_MAX: it has no calls of the region */
    double *totals;    /* ns, by run: of the slowest rank, or the mean over ranks */
    double *means;     /* ns, by run: mean over ranks */
    uint64_t *calls;   /* by run */
    uint64_t *cut_off; /* by run */

    uint32_t *ranks; /* that have it in every run, ascending */
    size_t num_ranks;
    bool other_ranks;          /* some run has it on a rank that another has not */
    struct rd_sample *samples; /* by rank, then run */
    struct rd_region_columns columns;
};

/* Everything that the index tells. means: totals are means over ranks. rd_region_data_free() in any case. */
int rd_region_data_begin(const struct rd_runs *runs, const char *name, bool means, struct rd_region_data *data,
                         spr_error *error);
/* Reads the calls of all ranks into sorted columns. shapes: into the samples as well. */
int rd_region_data_read(const struct rd_runs *runs, bool shapes, struct rd_region_data *data, spr_error *error);
void rd_region_data_free(struct rd_region_data *data);

#endif
