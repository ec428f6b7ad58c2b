#include "internal.h"
#include <stdlib.h>
#include <string.h>

/* Which regions are recorded at all, of whichever kind: by name and by tag, as the environment says. Asked once a
 * region. */

static struct list { /* texts, one a line */
    const char *lines;
} include, exclude, tags;

/* In pages of its own: the program may change its environment. */
static void keep(struct list *list, const char *variable) {
    const char *value = getenv(variable);
    char *copy = value && *value ? sys_pages(strlen(value) + 1) : NULL;
    list->lines = copy ? strcpy(copy, value) : NULL;
}

void filter_init(void) {
    keep(&include, SPOOL_ENV_INCLUDE);
    keep(&exclude, SPOOL_ENV_EXCLUDE);
    keep(&tags, SPOOL_ENV_TAGS);
}

/* ---- globs: * ? [set] [!set], as in a shell; bytes, and no byte is special in the name ----------------------------
 */

struct text {
    const char *at, *end;
};

/* glob->at is behind the '['; moves it behind the ']'. */
static bool in_set(struct text *glob, unsigned char byte) {
    bool negated = glob->at < glob->end && (*glob->at == '!' || *glob->at == '^'), found = false;
    if (negated) glob->at++;
    for (const char *first = glob->at; glob->at < glob->end && (*glob->at != ']' || glob->at == first); glob->at++) {
        const unsigned char low = (unsigned char)*glob->at;
        unsigned char high = low;
        if (glob->end - glob->at > 2 && glob->at[1] == '-' && glob->at[2] != ']')
            high = (unsigned char)*(glob->at += 2);
        found |= byte >= low && byte <= high;
    }
    if (glob->at < glob->end) glob->at++;
    return found != negated;
}

static bool has_end_of_set(struct text glob) {
    return glob.end - glob.at > 2 && memchr(glob.at + 2, ']', (size_t)(glob.end - glob.at - 2)) != NULL;
}

/* One element of the glob that is no star, against one byte. */
static bool one(struct text *glob, unsigned char byte) {
    if (*glob->at == '[' && has_end_of_set(*glob)) {
        glob->at++;
        return in_set(glob, byte);
    }
    const char c = *glob->at++;
    return c == '?' || (unsigned char)c == byte;
}

static bool matches(struct text glob, struct text name) {
    struct text star = {NULL, NULL}, from = name; /* where to go on when what follows the latest star does not fit */
    for (;;) {
        while (glob.at < glob.end && *glob.at == '*') {
            glob.at++;
            star = glob;
            from = name;
        }
        if (name.at == name.end) return glob.at == glob.end;
        if (glob.at < glob.end && one(&glob, (unsigned char)*name.at)) {
            name.at++;
            continue;
        }
        if (!star.at) return false;
        glob = star;
        name.at = ++from.at;
    }
}

static struct text next_line(const char **at) {
    const char *line = *at, *end = strchrnul(line, '\n');
    *at = *end ? end + 1 : end;
    return (struct text){line, end};
}

static bool any_matches(const struct list *list, struct text name) {
    for (const char *at = list->lines; *at;)
        if (matches(next_line(&at), name)) return true;
    return false;
}

/* ---- tags: a JSON array of strings ------------------------------------------------------------------------------- */

static const char *end_of_string(const char *at) {
    while (*at && *at != '"') at += at[0] == '\\' && at[1] ? 2 : 1;
    return at;
}

static bool is_tagged(const char *json, struct text tag) {
    for (const char *at = json; (at = strchr(at, '"'));) {
        const char *end = end_of_string(++at);
        if (end - at == tag.end - tag.at && memcmp(at, tag.at, (size_t)(end - at)) == 0) return true;
        if (!*end) return false;
        at = end + 1;
    }
    return false;
}

static bool has_tag(const char *json) {
    for (const char *at = tags.lines; json && *at;)
        if (is_tagged(json, next_line(&at))) return true;
    return false;
}

bool filter_wants(const char *name, size_t length, const char *json) {
    const struct text text = {name, name + length};
    return (!include.lines || any_matches(&include, text)) && !(exclude.lines && any_matches(&exclude, text)) &&
           (!tags.lines || has_tag(json));
}
