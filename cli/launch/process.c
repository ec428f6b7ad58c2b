#include "process.h"

#include "base/path.h"
#include "spool.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool read_text(const char *path, char *text, size_t size) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t length = read(file, text, size - 1);
    close(file);
    if (length < 0) return false;
    text[length] = '\0';
    return true;
}

static uint64_t hash_link(uint64_t hash, const char *path) {
    char target[64] = "";
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length > 0) target[length] = '\0';
    return hash_text(hash, target);
}

static uint64_t hash_machine(void) {
    char boot[64] = "", host[256] = "";
    read_text("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    if (gethostname(host, sizeof host - 1)) host[0] = '\0';
    return hash_link(hash_text(hash_text(HASH_START, boot), host), "/proc/self/ns/pid");
}

void proc_node(char node[NODE_DIGITS + 1]) {
    uint64_t hash = hash_link(hash_machine(), "/proc/self/ns/time"); /* field 22 is of its clock */
    snprintf(node, NODE_DIGITS + 1, "%08" PRIx32, (uint32_t)(hash ^ hash >> 32));
}

/* Seconds by which field 22 is ahead here of what it is outside of time name spaces. */
static int64_t boot_offset(void) {
    char text[256] = "";
    read_text("/proc/self/timens_offsets", text, sizeof text);
    const char *line = strstr(text, "boottime");
    return line ? strtoll(line + strlen("boottime"), NULL, 10) : 0;
}

uint64_t proc_identity(uint64_t hash, pid_t pid) {
    char text[96];
    const int64_t start = (int64_t)proc_of(pid).start - boot_offset() * sysconf(_SC_CLK_TCK);
    snprintf(text, sizeof text, "%016" PRIx64 " %ld %" PRId64, hash_machine(), (long)pid, start);
    return hash_text(hash, text);
}

struct stat_fields {
    char state;
    pid_t parent;
    uint64_t start;
};

/* The name in field 2 may hold blanks and parentheses: the fields are counted from its last one. */
static bool read_stat(pid_t pid, struct stat_fields *fields) {
    char path[64], text[1024];
    int parent;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    if (!read_text(path, text, sizeof text)) return false;
    const char *rest = strrchr(text, ')');
    if (!rest || sscanf(rest, ") %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64,
                        &fields->state, &parent, &fields->start) != 3)
        return false;
    fields->parent = parent;
    return true;
}

struct process proc_of(pid_t pid) {
    struct stat_fields fields;
    return (struct process){pid, read_stat(pid, &fields) ? fields.start : 0};
}

bool proc_alive(struct process process) {
    struct stat_fields fields;
    if (process.pid <= 0 || !read_stat(process.pid, &fields)) return false;
    bool ended = fields.state == 'Z' || fields.state == 'X';
    return !ended && (!process.start || process.start == fields.start);
}

pid_t proc_parent(pid_t pid) {
    struct stat_fields fields;
    return read_stat(pid, &fields) ? fields.parent : 0;
}

int proc_record(int spool, const char *name, struct process process) {
    char text[80];
    int length = snprintf(text, sizeof text, "pid=%ld\nstart=%" PRIu64 "\n", (long)process.pid, process.start);
    int file = openat(spool, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0) return -1;
    ssize_t written = write(file, text, (size_t)length);
    return close(file) || written != length ? -1 : 0;
}

int proc_replace(int spool, const char *name, struct process process) {
    char temporary[64];
    snprintf(temporary, sizeof temporary, ".process.%ld", (long)getpid());
    return proc_record(spool, temporary, process) ? -1 : renameat(spool, temporary, spool, name);
}

void proc_record_end(int spool, struct process process) {
    char name[80], text[32];
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(name, sizeof name, SPOOL_ENDED_FILE, (long long)process.pid, (unsigned long long)process.start);
    int length = snprintf(text, sizeof text, "%lld\n", (long long)now.tv_sec * 1000000000 + now.tv_nsec);
    int file = openat(spool, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0) return;
    if (write(file, text, (size_t)length) != length) unlinkat(spool, name, 0);
    close(file);
}

bool proc_read(int spool, const char *name, struct process *process) {
    char text[128];
    long pid = 0;
    int file = openat(spool, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return false;
    text[length] = '\0';
    *process = (struct process){0};
    if (sscanf(text, "pid=%ld\nstart=%" SCNu64, &pid, &process->start) < 1) return false;
    process->pid = (pid_t)pid;
    return pid > 0 && pid <= INT_MAX;
}

static bool begins(const char *text, const char *prefix) { return !strncmp(text, prefix, strlen(prefix)); }

static bool ends(const char *text, const char *suffix) {
    size_t length = strlen(text), wanted = strlen(suffix);
    return length >= wanted && !strcmp(text + length - wanted, suffix);
}

bool proc_files(int spool, const char *prefix, const char *suffix,
                bool (*each)(int spool, const char *name, void *argument), void *argument) {
    int copy = openat(spool, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = copy < 0 ? NULL : fdopendir(copy);
    if (!directory) {
        if (copy >= 0) close(copy);
        return false;
    }
    bool stop = false;
    for (struct dirent *entry; !stop && (entry = readdir(directory));)
        if (begins(entry->d_name, prefix) && ends(entry->d_name, suffix)) stop = each(spool, entry->d_name, argument);
    closedir(directory);
    return stop;
}

bool proc_had_variable(pid_t pid, const char *name) {
    char path[64], *text = NULL;
    size_t room = 0, wanted = strlen(name);
    bool found = false;
    snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
    FILE *file = fopen(path, "re");
    while (file && !found && getdelim(&text, &room, '\0', file) > 0)
        found = !strncmp(text, name, wanted) && text[wanted] == '=';
    if (file) fclose(file);
    free(text);
    return found;
}
