#include "times.h"
#include "align.h"
#include "files.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define RATE_NS 10000000 /* points further apart give a rate that needs no help from other processes */

static bool same_clock(const struct process *p, const struct process *q) {
    return p->info.clock == q->info.clock && align_same(p, q);
}

int64_t process_session_ns(const struct process *p, int64_t ns) { return ns + p->align.ns + align_drift(p, ns); }

static bool span_enough(const struct spool_point *points, size_t count) {
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        if (points[i].ns < low) low = points[i].ns;
        if (points[i].ns > high) high = points[i].ns;
    }
    return count && high > low && (uint64_t)high - (uint64_t)low > RATE_NS;
}

static size_t gather_points(const struct collection *c, const struct process *p, struct spool_point *points) {
    const struct session *s = &c->session;
    size_t count = 0;
    points[count++] = p->info.first;
    points[count++] = p->info.last;
    for (size_t i = 0; i < p->num_points; i++) points[count++] = p->points[i];
    if (p->info.clock == SPOOL_CLOCK_MONOTONIC) return count;
    if (s->has_start && s->has_ticks && align_is_session(s, p))
        points[count++] = (struct spool_point){s->start_ticks, s->start_ns};
    if (p->here && clock_now(p->info.clock, &points[count])) count++;
    if (span_enough(points, count)) return count;
    for (size_t i = 0; i < c->num_processes; i++) {
        if (!same_clock(p, &c->processes[i])) continue;
        points[count++] = c->processes[i].info.first;
        points[count++] = c->processes[i].info.last;
    }
    return count;
}

/* A drift between two machines is one of the rate at which the session's time goes by; it turns CLOCK_MONOTONIC itself
 * into a clock of another rate. */
static uint32_t add_drift(const struct process *p, struct spool_point *points, size_t *count) {
    if (!p->align.within) return p->info.clock;
    if (p->info.clock == SPOOL_CLOCK_MONOTONIC) {
        const int64_t until = p->align.since + p->align.within;
        points[0] = (struct spool_point){(uint64_t)p->align.since, p->align.since};
        points[1] = (struct spool_point){(uint64_t)until, until};
        *count = 2;
    }
    for (size_t i = 0; i < *count; i++) points[i].ns += align_drift(p, points[i].ns);
    return SPOOL_CLOCK_TSC;
}

static bool make_clock(struct collection *c, struct process *p) {
    enum clock_trust trust;
    struct spool_point *points = malloc((4 + p->num_points + 2 * c->num_processes) * sizeof *points);
    if (!points) return false;
    size_t count = gather_points(c, p, points);
    const uint32_t kind = add_drift(p, points, &count);
    const bool good = clock_make(&p->clock, kind, points, count, p->align.ns, &trust);
    free(points);
    if (good && trust == CLOCK_UNEVEN)
        note(c->report,
             "process %lld: the processor's counter jumped while it ran (the machine was suspended or moved?): times "
             "within about a second of that are off",
             (long long)p->info.pid);
    if (good && trust == CLOCK_UNKNOWN)
        note(c->report, "process %lld: the rate of its clock is not known: its durations are in clock ticks",
             (long long)p->info.pid);
    return good;
}

int64_t process_start_ns(const struct process *p) { return clock_ns(&p->clock, p->info.first.ticks); }

/* When somebody saw it end; INT64_MIN: nobody did. */
static int64_t seen_end_ns(const struct process *p) {
    char name[80], text[32], *rest;
    snprintf(name, sizeof name, SPOOL_ENDED_FILE, (long long)p->info.pid, (unsigned long long)p->info.start_time);
    if (p->replaced || !file_text(p->dir->fd, name, text, sizeof text)) return INT64_MIN;
    long long ns = strtoll(text, &rest, 10);
    return rest == text || ns < p->info.first.ns || ns > INT64_MAX / 2 ? INT64_MIN : process_session_ns(p, ns);
}

int64_t process_end_ns(const struct collection *c, const struct process *p) {
    if (p->info.end == SPOOL_END_EXIT) return clock_ns(&p->clock, p->info.end_tick);
    if (p->running) return process_session_ns(p, c->machine.now_ns);
    uint64_t tick = p->last_tick > p->info.last.ticks ? p->last_tick : p->info.last.ticks;
    int64_t recorded = clock_ns(&p->clock, tick), seen = seen_end_ns(p);
    return seen > recorded ? seen : recorded;
}

static void set_times(const struct collection *c, struct process *p) {
    p->first_event_ns = p->events ? clock_ns(&p->clock, p->first_event_tick) : process_start_ns(p);
    p->stop_ns = process_end_ns(c, p);
    if (p->info.stop == SPOOL_STOP_NOT || !p->info.stop_tick) return;
    int64_t stop = clock_ns(&p->clock, p->info.stop_tick);
    if (stop < p->stop_ns) p->stop_ns = stop;
}

/* Programs that took each other's place in one process have its pid and start time in common; the newest is the one
 * that the process is now. */
static int by_image(const void *a, const void *b) {
    const struct process *p = *(struct process *const *)a, *q = *(struct process *const *)b;
    int order = strcmp(p->info.boot_id, q->info.boot_id);
    if (!order) order = (p->info.pid > q->info.pid) - (p->info.pid < q->info.pid);
    if (!order) order = (p->info.start_time > q->info.start_time) - (p->info.start_time < q->info.start_time);
    return order ? order : (p->info.first.ns > q->info.first.ns) - (p->info.first.ns < q->info.first.ns);
}

static bool find_replaced(struct collection *c) {
    struct process **sorted = malloc((c->num_processes + 1) * sizeof *sorted);
    if (!sorted) return false;
    for (size_t i = 0; i < c->num_processes; i++) sorted[i] = &c->processes[i];
    qsort(sorted, c->num_processes, sizeof *sorted, by_image);
    for (size_t i = 1; i < c->num_processes; i++) {
        struct process *before = sorted[i - 1], *now = sorted[i];
        before->replaced = before->info.pid == now->info.pid && before->info.start_time == now->info.start_time &&
                           strcmp(before->info.boot_id, now->info.boot_id) == 0;
        if (before->replaced) before->running = false;
    }
    free(sorted);
    return true;
}

bool times_make(struct collection *c) {
    if (!c->num_processes) return true;
    if (!find_replaced(c)) return false;
    align_machines(c);
    for (size_t i = 0; i < c->num_processes; i++)
        if (!make_clock(c, &c->processes[i])) return false;
    for (size_t i = 0; i < c->num_processes; i++) set_times(c, &c->processes[i]);
    return true;
}

const char *process_ended(const struct collection *c, const struct process *p, char *text) {
    int status = c->options->child_status;
    if (c->options->child > 0 && p->info.pid == c->options->child && p->here && !p->replaced) {
        if (WIFEXITED(status)) snprintf(text, 32, "exit %d", WEXITSTATUS(status));
        if (WIFSIGNALED(status)) snprintf(text, 32, "signal %d", WTERMSIG(status));
        if (WIFEXITED(status) || WIFSIGNALED(status)) return text;
    }
    if (p->info.end == SPOOL_END_EXIT) return "exit";
    return p->running || process_is_complete(p) ? "running" : "unknown";
}
