#include "path.h"

#include "memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool all_from(const char *text, const char *allowed) { return text[strspn(text, allowed)] == '\0'; }

char *path_quoted(const char *path) {
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@%+=:,./-_";
    if (*path && all_from(path, safe)) return xcopy(path);
    char *quoted = xalloc(strlen(path) * 5 + 3, 1), *at = quoted;
    *at++ = '\'';
    for (; *path; path++) {
        if (*path == '\'')
            at = stpcpy(at, "'\"'\"'");
        else
            *at++ = *path;
    }
    *at = '\'';
    return quoted;
}

char *path_relative(const char *absolute) {
    char here[PATH_MAX];
    if (absolute[0] != '/' || !getcwd(here, sizeof here)) return xcopy(absolute);
    size_t common = 0; /* length of the shared leading directories, up to and without a slash */
    size_t at = 0;
    for (;; at++) {
        bool here_ends = here[at] == '/' || !here[at], other_ends = absolute[at] == '/' || !absolute[at];
        if (here_ends && other_ends) common = at;
        if (here[at] != absolute[at] || !here[at]) break;
    }
    const char *rest = here + common;
    char *relative = xalloc(3 * strlen(here) + strlen(absolute) + 2, 1), *end = relative;
    if (strcmp(here, "/") == 0) rest = "";
    for (; *rest; rest++)
        if (*rest == '/' && rest[1]) end = stpcpy(end, "../");
    const char *down = absolute + common;
    stpcpy(end, down + strspn(down, "/"));
    size_t length = strlen(relative);
    if (length > 1 && relative[length - 1] == '/') relative[length - 1] = '\0';
    if (!*relative) stpcpy(relative, ".");
    return relative;
}

char *path_absolute(const char *path) {
    char here[PATH_MAX];
    if (path[0] == '/') return xcopy(path);
    if (!getcwd(here, sizeof here)) return NULL;
    return xformat("%s%s%s", here, strcmp(here, "/") ? "/" : "", path);
}

bool path_is_stdout(const char *path) { return path && !strcmp(path, "-"); }

uint64_t hash_text(uint64_t hash, const char *text) {
    do {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    } while (*text++);
    return hash;
}
