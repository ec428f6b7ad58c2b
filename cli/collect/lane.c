#include "lane.h"
#include "files.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DROPPED_MAX (UINT64_C(1) << 48)
#define WINDOW_MAX  (UINT64_C(64) << 20)

static int open_file(const struct process *process, uint32_t number, uint64_t *size) {
    char name[64];
    snprintf(name, sizeof name, "%s-%" PRIu32 ".lane", process->id, number);
    return file_open(process->dir->fd, name, O_RDONLY, size);
}

/* Words in the window up to the first zero one; payload words may be zero. */
static uint64_t count_window(const uint64_t *words, uint64_t count) {
    uint64_t i = 0;
    while (i < count && words[i]) {
        uint64_t length = 1;
        if ((words[i] & SPOOL_LOW_MASK) == SPOOL_ESCAPE) length += SPOOL_GROUP_COUNT(words[i]);
        if (length > count - i) break;
        i += length;
    }
    return i;
}

static bool read_committed(int fd, uint64_t *committed) {
    return file_read(fd, committed, sizeof *committed, offsetof(struct spool_lane, committed)) == sizeof *committed;
}

/* The process may be flushing just now: what was in the window is then among the flushed words, at the same place of
 * the stream. A count taken while `committed` stands still is right. */
static bool count_words(int fd, struct lane *lane, uint64_t *committed) {
    uint64_t count = lane->window_bytes / sizeof(uint64_t), after = 0;
    uint64_t *window = malloc(lane->window_bytes);
    bool steady = false;
    for (int attempt = 0; window && attempt < 8 && !steady; attempt++) {
        ssize_t got = 0;
        if (!read_committed(fd, committed)) break;
        if (!(*committed & SPOOL_CLEARING)) got = file_read(fd, window, lane->window_bytes, SPOOL_PAGE);
        steady = got >= 0 && read_committed(fd, &after) && after == *committed;
        lane->words = *committed >> 1;
        if (got > 0)
            lane->words += count_window(
                window, (uint64_t)got / sizeof(uint64_t) < count ? (uint64_t)got / sizeof(uint64_t) : count);
    }
    free(window);
    return steady;
}

bool lane_open(struct process *process, uint32_t number, struct lane *lane) {
    struct spool_lane head;
    uint64_t size, committed = 0, available = 0;
    bool good;
    int fd = open_file(process, number, &size);
    if (fd < 0) return false;
    good = file_read(fd, &head, sizeof head, 0) == sizeof head && head.magic == SPOOL_LANE_MAGIC &&
           head.version == SPOOL_VERSION && head.window_bytes && head.window_bytes % SPOOL_PAGE == 0 &&
           head.window_bytes <= WINDOW_MAX && size > SPOOL_PAGE;
    if (good) {
        *lane = (struct lane){.number = number,
                              .window_bytes = head.window_bytes,
                              .first_tick = head.first_tick,
                              .dropped = head.dropped < DROPPED_MAX ? head.dropped : DROPPED_MAX};
        if (!count_words(fd, lane, &committed)) process->damaged = true;
        if (size > SPOOL_PAGE + head.window_bytes) available = (size - SPOOL_PAGE - head.window_bytes) / 8;
        if (committed >> 1 > available) { /* what follows the gap would be paired wrongly */
            uint64_t size_now = 0;
            int again = open_file(process, number, &size_now); /* a flush since then made it longer */
            if (again >= 0) close(again);
            if (size_now > size) available = (size_now - SPOOL_PAGE - head.window_bytes) / 8;
        }
        if (committed >> 1 > available) {
            process->damaged = true;
            lane->words = available;
        }
    }
    close(fd);
    return good;
}

/* From a steady place of the file into `into`; -1: it moved meanwhile. */
static ssize_t read_once(int fd, const struct lane *lane, uint64_t from, uint64_t *into, size_t count) {
    uint64_t committed, after, offset, window = lane->window_bytes / 8;
    if (!read_committed(fd, &committed)) return 0;
    uint64_t flushed = committed >> 1;
    if (from < flushed) {
        if (count > flushed - from) count = flushed - from;
        offset = SPOOL_PAGE + lane->window_bytes + from * 8;
    } else {
        if (committed & SPOOL_CLEARING || from - flushed >= window) return 0;
        if (count > window - (from - flushed)) count = window - (from - flushed);
        offset = SPOOL_PAGE + (from - flushed) * 8;
    }
    ssize_t got = file_read(fd, into, count * 8, offset);
    if (got < 0) return 0;
    if (from >= flushed && (!read_committed(fd, &after) || after != committed)) return -1;
    return got / 8;
}

size_t lane_read(const struct process *process, const struct lane *lane, uint64_t from, uint64_t *into, size_t count) {
    ssize_t got = -1;
    if (from >= lane->words) return 0;
    if (count > lane->words - from) count = lane->words - from;
    int fd = open_file(process, lane->number, NULL);
    if (fd < 0) return 0;
    for (int attempt = 0; attempt < 8 && got < 0; attempt++) got = read_once(fd, lane, from, into, count);
    close(fd);
    return got < 0 ? 0 : (size_t)got;
}
