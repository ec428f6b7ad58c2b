/* The ways to share the runs out between base and candidate. */
#include "gate.h"

#include <math.h>
#include <stdlib.h>

#define MOST_ENUMERATED 3500
#define SAMPLED         2000
#define SEED            UINT64_C(0x53434F5045) /* "SCOPE" */

uint64_t rd_choose(unsigned n, unsigned k) {
    uint64_t row[RD_GATE_MOST_RUNS + 1] = {1}; /* of Pascal's triangle */
    for (unsigned i = 1; i <= n; i++)
        for (unsigned j = i < k ? i : k; j > 0; j--) row[j] += row[j - 1];
    return k > n ? 0 : row[k];
}

static uint64_t true_mask(unsigned base, unsigned candidate) { return ((UINT64_C(1) << candidate) - 1) << base; }

/* The next larger number with as many bits. */
static uint64_t next_subset(uint64_t set) {
    const uint64_t lowest = set & -set, carried = set + lowest;
    return carried | ((set ^ carried) >> 2) / lowest;
}

static void enumerate(struct rd_labels *labels) {
    const uint64_t first = labels->masks[0];
    uint64_t set = (UINT64_C(1) << labels->candidate) - 1;
    for (size_t i = 1; i < labels->count; set = next_subset(set))
        if (set != first) labels->masks[i++] = set;
}

static uint64_t splitmix64(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t draw(uint64_t *state, unsigned runs, unsigned candidate) {
    unsigned char cards[RD_GATE_MOST_RUNS];
    uint64_t set = 0;
    for (unsigned i = 0; i < runs; i++) cards[i] = (unsigned char)i;
    for (unsigned i = 0; i < candidate; i++) {
        const unsigned at = i + (unsigned)(splitmix64(state) % (runs - i));
        const unsigned char card = cards[at];
        cards[at] = cards[i];
        set |= UINT64_C(1) << card;
    }
    return set;
}

bool rd_labels_make(unsigned base, unsigned candidate, struct rd_labels *labels) {
    const uint64_t possible = rd_choose(base + candidate, candidate);
    const bool all = possible <= MOST_ENUMERATED;
    *labels = (struct rd_labels){.base = base, .candidate = candidate, .count = all ? possible : SAMPLED, .all = all};
    labels->masks = malloc(labels->count * sizeof *labels->masks);
    if (!labels->masks) return false;
    labels->masks[0] = true_mask(base, candidate);
    if (all) {
        enumerate(labels);
        return true;
    }
    uint64_t state = SEED;
    for (size_t i = 1; i < labels->count; i++) labels->masks[i] = draw(&state, base + candidate, candidate);
    return true;
}

bool rd_labels_reject(const struct rd_labels *labels, size_t hits, double alpha) {
    return (double)hits <= floor(alpha * (double)labels->count + 1e-9);
}
