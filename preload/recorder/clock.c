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

/* Ticks of the fastest of several reads of the kernel's clock. */
static uint64_t kernel_read_ticks(bool by_system_call) {
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        struct timespec t;
        const uint64_t before = clock_counter();
        if (by_system_call)
            syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
        else
            clock_gettime(CLOCK_MONOTONIC, &t);
        const uint64_t ticks = clock_counter() - before;
        if (ticks < best) best = ticks;
    }
    return best;
}

/* Virtual machines often have the host's clock (kvm-clock, Hyper-V's) and no "tsc". That is this counter times a factor
 * as well, and is read without a system call for as long as the host says that the counter is the same on all
 * processors (PVCLOCK_TSC_STABLE_BIT in the kernel's arch/x86/entry/vdso; Hyper-V's page likewise). */
static bool kernel_uses_counter(void) { return 2 * kernel_read_ticks(false) < kernel_read_ticks(true); }

static bool counter_is_steady(void) {
    unsigned a, b, c, d = 0;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & 1u << 8)) return false; /* invariant TSC */
    /* The kernel takes "tsc" off this list when it has seen it run unevenly. */
    char list[256];
    if (sys_read_file("/sys/devices/system/clocksource/clocksource0/available_clocksource", list, sizeof list) <= 0)
        return true;
    return strstr(list, "tsc") || kernel_uses_counter();
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
