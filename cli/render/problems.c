/* What is wrong with the data, or missing from it, in plain lines. */
#include "base/memory.h"
#include "summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 40, MOST_NAMES = 10 };

struct counted { /* problems of one region and kind, over the ranks */
    size_t region;
    enum spr_problem_kind kind;
    uint64_t count;
    int64_t at_exit, open_ns;
    uint32_t ranks, rank;
};

static int by_region_and_kind(const void *left, const void *right) {
    const struct counted *a = left, *b = right;
    if (a->region != b->region) return a->region < b->region ? -1 : 1;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

static char *cut_off_text(const spr_profile *profile, const spr_selection *selection, const struct counted *problem) {
    uint64_t calls = 0;
    size_t first, count;
    spr_region_rows(profile, problem->region, &first, &count);
    for (size_t i = 0; i < count; i++) {
        const spr_row *row = spr_row_at(profile, first + i);
        if (!selection || spr_selects_rank(selection, row->rank)) calls += row->calls;
    }
    char *open = problem->at_exit > 0 ? xformat(", %" PRId64 " open at exit", problem->at_exit) : xcopy("");
    char *text = xformat("%" PRIu64 " of %" PRIu64 " not ended%s; cut off, the longest after %.3f s", problem->count,
                         calls, open, (double)problem->open_ns / 1e9);
    free(open);
    return text;
}

static char *problem_text(const spr_profile *profile, const spr_selection *selection, const struct counted *problem) {
    uint64_t count = problem->count;
    switch (problem->kind) {
    case SPR_END_WITHOUT_BEGIN:
        return xformat("%" PRIu64 " end%s without begin", count, plural(count));
    case SPR_CUT_OFF:
        return cut_off_text(profile, selection, problem);
    case SPR_OVERLAP:
        return xformat("%" PRIu64 " call%s ended while a call begun inside was open", count, plural(count));
    case SPR_LOST:
        break;
    }
    return xformat("%" PRIu64 " event%s could not be recorded", count, plural(count));
}

static void print_problem(const struct sink *sink, const spr_profile *profile, const spr_selection *selection,
                          const struct counted *problem) {
    bool named = problem->region < spr_num_regions(profile);
    char *name = named ? text_shown(spr_region_name(profile, problem->region)) : xcopy("events");
    char *text = problem_text(profile, selection, problem);
    char *where = xcopy("");
    if (spr_num_ranks(profile) > 1) {
        free(where);
        where = problem->ranks == 1 ? xformat(" (rank %" PRIu32 ")", problem->rank)
                                    : xformat(" (on %" PRIu32 " ranks)", problem->ranks);
    }
    sink_line(sink, "  %s: %s%s", name, text, where);
    free(where);
    free(text);
    free(name);
}

static void print_unbalanced(const struct sink *sink, const spr_profile *profile, const spr_selection *selection) {
    size_t total = spr_num_problems(profile), count = 0, groups = 0;
    struct counted *list = xalloc(total, sizeof *list);
    for (size_t i = 0; i < total; i++) {
        const spr_problem *p = spr_problem_at(profile, i);
        bool named = p->region < spr_num_regions(profile);
        if (selection &&
            (!spr_selects_rank(selection, p->rank) || (named && !spr_selects_region(selection, p->region))))
            continue;
        list[count++] = (struct counted){p->region, p->kind, p->count, p->at_exit, p->open_ns, 1, p->rank};
    }
    qsort(list, count, sizeof *list, by_region_and_kind);
    for (size_t i = 0; i < count; i++) {
        struct counted *group = groups ? &list[groups - 1] : NULL;
        if (!group || group->region != list[i].region || group->kind != list[i].kind) {
            list[groups++] = list[i];
            continue;
        }
        group->count += list[i].count;
        group->at_exit += list[i].at_exit;
        group->ranks++;
        if (list[i].open_ns > group->open_ns) group->open_ns = list[i].open_ns;
    }
    for (size_t i = 0; i < groups && i < MOST_LINES; i++) print_problem(sink, profile, selection, &list[i]);
    if (groups > MOST_LINES) sink_line(sink, "  and %zu more such lines; --json has all", groups - MOST_LINES);
    free(list);
}

static void print_process(const struct sink *sink, const spr_process *process) {
    char *command = text_shown(process->command), *ended = text_shown(process->ended);
    char *problem = text_shown(*process->problem ? process->problem : "its last calls are missing");
    sink_line(sink, "  Rank %" PRIu32 " (%s, process %" PRId64 ", ended: %s) is not complete: %s", process->rank,
              command, process->pid, ended, problem);
    free(problem);
    free(ended);
    free(command);
}

static void print_incomplete(const struct sink *sink, const spr_profile *profile, const spr_selection *selection) {
    size_t lines = 0;
    for (size_t i = 0; i < spr_num_processes(profile); i++) {
        const spr_process *process = spr_process_at(profile, i);
        if (process->complete || (selection && !spr_selects_rank(selection, process->rank))) continue;
        if (lines++ < MOST_LINES) print_process(sink, process);
    }
    if (lines > MOST_LINES) sink_line(sink, "  and %zu more incomplete processes", lines - MOST_LINES);
}

static int by_number(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* "0-2, 5": ranks in [0, total) that are not among the `count` sorted ones. */
static char *missing_ranks(const uint32_t *present, size_t count, uint32_t total) {
    char *text = NULL;
    size_t length = 0, ranges = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return xcopy("");
    uint64_t next = 0;
    for (size_t i = 0; i <= count; i++) {
        uint64_t here = i < count ? present[i] : total;
        if (here > next && ranges++ < MOST_NAMES) {
            fprintf(out, "%s%" PRIu64, ranges > 1 ? ", " : "", next);
            if (here - next > 1) fprintf(out, "-%" PRIu64, here - 1);
        }
        if (here >= next) next = here + 1;
    }
    if (ranges > MOST_NAMES) fputs(", ...", out);
    fclose(out);
    return text;
}

static void print_silent_ranks(const struct sink *sink, const spr_profile *profile) {
    size_t rows = spr_num_rows(profile), count = 0;
    uint32_t *present = xalloc(rows, sizeof *present), total = spr_num_ranks(profile);
    for (size_t i = 0; i < rows; i++) present[i] = spr_row_at(profile, i)->rank;
    qsort(present, rows, sizeof *present, by_number);
    for (size_t i = 0; i < rows; i++)
        if (!count || present[count - 1] != present[i]) present[count++] = present[i];
    if (rows && count < total) {
        char *which = missing_ranks(present, count, total);
        sink_line(sink, "  %zu of %" PRIu32 " ranks have data; none from rank %s", count, total, which);
        free(which);
    }
    free(present);
}

/* Statistics are over the ranks that have the region: say so where these are not all. */
static void print_partial_regions(const struct sink *sink, const spr_profile *profile, const struct rows *rows) {
    uint32_t total = spr_num_ranks(profile);
    size_t named = 0, more = 0, length = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &length);
    if (!out) return;
    bool *seen = xalloc(spr_num_regions(profile), sizeof *seen);
    for (size_t i = 0; i < rows->count && total > 1; i++) {
        const struct row *row = &rows->items[i];
        size_t first, ranks;
        spr_region_rows(profile, row->region, &first, &ranks);
        if (seen[row->region] || ranks == total) continue;
        seen[row->region] = true;
        if (named == MOST_NAMES) more++;
        if (named < MOST_NAMES)
            fprintf(out, "%s%s (%zu of %" PRIu32 " ranks)", named++ ? ", " : "", row->name, ranks, total);
    }
    fclose(out);
    char *rest = more ? xformat(" and %zu more", more) : xcopy("");
    if (named) sink_line(sink, "  Not on every rank: %s%s", text, rest);
    free(rest);
    free(seen);
    free(text);
}

void summary_problems(const struct sink *sink, const spr_profile *profile, const spr_selection *selection,
                      const struct rows *rows) {
    char *text = NULL;
    size_t length = 0;
    struct sink lines = {.stream = open_memstream(&text, &length), .columns = sink->columns};
    if (!lines.stream) return;
    if (rows->why_flat) sink_line(&lines, "  %s", rows->why_flat);
    print_silent_ranks(&lines, profile);
    print_partial_regions(&lines, profile, rows);
    print_incomplete(&lines, profile, selection);
    print_unbalanced(&lines, profile, selection);
    fclose(lines.stream);
    if (length) fprintf(sink->stream, "%s\n", text);
    free(text);
}
