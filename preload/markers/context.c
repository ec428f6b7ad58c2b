#include "context.h"
#include "live.h"
#include "open_calls.h"
#include "recorder.h"
#include "session_output.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* A region's handle is its number in the recorder less one. */
#define NUMBER(handle) ((int)((unsigned)(handle) + 1u))

/* Three kinds: the default one; an explicit one with a recorder of its own; an explicit one under a session, which
 * records into that. The first and the last begin and end as everybody does. */
struct sp_profiler {
    struct recorder *recorder; /* NULL: it could not be opened */
    bool own;                  /* the recorder is this context's */
    atomic_bool active;
    atomic_int error; /* enum sp_status of the latest call */
    uint64_t serial;  /* 0: the default context before its first use */
    struct live live; /* each context looks for itself, so that a reset is its own affair */
    char path[PATH_MAX];
};

static struct sp_profiler the_default;
static struct guard default_guard;
static atomic_ullong serials;

static bool goes_to_default(const sp_profiler *p) { return p == &the_default || !p->own; }

static void begin(const sp_profiler *p, int number) {
    if (goes_to_default(p))
        rec_begin(number);
    else
        rec_begin_in(p->recorder, number);
}

static void end(const sp_profiler *p, int number) {
    if (goes_to_default(p))
        rec_end(number);
    else
        rec_end_in(p->recorder, number);
}

/* Notes how a call went; written only when that changes, since threads share it. */
static int status(sp_profiler *p, sp_status now) {
    if (atomic_load_explicit(&p->error, memory_order_relaxed) != (int)now)
        atomic_store_explicit(&p->error, (int)now, memory_order_relaxed);
    return (int)now;
}

static bool is_active(const sp_profiler *p) {
    return p && atomic_load_explicit(&p->active, memory_order_relaxed) && (p->own || rec_active());
}

static bool has_region(const sp_profiler *p, int handle) {
    return p && p->recorder && handle >= 0 && handle < rec_num_regions(p->recorder);
}

/* ---- life ----------------------------------------------------------------------------------------------------------
 */

static sp_status open_own(sp_profiler *p, const char *prefix, size_t length, int rank) {
    if (!prefix) {
        prefix = "scope_profile";
        length = SP_NUL_TERMINATED;
    }
    if (length == SP_NUL_TERMINATED) length = strlen(prefix);
    const int width = length < PATH_MAX ? (int)length : PATH_MAX;
    const int bytes = snprintf(p->path, sizeof p->path, "%.*s_rank%05d.h5", width, prefix, rank < 0 ? 0 : rank);
    errno = ENAMETOOLONG;
    p->recorder = bytes < (int)sizeof p->path ? rec_open(p->path, rank) : NULL;
    if (p->recorder) return SP_OK;
    const int why = errno;
    if (why == EMFILE)
        rec_warn("%.200s: not recorded, %d profiles are being recorded already", p->path, REC_MAX_OPEN);
    else
        rec_warn("%.200s: not recorded: %s", p->path, strerror(why));
    return why == EMFILE || why == ENOMEM ? SP_ERR_NO_MEMORY : SP_ERR_IO;
}

static void join_session(sp_profiler *p, struct recorder *session) {
    p->recorder = session;
    p->own = false;
    session_output(session, p->path);
    atomic_store(&p->active, true);
}

sp_profiler *context_create(const char *prefix, size_t length, int rank) {
    void *pages = NULL;
    size_t count = 0;
    if (!pages_hold(&pages, &count, 1, sizeof(sp_profiler))) return NULL;
    sp_profiler *p = pages;
    p->serial = atomic_fetch_add(&serials, 1) + 1;
    struct recorder *session = rec_session();
    if (session) {
        join_session(p, session);
        return p;
    }
    p->own = true;
    atomic_store(&p->active, status(p, open_own(p, prefix, length, rank)) == SP_OK);
    return p;
}

static void close_own(sp_profiler *p) {
    atomic_store(&p->active, false);
    if (p->own && p->recorder) rec_close(p->recorder);
    p->recorder = NULL;
    live_free(&p->live);
}

void context_destroy(sp_profiler *p) {
    if (!p) return;
    if (p == &the_default) {
        struct sys_quiet quiet = guard_enter(&default_guard);
        if (p->own) close_own(p);
        guard_leave(&default_guard, quiet);
        return;
    }
    close_own(p);
    void *pages = p;
    size_t count = 1;
    pages_free(&pages, &count, sizeof *p);
}

