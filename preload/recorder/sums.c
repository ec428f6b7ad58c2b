#include "sums.h"
#include <string.h>

enum {
    FIRST_ROWS = 64,
    FIRST_OPEN = SPOOL_PAGE, /* bytes */
    MOST_OPEN = 16 << 20,    /* bytes: 2^19 calls within each other */
    REFUSED_MAX = 256,       /* what one signal handler may lose */
};

/* ---- the files --------------------------------------------------------------------------------------------------- */

static size_t rows_bytes(size_t rows) { return SPOOL_PAGE + rows * sizeof(struct spool_sum); }

static void adopt_rows(struct lane_sums *sums, void *mapped, size_t rows) {
    sums->head = mapped;
    sums->rows = (struct spool_sum *)((char *)mapped + SPOOL_PAGE);
    sums->num_rows = sums->all_rows = (uint32_t)rows;
}

static void adopt_open(struct lane_sums *sums, void *mapped, size_t bytes) {
    const size_t depth = sums->open ? (size_t)(sums->top - sums->open) : 0;
    sums->open = mapped;
    sums->open_bytes = bytes;
    sums->top = sums->open + depth;
    sums->last = sums->open + bytes / sizeof *sums->open - 1;
}

static bool make(struct lane *lane) {
    struct lane_sums *sums = &lane->sums;
    char path[PATH_MAX + 64];
    process_path(lane->recorder, path, "-%u.open", lane->number);
    void *open = sys_map_new_file(path, FIRST_OPEN);
    void *rows = NULL;
    if (open) {
        process_path(lane->recorder, path, "-%u.sums", lane->number);
        rows = sys_map_new_file(path, rows_bytes(FIRST_ROWS));
    }
    if (!rows) {
        process_stop(lane->recorder, SPOOL_STOP_ERROR, errno, path);
        if (open) munmap(open, FIRST_OPEN);
        return false;
    }
    adopt_open(sums, open, FIRST_OPEN);
    adopt_rows(sums, rows, FIRST_ROWS);
    sums->head->version = SPOOL_VERSION;
    sums->head->number = lane->number;
    atomic_thread_fence(memory_order_release);
    sums->head->magic = SPOOL_SUMS_MAGIC;
    return true;
}

static bool hold_region(struct lane *lane, uint32_t region) {
    struct lane_sums *sums = &lane->sums;
    if (region <= sums->all_rows) return true;
    size_t rows = sums->all_rows;
    while (rows < region) rows *= 2;
    char path[PATH_MAX + 64];
    process_path(lane->recorder, path, "-%u.sums", lane->number);
    lock_take(&lane->recorder->live->lock); /* for who looks at all lanes */
    void *grown = sys_grow_file(path, sums->head, rows_bytes(sums->all_rows), rows_bytes(rows));
    const int error = errno;
    if (grown) adopt_rows(sums, grown, rows);
    lock_give(&lane->recorder->live->lock);
    if (!grown) process_stop(lane->recorder, SPOOL_STOP_ERROR, error, path);
    return grown != NULL;
}

static bool hold_call(struct lane *lane) {
    struct lane_sums *sums = &lane->sums;
    if (sums->top < sums->last) return true;
    if (sums->open_bytes >= MOST_OPEN) return false;
    char path[PATH_MAX + 64];
    process_path(lane->recorder, path, "-%u.open", lane->number);
    lock_take(&lane->recorder->live->lock);
    void *grown = sys_grow_file(path, sums->open, sums->open_bytes, sums->open_bytes * 2);
    if (grown) adopt_open(sums, grown, sums->open_bytes * 2);
    lock_give(&lane->recorder->live->lock);
    return grown != NULL;
}

void sums_free(struct lane *lane) {
    struct lane_sums *sums = &lane->sums;
    if (sums->head) munmap(sums->head, rows_bytes(sums->all_rows));
    if (sums->open) munmap(sums->open, sums->open_bytes);
    *sums = (struct lane_sums){0};
}

void sums_forget(struct recorder *recorder) {
    lock_take(&recorder->live->lock);
    for (struct lane *lane = recorder->live->all_lanes; lane; lane = lane->next_of_recorder)
        if (lane->sums.rows) memset(lane->sums.rows, 0, lane->sums.all_rows * sizeof *lane->sums.rows);
    lock_give(&recorder->live->lock);
}

