#include "spool_make.h"
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEED(what)                                                                                                     \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            perror(#what);                                                                                             \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

void make_spool_in(struct make_spool *s, const char *directory) {
    snprintf(s->directory, sizeof s->directory, "%s", directory);
    snprintf(s->spool, sizeof s->spool, "%s/.out.h5.spool-test", directory);
    snprintf(s->output, sizeof s->output, "%s/out.h5", directory);
    NEED(mkdir(s->spool, 0700) == 0);
}

void make_spool(struct make_spool *s) {
    const char *tmp = getenv("TMPDIR");
    char directory[200];
    snprintf(directory, sizeof directory, "%s/collect-test-XXXXXX", tmp ? tmp : "/tmp");
    NEED(mkdtemp(directory));
    make_spool_in(s, directory);
}

void make_spool_remove(struct make_spool *s) { nftw(s->directory, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

static void path_of(const struct make_process *p, const char *rest, char *path) {
    snprintf(path, 400, "%s/%s%s", p->spool->spool, p->id, rest);
}

static void append(const char *path, const void *bytes, size_t length) {
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    NEED(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
    close(fd);
}

void make_session(const struct make_spool *s, const char *text) {
    char path[400];
    snprintf(path, sizeof path, "%s/session", s->spool);
    append(path, text, strlen(text));
}

/* ---- processes -------------------------------------------------------------------------------------------------- */

void make_process(const struct make_spool *s, struct make_process *p, unsigned number) {
    *p = (struct make_process){.spool = s};
    snprintf(p->id, sizeof p->id, "%016x", number);
    p->info = (struct spool_process){
        .magic = SPOOL_PROC_MAGIC,
        .version = SPOOL_VERSION,
        .clock = SPOOL_CLOCK_MONOTONIC,
        .id = number,
        .pid = 1000 + number,
        .ppid = 1000,
        .start_time = 77,
        .first = {1000, 1000},
        .last = {1000, 1000},
        .realtime_ns = INT64_C(1700000000123456789),
        .mpi_rank = -1,
        .mpi_size = -1,
        .launcher_rank = -1,
        .launcher_size = -1,
        .end = SPOOL_END_EXIT,
        .end_tick = 1000000,
        .omp_num_threads = 1,
        .boot_id = "00000000-0000-0000-0000-000000000000",
        .host = "testhost",
        .program = "/home/user/bin/prog",
        .command = "/home/user/bin/prog --secret",
    };
}

void make_process_write(const struct make_process *p) {
    char path[400], page[SPOOL_PAGE] = {0};
    path_of(p, ".proc", path);
    memcpy(page, &p->info, sizeof p->info);
    unlink(path);
    append(path, page, sizeof page);
    append(path, p->tail, sizeof p->tail);
}

void make_record(const struct make_process *p, uint32_t type, const void *body, uint32_t length) {
    struct spool_record head = {type, length};
    char path[400], *record = malloc(sizeof head + length);
    NEED(record);
    memcpy(record, &head, sizeof head);
    if (length) memcpy(record + sizeof head, body, length); // an empty body may be no address at all
    path_of(p, ".log", path);
    append(path, record, sizeof head + length);
    free(record);
}

uint32_t make_region_full(struct make_process *p, const char *name, size_t length, const char *file, int line,
                          const char *tags) {
    size_t file_length = file ? strlen(file) : 0, tags_length = tags ? strlen(tags) : 0;
    struct spool_region region = {++p->regions, line, (uint32_t)length, (uint32_t)file_length, (uint32_t)tags_length};
    char *body = malloc(sizeof region + length + file_length + tags_length), *at = body;
    NEED(body);
    at = mempcpy(at, &region, sizeof region);
    at = mempcpy(at, name, length);
    if (file) at = mempcpy(at, file, file_length);
    if (tags) at = mempcpy(at, tags, tags_length);
    make_record(p, SPOOL_REGION, body, (uint32_t)(at - body));
    free(body);
    return region.id;
}

uint32_t make_region(struct make_process *p, const char *name) {
    return make_region_full(p, name, strlen(name), NULL, -1, NULL);
}

void make_log_cut(const struct make_process *p, size_t bytes_off) {
    char path[400];
    struct stat status;
    path_of(p, ".log", path);
    NEED(stat(path, &status) == 0 && truncate(path, status.st_size - (off_t)bytes_off) == 0);
}

void make_log_tail(struct make_process *p, size_t bytes) {
    char path[400];
    struct stat status;
    path_of(p, ".log", path);
    int fd = open(path, O_RDONLY);
    NEED(fd >= 0 && fstat(fd, &status) == 0 && bytes <= sizeof p->tail && (off_t)bytes <= status.st_size);
    NEED(pread(fd, p->tail, bytes, status.st_size - (off_t)bytes) == (ssize_t)bytes);
    close(fd);
    p->info.log = (uint64_t)((size_t)status.st_size - bytes) << SPOOL_TAIL_BITS | bytes;
}

/* ---- lanes ------------------------------------------------------------------------------------------------------ */

void make_lane(struct make_process *p, struct make_lane *lane, uint64_t first_tick) {
    *lane = (struct make_lane){
        .process = p, .base = first_tick, .first_tick = first_tick, .window_bytes = 65536, .number = p->lanes++};
    p->info.lanes = p->lanes;
}

void make_word(struct make_lane *lane, uint64_t word) {
    if (lane->count == lane->capacity) {
        lane->capacity = lane->capacity ? lane->capacity * 2 : 64;
        lane->words = realloc(lane->words, lane->capacity * sizeof *lane->words);
        NEED(lane->words);
    }
    lane->words[lane->count++] = word;
}

void make_begin(struct make_lane *lane, uint64_t tick, uint32_t region) {
    make_word(lane, (tick - lane->base) << SPOOL_TICK_SHIFT | region);
}

void make_end(struct make_lane *lane, uint64_t tick, uint32_t region) {
    make_word(lane, (tick - lane->base) << SPOOL_TICK_SHIFT | SPOOL_KIND_END | region);
}

static void group(struct make_lane *lane, enum spool_group type, const uint64_t *payload, unsigned count) {
    make_word(lane, SPOOL_GROUP(type, 0, count));
    for (unsigned i = 0; i < count; i++) make_word(lane, payload[i]);
}

void make_epoch(struct make_lane *lane, uint64_t base) {
    group(lane, SPOOL_EPOCH, &base, 1);
    lane->base = base;
}

void make_thread_begin(struct make_lane *lane, uint64_t tick, uint64_t tid, uint64_t serial) {
    const uint64_t payload[] = {tick, tid, serial, 0x7f0000000000 + serial};
    group(lane, SPOOL_THREAD_BEGIN, payload, 4);
}

void make_thread_end(struct make_lane *lane, uint64_t tick, uint64_t cpu_ns, const char *name) {
    uint64_t payload[4] = {tick, cpu_ns, 0, 0};
    memcpy(&payload[2], name, strnlen(name, 16));
    group(lane, SPOOL_THREAD_END, payload, 4);
}

void make_lost(struct make_lane *lane, uint64_t events) { group(lane, SPOOL_LOST, &events, 1); }
void make_reset(struct make_lane *lane, uint64_t tick) { group(lane, SPOOL_RESET, &tick, 1); }
void make_task(struct make_lane *lane, uint64_t serial, unsigned kind, const char *name, const char *coro) {
    uint64_t payload[2 + 64] = {serial, SPOOL_TASK_TEXTS(kind, strlen(name), strlen(coro))};
    memcpy(&payload[2], name, strlen(name));
    memcpy((char *)&payload[2] + strlen(name), coro, strlen(coro));
    group(lane, SPOOL_TASK, payload, 2 + (unsigned)(strlen(name) + strlen(coro) + 7) / 8);
}
void make_switch(struct make_lane *lane, uint64_t tick, uint64_t serial, unsigned step) {
    const uint64_t payload[3] = {serial, tick, step};
    group(lane, SPOOL_TASK_SWITCH, payload, 3);
}
void make_task_done(struct make_lane *lane, uint64_t serial) { group(lane, SPOOL_TASK_DONE, &serial, 1); }
void make_flush(struct make_lane *lane) { lane->flushed = lane->count; }

void make_lane_write(struct make_lane *lane) {
    struct spool_lane head = {.magic = SPOOL_LANE_MAGIC,
                              .version = SPOOL_VERSION,
                              .number = lane->number,
                              .window_bytes = lane->window_bytes,
                              .first_tick = lane->first_tick};
    char path[400], rest[32];
    size_t in_window = lane->count - lane->flushed, start = SPOOL_PAGE + lane->window_bytes;
    size_t size = start + (lane->flushed + lane->trailing) * 8;
    char *file = calloc(1, size);
    NEED(file && in_window * 8 <= lane->window_bytes);
    head.committed = (lane->flushed + lane->committed_more) << 1 | (lane->clearing ? SPOOL_CLEARING : 0);
    memcpy(file, &head, sizeof head);
    if (lane->flushed) memcpy(file + start, lane->words, lane->flushed * 8);
    memset(file + start + lane->flushed * 8, 0x5a, lane->trailing * 8);
    if (lane->clearing && lane->clearing_words)
        memcpy(file + SPOOL_PAGE, lane->words + lane->flushed - lane->clearing_words, lane->clearing_words * 8);
    else if (!lane->clearing && in_window)
        memcpy(file + SPOOL_PAGE, lane->words + lane->flushed, in_window * 8);
    snprintf(rest, sizeof rest, "-%u.lane", lane->number);
    path_of(lane->process, rest, path);
    append(path, file, size);
    free(file);
    free(lane->words);
    lane->words = NULL;
}
