/* What a begin and its end cost through scope_profiler.h: run plainly, when nothing is recorded; under `scope-profiler
 * run`, everything written to disk included. Each figure is taken in turn with two bare reads of the processor's
 * counter, of which it is a multiple. */
#include <scope_profiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCHES = 150, PAIRS = 100000 };

static inline uint64_t counter(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t t;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_nsec;
#endif
}

static int region;
static sp_profiler *profiler;

static void nothing(void) {
    for (int i = 0; i < PAIRS; i++) __asm__ volatile("" : : : "memory");
}
static void two_reads(void) {
    for (int i = 0; i < PAIRS; i++) {
        uint64_t a = counter(), b = counter();
        __asm__ volatile("" : : "r"(a), "r"(b));
    }
}
static void begin_end(void) {
    for (int i = 0; i < PAIRS; i++) {
        sp_begin(region);
        __asm__ volatile("" : : : "memory");
        sp_end(region);
    }
}
static void token(void) {
    for (int i = 0; i < PAIRS; i++) {
        sp_scope scope = sp_profiler_scope_begin(profiler, region);
        __asm__ volatile("" : : : "memory");
        sp_scope_end(&scope);
    }
}

static const struct {
    const char *name;
    void (*batch)(void);
} kinds[] = {
    {"empty loop", nothing},
    {"two counter reads", two_reads},
    {"sp_begin + sp_end", begin_end},
    {"checked token", token},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void) {
    static double ns[KINDS][BATCHES];
    region = sp_region("bench");
    profiler = sp_default_profiler();
    for (int batch = -1; batch < BATCHES; batch++) /* the first warms up */
        for (int k = 0; k < KINDS; k++) {
            const double before = seconds();
            kinds[k].batch();
            if (batch >= 0) ns[k][batch] = (seconds() - before) / PAIRS * 1e9;
        }
    for (int k = 0; k < KINDS; k++) qsort(ns[k], BATCHES, sizeof ns[k][0], ascending);
    printf("markers, %s: ns a pair, %d batches of %d\n", sp_is_active() ? "recorded" : "not recorded", BATCHES, PAIRS);
    printf("  %-20s %8s %8s %8s\n", "", "min", "median", "ratio");
    for (int k = 0; k < KINDS; k++)
        printf("  %-20s %8.2f %8.2f %8.2f\n", kinds[k].name, ns[k][0], ns[k][BATCHES / 2], ns[k][0] / ns[1][0]);
    return 0;
}
