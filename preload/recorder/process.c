#include "internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* The files of one process in the spool: made at its first event, so that a process that records nothing leaves
 * nothing. */

void lock_take(struct lock *lock) {
    while (atomic_exchange_explicit(&lock->held, 1, memory_order_acquire)) syscall(SYS_sched_yield);
}
void lock_give(struct lock *lock) { atomic_store_explicit(&lock->held, 0, memory_order_release); }

void process_path(const struct recorder *recorder, char path[PATH_MAX + 64], const char *format, ...) {
    int n = snprintf(path, PATH_MAX + 64, "%s/%016llx", recorder->spool, (unsigned long long)recorder->live->id);
    va_list rest;
    va_start(rest, format);
    vsnprintf(path + n, (size_t)(PATH_MAX + 64 - n), format, rest);
    va_end(rest);
}

static bool append(struct recorder *recorder, const struct iovec *pieces, int count) {
    char path[PATH_MAX + 64];
    process_path(recorder, path, ".log");
    const bool ok = sys_append_pieces(path, pieces, count);
    if (!ok) process_stop(recorder, SPOOL_STOP_ERROR, errno, path);
    return ok;
}

static void set_log(struct spool_process *process, uint64_t file, uint64_t tail) {
    atomic_store_explicit((_Atomic uint64_t *)&process->log, file << SPOOL_TAIL_BITS | tail, memory_order_release);
}

/* Into the tail, which costs no system call and is a file as well: only a full one goes to the log's own. Nothing comes
 * behind what could not be written whole. Locked. */
bool process_log(struct recorder *recorder, enum spool_record_type type, const struct iovec *pieces, int count) {
    if (recorder->live->state == LIVE_STOPPED) return false;
    struct spool_process *process = recorder->live->process;
    char *tail = (char *)process + SPOOL_PAGE;
    uint64_t file = process->log >> SPOOL_TAIL_BITS, used = process->log & SPOOL_TAIL_MASK;
    struct spool_record record = {.type = type};
    struct iovec all[8] = {{&record, sizeof record}};
    for (int i = 0; i < count; i++) {
        all[i + 1] = pieces[i];
        record.length += (uint32_t)pieces[i].iov_len;
    }
    const uint64_t size = sizeof record + record.length;
    if (used && used + size > SPOOL_TAIL) {
        if (!append(recorder, &(struct iovec){tail, used}, 1)) return false;
        file += used;
        used = 0;
        set_log(process, file, used);
        atomic_thread_fence(memory_order_seq_cst); /* before anything is written over what was moved */
    }
    if (size > SPOOL_TAIL) {
        if (!append(recorder, all, count + 1)) return false;
        set_log(process, file + size, 0);
        return true;
    }
    for (int i = 0; i <= count; i++) {
        if (all[i].iov_len) memcpy(tail + used, all[i].iov_base, all[i].iov_len);
        used += all[i].iov_len;
    }
    set_log(process, file, used);
    return true;
}

/* Now and then, so that a clock that the kernel slews is followed; collect draws straight lines between the points. */
void process_calibrate(struct recorder *recorder) {
    enum { EVERY_NS = 1000000000 };
    struct live *live = recorder->live;
    int64_t now = clock_monotonic_ns();
    if (recorder->clock == SPOOL_CLOCK_MONOTONIC || now - live->calibrated_ns < EVERY_NS) return;
    lock_take(&live->lock);
    if (now - live->calibrated_ns >= EVERY_NS && live->state == LIVE_ON) {
        live->calibrated_ns = now;
        struct spool_point point = clock_point(recorder->clock);
        const struct iovec piece = {&point, sizeof point};
        process_log(recorder, SPOOL_CALIBRATION, &piece, 1);
    }
    lock_give(&live->lock);
}

/* ---- what a process says of itself ---------------------------------------------------------------------------------
 */

static void read_command(struct spool_process *process) {
    char args[sizeof process->command];
    long n = sys_read_file("/proc/self/cmdline", args, sizeof args);
    if (n <= 0) return;
    snprintf(process->program, sizeof process->program, "%s", args);
    for (long i = 0; i < n - 1; i++)
        if (args[i] == 0) args[i] = ' ';
    memcpy(process->command, args, sizeof args);
    process->command[sizeof process->command - 1] = 0;
}

static uint64_t read_start_time(void) {
    char stat[1024];
    if (sys_read_file("/proc/self/stat", stat, sizeof stat) <= 0) return 0;
    char *at = strrchr(stat, ')'); /* the name before it may hold anything */
    for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
    return at ? strtoull(at + 1, NULL, 10) : 0;
}

