#include "internal.h"

/* What other rooms keep in the session's spool beside the lanes. */

static struct recorder *joined(void) {
    struct recorder *r = rec_session();
    if (!r) return NULL;
    if (UNLIKELY(!r->clock)) {
        r->clock = clock_choose();
        mode_choose();
    }
    return process_start(r) ? r : NULL;
}

bool rec_join(void) {
    struct sys_quiet q = sys_quiet_begin();
    struct recorder *r = joined();
    sys_quiet_end(q);
    return r != NULL;
}

bool rec_log(unsigned type, const struct iovec *pieces, int count) {
    struct sys_quiet q = sys_quiet_begin();
    struct recorder *r = joined();
    bool ok = false;
    if (r) {
        lock_take(&r->live->lock);
        ok = process_log(r, (enum spool_record_type)type, pieces, count);
        lock_give(&r->live->lock);
    }
    sys_quiet_end(q);
    return ok;
}

void *rec_map(unsigned number, const char *suffix, size_t bytes) {
    struct sys_quiet q = sys_quiet_begin();
    struct recorder *r = joined();
    void *mapped = NULL;
    if (r) {
        char path[PATH_MAX + 64];
        process_path(r, path, "-%u.%s", number, suffix);
        mapped = sys_map_new_file(path, bytes);
        if (!mapped) process_stop(r, SPOOL_STOP_ERROR, errno, path);
    }
    sys_quiet_end(q);
    return mapped;
}

int rec_clock(void) { return (int)session_recorder.clock; }
