/* verdict.h: the outcome of `check`, for people, CI systems and programs. */
#ifndef CLI_VERDICT_H
#define CLI_VERDICT_H

#include "scope_gate.h"
#include "text.h"

#include <jansson.h>

enum verdict_kind {
    VERDICT_OVER,    /* longer than its budget allows */
    VERDICT_SLOWER,  /* slower than its limit */
    VERDICT_UNCLEAR, /* the runs do not tell */
    VERDICT_PARTIAL, /* not comparable: absent from some runs */
    VERDICT_MISSING,
    VERDICT_NEW,
    VERDICT_FASTER,
    VERDICT_OK,
    VERDICT_SMALL, /* too small to be judged */
};
enum { VERDICT_KINDS = VERDICT_SMALL + 1 };

struct verdict {
    const char *name;
    enum verdict_kind kind;
    bool fails;                    /* makes the gate fail */
    double base, candidate;        /* of the metric; NAN absent */
    double change;                 /* a fraction; NAN unknown, INFINITY from nothing to something */
    double limit, budget;          /* a fraction; seconds, NAN none */
    char *text;                    /* values, change, evidence: one line, without name and word */
    char *columns;                 /* what stands right of the values on a terminal; NULL for a pair */
    char *advice;                  /* a second line, or NULL */
    const spr_gate_region *region; /* NULL: a pair of files was compared */
};

struct verdict_report {
    struct verdict *items; /* worst first */
    size_t count;
    size_t tally[VERDICT_KINDS];
    size_t failures;
    const char *rule;       /* "runs", "pair" */
    const char *metric;     /* "floor", "total", ... */
    char *heading, *limits; /* what was compared, and by what rule; a line each */
    char **notes;           /* what else the reader should know */
    size_t num_notes;
    char *sentence;                  /* "FAILED: ..." or "PASSED: ..." or "NOT COMPARED: ..." */
    int status;                      /* exit status */
    const spr_gate_result *result;   /* NULL: a pair, or an error */
    const spr_gate_options *options; /* of the rule; NULL with result */
    char **base, **candidate;        /* paths */
    size_t num_base, num_candidate;
};

void verdict_note(struct verdict_report *report, char *note); /* takes it over */
void verdict_report_free(struct verdict_report *report);

const char *verdict_word(enum verdict_kind kind); /* for people: SLOWER, ok */
const char *verdict_key(enum verdict_kind kind);  /* for programs: slower, ok, too_small */

/* Regions, notes and sentence of runs. */
void verdict_text(const struct sink *sink, const struct verdict_report *report);
/* Commands of GitHub's workflow log. */
void verdict_github(FILE *out, const struct verdict_report *report);
void verdict_junit(FILE *out, const struct verdict_report *report);
void verdict_markdown(FILE *out, const struct verdict_report *report);
json_t *verdict_json(const struct verdict_report *report);

#endif
