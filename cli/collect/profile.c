#include "profile.h"
#include "chunks.h"
#include "columns.h"
#include "crew.h"
#include "files.h"
#include "fill.h"
#include "lines.h"
#include "problems.h"
#include "publish.h"
#include "sums.h"
#include "tables.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const column_names[EVENT_COLUMNS] = {
    [START_DELTAS] = "start_deltas", [DURATIONS] = "durations", [THREAD_IDS] = "thread_ids", [CALL_IDS] = "call_ids",
    [PARENT_IDS] = "parent_ids",     [TASK_IDS] = "task_ids",   [AWAIT_NS] = "await_ns",
};

struct profile {
    struct collection *c;
    struct publish file;
    const char *path;
    struct events events;
    struct mpi *mpi;
    int compress;
    size_t num_regions;
};

/* HDF5 does not say why it could not write; errno usually still does. */
static bool fail_hdf5(struct profile *p) {
    int error = errno;
    return fail(p->c->report, "%s: cannot be written: %s", p->path, error ? strerror(error) : "HDF5 gave up");
}

/* Not every file system has locks, and nobody else knows this file. */
static hid_t access_list(void) {
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7) && !(H5_VERS_MINOR == 12 && H5_VERS_RELEASE == 0)
    H5Pset_file_locking(list, 0, 1);
#endif
    return list;
}

static hid_t open_hdf5(const struct profile *p, bool create) {
    hid_t list = access_list();
    errno = 0;
    hid_t file = create ? H5Fcreate(p->file.temporary, H5F_ACC_TRUNC, H5P_DEFAULT, list)
                        : H5Fopen(p->file.temporary, H5F_ACC_RDWR, list);
    H5Pclose(list);
    return file;
}

/* Limits of space are met here, by plain calls that fail, and not in the middle of HDF5's own work, which does not
 * recover from that. A file of `bytes` is allowed: */
static bool within_limit(struct profile *p, uint64_t bytes) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur) return true;
    return fail(p->c->report, "%s: %s", p->path, strerror(EFBIG));
}

/* And the disk has `bytes` more behind what is written. Where a file system cannot reserve, that is met later. */
static bool reserve(struct profile *p, uint64_t bytes) {
    struct stat status;
    if (fstat(p->file.fd, &status) != 0) return true;
    if (!within_limit(p, (uint64_t)status.st_size + bytes)) return false;
    if (fallocate(p->file.fd, FALLOC_FL_KEEP_SIZE, status.st_size, (off_t)bytes) == 0) return true;
    return (errno != ENOSPC && errno != EDQUOT) || fail(p->c->report, "%s: %s", p->path, strerror(errno));
}

/* ---- event columns ---------------------------------------------------------------------------------------------- */

static hid_t create_column(const struct profile *p, hid_t group, int column) {
    static const int64_t missing = -1, none = 0;
    const int64_t *fill = column < THREAD_IDS ? NULL : column == AWAIT_NS ? &none : &missing;
    return chunks_create(group, column_names[column], H5T_STD_I64LE, p->c->calls, p->compress, fill);
}

static bool scratch_values(void *context, const struct chunk *chunk, void *into) {
    const struct profile *p = context;
    const size_t bytes = chunk->count * chunk->size;
    return file_read(p->events.fd, into, bytes, p->events.at[chunk->column] + chunk->at * chunk->size) ==
           (ssize_t)bytes;
}

static bool reserve_chunk(void *context, size_t bytes) { return reserve(context, bytes + 65536); }

/* Copies one column from the scratch file, a few chunks for every thread at a time. */
static bool copy_column(struct profile *p, hid_t set, int column) {
    enum { EACH = 4 };
    const struct packing packing = {p->c->processors, p->compress, scratch_values, reserve_chunk, p};
    const hsize_t total = p->c->calls, length = total < CHUNK ? total : CHUNK;
    struct chunk chunks[EACH * CREW_MOST];
    const size_t most = EACH * p->c->processors;
    size_t waiting = 0;
    for (hsize_t at = 0; at < total; at += CHUNK) {
        const hsize_t count = total - at < CHUNK ? total - at : CHUNK;
        chunks[waiting++] = (struct chunk){set, column, sizeof(int64_t), at, count, length, NULL, 0};
        if (waiting < most && total - at > CHUNK) continue;
        if (!chunks_write(&packing, chunks, waiting)) return false;
        waiting = 0;
    }
    return true;
}

