/* The gate: which regions got slower. */
#include "gate_input.h"
#include "gate_verdict.h"
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEWEST_RUNS 3 /* of a side, for a test */

struct gate {
    struct rd_runs runs;
    struct rd_labels labels;
    const spr_gate_options *options;
    spr_gate_result *result;
    struct rd_arena arena;
    struct rd_test *tests;      /* by region */
    bool *tested;               /* by region: it is one of the gated */
    double *largest, *smallest; /* by labelling */
    bool means;                 /* other numbers of ranks: means over ranks are compared */
    spr_error *error;
};

spr_gate_options spr_gate_defaults(void) {
    return (spr_gate_options){.max_slowdown = 0.05, .alpha = 0.05, .min_time = 1e-3, .gross = 0.25};
}

static spr_profile *any_profile(const struct gate *gate) { return gate->runs.items[0].profile; }

static bool by_floor(const struct gate *gate) {
    return gate->options->statistic == SPR_FLOOR && gate->options->test == SPR_PERMUTATION && !gate->means;
}

/* ---- which regions there are ------------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static int list_regions(struct gate *gate) {
    size_t all = 0, count = 0;
    for (unsigned i = 0; i < gate->runs.count; i++) all += gate->runs.items[i].num_names;
    const char **names = malloc((all + 1) * sizeof *names);
    if (!names) return rd_no_memory(any_profile(gate), gate->error);
    for (unsigned i = 0; i < gate->runs.count; i++)
        for (size_t k = 0; k < gate->runs.items[i].num_names; k++) names[count++] = gate->runs.items[i].names[k].name;
    qsort(names, all, sizeof *names, by_text);
    count = 0;
    for (size_t i = 0; i < all; i++)
        if (!count || strcmp(names[count - 1], names[i])) names[count++] = names[i];
    spr_gate_result *result = gate->result;
    result->regions = rd_arena_take(&gate->arena, (count + 1) * sizeof *result->regions);
    gate->tests = calloc(count + 1, sizeof *gate->tests);
    gate->tested = calloc(count + 1, sizeof *gate->tested);
    bool fine = result->regions && gate->tests && gate->tested;
    for (size_t i = 0; fine && i < count; i++) {
        const char *name = rd_arena_copy(&gate->arena, names[i], strlen(names[i]));
        const double none = (double)NAN;
        result->regions[i] = (spr_gate_region){.name = name,
                                               .limit = {gate->options->max_slowdown, none},
                                               .base = none,
                                               .candidate = none,
                                               .base_mean = none,
                                               .candidate_mean = none,
                                               .ratio = none,
                                               .lower = none,
                                               .upper = none,
                                               .p = none,
                                               .p_all = none,
                                               .p_faster = none,
                                               .total_ratio = none,
                                               .total_p = none};
        if (gate->options->limit) result->regions[i].limit = gate->options->limit(gate->options->argument, names[i]);
        fine = name != NULL;
    }
    result->count = fine ? count : 0;
    free(names);
    return fine ? SPR_OK : rd_no_memory(any_profile(gate), gate->error);
}

/* ---- one region -------------------------------------------------------------------------------------------------- */

static void note_runs(const struct gate *gate, const struct rd_region_data *data, spr_gate_region *region) {
    for (unsigned i = 0; i < gate->runs.count; i++) {
        const bool is_base = i < gate->runs.base;
        *(is_base ? &region->base_cut_off : &region->candidate_cut_off) += data->cut_off[i];
        if (data->regions[i] == SIZE_MAX) continue;
        uint64_t *calls = is_base ? region->base_calls : region->candidate_calls;
        size_t *runs = is_base ? &region->base_runs : &region->candidate_runs;
        if (!*runs || data->calls[i] < calls[0]) calls[0] = data->calls[i];
        if (data->calls[i] > calls[1]) calls[1] = data->calls[i];
        ++*runs;
        /* what is shown of a region that cannot be compared: its fastest run */
        double *shown = is_base ? &region->base : &region->candidate;
        *shown = fmin(isnan(*shown) ? INFINITY : *shown, data->totals[i] / 1e9);
    }
    region->ranks = (uint32_t)data->num_ranks;
}

static double mean_of(const double *values, unsigned count) {
    double sum = 0;
    for (unsigned i = 0; i < count; i++) sum += values[i];
    return sum / count;
}

