/* lines_source.h: source files of the program as far as counting lines needs them: which physical lines belong to one
 * statement, and what a function's text is. */
#ifndef SCOPE_PROFILER_LINES_SOURCE_H
#define SCOPE_PROFILER_LINES_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source {
    char *path;
    char *bytes; /* NULL: the file cannot be read; then every line is a statement of its own */
    size_t length;
    uint32_t lines;
    uint32_t *starts;     /* by line - 1: offset of its first byte; one more than lines */
    uint32_t *statements; /* by line - 1: the line that its statement (logical line) begins on */
    char encoding[32];    /* as the file names it; "" UTF-8 */
    struct source *next;
};

/* The file, read at its first use and kept. NULL: no memory. */
struct source *source_get(const char *path);

/* The first line of the statement that `line` is part of; `line` itself where the file does not have it. */
uint32_t source_statement(const struct source *source, uint32_t line);

/* The text of the function whose decorators or `def` begin on `first` and whose code reaches at least to `last`:
 * through the last line of its block. *size 0: not known. */
const char *source_function(const struct source *source, uint32_t first, uint32_t last, size_t *size);

/* For tests: the tables of a text that is in memory. False: no memory. */
bool source_scan(struct source *source);

#endif
