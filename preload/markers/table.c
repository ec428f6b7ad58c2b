#include "context.h"
#include "recorder.h"

/* The one symbol that programs compiled with scope_profiler.h refer to. It is const for them, not for us. */

/* Until the recorder has said what runs: constructors of other libraries may come before ours. */
static void early_begin(int number) { rec_begin(number); }
static void early_end(int number) { rec_end(number); }

extern struct sp_api sp_api_v1;
__attribute__((visibility("default"))) struct sp_api sp_api_v1 = {
    .size = sizeof(struct sp_api),
    .version = SP_API_VERSION,
    .begin = early_begin,
    .end = early_end,
    .region = markers_region,
    .num_calls = markers_num_calls,
    .now_ns = rec_clock_ns,
    .init = markers_init,
    .finalize = markers_finalize,
    .is_active = markers_is_active,
    .default_profiler = markers_default_profiler,
    .create = context_create,
    .destroy = context_destroy,
    .profiler_region = context_region,
    .profiler_begin = context_begin,
    .profiler_end = context_end,
    .profiler_end_last = context_end_last,
    .profiler_end_slot = context_end_slot,
    .profiler_reset = context_reset,
    .profiler_stats = context_stats,
    .profiler_num_regions = context_num_regions,
    .profiler_region_name = context_region_name,
    .profiler_write = context_write,
    .profiler_is_active = context_is_active,
    .profiler_output_path = context_output_path,
    .profiler_last_error = context_last_error,
    .profiler_set_output_format = context_set_output_format,
    .pause = rec_pause,
    .resume = rec_resume,
    .configure = markers_configure,
    .profiler_open_profile = context_open_profile,
};

static void mode_changed(const struct rec_functions *functions) {
    __atomic_store_n(&sp_api_v1.begin, functions->begin, __ATOMIC_RELAXED);
    __atomic_store_n(&sp_api_v1.end, functions->end, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void start(void) { rec_on_mode(mode_changed); }
