/* The tables beside the calls, and the line records. */
#include "hdf5_out.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define THREAD(member) offsetof(spr_thread, member)
static const struct rd_out_field thread_fields[] = {
    {"ranks", RD_OUT_U32, THREAD(rank)},    {"index", RD_OUT_I64, THREAD(index)},
    {"ident", RD_OUT_I64, THREAD(ident)},   {"native_id", RD_OUT_I64, THREAD(native_id)},
    {"daemon", RD_OUT_INT, THREAD(daemon)}, {"start_ns", RD_OUT_I64, THREAD(start_ns)},
    {"end_ns", RD_OUT_I64, THREAD(end_ns)}, {"cpu_ns", RD_OUT_I64, THREAD(cpu_ns)},
    {"name", RD_OUT_TEXT, THREAD(name)},
};

#define TASK(member) offsetof(spr_task, member)
static const struct rd_out_field task_fields[] = {
    {"ranks", RD_OUT_U32, TASK(rank)},
    {"index", RD_OUT_I64, TASK(index)},
    {"kind", RD_OUT_TEXT, TASK(kind)},
    {"name", RD_OUT_TEXT, TASK(name)},
    {"coro_name", RD_OUT_TEXT, TASK(coro_name)},
    {"thread_index", RD_OUT_I64, TASK(thread_index)},
    {"created_ns", RD_OUT_I64, TASK(created_ns)},
    {"done_ns", RD_OUT_I64, TASK(done_ns)},
    {"steps", RD_OUT_I64, TASK(steps)},
    {"running_ns", RD_OUT_I64, TASK(running_ns)},
    {"suspended_ns", RD_OUT_I64, TASK(suspended_ns)},
};

#define PROCESS(member) offsetof(spr_process, member)
static const struct rd_out_field process_fields[] = {
    {"ranks", RD_OUT_U32, PROCESS(rank)},
    {"pid", RD_OUT_I64, PROCESS(pid)},
    {"parent_pid", RD_OUT_I64, PROCESS(parent_pid)},
    {"mpi_rank", RD_OUT_I64, PROCESS(mpi_rank)},
    {"node", RD_OUT_I64, PROCESS(node)},
    {"command", RD_OUT_TEXT, PROCESS(command)},
    {"start_ns", RD_OUT_I64, PROCESS(start_ns)},
    {"end_ns", RD_OUT_I64, PROCESS(end_ns)},
    {"ended", RD_OUT_TEXT, PROCESS(ended)},
    {"complete", RD_OUT_BOOL, PROCESS(complete)},
    {"incomplete_since_ns", RD_OUT_I64, PROCESS(incomplete_since_ns)},
    {"problem", RD_OUT_TEXT, PROCESS(problem)},
};

#define PROBLEM(member) offsetof(struct rd_plan_problem, member)
static const struct rd_out_field problem_fields[] = {
    {"ranks", RD_OUT_U32, PROBLEM(rank)},      {"region_ids", RD_OUT_I64, PROBLEM(region)},
    {"kinds", RD_OUT_U32, PROBLEM(kind)},      {"counts", RD_OUT_U64, PROBLEM(count)},
    {"at_exit", RD_OUT_I64, PROBLEM(at_exit)}, {"open_ns", RD_OUT_I64, PROBLEM(open_ns)},
};

