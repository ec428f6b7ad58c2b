/* The tables beside the calls: threads, processes, problems. Absent ones have nothing to say. */
#include "internal.h"

#include <stddef.h>
#include <stdlib.h>

#define ANY .least = INT64_MIN, .most = INT64_MAX

#define THREAD(member) offsetof(spr_thread, member)
static const struct rd_field thread_fields[] = {
    {.name = "ranks", .kind = RD_U32, .offset = THREAD(rank), .most = INT32_MAX},
    {.name = "index", .kind = RD_I64, .offset = THREAD(index), ANY},
    {.name = "ident", .kind = RD_I64, .offset = THREAD(ident), ANY},
    {.name = "native_id", .kind = RD_I64, .offset = THREAD(native_id), ANY},
    {.name = "start_ns", .kind = RD_I64, .offset = THREAD(start_ns), ANY},
    {.name = "end_ns", .kind = RD_I64, .offset = THREAD(end_ns), ANY},
    {.name = "cpu_ns", .kind = RD_I64, .offset = THREAD(cpu_ns), ANY},
    {.name = "daemon", .kind = RD_INT, .offset = THREAD(daemon), .least = -1, .most = 1},
    {.name = "name", .kind = RD_STRING, .offset = THREAD(name)},
};

#define TASK(member) offsetof(spr_task, member)
static const struct rd_field task_fields[] = {
    {.name = "ranks", .kind = RD_U32, .offset = TASK(rank), .most = INT32_MAX},
    {.name = "index", .kind = RD_I64, .offset = TASK(index), ANY},
    {.name = "thread_index", .kind = RD_I64, .offset = TASK(thread_index), ANY},
    {.name = "created_ns", .kind = RD_I64, .offset = TASK(created_ns), ANY},
    {.name = "done_ns", .kind = RD_I64, .offset = TASK(done_ns), ANY},
    {.name = "steps", .kind = RD_I64, .offset = TASK(steps), ANY},
    {.name = "running_ns", .kind = RD_I64, .offset = TASK(running_ns), ANY},
    {.name = "suspended_ns", .kind = RD_I64, .offset = TASK(suspended_ns), ANY},
    {.name = "kind", .kind = RD_STRING, .offset = TASK(kind)},
    {.name = "name", .kind = RD_STRING, .offset = TASK(name)},
    {.name = "coro_name", .kind = RD_STRING, .offset = TASK(coro_name)},
};

#define PROCESS(member) offsetof(spr_process, member)
static const struct rd_field process_fields[] = {
    {.name = "ranks", .kind = RD_U32, .offset = PROCESS(rank), .most = INT32_MAX},
    {.name = "pid", .kind = RD_I64, .offset = PROCESS(pid), ANY},
    {.name = "parent_pid", .kind = RD_I64, .offset = PROCESS(parent_pid), ANY},
    {.name = "mpi_rank", .kind = RD_I64, .offset = PROCESS(mpi_rank), ANY},
    {.name = "node", .kind = RD_I64, .offset = PROCESS(node), ANY},
    {.name = "start_ns", .kind = RD_I64, .offset = PROCESS(start_ns), ANY},
    {.name = "end_ns", .kind = RD_I64, .offset = PROCESS(end_ns), ANY},
    {.name = "incomplete_since_ns", .kind = RD_I64, .offset = PROCESS(incomplete_since_ns), ANY},
    {.name = "complete", .kind = RD_BOOL, .offset = PROCESS(complete), .least = 0, .most = 1},
    {.name = "command", .kind = RD_STRING, .offset = PROCESS(command)},
    {.name = "ended", .kind = RD_STRING, .offset = PROCESS(ended)},
    {.name = "problem", .kind = RD_STRING, .offset = PROCESS(problem)},
};

/* As stored: the region is -1 where there is none. */
struct stored_problem {
    uint32_t rank;
    int64_t region;
    int kind;
    uint64_t count;
    int64_t at_exit, open_ns;
};

