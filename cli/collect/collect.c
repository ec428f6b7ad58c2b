#include "collect.h"
#include "alive.h"
#include "capture.h"
#include "count.h"
#include "crew.h"
#include "left.h"
#include "log.h"
#include "model.h"
#include "profile.h"
#include "ranks.h"
#include "scan.h"
#include "session.h"
#include "times.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* ---- the directories -------------------------------------------------------------------------------------------- */

static enum collect_status lock_spools(struct collection *c) {
    for (size_t i = 0; i < c->num_dirs; i++) {
        struct spool_dir *dir = &c->dirs[i];
        dir->path = c->options->spools[i];
        dir->fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (dir->fd < 0) {
            fail(c->report, "%s: %s", dir->path, strerror(errno));
            return COLLECT_FAILED;
        }
        enum lock_result lock = lock_take(dir, &c->machine);
        if (lock == LOCK_BUSY) fail(c->report, "%s: is being collected by another process", dir->path);
        if (lock == LOCK_FAILED) fail(c->report, "%s: %s", dir->path, strerror(errno));
        if (lock != LOCK_TAKEN) return lock == LOCK_BUSY ? COLLECT_BUSY : COLLECT_FAILED;
    }
    return COLLECT_OK;
}

static bool read_spools(struct collection *c) {
    for (size_t i = 0; i < c->num_dirs; i++) session_read(c->dirs[i].fd, &c->session);
    for (size_t i = 0; i < c->num_dirs; i++)
        if (!scan_spool(c, &c->dirs[i])) return false;
    return true;
}

static void remove_spools(struct collection *c) {
    for (size_t i = 0; i < c->num_dirs; i++) {
        c->dirs[i].locked = false;
        if (!scan_remove(&c->dirs[i])) note(c->report, "%s: not removed: %s", c->dirs[i].path, strerror(errno));
    }
}

/* ---- workers ---------------------------------------------------------------------------------------------------- */

#define WORDS_WORTH 65536 /* that take longer to read than a thread takes to start */

/* A thread has at the most two files open, and where it cannot open one the words there would be missing. */
static unsigned most_by_descriptors(const struct collection *c) {
    const uint64_t ours = 24 + c->num_dirs;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return CREW_MOST;
    const uint64_t most = limit.rlim_cur > ours ? (limit.rlim_cur - ours) / 2 : 0;
    return most < 1 ? 1 : most < CREW_MOST ? (unsigned)most : CREW_MOST;
}

/* Those that were asked for, else as many as have enough to do; no process is read by two. */
static void choose_workers(struct collection *c) {
    uint64_t words = 0;
    size_t busy = 0;
    for (size_t i = 0; i < c->num_processes; i++) {
        const struct process *p = &c->processes[i];
        for (size_t k = 0; k < p->num_lanes; k++) words += p->lanes[k].words;
        busy += p->num_lanes > 0;
    }
    c->processors = c->options->jobs ? c->options->jobs : crew_processors();
    if (c->processors > most_by_descriptors(c)) c->processors = most_by_descriptors(c);
    const uint64_t worth = c->options->jobs ? CREW_MOST : 1 + words / WORDS_WORTH, most = worth < busy ? worth : busy;
    c->workers = most < 1 ? 1 : most < c->processors ? (unsigned)most : c->processors;
    for (size_t i = 0; i < c->num_processes; i++) c->processes[i].at_once = c->workers;
}

/* ---- first pass ------------------------------------------------------------------------------------------------- */

static bool worth_a_row(const struct process *p) {
    return p->events || p->lost || p->info.stop == SPOOL_STOP_ERROR || p->info.mpi_initialized || p->counts_lines ||
           p->begun;
}

/* Names get their places in the order of the processes. */
static int name_regions(void *context, size_t index) {
    struct collection *c = context;
    return log_read_regions(&c->processes[index], &c->session, index + 1, &c->regions, &c->texts) ? 0 : ENOMEM;
}

static int count_one(void *context, size_t index) {
    const struct collection *c = context;
    return count_process(&c->processes[index]) ? 0 : ENOMEM;
}