static int write_tables(const struct rd_out *out) {
    const struct rd_plan *plan = out->plan;
    const struct {
        const char *name;
        const struct rd_out_field *fields;
        size_t num_fields;
        const void *records;
        size_t count, size;
    } tables[] = {
        {"thread_table", thread_fields, COUNT(thread_fields), plan->threads, plan->num_threads, sizeof(spr_thread)},
        {"task_table", task_fields, COUNT(task_fields), plan->tasks, plan->num_tasks, sizeof(spr_task)},
        {"process_table", process_fields, COUNT(process_fields), plan->processes, plan->num_processes,
         sizeof(spr_process)},
        {"problem_table", problem_fields, COUNT(problem_fields), plan->problems, plan->num_problems,
         sizeof(struct rd_plan_problem)},
    };
    int status = SPR_OK;
    for (size_t i = 0; status == SPR_OK && i < COUNT(tables); i++)
        if (tables[i].count)
            status = rd_out_table(out, tables[i].name, tables[i].fields, tables[i].num_fields, tables[i].records,
                                  tables[i].count, tables[i].size);
    return status;
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static bool write_columns(hid_t group, const spr_line_record *record) {
    const size_t count = record->num_lines;
    int64_t *integers = malloc((count + 1) * sizeof *integers);
    double *times = malloc((count + 1) * sizeof *times);
    bool fine = integers && times;
    for (size_t i = 0; fine && i < count; i++) integers[i] = record->lines[i].number;
    fine = fine && rd_out_column(group, "line_numbers", H5T_STD_I64LE, H5T_NATIVE_INT64, count, integers);
    for (size_t i = 0; fine && i < count; i++) {
        integers[i] = record->lines[i].hits;
        times[i] = record->lines[i].time;
    }
    fine = fine && rd_out_column(group, "hits", H5T_STD_I64LE, H5T_NATIVE_INT64, count, integers) &&
           rd_out_column(group, "times", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, times);
    free(integers);
    free(times);
    return fine;
}

static bool write_record(const struct rd_out *out, hid_t parent, size_t number, const spr_line_record *record) {
    char name[24];
    snprintf(name, sizeof name, "%zu", number);
    const hid_t group = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return false;
    bool fine = rd_out_text(out, group, "region", record->region) &&
                rd_out_text(out, group, "filename", record->filename) &&
                rd_out_text(out, group, "function", record->function) &&
                rd_out_integer(group, "first_lineno", record->first_line) && rd_out_real(group, "unit", record->unit);
    if (fine && record->source)
        fine = rd_out_text(out, group, "source", record->source) &&
               rd_out_integer(group, "source_first_lineno", record->source_first_line);
    fine = fine && write_columns(group, record);
    H5Gclose(group);
    return fine;
}

/* The records of one rank, from `first` on; they stand together. */
static int write_rank(const struct rd_out *out, size_t first, size_t end) {
    const struct rd_plan *plan = out->plan;
    char name[24];
    snprintf(name, sizeof name, "rank%u", plan->lines[first].rank);
    const hid_t rank = H5Gcreate2(out->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = rank < 0 ? -1 : H5Gcreate2(rank, "line_profile", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = group >= 0;
    for (size_t i = first; fine && i < end; i++) fine = write_record(out, group, i - first, &plan->lines[i]);
    const int status = fine ? SPR_OK : rd_out_failed(out);
    if (group >= 0) H5Gclose(group);
    if (rank >= 0) H5Gclose(rank);
    return status;
}

int rd_write_tables(const struct rd_out *out) {
    const struct rd_plan *plan = out->plan;
    int status = write_tables(out);
    for (size_t begin = 0, end; status == SPR_OK && begin < plan->num_lines; begin = end) {
        end = begin;
        while (end < plan->num_lines && plan->lines[end].rank == plan->lines[begin].rank) end++;
        status = write_rank(out, begin, end);
    }
    return status;
}

static uint64_t text_bytes(const char *text) { return (text ? strlen(text) : 0) + 64; }

uint64_t rd_tables_estimate(const struct rd_plan *plan) {
    uint64_t bytes = plan->num_threads * sizeof(spr_thread) + plan->num_tasks * sizeof(spr_task) +
                     plan->num_processes * sizeof(spr_process) + plan->num_problems * sizeof(struct rd_plan_problem);
    for (size_t i = 0; i < plan->num_threads; i++) bytes += text_bytes(plan->threads[i].name);
    for (size_t i = 0; i < plan->num_tasks; i++)
        bytes +=
            text_bytes(plan->tasks[i].kind) + text_bytes(plan->tasks[i].name) + text_bytes(plan->tasks[i].coro_name);
    for (size_t i = 0; i < plan->num_processes; i++)
        bytes += text_bytes(plan->processes[i].command) + text_bytes(plan->processes[i].ended) +
                 text_bytes(plan->processes[i].problem);
    for (size_t i = 0; i < plan->num_lines; i++) {
        const spr_line_record *record = &plan->lines[i];
        bytes += 4096 + 3 * sizeof(int64_t) * record->num_lines + text_bytes(record->region) +
                 text_bytes(record->filename) + text_bytes(record->function) + text_bytes(record->source);
    }
    return bytes;
}