#define PROBLEM(member) offsetof(struct stored_problem, member)
static const struct rd_field problem_fields[] = {
    {.name = "ranks", .kind = RD_U32, .offset = PROBLEM(rank), .most = INT32_MAX},
    {.name = "region_ids", .kind = RD_I64, .offset = PROBLEM(region), .least = -1, .most = UINT32_MAX},
    {.name = "kinds", .kind = RD_INT, .offset = PROBLEM(kind), .least = 0, .most = INT32_MAX},
    {.name = "counts", .kind = RD_U64, .offset = PROBLEM(count), .least = 0, .most = INT64_MAX},
    {.name = "at_exit", .kind = RD_I64, .offset = PROBLEM(at_exit), ANY},
    {.name = "open_ns", .kind = RD_I64, .offset = PROBLEM(open_ns), ANY},
};

struct table {
    const char *name, *where;
    const struct rd_field *fields;
    size_t num_fields, size;
};

#define TABLE(name, fields, type)                                                                                      \
    { name, "/" name, fields, sizeof fields / sizeof *fields, sizeof(type) }
static const struct table thread_table = TABLE("thread_table", thread_fields, spr_thread);
static const struct table task_table = TABLE("task_table", task_fields, spr_task);
static const struct table process_table = TABLE("process_table", process_fields, spr_process);
static const struct table problem_table = TABLE("problem_table", problem_fields, struct stored_problem);

static int read_table(spr_profile *profile, const struct table *table, void **records, size_t *count,
                      spr_error *error) {
    *records = NULL;
    *count = 0;
    if (H5Lexists(profile->file, table->name, H5P_DEFAULT) <= 0) return SPR_OK;
    const hid_t group = rd_open_group(profile->file, table->name);
    if (group < 0) return rd_fail(error, SPR_DAMAGED, profile->path, "%s is not a readable group", table->where);
    const int status = rd_table_read(profile, group, table->where, table->fields, table->num_fields, table->size, false,
                                     records, count, error);
    H5Gclose(group);
    return status;
}

static int take_problems(spr_profile *profile, const struct stored_problem *from, size_t count, spr_error *error) {
    profile->problems = calloc(count ? count : 1, sizeof *profile->problems);
    if (!profile->problems) return rd_no_memory(profile, error);
    for (size_t i = 0; i < count; i++) {
        if (from[i].kind > SPR_LOST) continue; /* a kind that a later version added */
        if (from[i].region >= 0 && (uint64_t)from[i].region >= profile->num_regions)
            return rd_fail(error, SPR_DAMAGED, profile->path, "/problem_table/region_ids[%zu] is no region", i);
        profile->problems[profile->num_problems++] =
            (spr_problem){.rank = from[i].rank,
                          .region = from[i].region < 0 ? SIZE_MAX : (size_t)from[i].region,
                          .kind = (enum spr_problem_kind)from[i].kind,
                          .count = from[i].count,
                          .at_exit = from[i].at_exit,
                          .open_ns = from[i].open_ns};
    }
    return SPR_OK;
}

int rd_tables_read(spr_profile *profile, spr_error *error) {
    void *records;
    size_t count;
    int status = read_table(profile, &thread_table, &records, &profile->num_threads, error);
    if (status != SPR_OK) return status;
    profile->threads = records;
    status = read_table(profile, &task_table, &records, &profile->num_tasks, error);
    if (status != SPR_OK) return status;
    profile->tasks = records;
    status = read_table(profile, &process_table, &records, &profile->num_processes, error);
    if (status != SPR_OK) return status;
    profile->processes = records;
    status = read_table(profile, &problem_table, &records, &count, error);
    if (status == SPR_OK && count) status = take_problems(profile, records, count, error);
    free(records);
    return status;
}

size_t spr_num_threads(const spr_profile *profile) { return profile->num_threads; }
const spr_thread *spr_thread_at(const spr_profile *profile, size_t index) {
    return index < profile->num_threads ? &profile->threads[index] : NULL;
}

size_t spr_num_tasks(const spr_profile *profile) { return profile->num_tasks; }
const spr_task *spr_task_at(const spr_profile *profile, size_t index) {
    return index < profile->num_tasks ? &profile->tasks[index] : NULL;
}

size_t spr_num_processes(const spr_profile *profile) { return profile->num_processes; }
const spr_process *spr_process_at(const spr_profile *profile, size_t index) {
    return index < profile->num_processes ? &profile->processes[index] : NULL;
}

size_t spr_num_problems(const spr_profile *profile) { return profile->num_problems; }
const spr_problem *spr_problem_at(const spr_profile *profile, size_t index) {
    return index < profile->num_problems ? &profile->problems[index] : NULL;
}
