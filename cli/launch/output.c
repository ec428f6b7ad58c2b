#include "output.h"

#include "base/memory.h"
#include "base/path.h"
#include "scope_reader.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

static const char *kind_refused(mode_t mode) {
    switch (mode & S_IFMT) {
    case S_IFREG:
        return NULL;
    case S_IFDIR:
        return "is a directory";
    case S_IFIFO:
        return "is a FIFO, not a file";
    case S_IFSOCK:
        return "is a socket, not a file";
    default:
        return "is a device, not a file";
    }
}

static char *directory_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) return xcopy(".");
    return slash == path ? xcopy("/") : xformat("%.*s", (int)(slash - path), path);
}

/* One step along a symbolic link, or NULL when `path` is none. */
static char *link_target(const char *path) {
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0) return NULL;
    target[length] = '\0';
    if (target[0] == '/') return xcopy(target);
    char *directory = directory_of(path);
    char *whole = xformat("%s/%s", directory, target);
    free(directory);
    return whole;
}

static bool refuse(char **why, char *reason) {
    *why = reason;
    return false;
}

/* Endings of files that somebody will open with something that knows no HDF5. */
static const char *const foreign_endings[] = {"html", "htm",  "xml",    "svg", "png", "pdf",  "jpg", "jpeg",
                                              "gif",  "csv",  "tsv",    "txt", "md",  "xlsx", "yml", "yaml",
                                              "toml", "prof", "pstats", "gz",  "bz2", "xz",   "zst", "zip"};

/* The ending of `path` when it names a format that is not written; NULL: any other, or none. */
static const char *foreign_ending(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    if (!dot || dot == name || spr_is_json_name(path)) return NULL;
    for (size_t i = 0; i < sizeof foreign_endings / sizeof *foreign_endings; i++)
        if (!strcasecmp(foreign_endings[i], dot + 1)) return dot;
    return NULL;
}

static bool judge_directory(const char *given, const char *path, struct output *output, char **why) {
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    char *directory = directory_of(path);
    char *real = realpath(directory, NULL);
    int error = errno;
    if (!real) {
        *why = xformat("%s: directory %s: %s", given, directory, strerror(error));
        free(directory);
        return false;
    }
    free(directory);
    struct stat status;
    error = stat(real, &status) ? errno : !S_ISDIR(status.st_mode) ? ENOTDIR : access(real, W_OK | X_OK) ? errno : 0;
    if (error) {
        *why = xformat("%s: cannot write into directory %s: %s", given, real, strerror(error));
        free(real);
        return false;
    }
    output->directory = real;
    output->base = xcopy(base);
    output->path = xformat("%s/%s", strcmp(real, "/") ? real : "", base);
    return true;
}

/* The recording beside it is named after it: .NAME.spool-<16 digits> */
static bool judge_name(const char *given, const struct output *output, char **why) {
    enum { MOST = NAME_MAX - 24 };
    const size_t length = strlen(output->base);
    if (length <= MOST) return true;
    *why = xformat("%s: the name of the file has %zu bytes, %d are the most", given, length, MOST);
    return false;
}

bool output_judge_name(const char *given, char **why) {
    if (path_is_stdout(given))
        return refuse(why, xcopy("-: a profile is a file, and not written to stdout; ./- is a file of that name"));
    if (foreign_ending(given))
        return refuse(why, xformat("%s: a profile is HDF5 (.h5) or JSON (.json, .json.gz), no %s file", given,
                                   foreign_ending(given)));
    return true;
}

bool output_judge(const char *given, struct output *output, char **why) {
    struct stat status;
    *output = (struct output){0};
    if (!*given) return refuse(why, xcopy("the name of the output is empty"));
    if (!output_judge_name(given, why)) return false;
    if (given[strlen(given) - 1] == '/') return refuse(why, xformat("%s: names a directory, not a file", given));
    bool exists = stat(given, &status) == 0;
    if (exists && kind_refused(status.st_mode))
        return refuse(why, xformat("%s: %s", given, kind_refused(status.st_mode)));
    if (!exists && errno == ELOOP) return refuse(why, xformat("%s: %s", given, strerror(errno)));
    char *path = xcopy(given);
    for (int links = 0; links < MOST_LINKS; links++) {
        char *next = link_target(path);
        if (!next) break;
        free(path);
        path = next;
    }
    bool good = judge_directory(given, path, output, why) && judge_name(given, output, why);
    free(path);
    return good;
}

bool output_in_memory(unsigned long long key, struct output *output, char **why) {
    const char *temporary = getenv("TMPDIR");
    const char *directory = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm"
                            : temporary && *temporary            ? temporary
                                                                 : "/tmp";
    char *path = xformat("%s/.scope-profiler-%d-%016llx.h5", directory, (int)geteuid(), key);
    const bool good = output_judge(path, output, why);
    free(path);
    return good;
}

void output_free(struct output *output) {
    free(output->path);
    free(output->directory);
    free(output->base);
    *output = (struct output){0};
}
