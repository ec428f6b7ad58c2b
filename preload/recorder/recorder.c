#include "internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct recorder session_recorder = {.rank = -1};
struct recorder *recorder_default;
unsigned rec_default_serial = 1;

static struct recorder *opened[REC_MAX_OPEN + 1]; /* by index; closed ones are kept for their memory */
static bool in_use[REC_MAX_OPEN + 1];
static struct lock opened_lock;

struct recorder *rec_session(void) {
    return session_recorder.spool[0] ? &session_recorder : NULL;
}

static bool give_live(struct recorder *recorder) {
    recorder->live = sys_pages_wiped_on_fork(sizeof *recorder->live);
    return recorder->live != NULL;
}

/* Off is a recording that has stopped before it began. */
static void apply_mode(struct recorder *recorder) {
    settings_read(recorder);
    if (recorder->mode == REC_OFF) recorder->live->state = LIVE_STOPPED;
}

/* Before the program's own constructors, as far as a preload can. Calls nothing that could need them. */
__attribute__((constructor(101))) static void begin(void) {
    int saved = errno;
    warn_init();
    lane_init();
    command_find();
    session_read_environment();
    filter_init();
    if (rec_session() && give_live(&session_recorder)) {
        recorder_default = &session_recorder;
        apply_mode(&session_recorder);
    }
    mode_choose();
    errno = saved;
}

/* Who recorded in memory and was not closed. */
static void forget_memory(void) {
    for (int i = 1; i <= REC_MAX_OPEN; i++)
        if (in_use[i] && opened[i]->in_memory && rec_is_mine(opened[i])) session_remove_spool(opened[i]);
}

__attribute__((destructor)) static void end(void) {
    int saved = errno;
    session_at_exit();
    forget_memory();
    errno = saved;
}

int rec_region(const char *name, size_t length, const char *file, int line, const char *tags) {
    return recorder_default ? region_get(recorder_default, name, length, file, line, tags, true) : -1;
}
int rec_region_chosen(const char *name, size_t length, const char *file, int line, const char *tags) {
    return recorder_default ? region_get(recorder_default, name, length, file, line, tags, false) : -1;
}
int rec_region_in(struct recorder *recorder, const char *name, size_t length, const char *file, int line,
                  const char *tags) {
    return region_get(recorder, name, length, file, line, tags, true);
}

int64_t rec_clock_ns(void) { return clock_monotonic_ns(); }
const char *rec_spool_path(const struct recorder *recorder) { return recorder->spool; }
const char *rec_output_path(const struct recorder *recorder) { return recorder->output; }
uint64_t rec_process_id(const struct recorder *recorder) { return recorder->live->id; }
unsigned rec_num_lanes(const struct recorder *recorder) { return recorder->live->lanes; }

/* ---- recorders of rec_open()
 * ------------------------------------------------------------------------------------------ */

static struct recorder *take_place(void) {
    struct recorder *r = NULL;
    lock_take(&opened_lock);
    for (int i = 1; i <= REC_MAX_OPEN && !r; i++) {
        if (in_use[i]) continue;
        if (!opened[i] && (opened[i] = sys_pages(sizeof *r)) && !give_live(opened[i])) opened[i] = NULL;
        r = opened[i];
        if (!r) break;
        r->index = i;
        in_use[i] = true;
    }
    lock_give(&opened_lock);
    return r;
}

/* Locked or alone. */
static void clear(struct recorder *r) {
    memset(r->live, 0, sizeof *r->live);
    region_forget_all(r);
    if (r->carried) munmap(r->carried, r->num_carried * sizeof *r->carried);
    r->carried = NULL;
    r->num_carried = 0;
    r->start = (struct spool_point){0};
    r->clock = 0;
    r->last_id = 0;
}

struct recorder *rec_open(const char *output, int rank) {
    struct sys_quiet q = sys_quiet_begin();
    struct recorder *r = take_place();
    int error = r ? 0 : EMFILE;
    if (r) {
        clear(r);
        r->own = true;
        r->opener = (int)getpid();
        r->keeps_spool = false;
        r->rank = rank;
        r->size = -1;
        r->clock = clock_choose();
        r->in_memory = setting_is_on(r, SETTING_NO_OUTPUT);
        apply_mode(r);
        if (!session_name(r, output)) {
            error = errno ? errno : ENAMETOOLONG;
            in_use[r->index] = false;
            r = NULL;
        }
    }
    sys_quiet_end(q);
    if (error) errno = error;
    return r;
}

int rec_finish(struct recorder *recorder, bool stop) {
    struct sys_quiet q = sys_quiet_begin();
    enum live_state state = recorder->live->state;
    if (stop) process_stop(recorder, SPOOL_STOP_FINALIZE, 0, "");
    sys_quiet_end(q);
    if (state == LIVE_NONE || recorder->mode == REC_OFF || recorder->in_memory) return 0;
    if (state == LIVE_STOPPED && access(recorder->spool, F_OK) != 0) return errno; /* which has been said */
    const int error = command_collect(recorder->spool, NULL, !stop, false);
    if (!stop && recorder->live->process) recorder->live->process->closed = 0; /* collect told us to stop: not meant */
    return error;
}

bool rec_in_memory(const struct recorder *recorder) { return recorder->in_memory; }

