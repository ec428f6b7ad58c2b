#include "everything.h"

#include "scope_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t seen; /* what is read has to be read, not optimised away */

static void promise(int kept, const char *what) {
    if (kept) return;
    fprintf(stderr, "broken promise: %s\n", what);
    abort();
}

static void look_at(const char *text) {
    promise(text != NULL, "a string");
    seen += strlen(text);
}

static void look_at_optional(const char *text) {
    if (text) look_at(text);
}

static int check(int status, const spr_error *error) {
    if (status == SPR_OK) return status;
    promise(error->status == status, "the error's status");
    promise(error->message[0] != '\0' && strlen(error->message) < sizeof error->message, "a message");
    promise(strpbrk(error->message, "\n\r\t\x1b") == NULL, "a message of one line");
    return status;
}

static void check_stats(const spr_stats *stats) {
    promise(stats->calls > 0 || stats->ranks == 0, "ranks without calls");
    promise(!(stats->total < 0) && !(stats->minimum < 0) && !(stats->std < 0), "no negative times");
    promise(!(stats->minimum > stats->maximum) && !(stats->imbalance < 1), "an order of times");
    promise(!(stats->p50 > stats->p95) && !(stats->p95 > stats->p99), "an order of percentiles");
    promise(!isinf(stats->total) && !isinf(stats->average) && !isinf(stats->std), "finite times");
}

static void ask_index(const spr_profile *profile) {
    look_at(spr_path(profile));
    for (size_t i = 0; i < spr_metadata_count(profile); i++) {
        const spr_value *value = spr_metadata_at(profile, i);
        look_at(value->key);
        if (value->kind == SPR_TEXT) look_at(value->text);
        for (size_t k = 0; k < value->count; k++) look_at(value->items[k]);
        promise(spr_metadata(profile, value->key) != NULL, "a key that can be looked up");
    }
    for (size_t i = 0; i < spr_num_regions(profile); i++) look_at(spr_region_name(profile, i));
    for (size_t i = 0; i < spr_num_rows(profile); i++) {
        const spr_row *row = spr_row_at(profile, i);
        promise(row->region < spr_num_regions(profile) && row->rank < spr_num_ranks(profile), "a row's place");
        promise(row->calls > 0, "rows with calls");
        look_at_optional(row->source_file);
        look_at_optional(row->source_text);
        for (size_t k = 0; k < row->num_tags; k++) look_at(row->tags[k]);
    }
    for (size_t i = 0; i < spr_num_threads(profile); i++) look_at(spr_thread_at(profile, i)->name);
    for (size_t i = 0; i < spr_num_processes(profile); i++) {
        look_at(spr_process_at(profile, i)->command);
        look_at(spr_process_at(profile, i)->ended);
        look_at(spr_process_at(profile, i)->problem);
    }
    for (size_t i = 0; i < spr_num_problems(profile); i++) seen += spr_problem_at(profile, i)->region;
}

static void ask_calls(spr_profile *profile, size_t row) {
    enum { PART = 1000 };
    static int64_t start[PART], end[PART], thread[PART], task[PART];
    const uint64_t calls = spr_row_at(profile, row)->calls;
    for (uint64_t at = 0; at < calls; at += PART) {
        const uint64_t count = calls - at < PART ? calls - at : PART;
        spr_error error;
        if (check(spr_read_calls(profile, row, at, count, start, end, thread, task, &error), &error)) return;
        for (uint64_t i = 0; i < count; i++) {
            promise(start[i] <= end[i], "calls that end after they begin");
            promise(thread[i] < (int64_t)spr_num_threads(profile), "a thread's place");
        }
    }
}

static void ask_statistics(spr_profile *profile) {
    spr_error error;
    spr_stats stats;
    spr_run_times run;
    check(spr_run(profile, &run, &error), &error);
    for (size_t i = 0; i < spr_num_rows(profile); i++) {
        ask_calls(profile, i);
        if (!check(spr_row_stats(profile, i, SPR_FULL, &stats, &error), &error)) check_stats(&stats);
    }
    for (size_t i = 0; i < spr_num_regions(profile); i++)
        for (int depth = SPR_SUMMARY; depth <= SPR_FULL; depth++)
            if (!check(spr_region_stats(profile, i, NULL, (enum spr_depth)depth, &stats, &error), &error))
                check_stats(&stats);
}

static void ask_tree(spr_profile *profile, const spr_selection *selection) {
    spr_error error;
    spr_tree tree;
    if (check(spr_tree_build(profile, selection, SPR_FULL, &tree, &error), &error)) return;
    for (size_t i = 0; i < tree.count; i++) {
        const spr_node *node = &tree.nodes[i];
        promise(node->region < spr_num_regions(profile) && node->stats.calls > 0, "a node's region and calls");
        promise(i == 0 ? node->depth == 0 : node->depth <= node[-1].depth + 1, "pre-order");
        check_stats(&node->stats);
    }
    spr_tree_free(&tree);
}

