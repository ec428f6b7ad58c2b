/* runs.h: small profiles for the tests of the gate. */
#ifndef TEST_GATE_RUNS_H
#define TEST_GATE_RUNS_H

#include "check.h"
#include "scope_gate.h"

#define MS INT64_C(1000000)

enum { MOST_REGIONS = 24, MOST_ROWS = 64 };

/* A profile that is being made: rows of calls, one after the other. */
struct made {
    const char *names[MOST_REGIONS];
    size_t num_names;
    struct w_row rows[MOST_ROWS];
    size_t num_rows;
    int64_t mpi_size;
    bool aggregate;
};

/* Adds the calls of a region on a rank. durations: ns, repeated as often as `calls` needs. */
static inline void add_row(struct made *made, const char *name, uint32_t rank, const int64_t *durations,
                           size_t num_durations, size_t calls) {
    size_t region = 0;
    while (region < made->num_names && strcmp(made->names[region], name)) region++;
    if (region == made->num_names) made->names[made->num_names++] = name;
    struct w_call *list = calloc(calls, sizeof *list);
    int64_t now = 1000;
    for (size_t i = 0; i < calls; i++) {
        list[i] = (struct w_call){.start = now, .end = now + durations[i % num_durations]};
        now = list[i].end + 10;
    }
    made->rows[made->num_rows++] = (struct w_row){
        .region = (uint32_t)region, .rank = rank, .calls = list, .count = calls, .exclusive = -1, .line = -1};
}

/* A region whose calls last `each` ns, more or less by a few tenths of a per cent that depend on run and call alone. */
static inline void add_noisy(struct made *made, const char *name, uint32_t rank, double each, size_t calls,
                             unsigned run) {
    int64_t *durations = calloc(calls, sizeof *durations);
    uint64_t state = run * UINT64_C(2654435761) + rank * UINT64_C(97) + (uint64_t)name[strlen(name) - 1] * 7919;
    for (size_t i = 0; i < calls; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        durations[i] = (int64_t)(each * (1 + (double)(state >> 44) / (1 << 20) * 0.004));
    }
    add_row(made, name, rank, durations, calls, calls);
    free(durations);
}

static inline spr_profile *finish_profile(struct made *made, const char *file) {
    char path[256];
    snprintf(path, sizeof path, "%s", w_path(file));
    const struct w_file content = {.schema = 3,
                                   .summary = true,
                                   .aggregate = made->aggregate,
                                   .names = made->names,
                                   .num_names = made->num_names,
                                   .rows = made->rows,
                                   .num_rows = made->num_rows,
                                   .mpi_size = made->mpi_size};
    w_write(path, &content);
    for (size_t i = 0; i < made->num_rows; i++) free((void *)made->rows[i].calls);
    *made = (struct made){0};
    return open_good(path);
}

#endif