/* Geometric means of the runs' totals, as the test compares them. */
static void take_totals(const struct gate *gate, const struct rd_region_data *data, spr_gate_region *region) {
    const unsigned m = gate->runs.base, n = gate->runs.count - m;
    double logs[RD_GATE_MOST_RUNS];
    for (unsigned i = 0; i < m + n; i++) logs[i] = log(data->totals[i] + 1);
    region->base = (exp(mean_of(logs, m)) - 1) / 1e9;
    region->candidate = (exp(mean_of(logs + m, n)) - 1) / 1e9;
    region->base_mean = mean_of(data->means, m) / 1e9;
    region->candidate_mean = mean_of(data->means + m, n) / 1e9;
}

/* Floors of the slowest rank of each side, and their means over ranks. slow: which ranks these are. */
static bool take_floors(const struct gate *gate, const struct rd_region_data *data, spr_gate_region *region,
                        size_t slow[2]) {
    struct rd_labels only = gate->labels;
    double most[2] = {-1, -1}, sum[2] = {0, 0};
    only.count = 1;
    for (size_t rank = 0; rank < data->columns.count; rank++) {
        double floors[2];
        if (!rd_floors(&data->columns.ranks[rank], &only, 1, &floors[0], &floors[1])) return false;
        for (int side = 0; side < 2; side++) {
            sum[side] += floors[side];
            if (floors[side] > most[side]) most[side] = floors[side], slow[side] = rank;
        }
    }
    const double ranks = (double)data->columns.count;
    region->base = most[0] / 1e9;
    region->candidate = most[1] / 1e9;
    region->base_mean = sum[0] / ranks / 1e9;
    region->candidate_mean = sum[1] / ranks / 1e9;
    return true;
}

/* The runs' totals: beside the floors, or instead of them. */
static bool test_totals(const struct gate *gate, const struct rd_region_data *data, spr_gate_region *region) {
    const struct rd_statistic totals = {rd_total_statistic, data->totals};
    struct rd_test test;
    if (!rd_test_region(&totals, &gate->labels, &test, NULL, NULL)) return false;
    region->total_ratio = exp(test.t);
    region->total_p = (double)test.slower / (double)gate->labels.count;
    return true;
}

static bool test_permutations(const struct gate *gate, const struct rd_region_data *data, size_t at) {
    spr_gate_region *region = &gate->result->regions[at];
    struct rd_test *test = &gate->tests[at];
    const struct rd_statistic floors = {rd_floor_statistic, &data->columns};
    const struct rd_statistic totals = {rd_total_statistic, data->totals};
    const struct rd_statistic *statistic = by_floor(gate) ? &floors : &totals;
    if (!rd_test_region(statistic, &gate->labels, test, gate->largest, gate->smallest) ||
        !rd_test_bounds(statistic, &gate->labels, gate->options->alpha, test))
        return false;
    region->p = (double)test->slower / (double)gate->labels.count;
    region->lower = exp(test->lower);
    region->upper = exp(test->upper);
    return test_totals(gate, data, region);
}

static bool test_ranks(const struct gate *gate, const struct rd_region_data *data, spr_gate_region *region) {
    const unsigned m = gate->labels.base, n = gate->labels.candidate;
    double totals[RD_GATE_MOST_RUNS];
    struct rd_rank_test test;
    for (unsigned i = 0; i < m + n; i++) totals[i] = data->totals[i] + 1;
    if (!rd_rank_test(totals, m, totals + m, n, gate->options->alpha, &test)) return false;
    const bool new_time = region->base == 0; /* no ratio can say that; compare_region() has */
    region->ratio = new_time ? region->ratio : test.ratio;
    region->lower = new_time ? (double)NAN : test.lower;
    region->upper = new_time ? (double)NAN : test.upper;
    region->p = region->p_all = test.slower;
    region->p_faster = test.faster;
    return test_totals(gate, data, region);
}

