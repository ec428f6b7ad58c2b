#include "log.h"
#include "files.h"
#include "place.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORD_MAX (4u << 20) /* a longer one is passed over; the regions in it stay unknown */
#define GAP_MAX    4096       /* region ids that the log may leave out in one place */
#define COST_MAX   (UINT64_C(1) << 40)
#define POINTS_MAX 65536

/* The log, read forward: `flushed` bytes of its file, then the tail. */
struct log {
    struct file_window file;
    uint64_t flushed, size, position;
    struct spool_record head;
    char *body; /* terminated */
    size_t capacity;
    char tail[SPOOL_TAIL];
};

static bool read_state(int fd, uint64_t *state) {
    return file_read(fd, state, sizeof *state, offsetof(struct spool_process, log)) == sizeof *state;
}

/* The process may be writing just now: what counts of the tail stays as it is until the process has moved the tail to
 * the file. One that does not keep still gives what was written before its tail. */
static void read_tail(struct log *log, const struct process *process) {
    char name[64];
    uint64_t state, after;
    snprintf(name, sizeof name, "%s.proc", process->id);
    const int fd = file_open(process->dir->fd, name, O_RDONLY, NULL);
    for (int attempt = 0; fd >= 0 && attempt < 8 && read_state(fd, &state) && state; attempt++) {
        const uint64_t used = state & SPOOL_TAIL_MASK;
        const ssize_t got = file_read(fd, log->tail, sizeof log->tail, SPOOL_PAGE);
        log->size = log->flushed = state >> SPOOL_TAIL_BITS; /* the file may have grown to it since it was opened */
        if (!read_state(fd, &after) || after >> SPOOL_TAIL_BITS != log->flushed) continue;
        if (got > 0) log->size += (uint64_t)got < used ? (uint64_t)got : used;
        break;
    }
    if (fd >= 0) close(fd);
}

static bool log_open(struct log *log, const struct process *process) {
    char name[64];
    log->position = 0;
    log->body = NULL;
    log->capacity = 0;
    snprintf(name, sizeof name, "%s.log", process->id);
    file_window_open(&log->file, file_open(process->dir->fd, name, O_RDONLY, &log->flushed));
    log->size = log->flushed;
    if (log->file.fd >= 0) read_tail(log, process);
    return log->file.fd >= 0;
}

/* All of `bytes`, which are in one of the two places. */
static bool log_read(struct log *log, void *into, size_t bytes) {
    const uint64_t at = log->position;
    const bool in_file = at < log->flushed;
    if (bytes > (in_file ? log->flushed : log->size) - at) return false;
    log->position += bytes;
    if (in_file) return file_window_read(&log->file, into, bytes, at) == (ssize_t)bytes;
    memcpy(into, log->tail + (at - log->flushed), bytes);
    return true;
}

static void log_close(struct log *log) {
    close(log->file.fd);
    free(log->body);
}

static bool make_room(struct log *log, size_t bytes) {
    if (bytes < log->capacity) return true;
    char *body = realloc(log->body, bytes + 4096);
    if (!body) return false;
    log->body = body;
    log->capacity = bytes + 4096;
    return true;
}

/* The next record; false at the end of the log, or of memory (*memory false). */
static bool log_next(struct log *log, bool *memory) {
    *memory = true;
    while (log_read(log, &log->head, sizeof log->head)) {
        if (log->head.length > RECORD_MAX) { /* only the file has room for such */
            if (log->position >= log->flushed || log->head.length > log->flushed - log->position) return false;
            log->position += log->head.length;
            continue;
        }
        if (!(*memory = make_room(log, log->head.length))) return false;
        if (!log_read(log, log->body, log->head.length)) return false; /* cut short: the end */
        log->body[log->head.length] = '\0';
        return true;
    }
    return false;
}

