#include "preload.h"

#include "base/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBRARY  "libscope-profiler.so"
#define VARIABLE "SCOPE_PROFILER_PRELOAD"

char *preload_command(void) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return xcopy("scope-profiler");
    path[length] = '\0';
    return xcopy(path);
}

/* The places where the library of this very command can be: installed beside it, or in its build tree. */
static char *find_own(void) {
    static const char *const places[] = {SCOPE_PROFILER_LIBDIR, "../preload"};
    char *command = preload_command(), *found = NULL;
    char *slash = strrchr(command, '/');
    if (slash) *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0] && !found; i++) {
        bool absolute = places[i][0] == '/';
        char *candidate = xformat("%s%s%s/" LIBRARY, absolute ? "" : command, absolute ? "" : "/", places[i]);
        found = realpath(candidate, NULL);
        free(candidate);
    }
    free(command);
    return found;
}

/* ld.so splits at blanks and colons, and expands $ORIGIN and the like. */
static bool is_splittable(const char *path) { return path[strcspn(path, " :;$\t\n")] != '\0'; }

static bool make_link(struct preload *preload, char **why) {
    const char *temporary = getenv("TMPDIR");
    if (!temporary || temporary[0] != '/' || is_splittable(temporary)) temporary = "/tmp";
    char *directory = xformat("%s/scope-profiler-XXXXXX", temporary);
    char *link = NULL;
    if (mkdtemp(directory)) {
        link = xformat("%s/" LIBRARY, directory);
        /* programs that drop their privileges have to reach it as well */
        if (chmod(directory, 0755) == 0 && symlink(preload->library, link) == 0) {
            free(preload->library);
            *preload = (struct preload){link, directory};
            return true;
        }
        rmdir(directory);
    }
    *why = xformat("%s: the dynamic linker cannot take this path, and no link to it can be made in %s: %s",
                   preload->library, temporary, strerror(errno));
    free(link);
    free(directory);
    return false;
}

bool preload_find(struct preload *preload, char **why) {
    const char *given = getenv(VARIABLE);
    *preload = (struct preload){.library = given && *given ? realpath(given, NULL) : find_own()};
    if (!preload->library) {
        *why = given && *given ? xformat("%s (" VARIABLE "): %s", given, strerror(errno))
                               : xformat(LIBRARY " is not where this command was installed; " VARIABLE " can name it");
        return false;
    }
    if (!is_splittable(preload->library) || make_link(preload, why)) return true;
    free(preload->library);
    *preload = (struct preload){0};
    return false;
}

void preload_remove_directory(const char *directory) {
    char *link = xformat("%s/" LIBRARY, directory);
    unlink(link);
    rmdir(directory);
    free(link);
}

void preload_remove(struct preload *preload) {
    if (preload->directory) preload_remove_directory(preload->directory);
    free(preload->directory);
    free(preload->library);
    *preload = (struct preload){0};
}

void preload_set(const struct preload *preload) {
    const char *users = getenv("LD_PRELOAD");
    char *value = users && *users ? xformat("%s:%s", preload->library, users) : xcopy(preload->library);
    setenv("LD_PRELOAD", value, 1);
    free(value);
}
