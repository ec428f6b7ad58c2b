#include "internal.h"

/* What other rooms keep in a recorder's spool beside the lanes. */

static struct recorder *started(struct recorder *r) {
    if (!r) return NULL;
    if (UNLIKELY(!r->clock)) {
        r->clock = clock_choose();
        mode_choose();
    }
    return process_start(r) ? r : NULL;
}

bool rec_join(void) { return rec_join_in(rec_session()); }

bool rec_join_in(struct recorder *recorder) {
    struct sys_quiet q = sys_quiet_begin();
    struct recorder *r = started(recorder);
    sys_quiet_end(q);
    return r != NULL;
}

bool rec_log(unsigned type, const struct iovec *pieces, int count) {
    return rec_log_in(rec_session(), type, pieces, count);
}

bool rec_log_in(struct recorder *recorder, unsigned type, const struct iovec *pieces, int count) {
    struct sys_quiet q = sys_quiet_begin();
    struct recorder *r = started(recorder);
    bool ok = false;
    if (r) {
        lock_take(&r->live->lock);
        ok = process_log(r, (enum spool_record_type)type, pieces, count);
        lock_give(&r->live->lock);
    }
    sys_quiet_end(q);
    return ok;
}

void *rec_map_in(struct recorder *recorder, unsigned number, const char *suffix, size_t bytes) {
    struct sys_quiet q = sys_quiet_begin();
    struct recorder *r = started(recorder);
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

int rec_clock_of(const struct recorder *recorder) { return (int)recorder->clock; }
