/* sort.h: rows whose calls are not stored in order of time, put in order in a file without a name. */
#ifndef SCOPE_READER_SORT_H
#define SCOPE_READER_SORT_H

#include "internal.h"

#define RD_COLUMNS                                                                                                     \
    6 /* of a block, those that the walk needs: start, end, call_ids, parent_ids, thread_ids, task_ids                 \
       */

/* The members of the block in that order, as pointers to them. */
void rd_block_columns(struct rd_block *block, int64_t **columns[RD_COLUMNS]);

/* Sorts calls [0, count) of a block by start, then by `tie` (ids ascending, or ends descending). Columns that are NULL
 * stay so. False when there is no memory. */
bool rd_block_sort(struct rd_block *block, size_t count, bool by_id);

/* The row's events in order, made when first asked for and kept with the profile. Memory is bounded; the disk takes 16
 * to 48 bytes a call. */
int rd_sorted_events(spr_profile *profile, size_t row, bool by_id, const struct rd_events **events, spr_error *error);
/* For spr_close(). */
void rd_sorted_free(spr_profile *profile);

#endif