static bool take_point(struct process *p, const struct log *log) {
    if (log->head.length < sizeof(struct spool_point) || p->num_points >= POINTS_MAX) return true;
    if ((p->num_points & (p->num_points - 1)) == 0) { /* 0, 1, 2, 4, ...: full */
        size_t capacity = p->num_points ? p->num_points * 2 : 1;
        struct spool_point *points = realloc(p->points, capacity * sizeof *points);
        if (!points) return false;
        p->points = points;
    }
    memcpy(&p->points[p->num_points++], log->body, sizeof *p->points);
    return true;
}

static void take_cost(struct process *p, const struct log *log) {
    struct spool_cost cost;
    if (log->head.length < sizeof cost) return;
    memcpy(&cost, log->body, sizeof cost);
    if (cost.kind < sizeof p->costs / sizeof *p->costs && cost.inside <= cost.whole && cost.whole < COST_MAX)
        p->costs[cost.kind] = cost;
}

/* NAME=value texts, and an empty one behind them. Without memory for it the profile says less. */
static void take_texts(char **texts, const struct log *log) {
    if (*texts || !(*texts = malloc((size_t)log->head.length + 2))) return;
    memcpy(*texts, log->body, log->head.length);
    (*texts)[log->head.length] = (*texts)[log->head.length + 1] = '\0';
}

static void take_clock(struct process *p, const struct log *log) {
    const int64_t most = CLOCK_ALIGN_MAX;
    struct spool_mpi_clock clock;
    if (log->head.length < sizeof clock || p->num_clocks == sizeof p->clocks / sizeof *p->clocks) return;
    memcpy(&clock, log->body, sizeof clock);
    if (clock.ns < 0 || clock.ns > most || clock.ahead_ns < -most || clock.ahead_ns > most || clock.error_ns < 0)
        return;
    p->clocks[p->num_clocks++] = clock;
}

bool log_read_facts(struct process *process) {
    struct log log;
    bool memory;
    if (!log_open(&log, process)) return true;
    while (log_next(&log, &memory)) {
        if (log.head.type == SPOOL_CALIBRATION && !(memory = take_point(process, &log))) break;
        process->begun |= log.head.type == SPOOL_BEGUN;
        process->counts_lines |= log.head.type == SPOOL_COUNTS_LINES || log.head.type == SPOOL_LINE_FUNCTION;
        if (log.head.type == SPOOL_COST) take_cost(process, &log);
        if (log.head.type == SPOOL_MPI_CLOCK) take_clock(process, &log);
        if (log.head.type == SPOOL_MPI_LIBRARY && !process->mpi_library && log.head.length) {
            /* Open MPI goes on with who built it on which host. */
            log.body[strcspn(log.body, ",\r\n")] = '\0';
            process->mpi_library = strndup(log.body, 255);
        }
        if (log.head.type == SPOOL_PYTHON && !process->python) process->python = strndup(log.body, 63);
        if (log.head.type == SPOOL_DIRECTORY && !process->directory) process->directory = strdup(log.body);
        if (log.head.type == SPOOL_ENVIRONMENT && !process->environment) take_texts(&process->environment, &log);
    }
    log_close(&log);
    return memory;
}

/* ---- regions ---------------------------------------------------------------------------------------------------- */

struct region_reader {
    struct process *process;
    const struct session *session;
    struct names *regions, *texts;
    uint64_t marker;
    size_t map_capacity, row_capacity;
};

static bool grow_map(struct region_reader *r, uint32_t id) {
    struct process *p = r->process;
    if (id >= r->map_capacity) {
        size_t capacity = (size_t)id * 2 + 64;
        uint32_t *map = realloc(p->row_of_region, capacity * sizeof *map);
        if (!map) return false;
        p->row_of_region = map;
        r->map_capacity = capacity;
    }
    while (p->num_regions < id) p->row_of_region[++p->num_regions] = NO_ROW;
    return true;
}

