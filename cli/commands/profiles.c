#include "profiles.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/say.h"
#include "collect/collect.h"
#include "launch/process.h"
#include "launch/session.h"
#include "spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 10000, PAUSE_MS = 50 };

static void add(struct paths *paths, const char *path) {
    paths->items = xgrow(paths->items, paths->count + 1, sizeof *paths->items);
    paths->items[paths->count++] = xcopy(path);
}

bool profiles_expand(char *const *words, size_t count, struct paths *paths) {
    *paths = (struct paths){0};
    for (size_t i = 0; i < count; i++) {
        glob_t found = {0};
        bool is_pattern = access(words[i], F_OK) && words[i][strcspn(words[i], "*?[")];
        if (!is_pattern) {
            add(paths, words[i]);
            continue;
        }
        int status = glob(words[i], 0, NULL, &found);
        for (size_t k = 0; !status && k < found.gl_pathc; k++) add(paths, found.gl_pathv[k]);
        globfree(&found);
        if (!status) continue;
        say("%s: no file matches", words[i]);
        profiles_free(paths);
        return false;
    }
    return true;
}

void profiles_free(struct paths *paths) {
    for (size_t i = 0; i < paths->count; i++) free(paths->items[i]);
    free(paths->items);
    *paths = (struct paths){0};
}

/* ---- recordings that wait to be collected ------------------------------------------------------------------------ */

static bool is_alive(int spool, const char *name, void *argument) {
    struct process process;
    (void)argument;
    return proc_read(spool, name, &process) && proc_alive(process);
}

/* `collecting` is the collector's own file: pid, start time and boot, separated by blanks. */
static bool collector_at_work(int spool) {
    char text[64] = "";
    long pid = 0;
    struct process process = {0};
    int file = openat(spool, "collecting", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return true; /* it is just being made */
    if (sscanf(text, "%ld %" SCNu64, &pid, &process.start) < 1) return true;
    process.pid = (pid_t)pid;
    return proc_alive(process);
}

enum state { STATE_GONE, STATE_RUNNING, STATE_COLLECTED_SOON, STATE_ABANDONED };

static enum state state_of(const char *spool) {
    char node[NODE_DIGITS + 1];
    int directory = open(spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return STATE_GONE;
    proc_node(node);
    bool collects = collector_at_work(directory);
    bool programs = proc_files(directory, "rank-", node, is_alive, NULL);
    bool watched = proc_files(directory, "watcher-", node, is_alive, NULL);
    close(directory);
    if (collects) return STATE_COLLECTED_SOON;
    if (programs) return STATE_RUNNING;
    if (watched) return STATE_COLLECTED_SOON; /* all it waits for has ended */
    return collect_spool_in_use(spool) ? STATE_RUNNING : STATE_ABANDONED;
}

static enum state wait_while_collected(const char *spool) {
    enum state state = state_of(spool);
    for (int waited = 0; state == STATE_COLLECTED_SOON && waited < PATIENCE_MS; waited += PAUSE_MS) {
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000}, NULL);
        state = state_of(spool);
    }
    return state;
}

static void collect_now(const char *spool, const char *path) {
    const char *spools[] = {spool};
    struct collect_options options = {.spools = spools, .num_spools = 1, .compress = -1};
    struct collect_result *result = xalloc(1, sizeof *result);
    enum collect_status status = collect(&options, result);
    if (status == COLLECT_OK) say("%s: collected from a run that ended without doing so", path);
    if (status == COLLECT_FAILED) say("%s", result->message);
    for (size_t i = 0; i < result->num_notes; i++) say("%s", result->notes[i]);
    collect_result_free(result);
    free(result);
}

/* The profile was written after that recording had begun: by a parent whose worker it is of, say, or by a later run. */
static bool profile_is_newer(const char *spool, const char *path) {
    struct stat profile, session;
    char *name = xformat("%s/" SPOOL_SESSION_FILE, spool);
    const bool known = !stat(path, &profile) && !stat(name, &session);
    free(name);
    if (!known) return false;
    const struct timespec written = profile.st_mtim, begun = session.st_mtim;
    return written.tv_sec > begun.tv_sec || (written.tv_sec == begun.tv_sec && written.tv_nsec > begun.tv_nsec);
}

static void settle(const char *spool, const char *path) {
    switch (wait_while_collected(spool)) {
    case STATE_GONE:
        return;
    case STATE_ABANDONED:
        if (profile_is_newer(spool, path))
            say("%s: another recording for it ended without being collected: scope-profiler collect -o FILE %s", path,
                spool);
        else
            collect_now(spool, path);
        return;
    case STATE_COLLECTED_SOON:
        say("%s: a newer run is still being collected from %s", path, spool);
        return;
    case STATE_RUNNING:
        say("%s: a newer run has not ended yet%s", path, access(path, F_OK) ? "" : "; this is the one before");
    }
}

static bool is_for(const char *spool, const char *output) {
    int directory = open(spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return false;
    char *named = session_value(directory, SPOOL_SESSION_OUTPUT);
    close(directory);
    bool is = named && !strcmp(named, output);
    free(named);
    return is;
}

/* The name that a session would have for this file: links followed, and for a file that is not there its directory. */
static char *output_name(const char *path, char **directory) {
    char *real = realpath(path, NULL), *absolute = path_absolute(path);
    char *slash = absolute ? strrchr(absolute, '/') : NULL;
    *directory = NULL;
    if (!real && slash) {
        *slash = '\0';
        char *parent = realpath(*absolute ? absolute : "/", NULL);
        if (parent) real = xformat("%s/%s", strcmp(parent, "/") ? parent : "", slash + 1);
        free(parent);
    }
    free(absolute);
    if (real) *directory = xformat("%.*s", (int)(strrchr(real, '/') - real + 1), real);
    return real;
}

static void settle_recordings(const char *path) {
    char *directory, *output = output_name(path, &directory);
    DIR *listing = output ? opendir(directory) : NULL;
    char *prefix = output ? xformat(".%s.spool-", strrchr(output, '/') + 1) : NULL;
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        if (strncmp(entry->d_name, prefix, strlen(prefix))) continue;
        char *spool = xformat("%s%s", directory, entry->d_name);
        if (is_for(spool, output)) settle(spool, path);
        free(spool);
    }
    if (listing) closedir(listing);
    free(prefix);
    free(output);
    free(directory);
}

spr_profile *profiles_open(const char *path) {
    spr_profile *profile;
    spr_error error;
    settle_recordings(path);
    if (spr_open(path, &profile, &error) == 0) return profile;
    say("%s", error.message);
    return NULL;
}
