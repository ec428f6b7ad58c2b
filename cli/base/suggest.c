#include "suggest.h"

#include "memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Edits (insert, delete, replace, swap of neighbours) between two words of at most LONGEST letters. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][LONGEST + 2];
    for (size_t j = 0; j <= b_length; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *now = rows[i % 3], *before = rows[(i - 1) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            now[j] = least(least(now[j - 1], before[j]) + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], earlier[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *suggest(const char *word, const char *const *choices, size_t count) {
    size_t length = strlen(word), best = length < 4 ? 2 : length / 3 + 2;
    const char *nearest = NULL;
    for (size_t i = 0; i < count && length <= LONGEST; i++) {
        size_t other = strlen(choices[i]);
        if (other > LONGEST) continue;
        if (length > 1 && !strncmp(word, choices[i], length)) return choices[i];
        size_t edits = distance(word, length, choices[i], other);
        if (edits < best) best = edits, nearest = choices[i];
    }
    return nearest;
}

char *join_words(const char *const *words, size_t count, const char *between) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return xcopy("");
    for (size_t i = 0; i < count; i++) fprintf(out, "%s%s", i ? between : "", words[i]);
    fclose(out);
    return text;
}
