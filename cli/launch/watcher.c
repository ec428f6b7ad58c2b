#include "watcher.h"

#include "base/memory.h"
#include "preload.h"
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In ms. A rank that has not registered when all others are gone will hardly come; ranks on other machines may be
 * started later than ours ended. */
enum { LOOK_AGAIN = 50, GRACE = 2000, GRACE_NODES = 10000 };

struct rank {
    struct process process;
    int descriptor; /* pidfd; -1: the kernel has none, or the process has ended */
    bool alive;
    char name[64];
};

struct watch {
    int spool;
    const struct launcher *launcher;
    char node[NODE_DIGITS + 1];
    struct rank *ranks; /* of this machine */
    size_t count, alive;
};

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool add_rank(int spool, const char *name, void *argument) {
    struct watch *watch = argument;
    struct rank rank = {.descriptor = -1};
    for (size_t i = 0; i < watch->count; i++)
        if (!strcmp(watch->ranks[i].name, name)) return false;
    if (!proc_read(spool, name, &rank.process)) return false; /* being written: found at the next look */
    snprintf(rank.name, sizeof rank.name, "%s", name);
    rank.descriptor = (int)syscall(SYS_pidfd_open, rank.process.pid, 0);
    rank.alive = proc_alive(rank.process);
    watch->ranks = xgrow(watch->ranks, watch->count + 1, sizeof *watch->ranks);
    watch->ranks[watch->count++] = rank;
    return false;
}

static void look(struct watch *watch) {
    proc_files(watch->spool, "rank-", watch->node, add_rank, watch);
    watch->alive = 0;
    for (size_t i = 0; i < watch->count; i++) {
        struct rank *rank = &watch->ranks[i];
        bool was_alive = rank->alive;
        if (was_alive) rank->alive = proc_alive(rank->process);
        if (was_alive && !rank->alive) proc_record_end(watch->spool, rank->process);
        if (!rank->alive && rank->descriptor >= 0) {
            close(rank->descriptor);
            rank->descriptor = -1;
        }
        watch->alive += rank->alive;
    }
}

/* Until one of the ranks ends, or `timeout` ms have passed (-1: no limit, where the kernel can tell of every end). */
static void wait_for_end(const struct watch *watch, int timeout) {
    struct pollfd *polled = xalloc(watch->count, sizeof *polled);
    nfds_t count = 0;
    for (size_t i = 0; i < watch->count; i++) {
        if (!watch->ranks[i].alive) continue;
        if (watch->ranks[i].descriptor < 0) timeout = LOOK_AGAIN;
        polled[count++] = (struct pollfd){.fd = watch->ranks[i].descriptor, .events = POLLIN};
    }
    poll(polled, count, timeout);
    free(polled);
}

static void wait_for_ranks(struct watch *watch) {
    int expected = watch->launcher->local_size;
    if (!expected && watch->launcher->size == 1) expected = 1;
    int64_t quiet_since = -1;
    for (;;) {
        look(watch);
        bool all = expected > 0 && watch->count >= (size_t)expected;
        if (watch->alive) {
            quiet_since = -1;
            wait_for_end(watch, all ? -1 : LOOK_AGAIN);
            continue;
        }
        if (all) return;
        if (quiet_since < 0) quiet_since = now_ms();
        if (now_ms() - quiet_since >= GRACE) return;
        poll(NULL, 0, LOOK_AGAIN);
    }
}

/* ---- the other machines ------------------------------------------------------------------------------------------ */

struct census {
    size_t ranks, unfinished; /* of all machines: registered; on a machine that is not done */
};

static bool count_rank(int spool, const char *name, void *argument) {
    struct census *census = argument;
    const char *node = strrchr(name, '-') + 1;
    char done[64];
    snprintf(done, sizeof done, "done-%s", node);
    census->ranks++;
    census->unfinished += faccessat(spool, done, F_OK, 0) != 0;
    return false;
}

/* True when this machine was the last: it collects. A machine whose ranks have not even registered yet is waited for.
 */
static bool is_last(const struct watch *watch) {
    int size = watch->launcher->size, local = watch->launcher->local_size;
    int64_t begin = now_ms(), grace = size && local == size ? 0 : size ? GRACE_NODES : GRACE;
    for (;;) {
        struct census census = {0};
        proc_files(watch->spool, "rank-", "", count_rank, &census);
        if (census.unfinished) return false;
        if ((size && census.ranks >= (size_t)size) || now_ms() - begin >= grace) return true;
        poll(NULL, 0, LOOK_AGAIN);
    }
}

/* ---- links ------------------------------------------------------------------------------------------------------- */