static void describe(struct recorder *recorder, struct spool_process *process) {
    struct live *live = recorder->live;
    process->version = SPOOL_VERSION;
    process->clock = recorder->clock;
    process->id = live->id;
    process->pid = getpid();
    process->ppid = getppid();
    process->parent_id = recorder->last_pid == (int)process->ppid ? recorder->last_id : 0;
    process->start_time = read_start_time();
    process->first = process->last = clock_point(recorder->clock);
    process->realtime_ns = session_realtime_ns();
    process->mpi_rank = live->is_mpi ? live->mpi_rank : -1;
    process->mpi_size = live->is_mpi ? live->mpi_size : -1;
    process->mpi_initialized = live->is_mpi;
    process->launcher_rank = recorder->own ? recorder->rank : session_launch.rank;
    process->launcher_size = recorder->own ? recorder->size : session_launch.size;
    snprintf(process->world, sizeof process->world, "%s%s", session_launch.world, session_launch.proxy);
    const char *threads = getenv("OMP_NUM_THREADS");
    process->omp_num_threads = threads && atoi(threads) > 0 ? atoi(threads) : 1;
    long n = sys_read_file("/proc/sys/kernel/random/boot_id", process->boot_id, sizeof process->boot_id);
    if (n > 0 && process->boot_id[n - 1] == '\n') process->boot_id[n - 1] = 0;
    process->time_namespace = clock_namespace();
    gethostname(process->host, sizeof process->host - 1);
    read_command(process);
    process->skipped_phases = live->skipped_phases;
    process->sample_every = recorder->sampling.every;
    process->sample_start = recorder->sampling.start;
    memcpy(process->sampled, recorder->sampling.name, sizeof process->sampled);
    recorder->last_id = live->id;
    recorder->last_pid = (int)process->pid;
}

/* ---- begin and end
 * --------------------------------------------------------------------------------------------------- */

/* Locked. */
static bool make_files(struct recorder *recorder) {
    struct live *live = recorder->live;
    char path[PATH_MAX + 64];
    if (!session_make_spool(recorder)) {
        process_stop(recorder, SPOOL_STOP_ERROR, errno, recorder->spool);
        return false;
    }
    if (syscall(SYS_getrandom, &live->id, sizeof live->id, 0) != sizeof live->id || live->id == 0)
        live->id = clock_counter() ^ (uint64_t)getpid() << 40;
    process_path(recorder, path, ".log");
    int fd = sys_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd >= 0) {
        syscall(SYS_fchmod, fd, 0600);
        sys_close(fd);
        process_path(recorder, path, ".proc");
        live->process = sys_map_new_file(path, SPOOL_PAGE + SPOOL_TAIL);
    }
    if (fd < 0 || !live->process) {
        process_stop(recorder, SPOOL_STOP_ERROR, errno, path);
        return false;
    }
    describe(recorder, live->process);
    live->calibrated_ns = live->process->first.ns;
    atomic_thread_fence(memory_order_release);
    live->process->magic = SPOOL_PROC_MAGIC;
    about_log(recorder);
    region_log_all(recorder);
    if (recorder->start.ns) process_log(recorder, SPOOL_BEGUN, NULL, 0);
    return live->state != LIVE_STOPPED;
}

bool process_start(struct recorder *recorder) {
    struct live *live = recorder->live;
    if (LIKELY(live->state == LIVE_ON)) return true;
    lock_take(&live->lock);
    bool made = live->state == LIVE_NONE && make_files(recorder);
    if (made) live->state = LIVE_ON;
    bool on = live->state == LIVE_ON;
    lock_give(&live->lock);
    if (made && recorder == recorder_default) cost_of_regions();
    return on;
}

void process_stop(struct recorder *recorder, enum spool_stop why, int error, const char *path) {
    struct live *live = recorder->live;
    if (atomic_exchange(&live->state, LIVE_STOPPED) == LIVE_STOPPED) return;
    recorder->stop_errno = error;
    struct spool_process *process = live->process;
    bool closed = process && process->closed;
    if (process) {
        process->last = clock_point(recorder->clock);
        process->stop_tick = process->last.ticks;
        process->stop_errno = error;
        snprintf(process->stop_path, sizeof process->stop_path, "%s", path);
        process->stop = why;
    }
    mode_choose();
    if (why == SPOOL_STOP_ERROR && !closed) {
        const char *cause = strerrordesc_np(error);
        rec_warn("recording stopped: %s: %s", path, cause ? cause : "unknown error");
    }
}

void rec_set_mpi(int rank, int size, const char *library) {
    struct recorder *recorder = rec_session();
    if (!recorder) return;
    struct sys_quiet q = sys_quiet_begin();
    struct live *live = recorder->live;
    lock_take(&live->lock);
    live->is_mpi = true;
    live->mpi_rank = rank;
    live->mpi_size = size;
    if (live->process) {
        live->process->mpi_rank = rank;
        live->process->mpi_size = size;
        live->process->mpi_initialized = 1;
    }
    if (library && live->state == LIVE_ON) {
        const struct iovec piece = {(void *)library, strcspn(library, "\r\n")};
        process_log(recorder, SPOOL_MPI_LIBRARY, &piece, 1);
    }
    lock_give(&live->lock);
    sys_quiet_end(q);
}

void rec_set_mpi_finalized(void) {
    struct recorder *recorder = rec_session();
    if (recorder && recorder->live->process) recorder->live->process->mpi_finalized = 1;
}
