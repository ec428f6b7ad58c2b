#include "sums.h"
#include "files.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPEN_MAX  (16u << 20)         /* bytes of open calls that are looked at, per lane */
#define TICKS_MAX (UINT64_C(1) << 62) /* no sum is larger */
#define BLOCK     256                 /* sums, or open calls, read at a time */

/* ---- the first pass ---------------------------------------------------------------------------------------------- */

static int open_one(const struct process *p, uint32_t number, const char *suffix, uint64_t *size) {
    char name[64];
    snprintf(name, sizeof name, "%s-%" PRIu32 ".%s", p->id, number, suffix);
    return file_open(p->dir->fd, name, O_RDONLY, size);
}

static struct row *row_of(struct process *p, uint32_t region) {
    uint32_t row = region && region <= p->num_regions ? p->row_of_region[region] : NO_ROW;
    return row == NO_ROW ? NULL : &p->rows[row];
}

static uint64_t bounded(uint64_t value, uint64_t most) { return value < most ? value : most; }

/* Whatever a file says: minimum <= maximum <= total, inside <= total. */
static void add(struct totals *sums, const struct spool_sum *from) {
    const struct spool_totals *t = &from->totals[from->calls & 1];
    const uint64_t total = bounded(t->total, TICKS_MAX), maximum = bounded(t->maximum, total);
    const uint64_t minimum = bounded(~t->not_minimum, maximum);
    if (!sums->calls || minimum < sums->minimum) sums->minimum = minimum;
    if (maximum > sums->maximum) sums->maximum = maximum;
    sums->known = true;
    sums->calls = bounded(sums->calls + bounded(from->calls, TICKS_MAX), TICKS_MAX);
    sums->total += total;
    sums->inside += bounded(t->inside, total);
}

static void take_sum(struct process *p, uint32_t region, const struct spool_sum *sum) {
    struct row *row = row_of(p, region);
    if (!sum->calls && !sum->unmatched) return;
    const uint64_t calls = bounded(sum->calls, TICKS_MAX / 4);
    p->events += 2 * calls + bounded(sum->unmatched, TICKS_MAX / 4);
    if (!row) {
        p->unknown += calls;
        return;
    }
    if (sum->calls) add(&row->sums, sum);
    row->throttled |= sum->throttled != 0;
    row->unmatched += bounded(sum->unmatched, TICKS_MAX);
    row->overlaps += bounded(sum->overlaps, calls);
    row->cut += bounded(sum->cut, calls);
    if ((int64_t)bounded(sum->open_ticks, TICKS_MAX) > row->open_ns)
        row->open_ns = (int64_t)bounded(sum->open_ticks, TICKS_MAX);
    p->overlap |= sum->overlaps > 0;
}

static bool keep_open(struct process *p, const struct spool_open *call, bool outermost) {
    struct row *row = row_of(p, call->region);
    if (call->begin > p->last_tick) p->last_tick = call->begin;
    if (!call->region || (p->info.stop == SPOOL_STOP_CHECKPOINT && !call->jumped)) return true;
    p->events++;
    if (!row) {
        p->unknown++;
        return true;
    }
    if ((p->num_open & (p->num_open - 1)) == 0) { /* 0, 1, 2, 4, ...: full */
        struct open_sum *open = realloc(p->open, (p->num_open ? p->num_open * 2 : 1) * sizeof *open);
        if (!open) return false;
        p->open = open;
    }
    p->open[p->num_open++] = (struct open_sum){*call, outermost};
    if (!row->sums.known) row->sums = (struct totals){.known = true, .minimum = UINT64_MAX};
    row->cut++;
    row->at_exit += !call->jumped;
    return true;
}

/* The calls up to the first that is none; behind it is what the thread had open before, which tells how far it came. */
static bool read_open(struct process *p, uint32_t number) {
    struct spool_open calls[BLOCK];
    uint64_t size;
    int fd = open_one(p, number, "open", &size);
    bool good = true, more = true;
    if (fd < 0) return true;
    size = bounded(size, OPEN_MAX) / sizeof *calls;
    for (uint64_t at = 1; good && at < size; at += BLOCK) {
        ssize_t got = file_read(fd, calls, sizeof calls, at * sizeof *calls);
        for (size_t i = 0; good && got > 0 && i < (size_t)got / sizeof *calls; i++) {
            more &= calls[i].region != 0;
            if (!more) calls[i].region = 0;
            calls[i].jumped = 0;
            good = keep_open(p, &calls[i], at + i == 1);
        }
        if (got < (ssize_t)sizeof calls) break;
    }
    close(fd);
    return good;
}

static bool read_head(struct process *p, const struct spool_sums *head) {
    p->lost += bounded(head->lost, TICKS_MAX / 4);
    p->too_deep += bounded(head->too_deep, TICKS_MAX / 4);
    for (int i = 0; i < SPOOL_JUMPED_MAX; i++)
        if (head->jumped[i].region && head->jumped[i].jumped && !keep_open(p, &head->jumped[i], true)) return false;
    return true;
}

