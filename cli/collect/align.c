#include "align.h"
#include <string.h>

#define SHORTEST_NS 100000000 /* between two measurements that tell a drift */
#define FASTEST     1000      /* a drift of more than 1/1000 is none of a clock */

static bool same_namespace(uint64_t a, uint64_t b) { return a == b || !a || !b; }

bool align_same(const struct process *p, const struct process *q) {
    return strcmp(p->info.boot_id, q->info.boot_id) == 0 &&
           same_namespace(p->info.time_namespace, q->info.time_namespace);
}

bool align_is_session(const struct session *session, const struct process *p) {
    return session->boot_id && strcmp(session->boot_id, p->info.boot_id) == 0 &&
           same_namespace((uint64_t)session->time_namespace, p->info.time_namespace);
}

int64_t align_drift(const struct process *p, int64_t ns) {
    if (!p->align.within) return 0;
    return (int64_t)((i128)p->align.more * (ns - p->align.since) / p->align.within);
}

/* ---- by the calendar ----------------------------------------------------------------------------------------------
 */

/* 0 where nothing is known. */
static int64_t by_calendar(const struct process *p, int64_t realtime, int64_t ns) {
    i128 align = ((i128)p->info.realtime_ns - p->info.first.ns) - ((i128)realtime - ns);
    if (!p->info.realtime_ns || !realtime || align > CLOCK_ALIGN_MAX || align < -CLOCK_ALIGN_MAX) return 0;
    return (int64_t)align;
}

/* One offset a clock, from its first process. */
static void align_by_calendar(struct collection *c) {
    const struct session *s = &c->session;
    const bool known = s->boot_id && s->has_start && s->has_realtime;
    const struct process *first = &c->processes[0];
    const int64_t realtime = known ? s->realtime_ns : first->info.realtime_ns,
                  ns = known ? s->start_ns : first->info.first.ns;
    for (size_t i = 0; i < c->num_processes; i++) {
        struct process *p = &c->processes[i];
        size_t k = 0;
        if (known ? align_is_session(s, p) : align_same(first, p)) continue;
        while (k < i && !align_same(&c->processes[k], p)) k++;
        p->align.ns = k < i ? c->processes[k].align.ns : by_calendar(p, realtime, ns);
    }
}

/* ---- as measured --------------------------------------------------------------------------------------------------
 */

static int64_t absolute(int64_t value) { return value < 0 ? -value : value; }

/* From the process's clock to rank 0's. A drift that is smaller than what it is measured with is none. */
static void set_from_measured(struct process *p, const struct process *by) {
    const struct spool_mpi_clock *first = &by->clocks[0], *last = &by->clocks[by->num_clocks - 1];
    const struct spool_mpi_clock *best = last->error_ns < first->error_ns ? last : first;
    const int64_t within = last->ns - first->ns, more = last->ahead_ns - first->ahead_ns;
    p->align.ns = best->ahead_ns;
    p->align.within = 0;
    if (within < SHORTEST_NS || absolute(more) <= first->error_ns + last->error_ns || absolute(more) > within / FASTEST)
        return;
    p->align.ns = first->ahead_ns;
    p->align.more = more;
    p->align.since = first->ns;
    p->align.within = within;
}

static const struct process *rank_zero_of(const struct collection *c, const struct process *p) {
    for (size_t i = 0; i < c->num_processes; i++) {
        const struct process *q = &c->processes[i];
        if (q->info.mpi_initialized && q->info.mpi_rank == 0 && strcmp(q->info.world, p->info.world) == 0) return q;
    }
    return NULL;
}

/* What rank 0's clock is less than the session's. */
static int64_t base_of(const struct collection *c, const struct process *zero) {
    for (size_t i = 0; i < c->num_processes; i++)
        if (c->processes[i].num_clocks && align_is_session(&c->session, &c->processes[i]))
            return -c->processes[i].clocks[0].ahead_ns;
    return zero->align.ns;
}

static void align_as_measured(struct collection *c) {
    const struct process *zero = NULL;
    for (size_t i = 0; i < c->num_processes && !zero; i++)
        if (c->processes[i].num_clocks) zero = rank_zero_of(c, &c->processes[i]);
    if (!zero) return;
    const int64_t base = base_of(c, zero);
    const struct process reference = *zero; /* aligned itself below */
    for (size_t i = 0; i < c->num_processes; i++) {
        struct process *p = &c->processes[i];
        size_t k = 0;
        while (k < c->num_processes && !(c->processes[k].num_clocks && align_same(&c->processes[k], p))) k++;
        const bool measured = k < c->num_processes;
        if (measured) set_from_measured(p, &c->processes[k]);
        if (measured) p->align.ns += base;
        if (!measured && align_same(&reference, p)) p->align.ns = base;
        if (absolute(p->align.ns) > CLOCK_ALIGN_MAX) p->align.ns = 0;
        for (unsigned n = 0; n < p->num_clocks; n++)
            if (p->clocks[n].error_ns > c->clock_error_ns) c->clock_error_ns = p->clocks[n].error_ns;
    }
}

void align_machines(struct collection *c) {
    c->clock_error_ns = -1;
    align_by_calendar(c);
    align_as_measured(c);
}