static bool test_region(const struct gate *gate, const struct rd_region_data *data, size_t at, const size_t slow[2]) {
    spr_gate_region *region = &gate->result->regions[at];
    if (gate->result->testable)
        return gate->options->test == SPR_MANN_WHITNEY ? test_ranks(gate, data, region)
                                                       : test_permutations(gate, data, at);
    if (!by_floor(gate)) {
        region->verdict = SPR_UNCLEAR;
        region->reason = "totals of so few runs tell nothing";
        return true;
    }
    const struct rd_shapes shapes = {.base = data->samples + slow[0] * gate->runs.count,
                                     .candidate = data->samples + slow[1] * gate->runs.count + gate->runs.base,
                                     .base_runs = gate->labels.base,
                                     .candidate_runs = gate->labels.candidate,
                                     .fewest_calls = region->base_calls[0] < region->candidate_calls[0]
                                                         ? region->base_calls[0]
                                                         : region->candidate_calls[0]};
    rd_judge_gross(region, &shapes, gate->options->gross);
    return true;
}

/* Below min_time in every run: what its calls would say need not be read. */
static bool is_tiny(const struct gate *gate, const struct rd_region_data *data) {
    double most = 0;
    for (unsigned i = 0; i < gate->runs.count; i++) most = fmax(most, data->totals[i]);
    return most < gate->options->min_time * 1e9 || most == 0;
}

static bool is_small(const struct gate *gate, const spr_gate_region *region) {
    const double more = fmax(region->base, region->candidate);
    return more < gate->options->min_time || more == 0;
}

static int compare_region(struct gate *gate, struct rd_region_data *data, size_t at) {
    spr_gate_region *region = &gate->result->regions[at];
    size_t slow[2] = {0, 0};
    take_totals(gate, data, region);
    region->verdict = SPR_TOO_SMALL;
    const bool tiny = is_tiny(gate, data);
    if (by_floor(gate) && !tiny) {
        const int status = rd_region_data_read(&gate->runs, !gate->result->testable, data, gate->error);
        if (status != SPR_OK) return status;
        if (!take_floors(gate, data, region, slow)) return rd_no_memory(any_profile(gate), gate->error);
    }
    region->ratio = region->base > 0 ? region->candidate / region->base : region->candidate > 0 ? INFINITY : 1;
    if (tiny || is_small(gate, region)) return SPR_OK;
    gate->tested[at] = true;
    gate->result->gated++;
    return test_region(gate, data, at, slow) ? SPR_OK : rd_no_memory(any_profile(gate), gate->error);
}

static int look_at(struct gate *gate, struct rd_region_data *data, size_t at) {
    spr_gate_region *region = &gate->result->regions[at];
    int status = rd_region_data_begin(&gate->runs, region->name, gate->means, data, gate->error);
    if (status != SPR_OK) return status;
    note_runs(gate, data, region);
    if (!region->base_runs)
        region->verdict = SPR_ADDED;
    else if (!region->candidate_runs)
        region->verdict = SPR_MISSING;
    else if (region->base_runs < gate->labels.base || region->candidate_runs < gate->labels.candidate)
        region->verdict = SPR_PARTIAL;
    else if (by_floor(gate) && !data->num_ranks) {
        region->verdict = SPR_PARTIAL;
        region->reason = "on other ranks in every run";
    } else {
        if (data->other_ranks && !gate->means) region->reason = "not on the same ranks in all runs";
        status = compare_region(gate, data, at);
    }
    region->over_budget = region->candidate > region->limit.seconds;
    return status;
}

static int look_at_all(struct gate *gate) {
    int status = SPR_OK;
    for (size_t at = 0; status == SPR_OK && at < gate->result->count; at++) {
        struct rd_region_data data;
        status = look_at(gate, &data, at);
        rd_region_data_free(&data);
    }
    return status;
}

/* ---- all regions together ---------------------------------------------------------------------------------------- */

static bool rejects(const struct gate *gate, size_t hits) {
    return rd_labels_reject(&gate->labels, hits, gate->options->alpha);
}

static void judge_tested(const struct gate *gate, size_t at) {
    spr_gate_region *region = &gate->result->regions[at];
    const struct rd_test *test = &gate->tests[at];
    const double count = (double)gate->labels.count, alpha = gate->options->alpha + 1e-12;
    struct rd_evidence evidence = {.slower = region->p_all <= alpha, .faster = region->p_faster <= alpha};
    if (gate->options->test == SPR_PERMUTATION) {
        const size_t slower = rd_test_slower_all(&gate->labels, test, gate->largest);
        const size_t faster = rd_test_faster_all(&gate->labels, test, gate->smallest);
        region->p_all = (double)slower / count;
        region->p_faster = (double)faster / count;
        evidence = (struct rd_evidence){.slower = rejects(gate, slower),
                                        .slower_alone = rejects(gate, test->slower),
                                        .faster = rejects(gate, faster)};
    }
    rd_judge(region, &evidence);
}

