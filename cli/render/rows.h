/* rows.h: the rows of a region summary: one per call path (the call tree), or one per region where there is none. */
#ifndef CLI_ROWS_H
#define CLI_ROWS_H

#include "scope_reader.h"

#define ROWS_SESSION_REGION "scope_profiler.session" /* its total is the whole of `% session` */

/* Profiles with more calls are shown flat, from their stored summary, unless a tree is asked for. */
#define ROWS_TREE_LIMIT UINT64_C(2000000)

struct row {
    char *name; /* fit to print */
    size_t region;
    uint32_t depth;
    bool recursive, has_children;
    spr_stats stats;        /* calls 0: nothing recorded on the selected ranks */
    double total;           /* s; of a region that calls itself the sum of its outermost calls, else of all */
    double coverage;        /* s; NAN unknown */
    double parent_coverage; /* s; NAN for a root */
    double overhead;        /* s of the total that the recording took; NAN unknown */
};

struct rows {
    struct row *items;
    size_t count;
    bool tree;
    char *why_flat; /* NULL, or a line saying why there is no tree though the file has single calls */
    double session; /* total of the session region, s; NAN without one */
};

enum rows_tree { ROWS_TREE_AUTO, ROWS_TREE_ALWAYS, ROWS_TREE_NEVER };

/* Rows in order of their first start. Returns 0 or the reader's status. */
int rows_build(spr_profile *profile, const spr_selection *selection, enum spr_depth depth, enum rows_tree tree,
               struct rows *rows, spr_error *error);
void rows_free(struct rows *rows);

/* Fills `overhead` by the costs that the profile carries: of the calls themselves and, in a tree, of those within them.
 * False: it carries none. */
bool rows_estimate_overhead(const spr_profile *profile, struct rows *rows);

/* Keys: rows_sort_keys, `count` of them; the first is the order of rows_build(). */
extern const char *const rows_sort_keys[];
extern const size_t rows_num_sort_keys;

/* Sorts by a key's index in rows_sort_keys: numbers descending with unknown ones last, names ascending. */
void rows_sort(struct rows *rows, size_t key);
bool rows_sort_needs_calls(size_t key); /* the key is a percentile */

#endif
