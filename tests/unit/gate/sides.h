/* sides.h: runs of two sides, and what the gate says of them. */
#ifndef TEST_GATE_SIDES_H
#define TEST_GATE_SIDES_H

#include "runs.h"

#define MOST 12

struct sides {
    spr_profile *base[MOST], *candidate[MOST];
    size_t m, n;
};

static unsigned files;

static inline spr_profile *finish_run(struct made *made) {
    char name[32];
    snprintf(name, sizeof name, "run-%u.h5", files++);
    return finish_profile(made, name);
}

/* A run of one region `solve`. */
static inline spr_profile *solve_run(double each_ms, size_t calls, unsigned run) {
    struct made made = {0};
    add_noisy(&made, "solve", 0, each_ms * (double)MS, calls, run);
    return finish_run(&made);
}

static inline struct sides solve_sides(size_t m, size_t n, double base_ms, double candidate_ms, size_t calls) {
    struct sides sides = {.m = m, .n = n};
    for (unsigned i = 0; i < m; i++) sides.base[i] = solve_run(base_ms, calls, i);
    for (unsigned i = 0; i < n; i++) sides.candidate[i] = solve_run(candidate_ms, calls, 100 + i);
    return sides;
}

static inline void close_sides(struct sides *sides) {
    for (size_t i = 0; i < sides->m; i++) spr_close(sides->base[i]);
    for (size_t i = 0; i < sides->n; i++) spr_close(sides->candidate[i]);
}

static inline spr_gate_result judge(const struct sides *sides, const spr_gate_options *options) {
    const spr_gate_options defaults = spr_gate_defaults();
    spr_gate_result result;
    spr_error error = {0};
    if (spr_gate(sides->base, sides->m, sides->candidate, sides->n, NULL, options ? options : &defaults, &result,
                 &error))
        fail_msg("%s", error.message);
    return result;
}

static inline const spr_gate_region *region_of(const spr_gate_result *result, const char *name) {
    for (size_t i = 0; i < result->count; i++)
        if (!strcmp(result->regions[i].name, name)) return &result->regions[i];
    fail_msg("no region %s", name);
    return NULL;
}

static inline void assert_verdict(const spr_gate_result *result, const char *name, enum spr_verdict verdict) {
    const spr_gate_region *region = region_of(result, name);
    if (region->verdict != verdict)
        fail_msg("%s: verdict %d, not %d (ratio %g, p %g, bounds %g %g)", name, region->verdict, verdict, region->ratio,
                 region->p_all, region->lower, region->upper);
}

#endif
