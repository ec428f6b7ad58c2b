/* The runs of a gate: which there are, and whether they can be compared at all. */
#include "gate_input.h"
#include "internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* ---- what a file says of its run --------------------------------------------------------------------------------- */

static const char *text_of(const spr_profile *profile, const char *key) {
    const spr_value *value = spr_metadata(profile, key);
    return value && value->kind == SPR_TEXT ? value->text : "";
}

static int64_t time_of(const spr_profile *profile, const char *key) {
    const spr_value *value = spr_metadata(profile, key);
    return value && value->kind == SPR_INTEGER ? value->integer : -1;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct rd_named *)a)->name, ((const struct rd_named *)b)->name);
}

static int fill_run(struct rd_run *run, spr_profile *profile, const spr_selection *selection, spr_error *error) {
    const size_t regions = spr_num_regions(profile);
    *run = (struct rd_run){.profile = profile,
                           .selection = selection,
                           .names = malloc((regions + 1) * sizeof *run->names),
                           .start = time_of(profile, "start_time_ns"),
                           .finish = time_of(profile, "finalize_time_ns"),
                           .timestamp = text_of(profile, "timestamp")};
    if (!run->names) return rd_no_memory(profile, error);
    for (size_t region = 0; region < regions; region++)
        if (spr_selects_region(selection, region))
            run->names[run->num_names++] = (struct rd_named){spr_region_name(profile, region), region};
    qsort(run->names, run->num_names, sizeof *run->names, by_name);
    return SPR_OK;
}

size_t rd_run_region(const struct rd_run *run, const char *name) {
    const struct rd_named key = {name, 0};
    const struct rd_named *found = bsearch(&key, run->names, run->num_names, sizeof key, by_name);
    return found ? found->region : SIZE_MAX;
}