/* With the guard. */
static sp_status init_own(const char *prefix, size_t length, int rank) {
    struct recorder *old = the_default.recorder;
    const bool unwritten = old && atomic_load(&the_default.active) && rec_process_id(old) != 0 && !rec_in_memory(old);
    char old_path[PATH_MAX];
    memcpy(old_path, the_default.path, sizeof old_path);
    const sp_status opened = open_own(&the_default, prefix, length, rank);
    if (opened != SP_OK) {
        the_default.recorder = old;
        memcpy(the_default.path, old_path, sizeof old_path);
        return opened;
    }
    if (old) rec_carry_regions(the_default.recorder, old); /* handles outlive the recorder they came from */
    the_default.own = true;
    the_default.serial = atomic_fetch_add(&serials, 1) + 1;
    rec_make_default(the_default.recorder);
    live_free(&the_default.live);
    atomic_store(&the_default.active, true);
    if (unwritten) rec_warn("%.200s: dropped, sp_init() was called again before sp_finalize()", old_path);
    if (old) rec_close(old);
    return SP_OK;
}

sp_profiler *markers_default_profiler(void) {
    struct recorder *session = rec_session();
    if (session && the_default.recorder != session) {
        struct sys_quiet quiet = guard_enter(&default_guard);
        if (the_default.recorder != session) {
            the_default.serial = atomic_fetch_add(&serials, 1) + 1;
            join_session(&the_default, session);
        }
        guard_leave(&default_guard, quiet);
    }
    return the_default.serial ? &the_default : NULL;
}

int markers_init(const char *prefix, size_t length, int rank) {
    if (rec_session()) {
        markers_default_profiler();
        return SP_OK;
    }
    struct sys_quiet quiet = guard_enter(&default_guard);
    const sp_status opened = init_own(prefix, length, rank);
    status(&the_default, opened);
    guard_leave(&default_guard, quiet);
    return (int)opened;
}

int markers_finalize(void) { return context_write(markers_default_profiler(), 1); }
int markers_is_active(void) { return rec_active(); }

/* A program that ends without sp_finalize() keeps what it recorded, but nobody wrote it. */
__attribute__((destructor)) static void at_exit(void) {
    if (the_default.own && atomic_load(&the_default.active) && rec_process_id(the_default.recorder) != 0 &&
        !rec_in_memory(the_default.recorder))
        rec_warn("%.200s was not written, since sp_finalize() was not called; `scope-profiler collect %s` does it",
                 the_default.path, rec_spool_path(the_default.recorder));
}

/* ---- writing
 * --------------------------------------------------------------------------------------------------------- */

static int write_own(sp_profiler *p, bool stop) {
    sp_status result = SP_OK;
    if (stop) {
        atomic_store(&p->active, false);
        if (p == &the_default) rec_make_default(NULL);
        /* The command says which calls. */
        if (live_num_open_of(&p->live, p->recorder, 0) != 0) result = SP_ERR_OPEN_SCOPES;
    }
    /* Whoever failed has said why. */
    if (rec_finish(p->recorder, stop) != 0) return status(p, SP_ERR_IO);
    status(p, result);
    return SP_OK;
}

int context_write(sp_profiler *p, int stop) {
    if (!p || !atomic_load(&p->active)) return SP_OK;
    if (p->own) return write_own(p, stop != 0);
    if (stop && p != &the_default) atomic_store(&p->active, false);
    return status(p, SP_OK);
}

int context_open_profile(sp_profiler *p) {
    if (!p) return -1;
    if (!p->own || !p->recorder) {
        status(p, p->own ? SP_ERR_INACTIVE : SP_ERR_UNSUPPORTED);
        return -1;
    }
    const int descriptor = rec_profile(p->recorder);
    status(p, descriptor >= 0 ? SP_OK : errno == ENODATA ? SP_ERR_INACTIVE : SP_ERR_IO);
    return descriptor;
}

/* The text as a string of its own; false: too long. */
static bool take(char *to, size_t size, const char *text, size_t length) {
    if (length == SP_NUL_TERMINATED) length = strlen(text);
    if (length >= size) return false;
    memcpy(to, text, length);
    to[length] = 0;
    return true;
}

int markers_configure(const char *key, size_t length, const char *value, size_t value_length) {
    char key_text[32], value_text[PATH_MAX];
    if (!key || !take(key_text, sizeof key_text, key, length)) return SP_ERR_UNSUPPORTED;
    if (value && !take(value_text, sizeof value_text, value, value_length)) return SP_ERR_UNSUPPORTED;
    return rec_configure(key_text, value ? value_text : NULL) ? SP_OK : SP_ERR_UNSUPPORTED;
}

/* ---- regions and calls
 * ----------------------------------------------------------------------------------------------- */

static int handle_of(int number) { return number > 0 ? number - 1 : SP_INVALID_REGION; }

int markers_region(const char *name, size_t length, const char *file, int line) {
    if (!name) return SP_INVALID_REGION;
    if (length == SP_NUL_TERMINATED) length = strlen(name);
    return handle_of(rec_region(name, length, file, file ? line : -1, NULL));
}

