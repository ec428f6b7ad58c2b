/* line_source.h: the source text beside line counters: what the profile keeps, or else the file as it is now. */
#ifndef CLI_LINE_SOURCE_H
#define CLI_LINE_SOURCE_H

#include "scope_reader.h"

enum line_source_state {
    LINE_SOURCE_KEPT,    /* from the profile */
    LINE_SOURCE_CHANGED, /* from the profile, and the file on disk has another text there now */
    LINE_SOURCE_FILE,    /* from the file: it may have changed since */
    LINE_SOURCE_NONE,
};

struct line_source {
    char *text;    /* UTF-8; lines end in "\n" */
    int64_t first; /* line number of its first line */
    enum line_source_state state;
    const char *found; /* in text: the line that was asked for last; NULL: none was */
    int64_t found_line;
};

struct line_source line_source_get(const spr_line_record *record);
void line_source_free(struct line_source *source);

/* One line (free() it): without its end and blanks before that, tabs as 4 blanks, control characters escaped. NULL: the
 * text does not have it. */
char *line_source_line(struct line_source *source, int64_t number);

#endif
