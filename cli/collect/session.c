#include "session.h"
#include "alive.h"
#include "files.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define LOCK_FILE   "collecting"
#define SESSION_MAX 65536

static void take_text(char **field, const char *value) {
    if (!*field) *field = strdup(value);
}

static void take_number(bool *has, int64_t *field, const char *value) {
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (*has || errno || end == value || *end || number < 0) return;
    *field = number;
    *has = true;
}

static void take_small(int *field, int unset, const char *value, int base, int largest) {
    char *end;
    long number = strtol(value, &end, base);
    if (*field == unset && end != value && !*end && number >= 0 && number <= largest) *field = (int)number;
}

static void take_ticks(struct session *s, const char *value) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    if (s->has_ticks || errno || end == value || *end) return;
    s->start_ticks = number;
    s->has_ticks = true;
}

static void take(struct session *s, const char *key, const char *value) {
    if (strcmp(key, SPOOL_SESSION_OUTPUT) == 0) take_text(&s->output, value);
    if (strcmp(key, SPOOL_SESSION_LABEL) == 0) take_text(&s->label, value);
    if (strcmp(key, SPOOL_SESSION_METADATA) == 0) s->full_metadata |= strcmp(value, "full") == 0;
    if (strcmp(key, SPOOL_SESSION_CAPTURE) == 0) s->capture_source |= strcmp(value, "1") == 0;
    if (strcmp(key, SPOOL_SESSION_BOOT_ID) == 0) take_text(&s->boot_id, value);
    if (strcmp(key, SPOOL_SESSION_START_NS) == 0) take_number(&s->has_start, &s->start_ns, value);
    if (strcmp(key, SPOOL_SESSION_REALTIME_NS) == 0) take_number(&s->has_realtime, &s->realtime_ns, value);
    if (strcmp(key, SPOOL_SESSION_START_TICKS) == 0) take_ticks(s, value);
    if (strcmp(key, SPOOL_SESSION_TIME_NAMESPACE) == 0) take_number(&s->has_namespace, &s->time_namespace, value);
    if (strcmp(key, SPOOL_SESSION_COMPRESS) == 0) take_small(&s->compress, 0, value, 10, 9);
    if (strcmp(key, SPOOL_SESSION_UMASK) == 0) take_small(&s->umask, -1, value, 8, 0777);
}

void session_read(int dir, struct session *session) {
    char *text = malloc(SESSION_MAX), *next = text;
    int fd = file_open(dir, SPOOL_SESSION_FILE, O_RDONLY, NULL);
    ssize_t got = fd < 0 || !text ? -1 : file_read(fd, text, SESSION_MAX - 1, 0);
    if (fd >= 0) close(fd);
    if (got >= 0) text[got] = '\0';
    while (got >= 0 && next && *next) {
        char *line = strsep(&next, "\n"), *value = strchr(line, '=');
        if (!value) continue;
        *value++ = '\0';
        char *decoded = percent_decode(value, strlen(value));
        if (decoded) take(session, line, decoded);
        free(decoded);
    }
    free(text);
}

void session_free(struct session *session) {
    free(session->output);
    free(session->label);
    free(session->boot_id);
}

static bool holder_alive(int dir, const struct machine *machine) {
    char text[128], boot[64] = "";
    int64_t pid = 0;
    uint64_t start_time = 0;
    int fd = file_open(dir, LOCK_FILE, O_RDONLY, NULL);
    ssize_t got = fd < 0 ? -1 : file_read(fd, text, sizeof text - 1, 0);
    if (fd >= 0) close(fd);
    if (got < 0) return false;
    text[got] = '\0';
    if (sscanf(text, "%" SCNd64 " %" SCNu64 " %63s", &pid, &start_time, boot) < 1) return false;
    /* Of another machine nothing can be known: it is believed. */
    if (boot[0] && strcmp(boot, machine->boot_id) != 0) return true;
    return process_alive(pid, start_time);
}

static enum lock_result create(int dir, const struct machine *machine) {
    char text[128];
    int length, fd = openat(dir, LOCK_FILE, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0) return errno == EEXIST ? LOCK_BUSY : LOCK_FAILED;
    length =
        snprintf(text, sizeof text, "%d %" PRIu64 " %s\n", getpid(), process_start_time(getpid()), machine->boot_id);
    bool written = file_write(fd, text, (size_t)length, 0);
    int error = errno;
    close(fd);
    if (written) return LOCK_TAKEN;
    unlinkat(dir, LOCK_FILE, 0);
    errno = error;
    return LOCK_FAILED;
}

/* The check for a dead holder and the replacement are one step for everybody who comes this way: the directory itself
 * is locked for that long. */
enum lock_result lock_take(struct spool_dir *dir, const struct machine *machine) {
    enum lock_result result;
    flock(dir->fd, LOCK_EX);
    result = create(dir->fd, machine);
    if (result == LOCK_BUSY && !holder_alive(dir->fd, machine) && unlinkat(dir->fd, LOCK_FILE, 0) == 0)
        result = create(dir->fd, machine);
    /* No room for a file, as when the disk filled during the run: the directory stays locked until it is closed. */
    if (result == LOCK_FAILED && (errno == ENOSPC || errno == EDQUOT || errno == EROFS)) return LOCK_TAKEN;
    int error = errno;
    flock(dir->fd, LOCK_UN);
    errno = error;
    dir->locked = result == LOCK_TAKEN;
    return result;
}

void lock_release(struct spool_dir *dir) {
    if (dir->locked) unlinkat(dir->fd, LOCK_FILE, 0);
    dir->locked = false;
}
