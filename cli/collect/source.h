/* source.h: the text of a source file as a profile holds it. */
#ifndef COLLECT_SOURCE_H
#define COLLECT_SOURCE_H

#include <stddef.h>

/* `length` bytes in the encoding of that (Python) name, "" for UTF-8, as UTF-8 with lines ended by "\n"; bytes that
 * mean nothing become U+FFFD. Of an encoding that is not known only ASCII is kept. free() it; NULL: no memory. */
char *source_text(const char *bytes, size_t length, const char *encoding);

/* The encoding that a source text names in one of its first two lines, "" none. */
void source_encoding(const char *bytes, size_t length, char name[32]);

#endif
