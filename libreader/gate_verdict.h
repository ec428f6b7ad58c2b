/* gate_verdict.h: from numbers to words. */
#ifndef SCOPE_READER_GATE_VERDICT_H
#define SCOPE_READER_GATE_VERDICT_H

#include "gate_input.h"

/* What the test of a region has shown. */
struct rd_evidence {
    bool slower, faster; /* among all regions */
    bool slower_alone;   /* as if it were the only region */
};

/* Fills the verdict of a region that was tested: its ratio, bounds and limit are known. */
void rd_judge(spr_gate_region *region, const struct rd_evidence *evidence);

/* The samples of the slowest rank of each side, one a run. */
struct rd_shapes {
    const struct rd_sample *base, *candidate;
    unsigned base_runs, candidate_runs;
    uint64_t fewest_calls; /* of a run */
};

/* The verdict where runs are too few for a test: the fastest call and the 20 % quantile both have to be slower. */
void rd_judge_gross(spr_gate_region *region, const struct rd_shapes *shapes, double gross);

/* Takes back what cannot be said after all: calls were cut off in some runs only, or numbers of ranks differ. */
void rd_judge_doubts(spr_gate_region *region, unsigned base_runs, unsigned candidate_runs, bool different_ranks);

/* The factor by which nearly all gated regions are slower; NAN: there is none. */
double rd_common_factor(const spr_gate_region *regions, const bool *gated, size_t count, double max_slowdown);

/* Worst first: by verdict, then by ratio, then by name. */
void rd_sort_regions(spr_gate_region *regions, size_t count);

#endif