/* The file loses its name as soon as it is open. */
static int profile_without_name(struct recorder *recorder) {
    char path[PATH_MAX];
    if (!session_memory_path(path, "-profile")) return -ENAMETOOLONG;
    int error = command_collect(recorder->spool, path, true, false);
    const int descriptor = error ? -1 : sys_open(path, O_RDONLY, 0);
    if (!error && descriptor < 0) error = errno;
    unlink(path);
    return error ? -error : descriptor;
}

int rec_profile(struct recorder *recorder) {
    const enum live_state state = recorder->live->state;
    if (!recorder->own || recorder->mode == REC_OFF || state == LIVE_NONE || access(recorder->spool, F_OK) != 0) {
        errno = ENODATA;
        return -1;
    }
    const int descriptor = profile_without_name(recorder);
    struct spool_process *process = recorder->live->process;
    if (process && state == LIVE_ON) process->closed = 0; /* collect told us to stop: not meant */
    if (descriptor >= 0) return descriptor;
    errno = -descriptor;
    return -1;
}

void rec_close(struct recorder *recorder) {
    if (!recorder || !recorder->own) return;
    struct sys_quiet q = sys_quiet_begin();
    if (recorder_default == recorder) rec_make_default(NULL);
    lane_close_all(recorder);
    if (!recorder->keeps_spool && recorder->opener == (int)getpid()) session_remove_spool(recorder);
    if (recorder->live->process) munmap(recorder->live->process, SPOOL_PAGE + SPOOL_TAIL);
    clear(recorder);
    lock_take(&opened_lock);
    in_use[recorder->index] = false;
    lock_give(&opened_lock);
    sys_quiet_end(q);
}

/* ---- recordings one after the other ---------------------------------------------------------------------------- */

void rec_set_size(struct recorder *recorder, int size) { recorder->size = size; }

bool rec_start(struct recorder *recorder) {
    struct sys_quiet q = sys_quiet_begin();
    recorder->start = clock_point(recorder->clock);
    recorder->start_realtime_ns = session_realtime_ns();
    bool started = recorder->mode == REC_OFF || process_start(recorder);
    sys_quiet_end(q);
    if (!started) errno = recorder->stop_errno;
    return started;
}

/* The calling thread's open calls in the sums; how many there are. */
static size_t open_sums(const struct recorder *recorder, struct rec_open_call *calls) {
    const struct lane *lane = rec_aggregates(recorder) ? lane_known(recorder) : NULL;
    size_t count = 0;
    if (!lane || !lane->sums.open) return 0;
    for (const struct spool_open *call = lane->sums.open + 1; call <= lane->sums.top; call++, count++)
        if (calls)
            calls[count] = (struct rec_open_call){.begin = call->begin, .region = call->region, .thread = sys_gettid()};
    return count;
}

static void carry(struct recorder *to, const struct recorder *from, const struct rec_open_call *calls, size_t count) {
    const bool summed = rec_aggregates(from);
    if (summed) count = open_sums(from, NULL);
    if (count == 0 || !(to->carried = sys_pages(count * sizeof *calls))) return;
    if (summed)
        open_sums(from, to->carried);
    else
        memcpy(to->carried, calls, count * sizeof *calls);
    to->num_carried = count;
}

static void be_like(struct recorder *to, const struct recorder *from) {
    to->mode = from->mode;
    to->throttle_calls = from->throttle_calls;
    to->throttle_ns = from->throttle_ns;
    to->in_memory = from->in_memory;
    to->start = from->start;
    to->start_realtime_ns = from->start_realtime_ns;
    to->size = from->size;
    if (to->mode == REC_OFF) to->live->state = LIVE_STOPPED;
    rec_carry_regions(to, from);
}

struct recorder *rec_next(struct recorder *recorder, const struct rec_open_call *calls, size_t count) {
    struct recorder *next = rec_open(recorder->output, recorder->rank);
    if (!next) return NULL;
    struct sys_quiet q = sys_quiet_begin();
    be_like(next, recorder);
    carry(next, recorder, calls, count);
    process_stop(recorder, SPOOL_STOP_CHECKPOINT, 0, "");
    sys_quiet_end(q);
    if (recorder == recorder_default) rec_make_default(next);
    return next;
}

void rec_keep_spool(struct recorder *recorder) { recorder->keeps_spool = true; }
bool rec_is_mine(const struct recorder *recorder) { return recorder->opener == (int)getpid(); }

void rec_hold_still(struct recorder *recorder, bool on) {
    struct spool_process *process = recorder->live->process;
    if (!process || recorder->live->state != LIVE_ON) return;
    struct sys_quiet q = sys_quiet_begin();
    process->last = clock_point(recorder->clock);
    process->stop_tick = process->last.ticks;
    process->stop = on ? SPOOL_STOP_CHECKPOINT : SPOOL_STOP_NOT;
    process->closed = 0; /* collect tells everybody to stop */
    sys_quiet_end(q);
}

void rec_make_default(struct recorder *recorder) {
    struct recorder *old = recorder_default;
    recorder_default = recorder ? recorder : rec_session();
    if (old && old != recorder_default) {
        struct sys_quiet q = sys_quiet_begin();
        lane_detach_all(old);
        sys_quiet_end(q);
    }
    rec_default_serial += 2; /* odd: never 0 */
    mode_choose();
}