/* `place`: notes where the column lies, or copies it there. */
static bool make_columns(struct profile *p, hid_t file, bool (*place)(struct profile *, hid_t, int)) {
    hid_t group = H5Gcreate2(file, "events", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = group >= 0;
    for (int column = 0; good && column < EVENT_COLUMNS; column++) {
        if (!p->events.has[column]) continue;
        hid_t set = create_column(p, group, column);
        good = set >= 0 && (!p->c->calls || place(p, set, column));
        if (set >= 0) good = H5Dclose(set) >= 0 && good;
    }
    if (group >= 0) good = H5Gclose(group) >= 0 && good;
    return good;
}

static bool note_place(struct profile *p, hid_t set, int column) {
    p->events.at[column] = H5Dget_offset(set);
    return p->events.at[column] != HADDR_UNDEF;
}

/* Uncompressed columns are written past HDF5, straight to where it will look for them. */
static bool lay_out(struct profile *p) {
    uint64_t columns = 0;
    for (int column = 0; column < EVENT_COLUMNS; column++) columns += p->events.has[column];
    if (!within_limit(p, columns * p->c->calls * sizeof(int64_t))) return false;
    hid_t file = open_hdf5(p, true);
    bool good = file >= 0 && make_columns(p, file, note_place);
    if (file >= 0) good = H5Fclose(file) >= 0 && good;
    p->events.fd = p->file.fd;
    return good || fail_hdf5(p);
}

static bool lay_out_scratch(struct profile *p) {
    p->events.fd = publish_scratch(&p->file, p->c->report);
    for (int column = 0, n = 0; column < EVENT_COLUMNS; column++)
        if (p->events.has[column]) p->events.at[column] = (uint64_t)n++ * p->c->calls * sizeof(int64_t);
    return p->events.fd >= 0;
}

/* ---- both passes' results --------------------------------------------------------------------------------------- */

static void lay_out_rows(struct collection *c) {
    uint64_t offset = 0;
    for (size_t i = 0; i < c->num_processes; i++)
        for (size_t k = 0; k < c->processes[i].num_rows; k++) {
            c->processes[i].rows[k].offset = offset;
            offset += c->processes[i].rows[k].calls;
        }
    c->calls = offset;
}

/* Communicators and call sites are numbered in the order of the processes. */
static int begin_process(void *context, size_t index) {
    const struct profile *p = context;
    return mpi_begin(p->mpi, mpi_of(p->mpi, &p->c->processes[index])) ? 0 : ENOMEM;
}

static int fill_one(void *context, size_t index) {
    const struct profile *p = context;
    struct process *process = &p->c->processes[index];
    sums_convert(process);
    return fill_process(process, p->events, mpi_of(p->mpi, process));
}

static bool fail_fill(struct profile *p, const struct process *process, int error) {
    if (error == ENOMEM) return fail_memory(p->c->report);
    if (error != FILL_CHANGED) return fail(p->c->report, "%s: %s", p->path, strerror(error));
    return fail(p->c->report, "%s: the files of process %" PRId64 " changed while they were read", process->dir->path,
                process->info.pid);
}

static bool fill(struct profile *p) {
    struct collection *c = p->c;
    const struct crew crew = {c->workers, c->num_processes, begin_process, fill_one, p};
    size_t failed;
    const int error = crew_run(&crew, &failed);
    return !error || fail_fill(p, &c->processes[failed], error);
}

static bool write_index(struct profile *p) {
    if (!reserve(p, tables_estimate(p->c) + mpi_bytes(p->mpi))) return false;
    hid_t file = open_hdf5(p, p->compress > 0);
    bool good = file >= 0 && (!p->compress || make_columns(p, file, copy_column)) &&
                tables_write(file, p->c, p->num_regions) && lines_write(p->c, file) &&
                mpi_write(p->mpi, file, p->compress, p->file.fd);
    int error = errno;
    if (file >= 0) good = H5Fclose(file) >= 0 && good;
    if (!errno) errno = error;
    return good || fail_hdf5(p);
}

static bool write_profile(struct profile *p, int umask) {
    p->mpi = mpi_open(p->c, &p->file);
    if (!p->mpi) return false;
    return reserve(p, 65536) && (p->compress ? lay_out_scratch(p) : lay_out(p)) && fill(p) && write_index(p) &&
           problems_note(p->c, p->num_regions) && publish_commit(&p->file, umask, p->c->report);
}

bool profile_write(struct collection *c, const char *path, int compress, int umask) {
    struct profile p = {.c = c, .path = path, .compress = compress, .events.fd = -1};
    H5E_auto2_t handler;
    void *context;
    bool good;
    lay_out_rows(c);
    p.num_regions = tables_number_regions(c);
    p.events.has[START_DELTAS] = p.events.has[DURATIONS] = true;
    p.events.has[THREAD_IDS] = c->threads_column && !c->aggregate;
    p.events.has[CALL_IDS] = p.events.has[PARENT_IDS] = c->ids_columns && !c->aggregate;
    p.events.has[TASK_IDS] = p.events.has[AWAIT_NS] = c->tasks_columns && !c->aggregate;
    H5dont_atexit(); /* a file that could not be closed must not be tried again, loudly, as the process ends */
    H5Eget_auto2(H5E_DEFAULT, &handler, &context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    good = publish_open(&p.file, path, c->report) && write_profile(&p, umask);
    if (p.compress && p.events.fd >= 0) close(p.events.fd);
    mpi_close(p.mpi);
    publish_close(&p.file);
    H5Eset_auto2(H5E_DEFAULT, handler, context);
    if (!good && !c->report->message[0]) fail_memory(c->report);
    return good;
}
