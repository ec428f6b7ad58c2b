#include "parse.h"

#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LEVEL = 4 };

bool parse_compress(const char *text, int *level) {
    if (!text) {
        *level = DEFAULT_LEVEL;
        return true;
    }
    *level = text[0] - '0';
    return isdigit((unsigned char)text[0]) && !text[1];
}

bool parse_indent(const char *text, int *indent) {
    char *end;
    long value = strtol(text, &end, 10);
    *indent = (int)value;
    return isdigit((unsigned char)*text) && !*end && value <= 16;
}

static bool parse_number(const char **text, uint32_t *number) {
    char *end;
    if (!isdigit((unsigned char)**text)) return false;
    errno = 0;
    unsigned long value = strtoul(*text, &end, 10);
    *text = end;
    *number = (uint32_t)value;
    return !errno && value <= UINT32_MAX;
}

bool parse_jobs(const char *text, unsigned *jobs) { return parse_number(&text, jobs) && !*text && *jobs > 0; }

bool parse_ranks(const char *text, struct rank_ranges *ranges) {
    for (;;) {
        struct rank_range range;
        if (!parse_number(&text, &range.first)) return false;
        range.last = range.first;
        if (*text == '-' && (text++, !parse_number(&text, &range.last))) return false;
        if (range.last < range.first) return false;
        ranges->items = xgrow(ranges->items, ranges->count + 1, sizeof *ranges->items);
        ranges->items[ranges->count++] = range;
        if (!*text) return true;
        if (*text++ != ',') return false;
    }
}

bool parse_looks_like_ranks(const char *text) {
    return isdigit((unsigned char)text[0]) && !text[strspn(text, "0123456789,-")];
}
