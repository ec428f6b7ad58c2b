/* text.h: text as a terminal shows it: width in columns, control characters, cutting. All text is UTF-8, whatever the
 * locale says; bytes that are not UTF-8 appear as \xNN. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Where a report goes. */
struct sink {
    FILE *stream;
    size_t columns; /* of the terminal; 0: no terminal, or it does not know: lines are whole */
};

struct sink sink_open(FILE *stream);

/* Decodes one character; returns its length in bytes, 0 at the end, and *code = -1 (length 1) where it is no UTF-8. */
size_t text_decode(const char *text, int32_t *code);

size_t text_width(const char *text); /* display columns: a CJK character is two wide, a combining one none */

/* A name made fit to print: control and direction characters escaped, "(unnamed)" for the empty one; free() it. */
char *text_shown(const char *name);

/* As UTF-8 that every parser accepts: bytes that are none become U+FFFD; free() it. */
char *text_lossy(const char *text);

/* Its first columns, ending in an ellipsis when something was cut off; free() it. */
char *text_cut(const char *text, size_t columns);

/* Prints text and then blanks up to `width` columns. */
void text_padded(FILE *out, const char *text, size_t width);

/* Prints one line, cut to the sink's width. */
void sink_line(const struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