/* ---- calls that do not end as the innermost one ------------------------------------------------------------------ */

static struct spool_sum *row_of(const struct lane_sums *sums, const struct spool_open *call) {
    return &sums->rows[call->region - 1];
}

static uint64_t since(uint64_t ticks, uint64_t begin) { return ticks > begin ? ticks - begin : 0; }

/* Adds the call up as ended at `ticks`, and forgets it. */
static struct spool_sum *finish(struct lane_sums *sums, struct spool_open *call, uint64_t ticks) {
    struct spool_sum *row = row_of(sums, call);
    const uint64_t duration = since(ticks, call->begin), inside = call->inside;
    call->region = 0;
    sums_add(row, duration, inside < duration ? inside : duration);
    return row;
}

static void cut_off(struct lane_sums *sums, struct spool_open *call, uint64_t ticks) {
    const uint64_t duration = since(ticks, call->begin);
    struct spool_sum *row = finish(sums, call, ticks);
    row->cut++;
    if (duration > row->open_ticks) row->open_ticks = duration;
}

static struct spool_open *pop(struct lane_sums *sums, uint64_t ticks) {
    struct spool_open *call = sums->top--;
    sums->top->inside += since(ticks, call->begin);
    return call;
}

/* The one that was jumped over first makes room. */
static struct spool_open *free_place(struct lane_sums *sums) {
    struct spool_open *oldest = sums->head->jumped;
    for (int i = 0; i < SPOOL_JUMPED_MAX; i++) {
        struct spool_open *place = &sums->head->jumped[i];
        if (place->region == 0) return place;
        if (place->jumped < oldest->jumped) oldest = place;
    }
    cut_off(sums, oldest, oldest->jumped);
    return oldest;
}

/* It may still be ended; until then it is nobody's child. */
static void jump(struct lane_sums *sums, uint64_t ticks) {
    struct spool_open *place = free_place(sums), *call = pop(sums, ticks);
    const uint32_t region = call->region;
    place->begin = call->begin;
    place->inside = call->inside;
    place->jumped = ticks;
    place->kept = call->kept;
    SUMS_ORDER();
    call->region = 0;
    place->region = region;
}

static struct spool_open *find_open(const struct lane_sums *sums, uint32_t region) {
    for (struct spool_open *call = sums->top; call > sums->open; call--)
        if (call->region == region) return call;
    return NULL;
}

static struct spool_open *find_jumped(const struct lane_sums *sums, uint32_t region) {
    struct spool_open *newest = NULL;
    for (int i = 0; i < SPOOL_JUMPED_MAX; i++) {
        struct spool_open *call = &sums->head->jumped[i];
        if (call->region == region && (!newest || call->begin > newest->begin)) newest = call;
    }
    return newest;
}

/* The innermost open call of the region ends, as in `collect`; those begun after it are jumped over. */
static void end_any(struct lane *lane, uint32_t region, uint64_t ticks) {
    struct lane_sums *sums = &lane->sums;
    bool kept = false;
    struct spool_open *open = find_open(sums, region), *jumped = find_jumped(sums, region);
    if (jumped && (!open || jumped->begin > open->begin)) {
        kept = jumped->kept;
        finish(sums, jumped, ticks)->overlaps++;
    } else if (open) {
        while (sums->top != open) jump(sums, ticks);
        kept = open->kept;
        finish(sums, pop(sums, ticks), ticks);
    } else {
        sums->rows[region - 1].unmatched++;
    }
    if (kept) lane_record_at(lane, ticks, SPOOL_KIND_END | region);
}

void sums_end_unusual(struct lane *lane, uint32_t region, uint64_t ticks) {
    struct sys_quiet q = sys_quiet_begin();
    end_any(lane, region, ticks);
    sys_quiet_end(q);
}

void sums_thread_end(struct lane *lane, uint64_t ticks) {
    struct lane_sums *sums = &lane->sums;
    if (!sums->head) return;
    for (int i = 0; i < SPOOL_JUMPED_MAX; i++) {
        struct spool_open *call = &sums->head->jumped[i];
        if (call->region) cut_off(sums, call, call->jumped);
    }
    while (sums->top > sums->open) {
        struct spool_open *call = pop(sums, ticks);
        if (call->region) cut_off(sums, call, ticks);
    }
    sums->overflow = 0;
    sums->busy = 0;
    sums->num_rows = sums->all_rows;
}

