/* tables.h: the index of a profile: everything in the file but the event columns. */
#ifndef COLLECT_TABLES_H
#define COLLECT_TABLES_H

#include "columns.h"
#include "model.h"

/* Gives the names that rows use their places in region_table: rank 0's in the order of their creation, then what
 * further ranks add. Returns their number. */
size_t tables_number_regions(struct collection *c);

/* Root attributes, /metadata, /region_table, /rank_region_index and the optional tables. False: see errno. */
bool tables_write(hid_t file, struct collection *c, size_t num_regions);

/* Bytes that they will need at the most. */
uint64_t tables_estimate(const struct collection *c);

#endif
