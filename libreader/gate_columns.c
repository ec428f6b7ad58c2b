/* What the runs hold of one region: from files to columns of durations. */
#include "gate_input.h"
#include "internal.h"

#include <math.h>
#include <stdlib.h>

#define QUANTILES 256 /* columns of a rank whose runs do not agree on the number of calls */
#define LOW_SHARE 0.2

/* ---- from the index ---------------------------------------------------------------------------------------------- */

static int add_totals(const struct rd_run *run, size_t region, bool means, struct rd_region_data *data, unsigned at,
                      spr_error *error) {
    size_t first, count, ranks = 0;
    double sum = 0, most = 0;
    spr_region_rows(run->profile, region, &first, &count);
    for (size_t row = first; row < first + count; row++) {
        const spr_row *stored = spr_row_at(run->profile, row);
        spr_stats stats;
        if (!stored->calls || !spr_selects_rank(run->selection, stored->rank)) continue;
        const int status = spr_row_stats(run->profile, row, SPR_SUMMARY, &stats, error);
        if (status != SPR_OK) return status;
        const double total = stored->has_summary ? (double)stored->total_ns : stats.total * 1e9;
        sum += total;
        most = fmax(most, total);
        data->calls[at] += stored->calls;
        ranks++;
    }
    if (!ranks) return SPR_OK;
    data->regions[at] = region;
    data->means[at] = sum / (double)ranks;
    data->totals[at] = means ? data->means[at] : most;
    return SPR_OK;
}

static uint64_t count_cut_off(const struct rd_run *run, size_t region) {
    uint64_t count = 0;
    for (size_t i = 0; i < spr_num_problems(run->profile); i++) {
        const spr_problem *problem = spr_problem_at(run->profile, i);
        if (problem->kind == SPR_CUT_OFF && problem->region == region &&
            spr_selects_rank(run->selection, problem->rank))
            count += problem->count;
    }
    return count;
}