static struct row *row_named(struct region_reader *r, struct name *name) {
    struct process *p = r->process;
    if (name->marker == r->marker) return &p->rows[name->row];
    if (p->num_rows == r->row_capacity) {
        size_t capacity = r->row_capacity ? r->row_capacity * 2 : 16;
        struct row *rows = realloc(p->rows, capacity * sizeof *rows);
        if (!rows) return NULL;
        p->rows = rows;
        r->row_capacity = capacity;
    }
    name->marker = r->marker;
    name->row = (uint32_t)p->num_rows;
    p->rows[p->num_rows] = (struct row){.name = name, .line = -1};
    return &p->rows[p->num_rows++];
}

static bool locate(struct region_reader *r, struct row *row, const struct spool_region *region, const char *file) {
    if (row->file || !region->file_length) return true;
    size_t length = region->file_length;
    char *shown = r->session->full_metadata ? place_full(r->process, file, length) : NULL;
    if (r->session->capture_source && !(row->path = names_add(r->texts, file, length))) return false;
    const char *as_told = shown ? shown : r->session->full_metadata ? file : place_minimal(r->process, file, &length);
    if (shown) length = strlen(shown);
    if (length) row->file = names_add(r->texts, as_told, length);
    if (length) row->line = region->line < 0 ? -1 : region->line;
    free(shown);
    return !length || row->file;
}

static bool tag(struct region_reader *r, struct row *row, const char *tags, size_t length) {
    bool list = length >= 2 && tags[0] == '[' && tags[length - 1] == ']' && !memchr(tags, '\0', length);
    if (row->tags || !list) return true;
    row->tags = names_add(r->texts, tags, length);
    return row->tags != NULL;
}

/* The parts that a record says it has, checked against its length. */
static bool take_region(struct region_reader *r, const struct log *log) {
    struct spool_region region;
    struct process *p = r->process;
    struct row *row;
    const char *name = log->body + sizeof region;
    if (log->head.length < sizeof region) return true;
    memcpy(&region, log->body, sizeof region);
    if ((uint64_t)region.name_length + region.file_length + region.tags_length > log->head.length - sizeof region)
        return true;
    if (log->head.type == SPOOL_REGION) {
        if (region.id <= p->num_regions || region.id > SPOOL_REGION_MAX || region.id - p->num_regions > GAP_MAX)
            return true;
        struct name *known = names_add(r->regions, name, region.name_length);
        if (!known || !grow_map(r, region.id) || !(row = row_named(r, known))) return false;
        p->row_of_region[region.id] = (uint32_t)(row - p->rows);
    } else {
        if (region.id == 0 || region.id > p->num_regions || p->row_of_region[region.id] == NO_ROW) return true;
        row = &p->rows[p->row_of_region[region.id]];
    }
    return locate(r, row, &region, name + region.name_length) &&
           tag(r, row, name + region.name_length + region.file_length, region.tags_length);
}

bool log_read_regions(struct process *process, const struct session *session, uint64_t marker, struct names *regions,
                      struct names *texts) {
    struct region_reader r = {process, session, regions, texts, marker, 1, 0};
    struct log log;
    bool memory = true;
    process->row_of_region = malloc(sizeof *process->row_of_region);
    if (!process->row_of_region) return false;
    process->row_of_region[0] = NO_ROW;
    if (!log_open(&log, process)) return true;
    while (log_next(&log, &memory))
        if ((log.head.type == SPOOL_REGION || log.head.type == SPOOL_SOURCE) && !(memory = take_region(&r, &log)))
            break;
    log_close(&log);
    return memory;
}

/* ---- other records ---------------------------------------------------------------------------------------------- */

bool log_each(const struct process *process, uint32_t type, bool (*take)(void *data, const char *body, uint32_t length),
              void *data) {
    struct log log;
    bool memory = true;
    if (!log_open(&log, process)) return true;
    while (log_next(&log, &memory))
        if (log.head.type == type && !(memory = take(data, log.body, log.head.length))) break;
    log_close(&log);
    return memory;
}
