/* summary.h: the region summary as people read it: table, notes, and what is wrong with the data. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "columns.h"
#include "rows.h"
#include "text.h"

/* The table alone, then an empty line. most: rows to show, 0 for all; the rest is counted in a line. */
void summary_table(const struct sink *sink, const struct rows *rows, const struct columns *columns, size_t most);

/* The box that says what can be done next with the file, then an empty line. available: is a command there? */
void summary_notes(const struct sink *sink, const spr_profile *profile, const struct rows *rows,
                   const struct columns *columns, bool (*available)(const char *command));

/* What the reader should know before trusting the numbers; a plain line each and then an empty one; nothing
 * where all is well. */
void summary_problems(const struct sink *sink, const spr_profile *profile, const spr_selection *selection,
                      const struct rows *rows);

#endif