int context_region(sp_profiler *p, const char *name, size_t length, const char *file, int line) {
    if (!is_active(p) || !name) {
        if (p) status(p, SP_ERR_INACTIVE);
        return SP_INVALID_REGION;
    }
    if (length == SP_NUL_TERMINATED) length = strlen(name);
    const int number = rec_region_in(p->recorder, name, length, file, file ? line : -1, NULL);
    status(p, number > 0 || number == REC_UNWANTED ? SP_OK : SP_ERR_NO_MEMORY);
    return handle_of(number);
}

int64_t context_begin(sp_profiler *p, int region) {
    if (!is_active(p) || !has_region(p, region)) {
        if (p) status(p, SP_ERR_INACTIVE);
        return -1;
    }
    const int64_t slot = open_calls_push(p->serial, NUMBER(region));
    if (slot < 0) {
        status(p, SP_ERR_NO_MEMORY);
        return -1;
    }
    status(p, SP_OK);
    begin(p, NUMBER(region));
    return slot;
}

/* An end without a begin goes to the recorder, too: the profile tells of it. */
int context_end(sp_profiler *p, int region) {
    if (!is_active(p) || !has_region(p, region)) return p ? status(p, SP_ERR_INACTIVE) : (int)SP_ERR_INACTIVE;
    const bool known = open_calls_pop(p->serial, NUMBER(region)) ||
                       (goes_to_default(p) && live_is_open(&p->live, p->recorder, NUMBER(region)));
    end(p, NUMBER(region));
    return status(p, known ? SP_OK : SP_ERR_UNMATCHED_END);
}

int context_end_last(sp_profiler *p) {
    if (!is_active(p)) return p ? status(p, SP_ERR_INACTIVE) : (int)SP_ERR_INACTIVE;
    /* Calls of the default context are not kept in a list: it has to be looked up what this thread opened last. */
    const int number = p == &the_default ? live_innermost(&p->live, p->recorder) : open_calls_innermost(p->serial);
    if (number == 0) return status(p, SP_ERR_UNMATCHED_END);
    end(p, number);
    open_calls_pop(p->serial, number);
    return status(p, SP_OK);
}

int context_end_slot(sp_profiler *p, int region, int64_t slot) {
    if (!is_active(p)) return p ? status(p, SP_ERR_INACTIVE) : (int)SP_ERR_INACTIVE;
    if (!open_calls_pop_slot(p->serial, NUMBER(region), slot)) return status(p, SP_ERR_UNMATCHED_END);
    end(p, NUMBER(region));
    return status(p, SP_OK);
}

/* Under a session the calls stay in the run's profile; the context counts anew. */
int context_reset(sp_profiler *p) {
    if (!is_active(p)) return p ? status(p, SP_ERR_INACTIVE) : (int)SP_ERR_INACTIVE;
    const bool open = goes_to_default(p) && p != &the_default ? open_calls_innermost(p->serial) != 0
                                                              : live_num_open_of(&p->live, p->recorder, 0) != 0;
    if (open) return status(p, SP_ERR_OPEN_SCOPES);
    if (p->own) rec_reset(p->recorder);
    live_forget_calls(&p->live, p->recorder);
    return status(p, SP_OK);
}

/* ---- questions
 * -------------------------------------------------------------------------------------------------------- */

int64_t markers_num_calls(int region) {
    sp_profiler *p = markers_default_profiler();
    return has_region(p, region) ? live_region_numbers(&p->live, p->recorder, NUMBER(region)).calls : 0;
}

int context_stats(const sp_profiler *p, int region, sp_region_stats *stats) {
    if (!stats) return SP_ERR_INACTIVE;
    *stats = (sp_region_stats){0};
    if (!has_region(p, region)) return SP_ERR_INACTIVE;
    /* const for the caller: what it changes is our notes of how far we have read. */
    const struct live_numbers n = live_region_numbers(&((sp_profiler *)p)->live, p->recorder, NUMBER(region));
    *stats = (sp_region_stats){n.calls, n.total_ns, n.min_ns, n.max_ns};
    return SP_OK;
}

int context_num_regions(const sp_profiler *p) { return p && p->recorder ? rec_num_regions(p->recorder) : 0; }

const char *context_region_name(const sp_profiler *p, int region) {
    return has_region(p, region) ? rec_region_name(p->recorder, NUMBER(region)) : NULL;
}

int context_is_active(const sp_profiler *p) { return is_active(p); }
const char *context_output_path(const sp_profiler *p) { return p ? p->path : NULL; }
int context_last_error(const sp_profiler *p) { return p ? atomic_load(&p->error) : SP_OK; }

int context_set_output_format(sp_profiler *p, int format) {
    if (!p) return SP_ERR_INACTIVE;
    return status(p, format == SP_OUTPUT_HDF5 ? SP_OK : SP_ERR_UNSUPPORTED);
}
