/* difference.h: what changed between profiles, as tables for people and rows for programs. The first file is the base.
 */
#ifndef CLI_DIFFERENCE_H
#define CLI_DIFFERENCE_H

#include "scope_gate.h"
#include "text.h"

#include <jansson.h>

enum { DIFFERENCE_FILES = 26 }; /* they are called a to z */

enum difference_sort { BY_DELTA, BY_PERCENT, BY_NAME };

struct difference {
    const spr_comparison *comparison;
    enum spr_metric metric;
    bool by_path;
    const spr_compared **rows; /* those that are shown, in their order */
    size_t count;
};

/* threshold: rows whose change is smaller in percent, in all files, are left out; rows without a percentage stay. */
struct difference difference_make(const spr_comparison *comparison, enum spr_metric metric, bool by_path,
                                  enum difference_sort sort, double threshold);
void difference_free(struct difference *difference);

/* A region that took no time in the base and takes some now: no percentage can say that. */
bool difference_new_time(const spr_compared *row, size_t file, enum spr_metric metric);

void difference_table(const struct sink *sink, const struct difference *difference);
/* "  <before>x, y" for regions that only file `has` has of the two, nothing where there is none. */
void difference_only(const struct sink *sink, const struct difference *difference, const char *before, size_t has,
                     size_t lacks);
/* "  <before>x" for regions with new time in `file`. */
void difference_new_times(const struct sink *sink, const struct difference *difference, const char *before,
                          size_t file);

void difference_csv(FILE *out, const struct difference *difference);
void difference_markdown(FILE *out, const struct difference *difference, spr_profile *const *profiles);
json_t *difference_json(const struct difference *difference, spr_profile *const *profiles);

/* A name as a cell of a Markdown table; free() it. */
char *markdown_text(const char *name);

/* What makes the numbers of a file doubtful, below the line `heading`; nothing where all is well. */
void difference_problems(const struct sink *sink, const char *heading, const spr_profile *profile,
                         const spr_selection *selection);

#endif
