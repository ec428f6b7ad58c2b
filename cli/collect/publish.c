#include "publish.h"
#include "files.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40

static char *directory_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static char *joined(const char *directory, const char *name) {
    char *path;
    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

/* Where a link points, as a path from where the link was reached; NULL with errno. */
static char *follow(const char *path) {
    char to[4096];
    ssize_t length = readlink(path, to, sizeof to - 1);
    if (length < 0) return NULL;
    to[length] = '\0';
    if (to[0] == '/') return strdup(to);
    char *directory = directory_of(path), *result = directory ? joined(directory, to) : NULL;
    free(directory);
    return result;
}

/* The path behind all links; its last part need not exist. NULL with errno. */
static char *resolve(const char *path) {
    struct stat status;
    char *target = strdup(path);
    for (int links = 0; target && lstat(target, &status) == 0 && S_ISLNK(status.st_mode); links++) {
        char *next = links < LINKS_MAX ? follow(target) : NULL;
        int error = links < LINKS_MAX ? errno : ELOOP;
        free(target);
        errno = error;
        target = next;
    }
    return target;
}

static bool may_replace(const char *path, const char *target, struct report *report) {
    struct stat status;
    if (stat(target, &status) != 0) return true;
    if (S_ISDIR(status.st_mode)) return fail(report, "%s: is a directory", path);
    return S_ISREG(status.st_mode) || fail(report, "%s: is not a regular file", path);
}

bool publish_open(struct publish *p, const char *path, struct report *report) {
    *p = (struct publish){.fd = -1};
    p->target = resolve(path);
    if (!p->target) return fail(report, "%s: %s", path, strerror(errno));
    if (!may_replace(path, p->target, report)) return false;
    p->directory = directory_of(p->target);
    if (!p->directory || asprintf(&p->temporary, "%s/.scope-profiler-XXXXXX.tmp", p->directory) < 0) {
        p->temporary = NULL;
        return fail_memory(report);
    }
    p->fd = mkostemps(p->temporary, 4, O_CLOEXEC);
    if (p->fd >= 0) return true;
    fail(report, "%s: cannot write in %s: %s", path, p->directory, strerror(errno));
    free(p->temporary);
    p->temporary = NULL;
    return false;
}

int publish_scratch(const struct publish *p, struct report *report) {
    char *name = joined(p->directory, ".scope-profiler-XXXXXX.tmp");
    int fd = name ? mkostemps(name, 4, O_CLOEXEC) : -1;
    if (fd < 0)
        fail(report, "%s: %s", p->target, strerror(errno));
    else
        unlink(name);
    free(name);
    return fd;
}

/* umask() itself would change it for a moment, for all threads. */
static mode_t current_umask(void) {
    char text[4096];
    const char *at;
    unsigned mask = 022;
    if (!file_text(AT_FDCWD, "/proc/self/status", text, sizeof text) || !(at = strstr(text, "\nUmask:")) ||
        sscanf(at + 7, "%o", &mask) != 1) {
        mask = umask(022);
        umask(mask);
    }
    return mask;
}

static void sync_directory(const char *directory) {
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd); /* file systems that cannot do this lose nothing that is said to be safe */
    close(fd);
}

/* Room that was reserved behind the end of the file is given back. */
static void give_back(int fd) {
    struct stat status;
    if (fstat(fd, &status) == 0 && ftruncate(fd, status.st_size) != 0) return; /* it costs room, no more */
}

bool publish_commit(struct publish *p, int mask, struct report *report) {
    mode_t mode = 0666 & ~(mask >= 0 ? (mode_t)mask : current_umask());
    if (fchmod(p->fd, mode) != 0 && errno != EPERM && errno != ENOTSUP)
        return fail(report, "%s: %s", p->target, strerror(errno));
    give_back(p->fd);
    if (fsync(p->fd) != 0 && errno != EINVAL && errno != ENOTSUP)
        return fail(report, "%s: %s", p->target, strerror(errno));
    if (rename(p->temporary, p->target) != 0) return fail(report, "%s: %s", p->target, strerror(errno));
    free(p->temporary);
    p->temporary = NULL;
    sync_directory(p->directory);
    return true;
}

void publish_close(struct publish *p) {
    if (p->fd >= 0) close(p->fd);
    if (p->temporary) unlink(p->temporary);
    free(p->temporary);
    free(p->directory);
    free(p->target);
    *p = (struct publish){.fd = -1};
}
