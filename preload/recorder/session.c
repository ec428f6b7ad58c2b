#include "internal.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Which session this process belongs to.
 *   SCOPE_PROFILER_SPOOL     `run` (or whoever set it) made the spool, and collects.
 *   else, preloaded          the first process names a spool and hands the name on to its children; the last one of
 *                            them to end runs the command. Ranks of one launch name it after the launch.
 *   else                     only linked or loaded: no session. */

#define ENV_SESSION "SCOPE_PROFILER_SESSION" /* the second case's spool and output, "<spool>\n<output>" */

struct launch session_launch = {.rank = -1, .size = -1, .local_size = -1};
static bool last_one_collects;
static char profile_umask[16] = "";

/* ---- launchers ------------------------------------------------------------------------------------------------------
 */

static const struct {
    const char *rank, *size, *local_size, *job;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_NAMESPACE"},
    {"PMIX_RANK", "PMIX_SIZE", "PRTE_LOCAL_SIZE", "PMIX_NAMESPACE"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE", "SLURM_STEP_ID"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", "PMI_JOBID"},
    {"PALS_RANKID", "PALS_SIZE", "PALS_LOCAL_SIZE", "PALS_APID"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS_PER_NODE", "SLURM_STEP_ID"},
};

static int number_of(const char *variable) {
    const char *value = getenv(variable);
    return value && *value >= '0' && *value <= '9' ? atoi(value) : -1;
}

enum { MOST_ANCESTORS = 16, ARGUMENTS = 4096 };

static int parent_of(int pid) {
    char path[64], stat[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    const char *name_end = sys_read_file(path, stat, sizeof stat) > 0 ? strrchr(stat, ')') : NULL;
    return name_end && strlen(name_end) > 4 ? atoi(name_end + 4) : 0; /* ") S 1234 ..." */
}

/* The word behind `option`; "": it is not there. */
static const char *option_in(const char *arguments, size_t length, const char *option) {
    for (const char *at = arguments; at < arguments + length; at += strlen(at) + 1)
        if (strcmp(at, option) == 0) return at + strlen(at) + 1;
    return "";
}

/* Hydra names no launch, but the proxies that start its ranks, on whatever machine, are told where its mpiexec listens.
 */
static void find_proxy(char *name, size_t size) {
    char path[64], arguments[ARGUMENTS + 2];
    int pid = getppid();
    for (int i = 0; i < MOST_ANCESTORS && pid > 1; i++, pid = parent_of(pid)) {
        snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
        const long length = sys_read_file(path, arguments, ARGUMENTS);
        if (length <= 0 || !strstr(arguments, "hydra_")) continue;
        arguments[length] = arguments[length + 1] = 0;
        const char *port = option_in(arguments, (size_t)length, "--control-port");
        if (!*port) continue;
        snprintf(name, size, "%s.%s", port, option_in(arguments, (size_t)length, "--pgid"));
        return;
    }
}

static void read_launch(void) {
    const char *step = getenv("SLURM_STEP_ID"), *job = getenv("SLURM_JOB_ID");
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        int rank = number_of(launchers[i].rank);
        if (rank < 0 || (strcmp(launchers[i].rank, "SLURM_PROCID") == 0 && !step)) continue;
        const char *name = getenv(launchers[i].job);
        session_launch.rank = rank;
        session_launch.size = number_of(launchers[i].size);
        session_launch.local_size = number_of(launchers[i].local_size);
        snprintf(session_launch.world, sizeof session_launch.world, "%s%s%s", name ? name : "", job ? "." : "",
                 job ? job : "");
        if (!name && strcmp(launchers[i].rank, "PMI_RANK") == 0)
            find_proxy(session_launch.proxy, sizeof session_launch.proxy);
        return;
    }
}

struct rec_launch rec_launch(void) {
    return (struct rec_launch){session_launch.rank, session_launch.size, session_launch.local_size};
}

/* ---- naming ---------------------------------------------------------------------------------------------------------
 */

/* Absolute without following anything; false when it does not fit or the current directory is gone. */
static bool make_absolute(char absolute[PATH_MAX], const char *path) {
    char directory[PATH_MAX] = "";
    if (path[0] != '/' && !getcwd(directory, sizeof directory)) return false;
    return snprintf(absolute, PATH_MAX, "%s%s%s", directory, path[0] == '/' ? "" : "/", path) < PATH_MAX;
}

/* `<dir>/.<base>.spool-<key>` */
static bool name_spool(char spool[PATH_MAX], const char *output, uint64_t key) {
    const char *base = strrchr(output, '/') + 1;
    return snprintf(spool, PATH_MAX, "%.*s.%s.spool-%016llx", (int)(base - output), output, base,
                    (unsigned long long)key) < PATH_MAX;
}

static uint64_t launch_key(void) {
    char text[512];
    const char *launcher = session_launch.world;
    char parent[64] = "";
    if (!*launcher) { /* Hydra names no job: all its ranks on a machine have one parent */
        snprintf(parent, sizeof parent, "%d", (int)getppid());
        launcher = parent;
    }
    char boot[64] = "";
    if (*parent) sys_read_file("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    snprintf(text, sizeof text, "%s %s", launcher, boot);
    uint64_t key = 0xcbf29ce484222325u;
    for (const char *c = text; *c; c++) key = (key ^ (unsigned char)*c) * 0x100000001b3u;
    return key;
}

static void read_umask(void) {
    char status[4096];
    if (sys_read_file("/proc/self/status", status, sizeof status) <= 0) return;
    const char *line = strstr(status, "\nUmask:");
    if (line) snprintf(profile_umask, sizeof profile_umask, "%o", (unsigned)strtoul(line + 7, NULL, 8));
}

static uint64_t random_key(void) {
    uint64_t key;
    if (syscall(SYS_getrandom, &key, sizeof key, 0) != sizeof key) key = clock_counter() ^ (uint64_t)getpid() << 40;
    return key;
}

bool session_memory_path(char path[PATH_MAX], const char *suffix) {
    const char *temporary = getenv("TMPDIR");
    const char *directory = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm"
                            : temporary && *temporary            ? temporary
                                                                 : "/tmp";
    char output[PATH_MAX];
    return snprintf(output, sizeof output, "%s/scope-profiler%s", directory, suffix) < PATH_MAX &&
           name_spool(path, output, random_key());
}

bool session_name(struct recorder *recorder, const char *output) {
    if (!make_absolute(recorder->output, output)) return false;
    return recorder->in_memory ? session_memory_path(recorder->spool, "")
                               : name_spool(recorder->spool, recorder->output, random_key());
}

/* A device or a directory cannot become a profile: said at once, and by the first process only. */
static bool refused(const char *output) {
    struct stat st;
    if (stat(output, &st) != 0 || S_ISREG(st.st_mode)) return false;
    rec_warn("%s: not a regular file: nothing is recorded", output);
    setenv(ENV_SESSION, "", 1);
    return true;
}

static bool name_session(struct recorder *r) {
    const char *output = getenv(SPOOL_ENV_OUTPUT);
    const uint64_t key = session_launch.rank >= 0 ? launch_key() : random_key();
    if (!make_absolute(r->output, output && *output ? output : "profiling_data.h5")) return false;
    if (r->in_memory ? !session_memory_path(r->spool, "") : refused(r->output) || !name_spool(r->spool, r->output, key))
        return false;
    char both[2 * PATH_MAX];
    snprintf(both, sizeof both, "%s\n%s", r->spool, r->output);
    setenv(ENV_SESSION, both, 1);
    read_umask();
    return true;
}

static bool inherit_session(struct recorder *r, const char *both) {
    const char *end = strchr(both, '\n');
    return end && snprintf(r->spool, PATH_MAX, "%.*s", (int)(end - both), both) < PATH_MAX &&
           snprintf(r->output, PATH_MAX, "%s", end + 1) < PATH_MAX;
}

static bool preloaded(void) {
    const char *list = getenv("LD_PRELOAD");
    return list && strstr(list, "libscope-profiler");
}

void session_read_environment(void) {
    struct recorder *r = &session_recorder;
    const char *spool = getenv(SPOOL_ENV_SPOOL), *session = getenv(ENV_SESSION);
    bool named = false;
    if (spool && *spool == '/') {
        named = snprintf(r->spool, sizeof r->spool, "%s", spool) < (int)sizeof r->spool;
    } else if (preloaded()) {
        read_launch();
        r->in_memory = setting_is_on(r, SETTING_NO_OUTPUT);
        named = session ? inherit_session(r, session) : name_session(r);
        last_one_collects = named;
    }
    if (!named) r->spool[0] = 0;
    if (spool) read_launch();
}

/* ---- the spool ------------------------------------------------------------------------------------------------------
 */

/* Percent-encodes what would end a line. */
static void encode(char *to, size_t size, const char *from) {
    size_t n = 0;
    for (; *from && n + 4 < size; from++) {
        if ((unsigned char)*from < ' ' || *from == '%')
            n += (size_t)snprintf(to + n, size - n, "%%%02X", (unsigned char)*from);
        else
            to[n++] = *from;
    }
    to[n] = 0;
}

/* What the profile is to hold, as lines of the session file. */
static void say_asked(const struct recorder *r, char *text, size_t size) {
    char label[3 * PATH_MAX - 256];
    encode(label, sizeof label, setting_text(r, SETTING_LABEL));
    const bool full = strcmp(setting_text(r, SETTING_METADATA), "full") == 0;
    snprintf(text, size, "%s%s%s%s%s", *label ? SPOOL_SESSION_LABEL "=" : "", label, *label ? "\n" : "",
             full ? SPOOL_SESSION_METADATA "=full\n" : "",
             setting_is_on(r, SETTING_CAPTURE_SOURCE) ? SPOOL_SESSION_CAPTURE "=1\n" : "");
}

int64_t session_realtime_ns(void) {
    struct timespec real;
    clock_gettime(CLOCK_REALTIME, &real);
    return (int64_t)real.tv_sec * 1000000000 + real.tv_nsec;
}

static bool write_session_file(const struct recorder *r) {
    char path[PATH_MAX + 64], temporary[PATH_MAX + 64], text[6 * PATH_MAX + 512], output[3 * PATH_MAX], boot[64] = "";
    char asked[3 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", r->spool, SPOOL_SESSION_FILE);
    if (access(path, F_OK) == 0) return true;
    encode(output, sizeof output, r->output);
    say_asked(r, asked, sizeof asked);
    long n = sys_read_file("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    if (n > 0 && boot[n - 1] == '\n') boot[n - 1] = 0;
    struct spool_point now = r->start.ns ? r->start : clock_point(r->clock);
    const int64_t realtime_ns = r->start.ns ? r->start_realtime_ns : session_realtime_ns();
    int length =
        snprintf(text, sizeof text, "%s=%s\n%s=%lld\n%s=%llu\n%s=%lld\n%s=%s\n%s=%llu\n%s%s%s%s", SPOOL_SESSION_OUTPUT,
                 output, SPOOL_SESSION_START_NS, (long long)now.ns, SPOOL_SESSION_START_TICKS,
                 (unsigned long long)now.ticks, SPOOL_SESSION_REALTIME_NS, (long long)realtime_ns,
                 SPOOL_SESSION_BOOT_ID, boot, SPOOL_SESSION_TIME_NAMESPACE, (unsigned long long)clock_namespace(),
                 *profile_umask ? SPOOL_SESSION_UMASK "=" : "", profile_umask, *profile_umask ? "\n" : "", asked);
    /* Whole or not there, and the first process's. */
    snprintf(temporary, sizeof temporary, "%s.%d", path, (int)getpid());
    int fd = sys_open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0) return false;
    syscall(SYS_fchmod, fd, 0600);
    sys_close(fd);
    bool ok = sys_append(temporary, text, (size_t)length);
    int error = errno;
    if (ok && link(temporary, path) != 0 && errno != EEXIST) {
        ok = false;
        error = errno;
    }
    unlink(temporary);
    errno = error;
    return ok;
}

bool session_make_spool(const struct recorder *recorder) {
    if (!recorder->own && !last_one_collects) return true; /* `run` has made it */
    if (syscall(SYS_mkdirat, AT_FDCWD, recorder->spool, 0700) == 0)
        chmod(recorder->spool, 0700); /* whatever the program's umask */
    else if (errno != EEXIST)
        return false;
    return write_session_file(recorder);
}

void session_remove_spool(const struct recorder *recorder) {
    DIR *directory = opendir(recorder->spool);
    if (!directory) return;
    for (struct dirent *entry; (entry = readdir(directory));)
        if (entry->d_name[0] != '.') unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
    rmdir(recorder->spool);
}

/* ---- the end --------------------------------------------------------------------------------------------------------
 */

static bool alive(const struct spool_process *other, const struct spool_process *mine) {
    if (strncmp(other->host, mine->host, sizeof mine->host) != 0) return true; /* its own last one collects */
    char path[64], stat[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)other->pid);
    if (sys_read_file(path, stat, sizeof stat) <= 0) return false;
    char *at = strrchr(stat, ')');
    bool dead = at && at[1] && (at[2] == 'Z' || at[2] == 'X');
    for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
    return at && !dead && strtoull(at + 1, NULL, 10) == other->start_time;
}

/* Another process of the session that has not come to its end: it will ask the same question there. */
static bool somebody_else_runs(const struct recorder *r) {
    DIR *directory = opendir(r->spool);
    if (!directory) return true; /* somebody has collected already */
    bool found = false;
    for (struct dirent *entry; !found && (entry = readdir(directory));) {
        struct spool_process other;
        char path[PATH_MAX + 300];
        size_t length = strlen(entry->d_name);
        if (length != SPOOL_ID_DIGITS + 5 || strcmp(entry->d_name + SPOOL_ID_DIGITS, ".proc") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", r->spool, entry->d_name);
        int fd = sys_open(path, O_RDONLY, 0);
        if (fd < 0) continue;
        bool whole = sys_read(fd, &other, sizeof other) == sizeof other && other.magic == SPOOL_PROC_MAGIC;
        sys_close(fd);
        found = whole && other.id != r->live->id && other.end == SPOOL_END_UNKNOWN && alive(&other, r->live->process);
    }
    closedir(directory);
    return found;
}

void session_at_exit(void) {
    struct recorder *r = &session_recorder;
    struct spool_process *process = r->live ? r->live->process : NULL;
    if (!process || process->pid != getpid()) return; /* nothing recorded */
    if (r->live->state == LIVE_ON) process->last = clock_point(r->clock);
    process->end_tick = clock_ticks(r->clock);
    atomic_thread_fence(memory_order_seq_cst);
    process->end = SPOOL_END_EXIT;
    atomic_thread_fence(memory_order_seq_cst);
    if (!last_one_collects || somebody_else_runs(r)) return;
    if (r->in_memory)
        session_remove_spool(r);
    else
        command_collect(r->spool, NULL, false, session_launch.rank >= 0); /* the other ranks have ended */
}
