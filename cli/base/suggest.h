/* suggest.h: "did you mean" */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

/* The choice that begins with `word`, or that differs from it by the fewest single-letter edits; NULL: none is near. */
const char *suggest(const char *word, const char *const *choices, size_t count);

/* The choices joined by `between`; free() it. */
char *join_words(const char *const *words, size_t count, const char *between);

#endif