bool sums_interrupted(struct lane *lane) {
    struct lane_sums *sums = &lane->sums;
    /* Deeper in the stack, or on another one. A handler that was left by longjmp never comes back: it is not waited for
     * for ever. */
    if (sums_stack() > sums->busy || sums->refused >= REFUSED_MAX) {
        sums->refused = 0;
        sums->busy = 0;
        return false;
    }
    sums->refused++;
    sums->head->lost++;
    if (sums->top > sums->open) {
        const struct spool_open call = *sums->top;
        sums->top->region = 0;
        sums->top--;
        if (call.kept && call.region)
            lane_record_at(lane, clock_ticks(lane->recorder->clock), SPOOL_KIND_END | call.region);
    }
    return true;
}

void throttle_look(struct recorder *recorder, struct spool_sum *row) {
    const struct spool_process *process = recorder->live->process;
    const struct spool_point now = clock_point(recorder->clock);
    double rate = 1; /* ns a tick: since the recording began, which was that many calls ago */
    if (now.ticks > process->first.ticks)
        rate = (double)(now.ns - process->first.ns) / (double)(now.ticks - process->first.ticks);
    const double mean = (double)row->totals[row->calls & 1].total * rate / (double)row->calls;
    if (mean < (double)recorder->throttle_ns)
        row->throttled = 1;
    else
        row->next_look = row->calls * 2;
}

/* ---- whatever is not usual --------------------------------------------------------------------------------------- */

/* The right lane, with room; NULL when recording has stopped, or there is no such region. */
static struct lane *prepare(struct recorder *recorder, struct lane *lane, uint32_t region) {
    struct lane *right = lane_of(recorder);
    if (recorder == recorder_default && lane == lane_mine) lane_take_at_hand(right);
    if (!right || (!right->sums.head && !make(right))) return NULL;
    if (region > (uint32_t)rec_num_regions(recorder)) {
        right->sums.head->lost++;
        return NULL;
    }
    if (!hold_region(right, region)) return NULL;
    if (!right->sums.overflow) right->sums.num_rows = right->sums.all_rows;
    return right;
}

/* While there is overflow, num_rows is 0 and every event comes here. */
static void overflow(struct lane_sums *sums, bool end) {
    sums->num_rows = 0;
    if (!end) {
        sums->overflow++;
        sums->head->too_deep++;
    } else if (--sums->overflow == 0) {
        sums->num_rows = sums->all_rows;
    }
}

static void begin_call(const struct recorder *recorder, struct lane *lane, uint32_t region) {
    struct lane_sums *sums = &lane->sums;
    const bool kept = recorder->mode == REC_THROTTLE && !sums->rows[region - 1].throttled;
    const uint64_t ticks = sums_push(sums, sums->top + 1, region, recorder->clock, kept);
    if (kept) lane_record_at(lane, ticks, region);
}

void sums_resume(struct recorder *recorder, struct lane *lane, int region, uint64_t begin) {
    struct lane_sums *sums = &lane->sums;
    if ((!sums->head && !make(lane)) || !hold_region(lane, (uint32_t)region) || !hold_call(lane)) return;
    sums->num_rows = sums->all_rows;
    sums_push(sums, sums->top + 1, (uint32_t)region, recorder->clock, recorder->mode == REC_THROTTLE);
    sums->top->begin = begin;
}

void sums_slow(struct recorder *recorder, struct lane *lane, bool end, int region, uint64_t ticks) {
    if (region < 1 || region > SPOOL_REGION_MAX || !recorder) return;
    struct sys_quiet q = sys_quiet_begin();
    struct lane *right = prepare(recorder, lane, (uint32_t)region);
    if (right) {
        struct lane_sums *sums = &right->sums;
        if (sums->overflow || (!end && !hold_call(right)))
            overflow(sums, end);
        else if (end)
            end_any(right, (uint32_t)region, ticks);
        else
            begin_call(recorder, right, (uint32_t)region);
    }
    sys_quiet_end(q);
}
