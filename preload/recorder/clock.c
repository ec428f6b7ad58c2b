#include "clock.h"
#include "sys.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#if defined(__x86_64__)
#    include <cpuid.h>
#endif

#if defined(__x86_64__)
static const enum spool_clock counter_kind = SPOOL_CLOCK_TSC;

static bool counter_is_steady(void) {
    unsigned a, b, c, d = 0;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & 1u << 8)) return false; /* invariant TSC */
    /* The kernel takes "tsc" off this list when it has seen it run unevenly. */
    char list[256];
    if (sys_read_file("/sys/devices/system/clocksource/clocksource0/available_clocksource", list, sizeof list) <= 0)
        return true;
    return strstr(list, "tsc") != NULL;
}
#elif defined(__aarch64__)
static const enum spool_clock counter_kind = SPOOL_CLOCK_CNTVCT;
static bool counter_is_steady(void) { return true; }
#else
static const enum spool_clock counter_kind = SPOOL_CLOCK_MONOTONIC;
static bool counter_is_steady(void) { return false; }
#endif

uint64_t clock_namespace(void) {
    struct stat status;
    return stat("/proc/self/ns/time", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

enum spool_clock clock_choose(void) {
    const char *wish = getenv("SCOPE_PROFILER_CLOCK");
    if (wish && strcmp(wish, "monotonic") == 0) return SPOOL_CLOCK_MONOTONIC;
    if (wish && strcmp(wish, "counter") == 0) return counter_kind;
    return counter_is_steady() ? counter_kind : SPOOL_CLOCK_MONOTONIC;
}

struct spool_point clock_point(enum spool_clock clock) {
    struct spool_point best = {0, 0};
    uint64_t narrowest = UINT64_MAX;
    if (clock == SPOOL_CLOCK_MONOTONIC) {
        best.ns = clock_monotonic_ns();
        best.ticks = (uint64_t)best.ns;
        return best;
    }
    for (int i = 0; i < 8; i++) {
        uint64_t before = clock_counter();
        int64_t ns = clock_monotonic_ns();
        uint64_t width = clock_counter() - before;
        if (width < narrowest) {
            narrowest = width;
            best.ticks = before + width / 2;
            best.ns = ns;
        }
    }
    return best;
}