static bool remove_link(int spool, const char *name, void *argument) {
    char target[4096];
    (void)argument;
    ssize_t length = readlinkat(spool, name, target, sizeof target - 1);
    if (length <= 0) return false;
    target[length] = '\0';
    preload_remove_directory(target);
    unlinkat(spool, name, 0);
    return false;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* A launcher does not return before stderr is closed, so the profile is there when it does. Open MPI looks at the
 * ranks' stderr. Hydra's mpiexec looks at its proxy's as well, and that one is taken: a proxy that still sees a rank's
 * stderr open when another rank has failed reports the rank that it killed, not the one that failed. */
static void hold_stderr(const struct launcher *launcher) {
    char path[64];
    struct stat status;
    if (!launcher->proxy) return;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)launcher->proxy, STDERR_FILENO);
    if (stat(path, &status) || !S_ISFIFO(status.st_mode)) return; /* another kind is not waited for */
    int held = open(path, O_WRONLY | O_CLOEXEC);
    if (held < 0) return;
    dup2(held, STDERR_FILENO);
    close(held);
}

static void close_all_but(int keep) {
    DIR *directory = opendir("/proc/self/fd");
    if (!directory) return;
    for (struct dirent *entry; (entry = readdir(directory));) {
        int descriptor = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && descriptor != STDERR_FILENO && descriptor != keep &&
            descriptor != dirfd(directory))
            close(descriptor);
    }
    closedir(directory);
    int null = open("/dev/null", O_RDWR); /* takes the place of stdin */
    if (null >= 0) dup2(null, STDOUT_FILENO);
}

/* The launcher may have bound the rank that starts us to a processor or two. The kernel takes those away that nobody
 * here may use. */
static void use_all_processors(void) {
    enum { PROCESSORS = 8192 };
    cpu_set_t *all = CPU_ALLOC(PROCESSORS);
    if (!all) return;
    memset(all, 0xff, CPU_ALLOC_SIZE(PROCESSORS));
    sched_setaffinity(0, CPU_ALLOC_SIZE(PROCESSORS), all);
    CPU_FREE(all);
}

static void ignore_signals(void) {
    static const int signals[] = {SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) signal(signals[i], SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Gives the spool another name before it is read and taken away: whoever of the same launch comes from now on (the next
 * program of a script) makes a new one. Returns its path. */
static char *set_aside(const struct session *session) {
    char *aside = xformat("%s.%ld", session->spool, (long)getpid());
    if (rename(session->spool, aside) == 0) return aside;
    free(aside);
    return xcopy(session->spool);
}

static void collect_all(const struct session *session, const struct finish *what) {
    char *spool = set_aside(session);
    struct finish aside = *what;
    aside.spools = (const char *const *)&spool;
    finish(&aside, NULL);
    free(spool);
}

static void watch_and_collect(const struct session *session, const struct launcher *launcher,
                              const struct finish *what) {
    struct watch watch = {.spool = session->descriptor, .launcher = launcher};
    char done[64];
    proc_node(watch.node);
    wait_for_ranks(&watch);
    proc_files(watch.spool, "link-", watch.node, remove_link, NULL);
    snprintf(done, sizeof done, "done-%s", watch.node);
    proc_record(watch.spool, done, proc_of(getpid()));
    if (is_last(&watch)) collect_all(session, what);
    free(watch.ranks);
}

/* Forked twice: a child of the rank would be one more process for its program to wait for. */
static void start(const struct session *session, const struct launcher *launcher, const struct finish *what,
                  const char *file) {
    pid_t middle = fork();
    if (middle > 0) waitpid(middle, NULL, 0);
    if (middle) return;
    setsid();
    if (fork() == 0) {
        ignore_signals();
        use_all_processors();
        hold_stderr(launcher);
        close_all_but(session->descriptor);
        proc_replace(session->descriptor, file, proc_of(getpid())); /* it named the rank that starts us */
        watch_and_collect(session, launcher, what);
    }
    _exit(0);
}

/* False when the directory that is open here has been set aside meanwhile. */
static bool is_current(const struct session *session) {
    struct stat open, named;
    return fstat(session->descriptor, &open) == 0 && stat(session->spool, &named) == 0 && open.st_ino == named.st_ino &&
           open.st_dev == named.st_dev;
}

int watcher_join(const struct session *session, const struct launcher *launcher, const struct finish *what,
                 const char *link) {
    char node[NODE_DIGITS + 1], file[64];
    struct process self = proc_of(getpid());
    proc_node(node);
    snprintf(file, sizeof file, "rank-%d-%s", launcher->rank, node);
    if (proc_record(session->descriptor, file, self)) return -1;
    if (!is_current(session)) {
        unlinkat(session->descriptor, file, 0);
        errno = ENOENT;
        return -1;
    }
    if (link) {
        snprintf(file, sizeof file, "link-%d-%s", launcher->rank, node);
        if (symlinkat(link, session->descriptor, file)) return -1;
    }
    snprintf(file, sizeof file, "watcher-%s", node);
    if (proc_record(session->descriptor, file, self) == 0) start(session, launcher, what, file);
    return 0;
}
