#include "place.h"
#include <stdlib.h>
#include <string.h>

static bool goes_up(const char *path, size_t length) {
    return memmem(path, length, "../", 3) || (length >= 2 && memcmp(path + length - 2, "..", 2) == 0);
}

static bool is_text(const char *path) { return *path == '<'; } /* Python's <string>, <stdin> */

/* How much of the path is the directory and a slash; 0: it is not below it. Below / everything is: that says nothing.
 */
static size_t below(const char *path, size_t length, const char *directory) {
    size_t n = directory ? strlen(directory) : 0;
    while (n && directory[n - 1] == '/') n--;
    return n && length > n + 1 && memcmp(path, directory, n) == 0 && path[n] == '/' ? n + 1 : 0;
}

const char *place_minimal(const struct process *process, const char *path, size_t *length) {
    const char *from = path;
    const size_t inside = below(path, *length, process->directory);
    if (is_text(path) || (*path != '/' && !goes_up(path, *length))) return path;
    if (inside && !goes_up(path, *length)) {
        from += inside;
    } else {
        const char *slash = memrchr(path, '/', *length);
        if (slash) from = slash + 1;
    }
    *length -= (size_t)(from - path);
    return from;
}

char *place_full(const struct process *process, const char *path, size_t length) {
    const char *directory = process->directory;
    if (*path == '/' || is_text(path) || !directory) return NULL;
    const size_t n = strlen(directory);
    char *whole = malloc(n + length + 2);
    if (!whole) return NULL;
    memcpy(whole, directory, n);
    whole[n] = '/';
    memcpy(whole + n + 1, path, length);
    whole[n + 1 + length] = '\0';
    return whole;
}
