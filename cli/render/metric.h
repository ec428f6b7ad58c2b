/* metric.h: how a metric of a comparison is called and how its values look. */
#ifndef CLI_METRIC_H
#define CLI_METRIC_H

#include "scope_gate.h"

enum { METRICS = SPR_BY_CALLS + 1 };

struct metric_look {
    const char *name;  /* as options take it: p95 */
    const char *label; /* in a table: p95 [s] */
    const char *units; /* in JSON: seconds */
    bool is_time;
};

const struct metric_look *metric_look(enum spr_metric metric);

/* All to be free()d; NAN is "-". */
char *metric_value(enum spr_metric metric, double value); /* 0.051661 */
char *metric_delta(double value);                         /* +0.1 */
char *metric_percent(double value);                       /* +20% */
char *metric_scaled(double seconds);                      /* 102.1 ms */
char *metric_signed(double fraction);                     /* 0.1 is "+10.0 %" */

/* "<label> - <path from here> (2 ranks)" */
char *metric_title(const spr_profile *profile);

#endif
