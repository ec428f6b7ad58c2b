#include "left.h"
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENVIRONMENT_MOST = 256 << 10 };

/* The first bytes of /proc/<pid>/<name>, terminated; 0: none. */
static size_t read_proc(const char *pid, const char *name, char *text, size_t size) {
    char path[300];
    size_t length = 0;
    snprintf(path, sizeof path, "/proc/%s/%s", pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    for (ssize_t got; length < size - 1 && (got = read(fd, text + length, size - 1 - length)) > 0;)
        length += (size_t)got;
    close(fd);
    text[length] = '\0';
    return length;
}

/* A process that recorded and was started by the very words that `pid` was; NULL: none. */
static const struct process *original(const struct collection *c, const char *pid) {
    char command[sizeof((struct spool_process *)0)->command];
    size_t length = read_proc(pid, "cmdline", command, sizeof command);
    if (!length) return NULL;
    for (size_t i = 0; i < length - 1; i++)
        if (!command[i]) command[i] = ' ';
    for (size_t i = 0; i < c->num_processes; i++)
        if (c->processes[i].here && strcmp(c->processes[i].info.command, command) == 0) return &c->processes[i];
    return NULL;
}

static bool is_told(const struct collection *c, int64_t pid) {
    for (size_t i = 0; i < c->num_processes; i++)
        if (c->processes[i].running && c->processes[i].info.pid == pid) return true;
    return false;
}

static bool belongs(const struct collection *c, const char *pid) {
    static const char name[] = SPOOL_ENV_SPOOL "=";
    char *text = malloc(ENVIRONMENT_MOST), spool[PATH_MAX];
    size_t length = text ? read_proc(pid, "environ", text, ENVIRONMENT_MOST) : 0;
    bool found = false;
    for (size_t at = 0; at < length && !found; at += strlen(text + at) + 1)
        for (size_t i = 0; i < c->num_dirs && !found && strncmp(text + at, name, sizeof name - 1) == 0; i++)
            found = realpath(c->dirs[i].path, spool) && strcmp(text + at + sizeof name - 1, spool) == 0;
    free(text);
    return found;
}

void left_note(const struct collection *c) {
    DIR *stream = opendir("/proc");
    for (struct dirent *item; stream && (item = readdir(stream));) {
        const int64_t pid = strtoll(item->d_name, NULL, 10);
        const struct process *from = pid > 0 ? original(c, item->d_name) : NULL;
        if (!from || is_told(c, pid) || !belongs(c, item->d_name)) continue;
        const char *slash = strrchr(from->info.program, '/');
        note(c->report, "process %" PRId64 " (%s) was still running: what it records from now on is lost", pid,
             slash ? slash + 1 : from->info.program);
    }
    if (stream) closedir(stream);
}
