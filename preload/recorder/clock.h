/* clock.h: the recorder's clock. One is chosen when recording begins; ticks become nanoseconds in `collect`. */
#ifndef SCOPE_PROFILER_CLOCK_H
#define SCOPE_PROFILER_CLOCK_H

#include "spool.h"
#include <time.h>

/* The processor's counter where it runs at one rate on all cores (x86: invariant TSC that the kernel, or the host of a
 * virtual machine, trusts; aarch64: the generic timer), else CLOCK_MONOTONIC. SCOPE_PROFILER_CLOCK=monotonic|counter in
 * the environment overrules. */
enum spool_clock clock_choose(void);

/* One moment on both clocks, the tightest of several tries. */
struct spool_point clock_point(enum spool_clock clock);

/* Which CLOCK_MONOTONIC of this machine is this process's: inode of its time namespace; 0 unknown. */
uint64_t clock_namespace(void);

static inline int64_t clock_monotonic_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline uint64_t clock_counter(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t t;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#else
    return (uint64_t)clock_monotonic_ns();
#endif
}

static inline uint64_t clock_ticks(enum spool_clock clock) {
    return clock == SPOOL_CLOCK_MONOTONIC ? (uint64_t)clock_monotonic_ns() : clock_counter();
}

#endif