/* An order of the runs' own: which file was named first must not matter. */
static int by_identity(const void *a, const void *b) {
    const struct rd_run *x = a, *y = b;
    const int stamps = strcmp(x->timestamp, y->timestamp);
    if (stamps) return stamps;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    const uint64_t left = spr_num_calls(x->profile), right = spr_num_calls(y->profile);
    if (left != right) return left < right ? -1 : 1;
    return strcmp(spr_path(x->profile), spr_path(y->profile));
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static bool same_run(const struct rd_run *a, const struct rd_run *b) {
    struct stat one, other;
    const char *left = spr_path(a->profile), *right = spr_path(b->profile);
    if (stat(left, &one) == 0 && stat(right, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino)
        return true;
    return *a->timestamp && a->start >= 0 && a->finish >= 0 && !strcmp(a->timestamp, b->timestamp) &&
           a->start == b->start && a->finish == b->finish && spr_num_calls(a->profile) == spr_num_calls(b->profile);
}

static int refuse_twice(const struct rd_runs *runs, spr_error *error) {
    for (unsigned i = 0; i < runs->count; i++)
        for (unsigned k = i + 1; k < (i < runs->base ? runs->base : runs->count); k++)
            if (same_run(&runs->items[i], &runs->items[k]))
                return rd_fail(error, -1, spr_path(runs->items[k].profile), "the same run as %s: it counts once",
                               spr_path(runs->items[i].profile));
    return SPR_OK;
}

static const char *why_incomplete(const spr_process *process) {
    if (!process->complete) return *process->problem ? process->problem : "its last calls are missing";
    if (!strcmp(process->ended, "running")) return "it was still running";
    return !strncmp(process->ended, "signal", 6) ? "it did not end by itself" : NULL;
}

int spr_check_complete(const spr_profile *profile, const spr_selection *selection, spr_error *error) {
    for (size_t i = 0; i < spr_num_processes(profile); i++) {
        const spr_process *process = spr_process_at(profile, i);
        const char *why = spr_selects_rank(selection, process->rank) ? why_incomplete(process) : NULL;
        if (!why) continue;
        return rd_fail(error, -1, spr_path(profile),
                       "not a complete run: rank %" PRIu32 " (%s, process %" PRId64 ", ended: %s): %s", process->rank,
                       process->command, process->pid, process->ended, why);
    }
    return SPR_OK;
}

static int refuse_other_machine(const struct rd_runs *runs, spr_error *error) {
    static const char key[] = "chip_information";
    const char *first = text_of(runs->items[0].profile, key);
    for (unsigned i = 1; i < runs->count; i++) {
        const char *other = text_of(runs->items[i].profile, key);
        if (!*first || !*other || !strcmp(first, other)) continue;
        return rd_fail(error, -1, spr_path(runs->items[i].profile), "recorded on another processor (%s) than %s (%s)",
                       other, spr_path(runs->items[0].profile), first);
    }
    return SPR_OK;
}

static int refuse_other_ranks(const struct rd_runs *runs, spr_error *error) {
    const spr_profile *first = runs->items[0].profile;
    for (unsigned i = 1; i < runs->count; i++) {
        const spr_profile *other = runs->items[i].profile;
        if (spr_num_ranks(first) == spr_num_ranks(other)) continue;
        return rd_fail(error, -1, spr_path(other), "%" PRIu32 " rank%s, but %s has %" PRIu32, spr_num_ranks(other),
                       spr_num_ranks(other) == 1 ? "" : "s", spr_path(first), spr_num_ranks(first));
    }
    return SPR_OK;
}

bool rd_runs_ranks_differ(const struct rd_runs *runs) { return refuse_other_ranks(runs, NULL) != SPR_OK; }

static int refuse(const struct rd_runs *runs, const spr_gate_options *options, spr_error *error) {
    int status = refuse_twice(runs, error);
    for (unsigned i = 0; status == SPR_OK && i < runs->count && !options->allow_incomplete; i++)
        status = spr_check_complete(runs->items[i].profile, runs->items[i].selection, error);
    if (status == SPR_OK && !options->allow_different_machine) status = refuse_other_machine(runs, error);
    if (status == SPR_OK && !options->allow_different_ranks) status = refuse_other_ranks(runs, error);
    const bool calls = options->statistic == SPR_FLOOR && options->test == SPR_PERMUTATION;
    for (unsigned i = 0; status == SPR_OK && calls && i < runs->count; i++)
        if (spr_is_aggregate(runs->items[i].profile))
            status = rd_fail(error, SPR_NO_EVENTS, spr_path(runs->items[i].profile),
                             "recorded in aggregation mode: without single calls only totals can be compared");
    return status;
}

/* ------------------------------------------------------------------------------------------------------------------ */

int rd_runs_begin(struct rd_runs *runs, spr_profile *const *base, size_t num_base, spr_profile *const *candidate,
                  size_t num_candidate, spr_selection *const *selections, const spr_gate_options *options,
                  spr_error *error) {
    *runs = (struct rd_runs){0};
    if (!num_base || !num_candidate)
        return rd_fail(error, -1, NULL, "no run of the %s", num_base ? "candidate" : "base");
    if (num_base > RD_GATE_MOST_RUNS || num_candidate > RD_GATE_MOST_RUNS - num_base)
        return rd_fail(error, -1, NULL, "%zu runs are too many: at most %d", num_base + num_candidate,
                       RD_GATE_MOST_RUNS);
    runs->items = calloc(num_base + num_candidate, sizeof *runs->items);
    if (!runs->items) return rd_no_memory(base[0], error);
    runs->base = (unsigned)num_base;
    int status = SPR_OK;
    for (size_t i = 0; status == SPR_OK && i < num_base + num_candidate; i++) {
        spr_profile *profile = i < num_base ? base[i] : candidate[i - num_base];
        status = fill_run(&runs->items[runs->count++], profile, selections ? selections[i] : NULL, error);
    }
    if (status != SPR_OK) return status;
    qsort(runs->items, num_base, sizeof *runs->items, by_identity);
    qsort(runs->items + num_base, num_candidate, sizeof *runs->items, by_identity);
    return refuse(runs, options, error);
}

void rd_runs_free(struct rd_runs *runs) {
    for (unsigned i = 0; i < runs->count; i++) free(runs->items[i].names);
    free(runs->items);
    *runs = (struct rd_runs){0};
}

bool rd_runs_hosts_differ(const struct rd_runs *runs) {
    const char *first = text_of(runs->items[0].profile, "hostname");
    for (unsigned i = 1; i < runs->count; i++) {
        const char *other = text_of(runs->items[i].profile, "hostname");
        if (*first && *other && strcmp(first, other)) return true;
    }
    return false;
}

/* Seconds since 1970 of 2026-01-31T12:34:56.789+00:00; NAN where it says no time zone, or is something else. */
static double wall_clock(const char *timestamp) {
    struct tm t = {0};
    int hours, minutes, used = 0;
    double seconds;
    char sign;
    if (sscanf(timestamp, "%4d-%2d-%2dT%2d:%2d:%lf%n", &t.tm_year, &t.tm_mon, &t.tm_mday, &t.tm_hour, &t.tm_min,
               &seconds, &used) != 6)
        return (double)NAN;
    if (sscanf(timestamp + used, "%c%2d:%2d", &sign, &hours, &minutes) != 3 || (sign != '+' && sign != '-'))
        return (double)NAN;
    t.tm_year -= 1900;
    t.tm_mon -= 1;
    const double offset = 60.0 * (60.0 * hours + minutes);
    return (double)timegm(&t) + seconds - (sign == '-' ? -offset : offset);
}

bool rd_runs_one_after_other(const struct rd_runs *runs) {
    double base_end = -INFINITY, candidate_start = INFINITY;
    for (unsigned i = 0; i < runs->count; i++) {
        const struct rd_run *run = &runs->items[i];
        const double start = wall_clock(run->timestamp);
        if (isnan(start) || run->start < 0 || run->finish < run->start) return false;
        if (i < runs->base)
            base_end = fmax(base_end, start + (double)(run->finish - run->start) / 1e9);
        else
            candidate_start = fmin(candidate_start, start);
    }
    return base_end <= candidate_start;
}
