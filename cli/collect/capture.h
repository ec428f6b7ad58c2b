/* capture.h: the source text of regions, from the files that their places name. */
#ifndef COLLECT_CAPTURE_H
#define COLLECT_CAPTURE_H

#include "model.h"

/* Gives every row with a place its source text, as far as the file is there now. False: no memory. */
bool capture_sources(struct collection *c);

/* The statement that begins at `line` (1, 2, ...) of a text whose lines end with "\n", with what belongs to it: in
 * Python the block under it, in C and its like everything up to the end of the block that it is in, elsewhere the line
 * alone. name: of the file. Points into `text`; *length bytes, 0: there is no such line. */
const char *capture_block(const char *text, const char *name, int64_t line, size_t *length);

#endif
