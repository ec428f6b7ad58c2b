/* groups.h: the groups of tests of one executable. */
#ifndef MARKERS_GROUPS_H
#define MARKERS_GROUPS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <scope_profiler.h>

int test_numbers(void); /* each: the number of failures */
int test_session(const char *self);
int session_scene(void); /* what the program does when it is run within a session: a check's number, 0 all good */

static inline sp_region_stats stats_of(const sp_profiler *profiler, int region) {
    sp_region_stats stats = {-1, -1, -1, -1};
    sp_profiler_get_region_stats(profiler, region, &stats);
    return stats;
}

static inline void call(sp_profiler *profiler, int region, int times) {
    for (int i = 0; i < times; i++) {
        sp_profiler_begin(profiler, region);
        sp_profiler_end(profiler, region);
    }
}

#endif