static void judge_all(struct gate *gate) {
    spr_gate_result *result = gate->result;
    for (size_t at = 0; at < result->count; at++) {
        spr_gate_region *region = &result->regions[at];
        if (gate->tested[at] && result->testable) judge_tested(gate, at);
        if (gate->tested[at]) rd_judge_doubts(region, gate->labels.base, gate->labels.candidate, gate->means);
    }
    result->common_factor = rd_common_factor(result->regions, gate->tested, result->count, gate->options->max_slowdown);
    /* Names that no run has on the selected ranks are no regions of these runs. */
    size_t kept = 0;
    for (size_t at = 0; at < result->count; at++)
        if (result->regions[at].base_runs || result->regions[at].candidate_runs)
            result->regions[kept++] = result->regions[at];
    result->count = kept;
    rd_sort_regions(result->regions, result->count);
    for (size_t at = 0; at < result->count; at++) {
        result->tally[result->regions[at].verdict]++;
        result->over_budget += result->regions[at].over_budget;
    }
}

static bool make_labels(struct gate *gate) {
    const unsigned m = gate->runs.base, n = gate->runs.count - m;
    if (!rd_labels_make(m, n, &gate->labels)) return false;
    gate->largest = malloc(gate->labels.count * sizeof *gate->largest);
    gate->smallest = malloc(gate->labels.count * sizeof *gate->smallest);
    if (!gate->largest || !gate->smallest) return false;
    for (size_t i = 0; i < gate->labels.count; i++) gate->largest[i] = -INFINITY, gate->smallest[i] = INFINITY;
    return true;
}

static int work(struct gate *gate) {
    spr_gate_result *result = gate->result;
    if (!make_labels(gate)) return rd_no_memory(any_profile(gate), gate->error);
    const unsigned m = gate->labels.base, n = gate->labels.candidate;
    gate->means = rd_runs_ranks_differ(&gate->runs);
    result->base_runs = m;
    result->candidate_runs = n;
    result->labellings = gate->labels.count;
    result->all_labellings = gate->labels.all;
    result->smallest_p = 1 / (double)rd_choose(m + n, n);
    result->testable =
        m >= FEWEST_RUNS && n >= FEWEST_RUNS && rejects(gate, 1); /* else no difference could ever be enough */
    result->one_after_other = rd_runs_one_after_other(&gate->runs);
    result->different_hosts = rd_runs_hosts_differ(&gate->runs);
    result->different_ranks = gate->means;
    int status = list_regions(gate);
    if (status == SPR_OK) status = look_at_all(gate);
    if (status == SPR_OK) judge_all(gate);
    return status;
}

int spr_gate(spr_profile *const *base, size_t num_base, spr_profile *const *candidate, size_t num_candidate,
             spr_selection *const *selections, const spr_gate_options *options, spr_gate_result *result,
             spr_error *error) {
    struct gate gate = {.options = options, .result = result, .error = error};
    *result = (spr_gate_result){.common_factor = (double)NAN};
    int status = rd_runs_begin(&gate.runs, base, num_base, candidate, num_candidate, selections, options, error);
    if (status == SPR_OK) status = work(&gate);
    struct rd_arena *kept = status == SPR_OK ? malloc(sizeof *kept) : NULL;
    if (status == SPR_OK && !kept) status = rd_no_memory(base[0], error);
    if (status == SPR_OK) {
        *kept = gate.arena;
        result->memory = kept;
    } else {
        rd_arena_free(&gate.arena);
        *result = (spr_gate_result){0};
    }
    rd_runs_free(&gate.runs);
    free(gate.labels.masks);
    free(gate.largest);
    free(gate.smallest);
    free(gate.tests);
    free(gate.tested);
    return status;
}

void spr_gate_free(spr_gate_result *result) {
    if (result->memory) rd_arena_free(result->memory);
    free(result->memory);
    *result = (spr_gate_result){0};
}