static bool count_processes(struct collection *c, bool *recorded) {
    const struct crew crew = {c->workers, c->num_processes, name_regions, count_one, c};
    size_t kept = 0, failed;
    bool sums = false, calls = false;
    *recorded = false;
    if (crew_run(&crew, &failed)) return fail_memory(c->report);
    for (size_t i = 0; i < c->num_processes; i++) {
        struct process *p = &c->processes[i];
        *recorded |= p->events > 0 || p->lost > 0 || p->counts_lines || p->begun;
        if (worth_a_row(p)) {
            struct process keep = *p;
            *p = c->processes[kept];
            c->processes[kept++] = keep;
        }
    }
    for (size_t i = kept; i < c->num_processes; i++) process_free(&c->processes[i]);
    c->num_processes = kept;
    for (size_t i = 0; i < kept; i++) {
        c->tasks_columns |= c->processes[i].num_tasks > 0;
        c->threads_column |= c->processes[i].num_threads > 1 || c->tasks_columns;
        c->ids_columns |= c->processes[i].overlap;
        sums |= c->processes[i].num_sums > 0;
        calls |= c->processes[i].calls > 0;
    }
    c->aggregate = sums && !calls;
    return true;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static enum collect_status nothing(struct collection *c) {
    if (c->report->num_notes) { /* something is there, and it may be worth a look */
        fail(c->report, "%s", c->report->notes[0]);
        return COLLECT_FAILED;
    }
    if (!c->options->keep) remove_spools(c);
    return COLLECT_NOTHING;
}

static void tell(const struct collection *c, const char *output, struct collect_result *result) {
    snprintf(result->output, sizeof result->output, "%s", output);
    result->processes = (uint32_t)c->num_processes;
    for (size_t i = 0; i < c->num_processes; i++) {
        result->running += c->processes[i].running;
        for (size_t k = 0; k < c->processes[i].num_rows; k++) result->calls += row_calls(&c->processes[i].rows[k]);
    }
    result->ranks = result->processes; /* every process has a rank of its own */
}

static enum collect_status work(struct collection *c, struct collect_result *result) {
    const char *output = c->options->output;
    bool recorded;
    enum collect_status status = lock_spools(c);
    if (status != COLLECT_OK) return status;
    if (!read_spools(c)) return COLLECT_FAILED;
    choose_workers(c);
    if (!count_processes(c, &recorded)) return COLLECT_FAILED;
    if (!recorded) return nothing(c);
    if (!output) output = c->session.output;
    if (!output || !output[0]) {
        fail(c->report, "%s: does not say where the profile goes", c->dirs[0].path);
        return COLLECT_FAILED;
    }
    if (!times_make(c) || !ranks_assign(c)) {
        fail_memory(c->report);
        return COLLECT_FAILED;
    }
    if (c->session.capture_source && !capture_sources(c)) {
        fail_memory(c->report);
        return COLLECT_FAILED;
    }
    ranks_note_missing(c);
    int compress = c->options->compress >= 0 ? c->options->compress : c->session.compress;
    if (!profile_write(c, output, compress > 9 ? 9 : compress, c->session.umask)) return COLLECT_FAILED;
    left_note(c);
    tell(c, output, result);
    if (!c->options->keep) remove_spools(c);
    return COLLECT_OK;
}

/* A limit on the size of files shall be an error of write(2), not the end of the process. */
static void block_file_size_signal(sigset_t *before) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

static void restore_signals(const sigset_t *before) {
    const struct timespec now = {0, 0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    if (!sigismember(before, SIGXFSZ))
        while (sigtimedwait(&set, NULL, &now) > 0) continue;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static void clean(struct collection *c) {
    for (size_t i = 0; i < c->num_processes; i++) process_free(&c->processes[i]);
    free(c->processes);
    for (size_t i = 0; i < c->num_dirs; i++) {
        if (c->dirs[i].fd < 0) continue;
        lock_release(&c->dirs[i]);
        close(c->dirs[i].fd);
    }
    free(c->dirs);
    session_free(&c->session);
    names_free(&c->regions);
    names_free(&c->texts);
}

enum collect_status collect(const struct collect_options *options, struct collect_result *result) {
    struct report report = {0};
    struct collection c = {.options = options, .report = &report, .num_dirs = options->num_spools, .session.umask = -1};
    enum collect_status status = COLLECT_FAILED;
    sigset_t before;
    *result = (struct collect_result){0};
    block_file_size_signal(&before);
    machine_read(&c.machine);
    c.dirs = calloc(c.num_dirs + 1, sizeof *c.dirs);
    for (size_t i = 0; c.dirs && i < c.num_dirs; i++) c.dirs[i].fd = -1;
    if (!c.dirs)
        c.num_dirs = 0;
    else if (!c.num_dirs)
        fail(&report, "collect: no spool is given");
    else
        status = work(&c, result);
    if (status == COLLECT_FAILED && !report.message[0]) fail_memory(&report);
    clean(&c);
    restore_signals(&before);
    report_close(&report);
    memcpy(result->message, report.message, sizeof result->message);
    result->notes = report.notes;
    result->num_notes = report.num_notes;
    return status;
}

void collect_result_free(struct collect_result *result) {
    for (size_t i = 0; i < result->num_notes; i++) free(result->notes[i]);
    free(result->notes);
    result->notes = NULL;
    result->num_notes = 0;
}
