#include "problems.h"
#include "times.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { END_WITHOUT_BEGIN, CUT_OFF, OVERLAP, LOST };

static size_t row_problems(const struct process *p, const struct row *row, struct problem *into) {
    const struct problem all[] = {
        {p->rank, row->region, END_WITHOUT_BEGIN, row->unmatched, 0, 0},
        {p->rank, row->region, CUT_OFF, row->cut, (int64_t)row->at_exit, row->open_ns},
        {p->rank, row->region, OVERLAP, row->overlaps, 0, 0},
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!all[i].count) continue;
        if (into) into[count] = all[i];
        count++;
    }
    return count;
}

static size_t all_problems(const struct collection *c, struct problem *into) {
    size_t count = 0;
    for (size_t i = 0; i < c->num_processes; i++) {
        const struct process *p = &c->processes[i];
        for (size_t k = 0; k < p->num_rows; k++) count += row_problems(p, &p->rows[k], into ? into + count : NULL);
        if (!p->lost) continue;
        if (into) into[count] = (struct problem){p->rank, -1, LOST, p->lost, 0, 0};
        count++;
    }
    return count;
}

struct problem *problems_list(const struct collection *c, size_t *count) {
    *count = all_problems(c, NULL);
    struct problem *problems = malloc((*count + 1) * sizeof *problems);
    if (problems) all_problems(c, problems);
    return problems;
}

const char *process_problem(const struct collection *c, const struct process *p, char *text, size_t size,
                            int64_t *since_ns) {
    text[0] = '\0';
    *since_ns = -1;
    if (p->info.stop == SPOOL_STOP_ERROR) {
        snprintf(text, size, "recording stopped early: %s", strerror(p->info.stop_errno));
        *since_ns = p->stop_ns;
    } else if (p->info.stop == SPOOL_STOP_LIMIT) {
        snprintf(text, size, "the limit on its recording was reached: %" PRIu64 " event%s dropped", p->lost,
                 p->lost == 1 ? " was" : "s were");
        *since_ns = p->stop_ns;
    } else if (p->running) {
        snprintf(text, size, "still running when it was collected");
        *since_ns = process_session_ns(p, c->machine.now_ns);
    } else if (p->damaged) {
        snprintf(text, size, "its files are cut short or damaged");
    } else if (p->lost) {
        snprintf(text, size, "%" PRIu64 " event%s lost", p->lost, p->lost == 1 ? " was" : "s were");
    }
    return text;
}

/* ---- notes ------------------------------------------------------------------------------------------------------ */

struct sums { /* of a region over all ranks */
    const char *name;
    uint64_t calls, kept, unmatched, cut, at_exit, overlaps;
    bool throttled;
};

static void note_region(struct report *report, const struct sums *s) {
    const char *name = s->name[0] ? s->name : "(unnamed)";
    uint64_t n = s->cut;
    if (n && n == s->calls && n == s->at_exit)
        note(report, "%s: %" PRIu64 " call%s open at exit", name, n, n == 1 ? "" : "s");
    else if (n && s->calls == 1)
        note(report, "%s: its only call was not ended", name);
    else if (n)
        note(report, "%s: %" PRIu64 " of %" PRIu64 " calls %s not ended", name, n, s->calls, n == 1 ? "was" : "were");
    if (s->throttled)
        note(report, "%s: %" PRIu64 " of %" PRIu64 " calls were kept, the others were only added up", name, s->kept,
             s->calls);
    n = s->unmatched;
    if (n) note(report, "%s: %" PRIu64 " end%s without a begin", name, n, n == 1 ? "" : "s");
    n = s->overlaps;
    if (n)
        note(report, "%s: %" PRIu64 " call%s ended after a call around %s had ended", name, n, n == 1 ? "" : "s",
             n == 1 ? "it" : "them");
}

static bool note_regions(struct collection *c, size_t num_regions) {
    struct sums *sums = calloc(num_regions + 1, sizeof *sums);
    if (!sums) return false;
    for (size_t i = 0; i < c->num_processes; i++)
        for (size_t k = 0; k < c->processes[i].num_rows; k++) {
            const struct row *row = &c->processes[i].rows[k];
            if (!row_calls(row) && !row->unmatched) continue;
            struct sums *s = &sums[row->region];
            s->name = row->name->text;
            s->calls += row_calls(row);
            s->kept += row->calls;
            s->throttled |= row->throttled;
            s->unmatched += row->unmatched;
            s->cut += row->cut;
            s->at_exit += row->at_exit;
            s->overlaps += row->overlaps;
        }
    for (size_t i = 0; i < num_regions; i++)
        if (sums[i].name) note_region(c->report, &sums[i]);
    free(sums);
    return true;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void note_process(const struct collection *c, const struct process *p) {
    struct report *report = c->report;
    char who[320], end[32];
    const char *ended = process_ended(c, p, end);
    snprintf(who, sizeof who, "process %" PRId64 " (%s)", p->info.pid, base_name(p->info.program));
    if (p->info.stop == SPOOL_STOP_ERROR)
        note(report, "%s: recording stopped early: %s%s%s", who, p->info.stop_path, p->info.stop_path[0] ? ": " : "",
             strerror(p->info.stop_errno));
    if (p->info.stop == SPOOL_STOP_LIMIT)
        note(report, "%s: the limit on its recording was reached: %" PRIu64 " event%s dropped", who, p->lost,
             p->lost == 1 ? " was" : "s were");
    if (strncmp(ended, "signal ", 7) == 0)
        note(report, "%s was ended by %s (%s)", who, ended, strsignal(atoi(ended + 7)));
    if (p->running) note(report, "%s was still running: what it records from now on is lost", who);
    if (p->damaged) note(report, "%s: its files are cut short or damaged: what they held behind that is lost", who);
    if (p->unknown)
        note(report, "%s: %" PRIu64 " event%s of regions without a name %s lost", who, p->unknown,
             p->unknown == 1 ? "" : "s", p->unknown == 1 ? "is" : "are");
    if (p->too_deep)
        note(report, "%s: %" PRIu64 " call%s nested too deeply to be kept", who, p->too_deep,
             p->too_deep == 1 ? " was" : "s were");
    uint64_t other = p->lost - p->unknown - p->too_deep;
    if (other && p->info.stop != SPOOL_STOP_LIMIT)
        note(report, "%s: %" PRIu64 " event%s lost", who, other, other == 1 ? " was" : "s were");
}

bool problems_note(struct collection *c, size_t num_regions) {
    if (!note_regions(c, num_regions)) return false;
    for (size_t i = 0; i < c->num_processes; i++) note_process(c, &c->processes[i]);
    return true;
}
