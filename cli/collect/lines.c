#include "lines.h"
#include "files.h"
#include "log.h"
#include "place.h"
#include "source.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS_MAX 1000000
#define LINES_MAX     (UINT64_C(8) << 20) /* counters of one process that are kept in memory */
#define PIECE         2048                /* counters read at once */
#define FLUSHED       512                 /* records that fit HDF5's cache: written together, in few system calls */
#define COMPACT_MAX   32768               /* bytes of a column that lies in its header: no function costs a write */

struct function {
    struct spool_line_function about;
    char *region, *name, *file, *source; /* source: NULL unknown */
    struct spool_line_counter *counters; /* NULL: never executed */
};

struct counting {
    struct process *process;
    struct report *report;
    struct function *functions; /* by id - 1 */
    size_t count, room;
    uint64_t lines; /* counters allocated */
    bool full;      /* files are named from the root on */
    bool too_many;
};

/* ---- the functions, from the log ---------------------------------------------------------------------------------
 */

static char *part(const char **at, uint32_t length) {
    char *text = strndup(*at, length);
    *at += length;
    return text;
}

static bool take_function(void *data, const char *body, uint32_t length) {
    struct counting *c = data;
    struct spool_line_function about;
    if (length < sizeof about) return true;
    memcpy(&about, body, sizeof about);
    const uint64_t texts = (uint64_t)about.region_length + about.function_length + about.file_length +
                           about.encoding_length + about.source_length;
    if (texts > length - sizeof about || about.id != c->count + 1 || c->count == FUNCTIONS_MAX || !about.lines)
        return true;
    if (c->count == c->room) {
        c->room = c->room ? c->room * 2 : 32;
        struct function *grown = realloc(c->functions, c->room * sizeof *grown);
        if (!grown) return false;
        c->functions = grown;
    }
    const char *at = body + sizeof about;
    struct function *f = &c->functions[c->count++];
    *f = (struct function){.about = about};
    f->region = part(&at, about.region_length);
    f->name = part(&at, about.function_length);
    f->file = c->full ? place_full(c->process, at, about.file_length) : NULL;
    if (f->file)
        at += about.file_length;
    else
        f->file = part(&at, about.file_length);
    char *encoding = part(&at, about.encoding_length);
    if (about.source_length && encoding) f->source = source_text(at, about.source_length, encoding);
    free(encoding);
    return f->region && f->name && f->file;
}

static void free_functions(struct counting *c) {
    for (size_t i = 0; i < c->count; i++) {
        struct function *f = &c->functions[i];
        void *const owned[] = {f->region, f->name, f->file, f->source, f->counters};
        for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) free(owned[k]);
    }
    free(c->functions);
}

/* ---- the counters ------------------------------------------------------------------------------------------------
 */

/* The function that a block counts for, with room for the sum; NULL: of none that the log names. */
static struct function *function_of(struct counting *c, const struct spool_line_block *block) {
    if (block->function > c->count) return NULL;
    struct function *f = &c->functions[block->function - 1];
    if (f->about.lines != block->lines) return NULL;
    if (f->counters) return f;
    if (c->lines + block->lines > LINES_MAX) {
        c->too_many = true;
        return NULL;
    }
    c->lines += block->lines;
    f->counters = calloc(block->lines, sizeof *f->counters);
    return f->counters ? f : NULL;
}

static bool add_counters(struct function *f, struct file_window *file, uint64_t at) {
    struct spool_line_counter piece[PIECE];
    for (uint32_t done = 0; done < f->about.lines;) {
        const uint32_t count = f->about.lines - done < PIECE ? f->about.lines - done : PIECE;
        const size_t bytes = count * sizeof *piece;
        if (file_window_read(file, piece, bytes, at + done * sizeof *piece) != (ssize_t)bytes) return false;
        for (uint32_t i = 0; i < count; i++) {
            f->counters[done + i].hits += piece[i].hits;
            f->counters[done + i].ticks += piece[i].ticks;
        }
        done += count;
    }
    return true;
}

static void read_blocks(struct counting *c, struct file_window *file, uint64_t size) {
    struct spool_line_block block;
    for (uint64_t at = sizeof(struct spool_lines); size - at >= sizeof block;) {
        if (file_window_read(file, &block, sizeof block, at) != sizeof block || block.function == 0) return;
        at += sizeof block;
        const uint64_t bytes = (uint64_t)block.lines * sizeof(struct spool_line_counter);
        struct function *f = bytes <= size - at ? function_of(c, &block) : NULL;
        if (bytes > size - at || (f && !add_counters(f, file, at))) {
            c->process->damaged = true;
            return;
        }
        at += bytes;
    }
}

/* False: there is no such file. */
static bool read_file(struct counting *c, uint32_t number) {
    struct spool_lines head;
    struct file_window file;
    char name[64];
    uint64_t size;
    snprintf(name, sizeof name, "%s-%" PRIu32 ".lines", c->process->id, number);
    int fd = file_open(c->process->dir->fd, name, O_RDONLY, &size);
    if (fd < 0) return false;
    file_window_open(&file, fd);
    if (file_window_read(&file, &head, sizeof head, 0) == sizeof head && head.magic == SPOOL_LINES_MAGIC &&
        head.version == SPOOL_VERSION)
        read_blocks(c, &file, size);
    close(fd);
    return true;
}

