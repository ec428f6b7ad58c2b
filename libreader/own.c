/* Exclusive times that the file does not store: a rank's calls are walked once for all its rows. */
#include "feed.h"
#include "walk.h"

#include <string.h>

struct own {
    spr_profile *profile;
};

static int enter(void *context, struct rd_call *call, const struct rd_call *around, spr_error *error) {
    spr_profile *profile = ((struct own *)context)->profile;
    const int64_t within = around ? (call->end < around->end ? call->end : around->end) - call->start : 0;
    if (__builtin_add_overflow(profile->own_ns[call->row], call->end - call->start, &profile->own_ns[call->row]) ||
        (around && __builtin_sub_overflow(profile->own_ns[around->row], within, &profile->own_ns[around->row])))
        return rd_fail(error, SPR_DAMAGED, profile->path, "the durations on rank %u add up beyond 64 bits",
                       profile->rows[call->row].rank);
    return SPR_OK;
}

/* The rank's rows in profile->by_rank. */
static size_t find_rank(const spr_profile *profile, uint32_t rank) {
    size_t low = 0, high = profile->num_rows;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (profile->rows[profile->by_rank[middle]].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int find_own_times(spr_profile *profile, uint32_t rank, spr_error *error) {
    struct own own = {profile};
    const struct rd_visitor visitor = {enter, &own};
    const size_t first = find_rank(profile, rank), count = rd_rank_rows(profile, first);
    const size_t *rows = profile->by_rank + first;
    int status;
    do {
        for (size_t i = 0; i < count; i++) profile->own_ns[rows[i]] = 0;
        status = rd_walk_rank(profile, rows, count, &visitor, error);
    } while (status == RD_AGAIN);
    if (status != SPR_OK && status != SPR_NESTING) return status;
    for (size_t i = 0; i < count; i++) profile->own_state[rows[i]] = status == SPR_OK ? RD_OWN_KNOWN : RD_OWN_NEVER;
    return SPR_OK;
}

int rd_own_time(spr_profile *profile, size_t row, int64_t *own_ns, spr_error *error) {
    if (profile->own_state[row] == RD_OWN_UNKNOWN) {
        spr_error ignored; /* calls that do not nest are an answer */
        const int status = find_own_times(profile, profile->rows[row].rank, &ignored);
        if (status != SPR_OK) {
            if (error) *error = ignored;
            return status;
        }
    }
    *own_ns = profile->own_state[row] == RD_OWN_KNOWN ? profile->own_ns[row] : -1;
    return SPR_OK;
}
