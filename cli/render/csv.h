/* csv.h: comma-separated values as RFC 4180 has them. Names stand as they are stored, byte for byte. */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include "scope_reader.h"
#include "table.h"

void csv_field(FILE *out, const char *text);
void csv_number(FILE *out, double value); /* a comma, and the number unless it is none */

/* The line of names that csv_regions() writes values under. */
void csv_regions_header(FILE *out);

/* One line per selected region of a profile: durations in seconds, empty where unknown. Returns 0 or the reader's
 * status. */
int csv_regions(FILE *out, spr_profile *profile, const spr_selection *selection, enum spr_depth depth,
                spr_error *error);

/* A table of frame.h, with a column `file` before the others; "-" is an empty field. */
void csv_table(FILE *out, const struct table *table, const char *file, bool header);

#endif
