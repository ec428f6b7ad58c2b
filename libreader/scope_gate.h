/* scope_gate.h: comparing profiles: differences region by region, and the test whether a region got slower. Part of the
 * library of scope_reader.h; its conventions hold here, too.
 */
#ifndef SCOPE_GATE_H
#define SCOPE_GATE_H

#include "scope_reader.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- one number a region and file ------------------------------------------------------------------------------- */

enum spr_metric {
    SPR_BY_TOTAL, /* s, as the next ones up to p99 */
    SPR_BY_AVERAGE,
    SPR_BY_MINIMUM,
    SPR_BY_MAXIMUM,
    SPR_BY_P50,
    SPR_BY_P95,
    SPR_BY_P99,
    SPR_BY_IMBALANCE, /* % */
    SPR_BY_CALLS,
};

/* Percentiles read the calls, everything else the index alone. */
bool spr_metric_needs_calls(enum spr_metric metric);

typedef struct {
    const char *name;     /* of the region, or of its call path: names joined by " > " */
    const bool *present;  /* by file: it recorded calls of the region on the selected ranks */
    const double *values; /* by file; NAN where not present, or not known */
} spr_compared;

typedef struct {
    spr_compared *rows; /* ascending by name */
    size_t count, files;
    void *memory;
} spr_comparison;

/* The metric of every selected region that one of the `count` files has. selections: one a file, NULL (or an element
 * NULL): everything. by_path: one row a call path; reads the calls for it, SPR_NESTING or SPR_NO_EVENTS where there is
 * no tree. spr_comparison_free() the result. */
int spr_compare(spr_profile *const *profiles, spr_selection *const *selections, size_t count, enum spr_metric metric,
                bool by_path, spr_comparison *comparison, spr_error *error);
void spr_comparison_free(spr_comparison *comparison);

/* What happened to a row between files `from` and `to`. A side without the region counts as 0; NAN where one of them is
 * not known. percent: NAN, too, without a base or where that is 0. */
double spr_delta(const spr_compared *row, size_t from, size_t to);
double spr_percent(const spr_compared *row, size_t from, size_t to);

/* Whether the run can be compared at all: 0, or -1 with the message where a process of the selected ranks was not
 * recorded to its end, was ended by a signal, or was still running. */
int spr_check_complete(const spr_profile *profile, const spr_selection *selection, spr_error *error);

/* ---- did a region get slower? ------------------------------------------------------------------------------------ */

enum spr_gate_statistic {
    SPR_FLOOR, /* for each call the fastest of the runs, summed; of the slowest rank */
    SPR_TOTAL, /* the total of a run, of its slowest rank; from the index alone */
};

enum spr_gate_test {
    SPR_PERMUTATION,  /* exact, jointly over all regions */
    SPR_MANN_WHITNEY, /* of the runs' totals, each region for itself; Hodges-Lehmann ratio */
};

typedef struct {
    double slowdown; /* the largest that is allowed, as a fraction */
    double seconds;  /* the most that the candidate may take; NAN: no such limit */
} spr_gate_limit;

typedef struct {
    double max_slowdown; /* as a fraction: 0.05 */
    double alpha;        /* 0.05: the confidence is 1 - alpha, for all regions together */
    double min_time;     /* s: regions below it on both sides are not judged */
    double gross;        /* 0.25: the slow-down that one or two runs a side can show */
    enum spr_gate_statistic statistic;
    enum spr_gate_test test;
    bool allow_different_ranks;   /* then means over ranks are compared, and no region is SPR_SLOWER */
    bool allow_different_machine; /* other processors */
    bool allow_incomplete;        /* runs that were killed, or not recorded to their end */
    /* Limits of single regions; NULL: max_slowdown for all. */
    spr_gate_limit (*limit)(void *argument, const char *region);
    void *argument;
} spr_gate_options;

spr_gate_options spr_gate_defaults(void);

enum spr_verdict {
    SPR_SLOWER,
    SPR_UNCLEAR,   /* the runs do not decide it */
    SPR_PARTIAL,   /* not comparable: absent from some runs of a side */
    SPR_MISSING,   /* absent from all candidate runs */
    SPR_ADDED,     /* absent from all base runs */
    SPR_FASTER,    /* at least by the limit */
    SPR_NO_SLOWER, /* no slow-down of the limit or more */
    SPR_TOO_SMALL, /* below min_time on both sides */
};
enum { SPR_NUM_VERDICTS = SPR_TOO_SMALL + 1 };

typedef struct {
    const char *name;
    enum spr_verdict verdict;
    bool gross;                       /* SPR_SLOWER without a test */
    bool over_budget;                 /* candidate > limit.seconds */
    const char *reason;               /* a few words where the verdict needs them, else NULL */
    spr_gate_limit limit;             /* that of the region */
    double base, candidate;           /* s: the statistic; NAN absent */
    double base_mean, candidate_mean; /* the same, mean over ranks */
    double ratio;                     /* candidate / base; INFINITY where the base is 0; NAN unknown */
    double lower, upper;              /* bounds of the ratio, each one-sided with confidence 1 - alpha; NAN: none */
    double p, p_all, p_faster;        /* slower: of the region alone, and adjusted for all of them; NAN: no test */
    double total_ratio, total_p;      /* the same question about the runs' totals; NAN: no test */
    uint64_t base_calls[2], candidate_calls[2]; /* fewest and most in a run, over ranks */
    uint64_t base_cut_off, candidate_cut_off;   /* calls not ended, over runs */
    size_t base_runs, candidate_runs;           /* that have it */
    uint32_t ranks;                             /* that have it in every run */
} spr_gate_region;

typedef struct {
    spr_gate_region *regions; /* worst first */
    size_t count;
    size_t tally[SPR_NUM_VERDICTS]; /* by verdict */
    size_t gated;                   /* regions that were tested (or, with few runs, judged) */
    size_t over_budget;
    size_t base_runs, candidate_runs;
    bool testable;        /* there are runs enough for a test */
    size_t labellings;    /* how many ways to share the runs out were looked at */
    bool all_labellings;  /* that is all there are */
    double smallest_p;    /* that these numbers of runs can give */
    double common_factor; /* nearly every region is slower by about this factor; NAN */
    bool one_after_other; /* all base runs ended before the first candidate run began */
    bool different_hosts; /* the runs name different hosts */
    bool different_ranks; /* allowed, and so */
    void *memory;
} spr_gate_result;

/* Judges all selected regions of the candidate's runs against those of the base. selections: one a profile (or NULL),
 * base first. Returns 0 whatever the verdicts; -1 when the question makes no sense (no or too many runs, the same run
 * twice on a side, runs that are not complete, other ranks or processors, nothing in common), else the reader's status;
 * then the message says which file. spr_gate_free() the result.
 *
 * SPR_FLOOR reads every call of the selected regions, block by block. */
int spr_gate(spr_profile *const *base, size_t num_base, spr_profile *const *candidate, size_t num_candidate,
             spr_selection *const *selections, const spr_gate_options *options, spr_gate_result *result,
             spr_error *error);
void spr_gate_free(spr_gate_result *result);

#ifdef __cplusplus
}
#endif
#endif