static bool count_lines(struct counting *c) {
    if (!log_each(c->process, SPOOL_LINE_FUNCTION, take_function, c)) return fail_memory(c->report);
    for (uint32_t number = 0; c->count && read_file(c, number); number++) continue;
    if (c->too_many)
        note(c->report, "lines of some functions were left out: process %" PRId64 " counted more than %" PRIu64,
             c->process->info.pid, LINES_MAX);
    return true;
}

/* ---- writing -----------------------------------------------------------------------------------------------------
 */

static bool put_attribute(hid_t group, const char *name, hid_t type, const void *value) {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = space < 0 ? -1 : H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool done = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    if (space >= 0) H5Sclose(space);
    return done;
}

static bool put_text(hid_t group, const char *name, const char *text) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    bool done = type >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    done = done && put_attribute(group, name, type, &text);
    if (type >= 0) H5Tclose(type);
    return done;
}

static bool put_integer(hid_t group, const char *name, int64_t value) {
    return put_attribute(group, name, H5T_STD_I64LE, &value);
}

static bool put_column(hid_t group, const char *name, hid_t type, hsize_t count, const void *values) {
    const hid_t space = H5Screate_simple(1, &count, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    if (count * H5Tget_size(type) <= COMPACT_MAX) H5Pset_layout(list, H5D_COMPACT);
    const hid_t column = space < 0 ? -1 : H5Dcreate2(group, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    const bool done = column >= 0 && H5Dwrite(column, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (column >= 0) H5Dclose(column);
    H5Pclose(list);
    if (space >= 0) H5Sclose(space);
    return done;
}

/* The executed lines only. */
static bool put_lines(hid_t group, const struct function *f, const struct clock_segment *clock) {
    int64_t *numbers = malloc(f->about.lines * sizeof *numbers), *hits = malloc(f->about.lines * sizeof *hits);
    double *times = malloc(f->about.lines * sizeof *times);
    hsize_t count = 0;
    for (uint32_t i = 0; numbers && hits && times && i < f->about.lines; i++) {
        if (!f->counters[i].hits) continue;
        numbers[count] = (int64_t)f->about.first_counted + i;
        hits[count] = (int64_t)f->counters[i].hits;
        times[count++] = (double)(int64_t)((u128)f->counters[i].ticks * clock->multiplier >> CLOCK_SHIFT);
    }
    const bool done = count && put_column(group, "line_numbers", H5T_NATIVE_INT64, count, numbers) &&
                      put_column(group, "hits", H5T_NATIVE_INT64, count, hits) &&
                      put_column(group, "times", H5T_NATIVE_DOUBLE, count, times);
    free(numbers);
    free(hits);
    free(times);
    return done;
}

static bool put_record(hid_t parent, unsigned number, const struct function *f, const struct clock_segment *clock) {
    static const double nanosecond = 1e-9;
    char name[16];
    snprintf(name, sizeof name, "%u", number);
    /* A group that keeps its links in order is of the newer kind, a header, and no tree and heap of 1.5 KB beside. */
    const hid_t list = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED);
    const hid_t group = H5Gcreate2(parent, name, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Pclose(list);
    if (group < 0) return false;
    bool done = put_text(group, "region", f->region) && put_text(group, "filename", f->file) &&
                put_text(group, "function", f->name) && put_integer(group, "first_lineno", f->about.first_line) &&
                put_attribute(group, "unit", H5T_IEEE_F64LE, &nanosecond);
    if (done && f->source)
        done = put_text(group, "source", f->source) && put_integer(group, "source_first_lineno", f->about.source_first);
    done = done && put_lines(group, f, clock);
    return H5Gclose(group) >= 0 && done;
}

static bool executed(const struct function *f) {
    for (uint32_t i = 0; f->counters && i < f->about.lines; i++)
        if (f->counters[i].hits) return true;
    return false;
}

static bool put_process(const struct counting *c, hid_t file) {
    char path[64];
    hid_t group = -1;
    unsigned written = 0;
    bool done = true;
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    snprintf(path, sizeof path, "rank%" PRIu32 "/line_profile", c->process->rank);
    const struct clock_segment *clock = clock_find(&c->process->clock, c->process->info.first.ticks);
    for (size_t i = 0; done && i < c->count; i++) {
        if (!executed(&c->functions[i])) continue;
        if (group < 0) group = H5Gcreate2(file, path, links, H5P_DEFAULT, H5P_DEFAULT);
        done = group >= 0 && put_record(group, written++, &c->functions[i], clock);
        if (done && written % FLUSHED == 0) done = H5Fflush(group, H5F_SCOPE_LOCAL) >= 0;
    }
    if (group >= 0) H5Gclose(group);
    H5Pclose(links);
    return done;
}

bool lines_write(struct collection *collection, hid_t file) {
    for (size_t i = 0; i < collection->num_processes; i++) {
        struct counting c = {.process = &collection->processes[i],
                             .report = collection->report,
                             .full = collection->session.full_metadata};
        bool good = count_lines(&c);
        if (good && !put_process(&c, file))
            good = fail(c.report, "%s: the line counters of process %" PRId64 " cannot be written",
                        c.process->dir->path, c.process->info.pid);
        free_functions(&c);
        if (!good) return false;
    }
    return true;
}