static void ask_columns(spr_profile *profile, size_t row) {
    enum { PART = 100 };
    int64_t values[PART];
    spr_error error;
    const uint64_t calls = spr_row_at(profile, row)->calls, count = calls < PART ? calls : PART;
    for (int column = SPR_CALL_IDS; column <= SPR_GPU_NS; column++)
        if (spr_has_column(profile, row, (enum spr_column)column))
            check(spr_read_column(profile, row, (enum spr_column)column, calls - count, count, values, &error), &error);
}

/* More calls than that are not held at once here. */
#define MOST_NESTED 200000

static void ask_nesting(spr_profile *profile, uint32_t rank, const spr_selection *selection) {
    spr_error error;
    const uint64_t count = spr_rank_calls(profile, rank, selection);
    if (!count || count > MOST_NESTED) return;
    int64_t *numbers = malloc(5 * count * sizeof *numbers);
    uint32_t *small = malloc(2 * count * sizeof *small);
    promise(numbers && small, "memory");
    const spr_calls calls = {.start_ns = numbers,
                             .end_ns = numbers + count,
                             .own_ns = numbers + 2 * count,
                             .parent = numbers + 3 * count,
                             .number = (uint64_t *)(numbers + 4 * count),
                             .depth = small,
                             .region = small + count};
    if (!check(spr_read_nesting(profile, rank, selection, &calls, &error), &error))
        for (uint64_t i = 0; i < count; i++) {
            promise(calls.parent[i] < (int64_t)i && calls.parent[i] >= -1, "a parent before its children");
            promise(calls.depth[i] == (calls.parent[i] < 0 ? 0 : calls.depth[calls.parent[i]] + 1), "a depth");
            promise(i == 0 || calls.start_ns[i - 1] <= calls.start_ns[i], "an order of starts");
            promise(calls.region[i] < spr_num_regions(profile) && calls.number[i] < count,
                    "a call's region and number");
        }
    free(numbers);
    free(small);
}

static void ask_single_calls(spr_profile *profile, const spr_selection *selection) {
    spr_error error;
    double seconds;
    for (size_t i = 0; i < spr_num_rows(profile); i++) ask_columns(profile, i);
    for (uint32_t rank = 0; rank < spr_num_ranks(profile) && rank < 8; rank++) ask_nesting(profile, rank, selection);
    if (spr_num_regions(profile)) check(spr_region_percentile(profile, 0, selection, 12.5, &seconds, &error), &error);
}

static void ask_lines(spr_profile *profile) {
    spr_error error;
    spr_line_profile lines;
    if (check(spr_lines_read(profile, NULL, &lines, &error), &error)) return;
    for (size_t i = 0; i < lines.count; i++) {
        look_at(lines.records[i].region);
        look_at(lines.records[i].function);
        look_at(lines.records[i].filename);
        look_at_optional(lines.records[i].source);
        for (size_t k = 0; k < lines.records[i].num_lines; k++) seen += (size_t)lines.records[i].lines[k].hits;
    }
    spr_lines_free(&lines);
}

static void ask_mpi(spr_profile *profile) {
    spr_error error;
    spr_mpi mpi;
    spr_mpi_waits waits;
    if (check(spr_mpi_read(profile, &mpi, &error), &error)) return;
    for (size_t i = 0; i < mpi.num_sites; i++) look_at(mpi.sites[i].symbol);
    for (size_t i = 0; i < mpi.num_comms; i++) look_at(mpi.comms[i].name);
    if (!check(spr_mpi_waits_read(profile, &mpi, &waits, &error), &error)) {
        for (size_t i = 0; i < waits.num_rows; i++)
            promise(waits.rows[i].region < spr_num_regions(profile), "a region that waited");
        spr_mpi_waits_free(&waits);
    }
    spr_mpi_free(&mpi);
}

int ask_everything(const char *path) {
    spr_error error;
    spr_profile *profile;
    const int status = check(spr_open(path, &profile, &error), &error);
    if (status != SPR_OK) return status;
    ask_index(profile);
    ask_statistics(profile);
    ask_tree(profile, NULL);
    ask_single_calls(profile, NULL);
    const char *exclude = "[a-m]";
    spr_selection *selection;
    if (!check(spr_select(profile, NULL, 0, &exclude, 1, NULL, 0, &selection, &error), &error)) {
        ask_tree(profile, selection);
        ask_single_calls(profile, selection);
        spr_selection_free(selection);
    }
    ask_lines(profile);
    ask_mpi(profile);
    spr_close(profile);
    return SPR_OK;
}