/* The region's row of a rank with calls; SIZE_MAX: there is none. */
static size_t row_of_rank(const struct rd_run *run, size_t region, uint32_t rank) {
    size_t low, count;
    spr_region_rows(run->profile, region, &low, &count);
    size_t high = low + count;
    const size_t end = high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (spr_row_at(run->profile, middle)->rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    const spr_row *found = low < end ? spr_row_at(run->profile, low) : NULL;
    return found && found->rank == rank && found->calls && spr_selects_rank(run->selection, rank) ? low : SIZE_MAX;
}

/* Keeps a rank, its rows in the samples, if every run has it. */
static void take_rank(const struct rd_runs *runs, struct rd_region_data *data, uint32_t rank) {
    struct rd_sample *samples = data->samples + data->num_ranks * runs->count;
    for (unsigned i = 0; i < runs->count; i++) {
        const size_t row = row_of_rank(&runs->items[i], data->regions[i], rank);
        if (row == SIZE_MAX) {
            data->other_ranks = true;
            return;
        }
        samples[i] = (struct rd_sample){.row = row, .smallest = INFINITY, .quantile = (double)NAN};
    }
    data->ranks[data->num_ranks++] = rank;
}

static size_t count_rows(const struct rd_run *run, size_t region) {
    size_t first, count, found = 0;
    spr_region_rows(run->profile, region, &first, &count);
    for (size_t row = first; row < first + count; row++) {
        const spr_row *stored = spr_row_at(run->profile, row);
        found += stored->calls && spr_selects_rank(run->selection, stored->rank);
    }
    return found;
}

static int find_ranks(const struct rd_runs *runs, struct rd_region_data *data, spr_error *error) {
    const struct rd_run *first_run = &runs->items[0];
    size_t first, count;
    for (unsigned i = 0; i < runs->count; i++)
        if (data->regions[i] == SIZE_MAX) return SPR_OK;
    spr_region_rows(first_run->profile, data->regions[0], &first, &count);
    data->ranks = malloc((count + 1) * sizeof *data->ranks);
    data->samples = malloc((count + 1) * runs->count * sizeof *data->samples);
    if (!data->ranks || !data->samples) return rd_no_memory(first_run->profile, error);
    for (size_t row = first; row < first + count; row++) {
        const spr_row *stored = spr_row_at(first_run->profile, row);
        if (stored->calls && spr_selects_rank(first_run->selection, stored->rank)) take_rank(runs, data, stored->rank);
    }
    for (unsigned i = 1; i < runs->count; i++)
        data->other_ranks |= count_rows(&runs->items[i], data->regions[i]) != data->num_ranks;
    return SPR_OK;
}

int rd_region_data_begin(const struct rd_runs *runs, const char *name, bool means, struct rd_region_data *data,
                         spr_error *error) {
    const unsigned count = runs->count;
    *data = (struct rd_region_data){.regions = malloc(count * sizeof *data->regions),
                                    .totals = calloc(count, sizeof *data->totals),
                                    .means = calloc(count, sizeof *data->means),
                                    .calls = calloc(count, sizeof *data->calls),
                                    .cut_off = calloc(count, sizeof *data->cut_off)};
    int status = SPR_OK;
    if (!data->regions || !data->totals || !data->means || !data->calls || !data->cut_off)
        return rd_no_memory(runs->items[0].profile, error);
    for (unsigned i = 0; status == SPR_OK && i < count; i++) {
        const size_t region = rd_run_region(&runs->items[i], name);
        data->regions[i] = SIZE_MAX;
        if (region == SIZE_MAX) continue;
        status = add_totals(&runs->items[i], region, means, data, i, error);
        data->cut_off[i] = count_cut_off(&runs->items[i], region);
    }
    return status == SPR_OK ? find_ranks(runs, data, error) : status;
}

void rd_region_data_free(struct rd_region_data *data) {
    for (size_t i = 0; i < data->columns.count; i++) rd_columns_free(&data->columns.ranks[i]);
    free(data->columns.ranks);
    free(data->samples);
    free(data->ranks);
    free(data->cut_off);
    free(data->calls);
    free(data->means);
    free(data->totals);
    free(data->regions);
    *data = (struct rd_region_data){0};
}

/* ---- from the calls ---------------------------------------------------------------------------------------------- */

struct filling {
    const struct rd_runs *runs;
    struct rd_region_data *data;
    int64_t *start, *end; /* a block of calls */
    uint64_t together;    /* calls to a column, where the runs agree on their number */
    bool shapes;
    spr_error *error;
};

static uint64_t calls_of(const struct filling *filling, size_t rank, unsigned run) {
    const struct rd_sample *sample = &filling->data->samples[rank * filling->runs->count + run];
    return spr_row_at(filling->runs->items[run].profile, sample->row)->calls;
}

static void call_range(const struct filling *filling, size_t rank, uint64_t *least, uint64_t *most) {
    *least = UINT64_MAX;
    *most = 0;
    for (unsigned run = 0; run < filling->runs->count; run++) {
        const uint64_t calls = calls_of(filling, rank, run);
        if (calls < *least) *least = calls;
        if (calls > *most) *most = calls;
    }
}

/* So that all ranks together have no more columns than are allowed, but each at least one. */
static uint64_t calls_to_a_column(const struct filling *filling) {
    uint64_t calls = 0;
    for (size_t rank = 0; rank < filling->data->num_ranks; rank++) {
        uint64_t least, most;
        call_range(filling, rank, &least, &most);
        calls += least;
    }
    /* without tables over all sets of runs, see gate_floor.c, columns cost more */
    const uint64_t allowed = filling->runs->count > 20 ? RD_GATE_MOST_COLUMNS / 5 : RD_GATE_MOST_COLUMNS;
    return calls / allowed + (calls % allowed != 0);
}

static bool make_columns(struct filling *filling, struct rd_columns *columns, size_t count) {
    const unsigned runs = filling->runs->count;
    *columns = (struct rd_columns){.count = count,
                                   .runs = runs,
                                   .base = filling->runs->base,
                                   .values = calloc(count * runs, sizeof(double)),
                                   .number = malloc(count * runs)};
    return columns->values && columns->number;
}

/* Adds each call of a row to its column, and to `durations` (NULL: not wanted). */
static int read_row(struct filling *filling, struct rd_columns *columns, unsigned run, size_t row,
                    struct rd_durations *durations) {
    spr_profile *profile = filling->runs->items[run].profile;
    const uint64_t calls = spr_row_at(profile, row)->calls;
    for (uint64_t done = 0; done < calls;) {
        const uint64_t part = calls - done < RD_BLOCK ? calls - done : RD_BLOCK;
        const int status =
            spr_read_calls(profile, row, done, part, filling->start, filling->end, NULL, NULL, filling->error);
        if (status != SPR_OK) return status;
        for (uint64_t i = 0; i < part; i++) {
            const int64_t ns = filling->end[i] - filling->start[i];
            if (columns) columns->values[(done + i) / filling->together * columns->runs + run] += (double)ns;
            if (durations) rd_durations_add(durations, ns);
        }
        done += part;
    }
    return SPR_OK;
}

/* Quantiles stand for calls: they sum up to about the run's total. */
static void fill_quantiles(struct rd_columns *columns, unsigned run, const struct rd_durations *durations) {
    const double calls = (double)durations->count, count = (double)columns->count;
    for (size_t g = 0; g < columns->count; g++)
        columns->values[g * columns->runs + run] =
            rd_durations_at(durations, ((double)g + 0.5) / count * calls - 0.5) * calls / count;
}

static int fill_run(struct filling *filling, struct rd_columns *columns, size_t rank, unsigned run, bool aligned) {
    struct rd_sample *sample = &filling->data->samples[rank * filling->runs->count + run];
    struct rd_durations durations = {0};
    const uint64_t calls = calls_of(filling, rank, run);
    const bool wanted = filling->shapes || !aligned;
    if (wanted && !rd_durations_begin(&durations, calls))
        return rd_no_memory(filling->runs->items[run].profile, filling->error);
    const int status = read_row(filling, aligned ? columns : NULL, run, sample->row, wanted ? &durations : NULL);
    if (status == SPR_OK && wanted) {
        rd_durations_end(&durations);
        if (!aligned) fill_quantiles(columns, run, &durations);
        sample->smallest = rd_durations_at(&durations, 0);
        sample->quantile = rd_durations_at(&durations, LOW_SHARE * (double)(calls - 1));
    }
    rd_durations_free(&durations);
    return status;
}

static int fill_rank(struct filling *filling, size_t rank) {
    struct rd_columns *columns = &filling->data->columns.ranks[filling->data->columns.count++];
    uint64_t least, most;
    call_range(filling, rank, &least, &most);
    const bool aligned = least == most;
    const uint64_t count = aligned             ? (least + filling->together - 1) / filling->together
                           : least < QUANTILES ? least
                                               : QUANTILES;
    if (!make_columns(filling, columns, (size_t)count))
        return rd_no_memory(filling->runs->items[0].profile, filling->error);
    int status = SPR_OK;
    for (unsigned run = 0; status == SPR_OK && run < filling->runs->count; run++)
        status = fill_run(filling, columns, rank, run, aligned);
    if (status == SPR_OK) rd_columns_sort(columns);
    return status;
}

int rd_region_data_read(const struct rd_runs *runs, bool shapes, struct rd_region_data *data, spr_error *error) {
    struct filling filling = {.runs = runs, .data = data, .shapes = shapes, .error = error};
    int status = SPR_OK;
    filling.start = malloc(2 * RD_BLOCK * sizeof *filling.start);
    data->columns.ranks = calloc(data->num_ranks + 1, sizeof *data->columns.ranks);
    if (!filling.start || !data->columns.ranks) status = rd_no_memory(runs->items[0].profile, error);
    if (status == SPR_OK) {
        filling.end = filling.start + RD_BLOCK;
        filling.together = calls_to_a_column(&filling);
    }
    for (size_t rank = 0; status == SPR_OK && rank < data->num_ranks; rank++) status = fill_rank(&filling, rank);
    free(filling.start);
    return status;
}
