#include "spool_read.h"
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *slurp(const char *path, size_t *size) {
    int fd = open(path, O_RDONLY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) return NULL;
    char *data = malloc((size_t)st.st_size + 1);
    *size = (size_t)read(fd, data, (size_t)st.st_size);
    assert(*size == (size_t)st.st_size);
    close(fd);
    return data;
}

/* tail: what is behind the process's page. */
static void read_log(struct process_read *p, const char *path, const char *tail) {
    size_t size;
    char *log = slurp(path, &size);
    const size_t used = p->head.log & SPOOL_TAIL_MASK;
    assert(log && used <= SPOOL_TAIL && size >= p->head.log >> SPOOL_TAIL_BITS);
    size = p->head.log >> SPOOL_TAIL_BITS;
    log = realloc(log, size + used + 1);
    memcpy(log + size, tail, used);
    size += used;
    for (size_t at = 0; at + sizeof(struct spool_record) <= size;) {
        struct spool_record record;
        memcpy(&record, log + at, sizeof record);
        at += sizeof record;
        assert(at + record.length <= size);
        struct spool_region r;
        if (record.type == SPOOL_REGION) {
            memcpy(&r, log + at, sizeof r);
            assert(r.id == p->num_names + 1);
            assert(sizeof r + r.name_length + r.file_length + r.tags_length == record.length);
            p->names = realloc(p->names, (p->num_names + 1) * sizeof *p->names);
            p->files = realloc(p->files, (p->num_names + 1) * sizeof *p->files);
            p->name_lengths = realloc(p->name_lengths, (p->num_names + 1) * sizeof *p->name_lengths);
            p->names[p->num_names] = strndup(log + at + sizeof r, r.name_length);
            p->files[p->num_names] = strndup(log + at + sizeof r + r.name_length, r.file_length);
            p->name_lengths[p->num_names++] = r.name_length;
        } else if (record.type == SPOOL_SOURCE) {
            memcpy(&r, log + at, sizeof r);
            assert(r.id >= 1 && r.id <= p->num_names);
            free(p->files[r.id - 1]);
            p->files[r.id - 1] = strndup(log + at + sizeof r, r.file_length);
        } else if (record.type == SPOOL_CALIBRATION) {
            p->num_calibrations++;
        }
        at += record.length;
    }
    free(log);
}

/* One word or group; the number of words it took, 0: the end. */
static size_t take(struct lane_events *lane, const uint64_t *words, size_t left, uint64_t *base) {
    struct event e = {0};
    size_t length = 1;
    if ((words[0] & SPOOL_LOW_MASK) == SPOOL_ESCAPE) {
        length += SPOOL_GROUP_COUNT(words[0]);
        assert(length <= left && length <= 9);
        e.group = SPOOL_GROUP_TYPE(words[0]);
        memcpy(e.payload, words + 1, (length - 1) * sizeof *words);
        if (e.group == SPOOL_EPOCH) *base = e.payload[0];
        if (e.group == 0) return length;
    } else {
        e.ticks = *base + (words[0] >> SPOOL_TICK_SHIFT);
        e.end = words[0] & SPOOL_KIND_END;
        e.region = (uint32_t)(words[0] & SPOOL_REGION_MASK);
    }
    if ((lane->count & (lane->count - 1)) == 0) /* 0, 1, 2, 4, ...: full */
        lane->events = realloc(lane->events, (lane->count ? lane->count * 2 : 1) * sizeof *lane->events);
    lane->events[lane->count++] = e;
    return length;
}

static struct lane_events read_lane(const char *path) {
    struct lane_events lane = {0};
    struct spool_lane head;
    size_t size;
    char *data = slurp(path, &size);
    assert(data && size >= SPOOL_PAGE);
    memcpy(&head, data, sizeof head);
    assert(head.magic == SPOOL_LANE_MAGIC && size >= SPOOL_PAGE + head.window_bytes);
    const uint64_t *flushed = (const uint64_t *)(data + SPOOL_PAGE + head.window_bytes);
    const uint64_t *window = (const uint64_t *)(data + SPOOL_PAGE);
    uint64_t base = head.first_tick;
    lane.flushed = head.committed >> 1;
    assert(SPOOL_PAGE + head.window_bytes + lane.flushed * 8 <= size);
    for (size_t i = 0; i < lane.flushed;) {
        if (flushed[i] == 0) {
            lane.zeros++;
            i++;
            continue;
        }
        i += take(&lane, flushed + i, lane.flushed - i, &base);
    }
    size_t words = head.committed & SPOOL_CLEARING ? 0 : head.window_bytes / 8;
    for (size_t i = 0; i < words && window[i];) i += take(&lane, window + i, words - i, &base);
    free(data);
    return lane;
}

static int by_pid(const void *a, const void *b) {
    const struct process_read *x = a, *y = b;
    return x->head.pid < y->head.pid ? -1 : x->head.pid > y->head.pid;
}

struct process_read *spool_read(const char *directory, size_t *count) {
    struct process_read *all = NULL;
    *count = 0;
    DIR *d = opendir(directory);
    assert(d);
    for (struct dirent *entry; (entry = readdir(d));) {
        char path[4096], *dot = strchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".proc") != 0) continue;
        struct process_read p = {0};
        size_t size;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        char *head = slurp(path, &size);
        assert(head && size == SPOOL_PAGE + SPOOL_TAIL);
        memcpy(&p.head, head, sizeof p.head);
        assert(p.head.magic == SPOOL_PROC_MAGIC);
        snprintf(path, sizeof path, "%s/%.16s.log", directory, entry->d_name);
        read_log(&p, path, head + SPOOL_PAGE);
        free(head);
        p.num_lanes = p.head.lanes;
        p.lanes = calloc(p.num_lanes, sizeof *p.lanes);
        for (size_t i = 0; i < p.num_lanes; i++) {
            snprintf(path, sizeof path, "%s/%.16s-%zu.lane", directory, entry->d_name, i);
            p.lanes[i] = read_lane(path);
        }
        all = realloc(all, (*count + 1) * sizeof *all);
        all[(*count)++] = p;
    }
    closedir(d);
    if (all) qsort(all, *count, sizeof *all, by_pid);
    return all;
}

void spool_free(struct process_read *processes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct process_read *p = &processes[i];
        for (size_t k = 0; k < p->num_names; k++) {
            free(p->names[k]);
            free(p->files[k]);
        }
        for (size_t k = 0; k < p->num_lanes; k++) free(p->lanes[k].events);
        free(p->names);
        free(p->files);
        free(p->name_lengths);
        free(p->lanes);
    }
    free(processes);
}

size_t count_events(const struct process_read *process, const char *name, bool end) {
    size_t n = 0;
    for (size_t i = 0; i < process->num_lanes; i++)
        for (size_t k = 0; k < process->lanes[i].count; k++) {
            const struct event *e = &process->lanes[i].events[k];
            n += e->region && e->end == end && strcmp(process->names[e->region - 1], name) == 0;
        }
    return n;
}
