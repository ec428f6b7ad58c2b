#include "internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The program may close its standard error and get the number back for a file of its own: speak only to the stream that
 * was there at the start. */
static dev_t device;
static ino_t inode;

void warn_init(void) {
    struct stat st;
    if (fstat(STDERR_FILENO, &st) == 0) {
        device = st.st_dev;
        inode = st.st_ino;
    }
}

void rec_warn(const char *format, ...) {
    static atomic_ullong said[16]; /* hashes of the lines so far */
    struct sys_quiet q = sys_quiet_begin();
    char line[PATH_MAX + 256] = "scope-profiler: ";
    size_t n = strlen(line);
    va_list rest;
    va_start(rest, format);
    vsnprintf(line + n, sizeof line - n - 1, format, rest);
    va_end(rest);
    unsigned long long hash = 1;
    for (const char *c = line; *c; c++) hash = hash * 31 + (unsigned char)*c;
    bool again = false;
    for (size_t i = 0; i < sizeof said / sizeof *said && !again; i++) {
        unsigned long long none = 0;
        if (atomic_compare_exchange_strong(&said[i], &none, hash)) break;
        again = none == hash;
    }
    struct stat st;
    if (!again && fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device && st.st_ino == inode) {
        strcat(line, "\n");
        sys_write(STDERR_FILENO, line, strlen(line));
    }
    sys_quiet_end(q);
}
