/* Two regions that compute, each called 50 times for about 2 ms: work ROUNDS PERCENT
 *
 * ROUNDS is the length of a call (work 0 finds it for this machine: it prints the rounds that take 2 ms); PERCENT more
 * work is done in the region `chain`. */
#include <scope_profiler.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 50 };

static volatile double chain_result;
static volatile uint64_t mix_result;

/* Each step waits for the one before. */
static void chain(long rounds) {
    double x = 1.5;
    for (long i = 0; i < rounds; i++) x = x * 0.999999 + 1.0 / (x + 1.0);
    chain_result = x;
}

/* Integers, branches and a table that fits the first cache. */
static void mix(long rounds) {
    static uint32_t table[2048];
    uint64_t state = 88172645463325252u;
    for (long i = 0; i < rounds; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if (state & 64)
            table[state % 2048] += (uint32_t)i;
        else
            state += table[(state >> 20) % 2048] & 1;
    }
    mix_result = state;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static long calibrate(void) {
    double best = 1;
    const long rounds = 200000;
    for (int i = 0; i < 200; i++) {
        double begin = seconds();
        chain(rounds);
        double taken = seconds() - begin;
        if (taken < best) best = taken;
    }
    return (long)((double)rounds * 0.002 / best);
}

int main(int argc, char **argv) {
    const long rounds = argc > 1 ? atol(argv[1]) : 0;
    const double percent = argc > 2 ? atof(argv[2]) : 0;
    if (rounds <= 0) {
        printf("%ld\n", calibrate());
        return 0;
    }
    const int chained = sp_region("chain"), mixed = sp_region("mix");
    for (int i = 0; i < CALLS; i++) {
        sp_begin(chained);
        chain((long)((double)rounds * (1 + percent / 100)));
        sp_end(chained);
        sp_begin(mixed);
        mix(2 * rounds / 3);
        sp_end(mixed);
    }
    return 0;
}
