/* line_table.h: line records as people and programs read them. */
#ifndef CLI_LINE_TABLE_H
#define CLI_LINE_TABLE_H

#include "scope_reader.h"
#include "text.h"

#include <jansson.h>

/* Rank, region, function and place, then the lines between the first and the last executed one. Returns true when the
 * file on disk has changed since. */
bool line_table_print(const struct sink *sink, const spr_line_record *record);

/* The same as an object. */
json_t *line_table_json(const spr_line_record *record);

#endif
