/* compared.h: what `diff` and `check` share: the files that are compared, the regions and ranks of them, the metric. */
#ifndef CLI_COMPARED_H
#define CLI_COMPARED_H

#include "choice.h"
#include "profiles.h"
#include "scope_gate.h"

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* 0, or options_complain(). */
int metric_take(const char *word, enum spr_metric *metric, const struct command_syntax *syntax);
#define METRIC_HELP "total (default), avg, min, max,\np50, p95, p99, imbalance, calls"

/* ---- files ------------------------------------------------------------------------------------------------------- */

struct compared {
    struct paths paths;
    spr_profile **profiles;
    spr_selection **selections;
    size_t count;
};

/* Opens the files that the words name; 0, or the exit status (told): 1 a file cannot be read, 2 no file matches, a bad
 * pattern, no such rank. compared_close() in any case. May be called again to add files; a choice applies to all. */
int compared_open(struct compared *files, char *const *words, size_t count, const struct choice *choice);
void compared_close(struct compared *files);

/* Whether the choice leaves any region in any of the files. If not, that is said. */
bool compared_any_region(const struct compared *files);

#endif
