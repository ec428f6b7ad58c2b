#include "internal.h"
#include <dlfcn.h>
#include <libgen.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* The scope-profiler command, run from inside the program: at the end of a session that was only preloaded, and in
 * sp_finalize(). Nowhere else, and never by fork: the program may be large, or use what a fork breaks. */

static char command[PATH_MAX];

void command_find(void) {
    const char *named = getenv(SPOOL_ENV_COMMAND);
    if (named && *named) {
        snprintf(command, sizeof command, "%s", named);
        return;
    }
    Dl_info self;
    char library[PATH_MAX];
    if (!dladdr(command, &self) || !realpath(self.dli_fname, library)) return;
    const char *directory = dirname(library);
    static const char *const places[] = {SCOPE_BIN_FROM_LIB, "../cli"}; /* installed; in the build folder */
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (snprintf(command, sizeof command, "%s/%s/scope-profiler", directory, places[i]) < (int)sizeof command &&
            access(command, X_OK) == 0)
            return;
    }
    snprintf(command, sizeof command, "%s/scope-profiler", SCOPE_BINDIR);
}

enum { STACK = 64 << 10 };

struct start {
    char **arguments, **environment;
    uint64_t mask;
    char *stack; /* of the command's process until it is the command */
    bool everywhere;
};

/* A launcher may have bound its rank to a processor or two. The kernel takes those away that nobody here may use. */
static void use_all_processors(void) {
    uint64_t processors[128];
    memset(processors, 0xff, sizeof processors);
    syscall(SYS_sched_setaffinity, 0, sizeof processors, processors);
}

/* Both processes run on stacks of their own in the program's memory, while the program waits. */
static int become_command(void *argument) {
    const struct start *s = argument;
    if (s->everywhere) use_all_processors();
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &s->mask, NULL, sizeof s->mask);
    execve(s->arguments[0], s->arguments, s->environment);
    _exit(127);
}

/* Stands between the program and the command: whatever a process was cloned with, one that has called exec sends
 * SIGCHLD to its parent and is found by its wait(). This one never does. */
static int go_between(void *argument) {
    struct start *s = argument;
    int status = -1;
    signal(SIGCHLD, SIG_DFL); /* of this process alone: an ignored SIGCHLD would lose the status */
    pid_t pid = clone(become_command, s->stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, s);
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) break;
    _exit(pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 126);
}

/* The environment without us: the command is not to be profiled. In pages of its own; NULL without memory. */
static char **clean_environment(size_t *bytes) {
    size_t n = 0, kept = 0;
    while (environ && environ[n]) n++;
    *bytes = (n + 1) * sizeof(char *);
    char **clean = sys_pages(*bytes);
    for (size_t i = 0; clean && i < n; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 && strncmp(environ[i], "SCOPE_PROFILER_", 15) != 0)
            clean[kept++] = environ[i];
    return clean;
}

/* arguments[0] is the command itself. 0 with its wait status, or an errno. */
static int run(char **arguments, bool everywhere, int *status) {
    size_t environment_bytes;
    char *stack = sys_pages(2 * STACK);
    char **environment = clean_environment(&environment_bytes);
    int result = ENOMEM;
    if (stack && environment) {
        struct sys_quiet q = sys_quiet_begin();
        struct start s = {arguments, environment, q.mask, stack, everywhere};
        /* No exit signal: the program's SIGCHLD handler and its wait() never hear of this child. */
        pid_t pid = clone(go_between, stack + 2 * STACK, CLONE_VM | CLONE_VFORK, &s);
        result = pid < 0 ? errno : 0;
        while (pid > 0 && waitpid(pid, status, __WCLONE) < 0)
            if (errno != EINTR) break;
        sys_quiet_end(q);
    }
    if (stack) munmap(stack, 2 * STACK);
    if (environment) munmap(environment, environment_bytes);
    return result;
}

int rec_command(const char *const *arguments) {
    enum { MOST = 4096 };
    size_t count = 0;
    while (arguments[count]) count++;
    const size_t bytes = (count + 2) * sizeof(char *);
    char **all = count < MOST ? sys_pages(bytes) : NULL;
    if (!all) {
        errno = count < MOST ? ENOMEM : E2BIG;
        return -1;
    }
    int status = -1;
    all[0] = command;
    memcpy(all + 1, arguments, count * sizeof *all);
    const int error = run(all, false, &status);
    munmap(all, bytes);
    if (error == 0 && WIFEXITED(status) && WEXITSTATUS(status) < 126) return WEXITSTATUS(status);
    errno = error ? error : WIFEXITED(status) && WEXITSTATUS(status) == 127 ? ENOENT : EIO;
    return -1;
}

const char *rec_command_path(void) { return command; }

int command_collect(const char *spool, const char *output, bool keep, bool everywhere) {
    char *arguments[8] = {command, "collect", (char *)spool, keep ? "-qq" : "-q"};
    size_t count = 4;
    int status = -1;
    if (keep) arguments[count++] = "--keep";
    if (output) arguments[count++] = "-o";
    if (output) arguments[count++] = (char *)output;
    const int result = run(arguments, everywhere, &status);
    if (result) return result;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        rec_warn("cannot run %s: the records are left in %s", command, spool);
        return ENOENT;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EIO;
}