/* As many rows as there are regions, and what may be behind them: rows are made by the page. */
static void read_rows(struct process *p, int fd) {
    struct spool_sum sums[BLOCK];
    const uint64_t most = (uint64_t)p->num_regions * 2 + BLOCK;
    for (uint64_t at = 0; at < most; at += BLOCK) {
        ssize_t got = file_read(fd, sums, sizeof sums, SPOOL_PAGE + at * sizeof *sums);
        for (size_t i = 0; got > 0 && i < (size_t)got / sizeof *sums; i++)
            take_sum(p, (uint32_t)(at + i + 1), &sums[i]);
        if (got < (ssize_t)sizeof sums) break;
    }
}

static bool read_sums(struct process *p, uint32_t number) {
    struct spool_sums head;
    int fd = open_one(p, number, "sums", NULL);
    if (fd < 0) return true;
    bool whole = file_read(fd, &head, sizeof head, 0) == sizeof head, good = true;
    if (whole && head.magic == SPOOL_SUMS_MAGIC && head.version == SPOOL_VERSION && head.number == number) {
        good = read_head(p, &head) && read_open(p, number);
        if (good) read_rows(p, fd);
    } else if (!whole || head.magic) { /* one that died while making it had no call yet */
        p->damaged = true;
    }
    close(fd);
    return good;
}

/* They made a lane for something. */
static void count_threads(struct process *p) {
    for (struct thread *t = p->threads; t; t = t->hh.next) {
        if (!t->calls) t->first_call_tick = t->begin_tick;
        t->calls += !t->calls;
        if (t->begin_tick && (!p->first_event_tick || t->begin_tick < p->first_event_tick))
            p->first_event_tick = t->begin_tick;
    }
}

/* Where there are calls as well, they are those of the same lanes: what does not balance is counted once. */
static void forget_problems(struct process *p) {
    for (size_t i = 0; p->num_sums && i < p->num_rows; i++) {
        struct row *row = &p->rows[i];
        row->unmatched = row->overlaps = row->cut = row->at_exit = 0;
    }
}

bool sums_count(struct process *p) {
    forget_problems(p);
    for (size_t i = 0; i < p->num_sums; i++)
        if (!read_sums(p, p->sums[i])) return false;
    for (size_t i = 0; i < p->num_open; i++) row_of(p, p->open[i].call.region)->sums.calls++;
    if (p->num_sums) count_threads(p);
    return true;
}

/* ---- nanoseconds ------------------------------------------------------------------------------------------------- */

struct rate { /* ns = ticks * multiplier / 2^CLOCK_SHIFT */
    u128 multiplier;
};

/* Over the whole time, since a sum has no place in it. */
static struct rate rate_of(const struct clock_map *map) {
    const struct clock_segment *first = &map->segments[0], *last = &map->segments[map->count - 1];
    if (last->ticks <= first->ticks || last->ns <= first->ns) return (struct rate){first->multiplier};
    return (struct rate){((u128)(last->ns - first->ns) << CLOCK_SHIFT) / (last->ticks - first->ticks)};
}

static u128 in_ns(struct rate rate, u128 ticks) {
    const u128 most = (u128)INT64_MAX;
    if (rate.multiplier && ticks > ~(u128)0 / rate.multiplier) return most;
    const u128 ns = ticks * rate.multiplier >> CLOCK_SHIFT;
    return ns < most ? ns : most;
}

static void convert(struct row *row, struct rate rate) {
    struct totals *sums = &row->sums;
    const u128 own = in_ns(rate, sums->total - sums->inside);
    sums->total = in_ns(rate, sums->total);
    sums->inside = sums->total - own;
    sums->minimum = (uint64_t)in_ns(rate, sums->minimum);
    sums->maximum = (uint64_t)in_ns(rate, sums->maximum);
    row->open_ns = (int64_t)in_ns(rate, (u128)row->open_ns);
}

static void add_call(struct row *row, uint64_t duration, uint64_t inside) {
    struct totals *sums = &row->sums;
    if (duration < sums->minimum) sums->minimum = duration;
    if (duration > sums->maximum) sums->maximum = duration;
    sums->total += duration;
    sums->inside += bounded(inside, duration);
    if ((int64_t)duration > row->open_ns) row->open_ns = (int64_t)duration;
}

void sums_convert(struct process *p) {
    if (!p->num_sums) return;
    const struct rate rate = rate_of(&p->clock);
    for (size_t i = 0; i < p->num_rows; i++)
        if (p->rows[i].sums.known) convert(&p->rows[i], rate);
    uint64_t within = 0; /* the time of the call that is open directly within the next one */
    for (size_t i = p->num_open; i-- > 0;) {
        const struct spool_open *call = &p->open[i].call;
        struct row *row = row_of(p, call->region);
        const int64_t begin = clock_ns(&p->clock, call->begin);
        const int64_t end = call->jumped ? clock_ns(&p->clock, call->jumped) : p->stop_ns;
        const uint64_t duration = end > begin ? (uint64_t)(end - begin) : 0;
        const u128 inside = in_ns(rate, call->inside) + (call->jumped ? 0 : within);
        add_call(row, duration, inside > INT64_MAX ? INT64_MAX : (uint64_t)inside);
        within = call->jumped || p->open[i].outermost ? 0 : duration;
    }
}
