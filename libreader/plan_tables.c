/* The tables of all profiles as one: ranks, regions, threads and tasks as the new file numbers them. */
#include "write.h"

#include <stdlib.h>
#include <string.h>

static void *make_room(size_t count, size_t size) { return calloc(count ? count : 1, size); }

static bool allocate(struct rd_plan *plan) {
    size_t threads = 0, tasks = 0, processes = 0, problems = 0;
    for (size_t i = 0; i < plan->num_profiles; i++) {
        threads += plan->profiles[i]->num_threads;
        tasks += plan->profiles[i]->num_tasks;
        processes += plan->profiles[i]->num_processes;
        problems += plan->profiles[i]->num_problems;
    }
    plan->threads = make_room(threads, sizeof *plan->threads);
    plan->tasks = make_room(tasks, sizeof *plan->tasks);
    plan->processes = make_room(processes, sizeof *plan->processes);
    plan->problems = make_room(problems, sizeof *plan->problems);
    plan->line_profiles = make_room(plan->num_profiles, sizeof *plan->line_profiles);
    return plan->threads && plan->tasks && plan->processes && plan->problems && plan->line_profiles;
}

static int64_t shifted(int64_t index, int64_t by) { return index < 0 ? index : index + by; }

static void add_lanes(struct rd_plan *plan, size_t from) {
    const spr_profile *profile = plan->profiles[from];
    const int64_t by = plan->first_thread[from];
    for (size_t i = 0; i < profile->num_threads; i++) {
        spr_thread *thread = &plan->threads[plan->num_threads++];
        *thread = profile->threads[i];
        thread->rank += plan->first_rank[from];
        thread->index = shifted(thread->index, by);
    }
    for (size_t i = 0; i < profile->num_tasks; i++) {
        spr_task *task = &plan->tasks[plan->num_tasks++];
        *task = profile->tasks[i];
        task->rank += plan->first_rank[from];
        task->index = shifted(task->index, by);
        task->thread_index = shifted(task->thread_index, by);
    }
}

static void add_others(struct rd_plan *plan, size_t from) {
    const spr_profile *profile = plan->profiles[from];
    for (size_t i = 0; i < profile->num_processes; i++) {
        spr_process *process = &plan->processes[plan->num_processes++];
        *process = profile->processes[i];
        process->rank += plan->first_rank[from];
    }
    for (size_t i = 0; i < profile->num_problems; i++) {
        const spr_problem *problem = &profile->problems[i];
        size_t region = 0;
        const bool named = problem->region < profile->num_regions &&
                           rd_names_look(&plan->names, profile->names[problem->region], &region);
        plan->problems[plan->num_problems++] = (struct rd_plan_problem){.rank = problem->rank + plan->first_rank[from],
                                                                        .region = named ? (int64_t)region : -1,
                                                                        .kind = (uint32_t)problem->kind,
                                                                        .count = problem->count,
                                                                        .at_exit = problem->at_exit,
                                                                        .open_ns = problem->open_ns};
    }
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

struct placed {
    spr_line_record record;
    size_t at;
};

static int compare_records(const void *a, const void *b) {
    const struct placed *x = a, *y = b;
    if (x->record.rank != y->record.rank) return x->record.rank < y->record.rank ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static int add_lines(struct rd_plan *plan) {
    size_t count = 0;
    for (size_t i = 0; i < plan->num_profiles; i++) {
        const int status = spr_lines_read(plan->profiles[i], NULL, &plan->line_profiles[i], plan->error);
        if (status != SPR_OK) return status;
        count += plan->line_profiles[i].count;
    }
    struct placed *placed = make_room(count, sizeof *placed);
    plan->lines = make_room(count, sizeof *plan->lines);
    for (size_t i = 0; placed && i < plan->num_profiles; i++)
        for (size_t k = 0; k < plan->line_profiles[i].count; k++) {
            placed[plan->num_lines] = (struct placed){plan->line_profiles[i].records[k], plan->num_lines};
            placed[plan->num_lines++].record.rank += plan->first_rank[i];
        }
    if (placed && count) qsort(placed, count, sizeof *placed, compare_records);
    for (size_t i = 0; placed && plan->lines && i < count; i++) plan->lines[i] = placed[i].record;
    const bool fine = placed && plan->lines;
    free(placed);
    return fine ? SPR_OK : rd_plan_fail(plan, SPR_NO_MEMORY, "not enough memory");
}

int rd_plan_tables(struct rd_plan *plan) {
    if (!allocate(plan)) return rd_plan_fail(plan, SPR_NO_MEMORY, "not enough memory");
    for (size_t i = 0; i < plan->num_profiles; i++) {
        add_lanes(plan, i);
        add_others(plan, i);
    }
    return add_lines(plan);
}

void rd_plan_tables_free(struct rd_plan *plan) {
    for (size_t i = 0; plan->line_profiles && i < plan->num_profiles; i++) spr_lines_free(&plan->line_profiles[i]);
    void *const owned[] = {plan->threads,  plan->tasks,         plan->processes,
                           plan->problems, plan->line_profiles, plan->lines};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free(owned[i]);
}
