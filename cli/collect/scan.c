#include "scan.h"
#include "alive.h"
#include "files.h"
#include "lane.h"
#include "log.h"
#include "session.h"
#include "tasks.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { FILE_OTHER, FILE_PROCESS, FILE_LOG, FILE_LINES, FILE_SUMS, FILE_OPEN, FILE_LANE };

struct entry {
    char id[SPOOL_ID_DIGITS + 1];
    enum kind kind;
    uint32_t number; /* of a lane, of its sums, of a file of lines */
};

struct listing {
    struct entry *entries;
    size_t count, capacity;
};

/* "<id>.proc", "<id>.log", "<id>-<n>.lane", "<id>-<n>.lines", "<id>-<n>.sums", "<id>-<n>.open" */
static struct entry parse_name(const char *name) {
    struct entry entry = {.kind = FILE_OTHER};
    char *end;
    if (strspn(name, "0123456789abcdef") != SPOOL_ID_DIGITS) return entry;
    memcpy(entry.id, name, SPOOL_ID_DIGITS);
    name += SPOOL_ID_DIGITS;
    if (strcmp(name, ".proc") == 0) entry.kind = FILE_PROCESS;
    if (strcmp(name, ".log") == 0) entry.kind = FILE_LOG;
    if (name[0] != '-' || name[1] < '0' || name[1] > '9') return entry;
    unsigned long long number = strtoull(name + 1, &end, 10);
    if (number >= UINT32_MAX) return entry;
    if (strcmp(end, ".lane") == 0) entry.kind = FILE_LANE;
    if (strcmp(end, ".lines") == 0) entry.kind = FILE_LINES;
    if (strcmp(end, ".sums") == 0) entry.kind = FILE_SUMS;
    if (strcmp(end, ".open") == 0) entry.kind = FILE_OPEN;
    entry.number = (uint32_t)number;
    return entry;
}

static int by_name(const void *a, const void *b) {
    const struct entry *p = a, *q = b;
    int order = strcmp(p->id, q->id);
    if (!order) order = (p->kind > q->kind) - (p->kind < q->kind);
    return order ? order : (p->number > q->number) - (p->number < q->number);
}

static bool list_add(struct listing *list, struct entry entry) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64;
        struct entry *entries = realloc(list->entries, capacity * sizeof *entries);
        if (!entries) return false;
        list->entries = entries;
        list->capacity = capacity;
    }
    list->entries[list->count++] = entry;
    return true;
}

static DIR *open_directory(const struct spool_dir *dir) {
    int fd = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (!stream && fd >= 0) close(fd);
    return stream;
}

static bool list_spool(struct collection *c, const struct spool_dir *dir, struct listing *list) {
    struct dirent *item;
    DIR *stream = open_directory(dir);
    if (!stream) return fail(c->report, "%s: %s", dir->path, strerror(errno));
    while ((item = readdir(stream))) {
        struct entry entry = parse_name(item->d_name);
        if (entry.kind == FILE_OTHER || list_add(list, entry)) continue;
        closedir(stream);
        return fail_memory(c->report);
    }
    closedir(stream);
    if (list->count) qsort(list->entries, list->count, sizeof *list->entries, by_name);
    return true;
}

/* ---- one process ------------------------------------------------------------------------------------------------ */

static void terminate(char *text, size_t size) { text[size - 1] = '\0'; }

bool scan_process(struct process *process, bool *other_version) {
    char name[64];
    struct spool_process *info = &process->info;
    snprintf(name, sizeof name, "%s.proc", process->id);
    int fd = file_open(process->dir->fd, name, O_RDONLY, NULL);
    ssize_t got = fd < 0 ? -1 : file_read(fd, info, sizeof *info, 0);
    if (fd >= 0) close(fd);
    *other_version = false;
    if (got != sizeof *info || info->magic != SPOOL_PROC_MAGIC) return false;
    *other_version = info->version != SPOOL_VERSION;
    terminate(info->boot_id, sizeof info->boot_id);
    terminate(info->host, sizeof info->host);
    terminate(info->world, sizeof info->world);
    terminate(info->program, sizeof info->program);
    terminate(info->command, sizeof info->command);
    terminate(info->stop_path, sizeof info->stop_path);
    terminate(info->sampled, sizeof info->sampled);
    return !*other_version && info->clock >= SPOOL_CLOCK_TSC && info->clock <= SPOOL_CLOCK_MONOTONIC;
}

/* Everything that is not known to have ended is told, for what cannot be seen from here (another container) may run. */
static void tell_to_stop(const struct process *process) {
    const uint32_t closed = 1;
    char name[64];
    if (process->info.end == SPOOL_END_EXIT) return;
    snprintf(name, sizeof name, "%s.proc", process->id);
    int fd = file_open(process->dir->fd, name, O_WRONLY, NULL);
    if (fd < 0) return;
    file_write(fd, &closed, sizeof closed, offsetof(struct spool_process, closed));
    close(fd);
}

static bool open_lanes(struct collection *c, struct process *p, const struct entry *lanes, size_t count) {
    p->lanes = calloc(count ? count : 1, sizeof *p->lanes);
    if (!p->lanes) return fail_memory(c->report);
    for (size_t i = 0; i < count; i++)
        if (lane_open(p, lanes[i].number, &p->lanes[p->num_lanes])) p->num_lanes += p->lanes[p->num_lanes].words > 0;
    return true;
}

static bool list_sums(struct collection *c, struct process *p, const struct entry *entries, size_t count) {
    p->sums = calloc(count ? count : 1, sizeof *p->sums);
    if (!p->sums) return fail_memory(c->report);
    for (size_t i = 0; i < count; i++)
        if (entries[i].kind == FILE_SUMS) p->sums[p->num_sums++] = entries[i].number;
    return true;
}

static struct process *add_process(struct collection *c) {
    size_t n = c->num_processes;
    if ((n & (n - 1)) == 0) { /* 0, 1, 2, 4, ...: full */
        struct process *processes = realloc(c->processes, (n ? n * 2 : 1) * sizeof *processes);
        if (!processes) return NULL;
        c->processes = processes;
    }
    c->processes[n] = (struct process){0};
    return &c->processes[n];
}

/* A process that died while it was making its first files, which is before its first event. */
static bool died_unborn(const struct process *p, const struct entry *entries, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (entries[i].kind == FILE_LANE) return false;
    return p->info.magic == 0;
}

/* `entries`: the `count` files of one id. */
static bool take_process(struct collection *c, const struct spool_dir *dir, const struct entry *entries, size_t count) {
    bool other_version;
    size_t first_lane = 0;
    struct process *p = add_process(c);
    if (!p) return fail_memory(c->report);
    p->dir = dir;
    memcpy(p->id, entries[0].id, sizeof p->id);
    if (!scan_process(p, &other_version)) {
        if (other_version)
            return fail(c->report, "%s/%s.proc: written by another version of scope-profiler (format %" PRIu32 ")",
                        dir->path, p->id, p->info.version);
        if (died_unborn(p, entries, count)) return true;
        note(c->report, "%s: the files of process %.4s cannot be read: they are cut short or damaged", dir->path,
             p->id);
        return true;
    }
    p->here = p->info.boot_id[0] && strcmp(p->info.boot_id, c->machine.boot_id) == 0 &&
              (!p->info.time_namespace || p->info.time_namespace == c->machine.time_namespace);
    /* One that has finalized its profile (and waits for it now) records no more. */
    p->running = p->here && p->info.end != SPOOL_END_EXIT && !process_is_complete(p) &&
                 process_alive(p->info.pid, p->info.start_time);
    tell_to_stop(p);
    while (first_lane < count && entries[first_lane].kind != FILE_LANE) first_lane++;
    c->num_processes++;
    if (!log_read_facts(p)) return fail_memory(c->report);
    return list_sums(c, p, entries, first_lane) && open_lanes(c, p, entries + first_lane, count - first_lane);
}

bool scan_spool(struct collection *c, const struct spool_dir *dir) {
    struct listing list = {0};
    bool good = list_spool(c, dir, &list);
    for (size_t i = 0, next; good && i < list.count; i = next) {
        for (next = i; next < list.count && strcmp(list.entries[next].id, list.entries[i].id) == 0;) next++;
        good = take_process(c, dir, list.entries + i, next - i);
    }
    free(list.entries);
    return good;
}

void process_free(struct process *p) {
    struct thread *thread, *next;
    HASH_ITER(hh, p->threads, thread, next) {
        HASH_DEL(p->threads, thread);
        free(thread);
    }
    tasks_free(p);
    free(p->lanes);
    free(p->sums);
    free(p->open);
    free(p->points);
    free(p->mpi_library);
    free(p->python);
    free(p->directory);
    free(p->environment);
    free(p->left_out);
    free(p->row_of_region);
    free(p->rows);
    free(p->resumed);
    clock_free(&p->clock);
}

/* ---- removing --------------------------------------------------------------------------------------------------- */

static bool belongs(const char *name) {
    static const char *const exact[] = {SPOOL_SESSION_FILE, "collecting", "clocks"};
    static const char *const starts[] = {"rank-", "watcher-", "done-", "ended-", "session.", "clock-"};
    if (parse_name(name).kind != FILE_OTHER) return true;
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (strcmp(name, exact[i]) == 0) return true;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0) return true;
    return false;
}

bool scan_remove(const struct spool_dir *dir) {
    struct dirent *item;
    DIR *stream = open_directory(dir);
    if (!stream) return false;
    while ((item = readdir(stream)))
        if (belongs(item->d_name)) unlinkat(dir->fd, item->d_name, 0);
    closedir(stream);
    return rmdir(dir->path) == 0;
}
