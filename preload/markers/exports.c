#include "context.h"
#include "recorder.h"

/* The functions of scope_profiler.h as symbols, for languages that call C but cannot include it. They mean the same;
 * the header itself does not use them. */

#define EXPORT(type, name, parameters)                                                                                 \
    extern type name parameters;                                                                                       \
    __attribute__((visibility("default"))) type name parameters

EXPORT(int, sp_region, (const char *name)) { return markers_region(name, SP_NUL_TERMINATED, NULL, -1); }
EXPORT(int, sp_region_at, (const char *name, const char *file, int line)) {
    return markers_region(name, SP_NUL_TERMINATED, file, line);
}
EXPORT(void, sp_begin, (int region)) { rec_begin((int)((unsigned)region + 1u)); }
EXPORT(void, sp_end, (int region)) { rec_end((int)((unsigned)region + 1u)); }
EXPORT(int64_t, sp_num_calls, (int region)) { return markers_num_calls(region); }
EXPORT(int64_t, sp_now_ns, (void)) { return rec_clock_ns(); }

EXPORT(int, sp_init, (const char *prefix, int rank)) { return markers_init(prefix, SP_NUL_TERMINATED, rank); }
EXPORT(int, sp_finalize, (void)) { return markers_finalize(); }
EXPORT(int, sp_is_active, (void)) { return markers_is_active(); }
EXPORT(sp_profiler *, sp_default_profiler, (void)) { return markers_default_profiler(); }
EXPORT(const char *, sp_output_path, (void)) { return context_output_path(markers_default_profiler()); }

EXPORT(sp_profiler *, sp_create, (const char *prefix, int rank)) {
    return context_create(prefix, SP_NUL_TERMINATED, rank);
}
EXPORT(void, sp_destroy, (sp_profiler * profiler)) { context_destroy(profiler); }
EXPORT(int, sp_profiler_region, (sp_profiler * profiler, const char *name)) {
    return context_region(profiler, name, SP_NUL_TERMINATED, NULL, -1);
}
EXPORT(int, sp_profiler_region_at, (sp_profiler * profiler, const char *name, const char *file, int line)) {
    return context_region(profiler, name, SP_NUL_TERMINATED, file, line);
}
EXPORT(void, sp_profiler_begin, (sp_profiler * profiler, int region)) { (void)context_begin(profiler, region); }
EXPORT(void, sp_profiler_end, (sp_profiler * profiler, int region)) { (void)context_end(profiler, region); }
EXPORT(int, sp_profiler_end_last, (sp_profiler * profiler)) { return context_end_last(profiler); }
EXPORT(sp_scope, sp_profiler_scope_begin, (sp_profiler * profiler, int region)) {
    return (sp_scope){profiler, region, context_begin(profiler, region)};
}
EXPORT(int, sp_scope_end, (sp_scope * scope)) {
    if (!scope || !scope->profiler) return SP_ERR_INACTIVE;
    if (scope->slot < 0) return SP_ERR_UNMATCHED_END;
    const int status = context_end_slot(scope->profiler, scope->region, scope->slot);
    if (status == SP_OK) scope->slot = -1;
    return status;
}
EXPORT(int, sp_profiler_reset, (sp_profiler * profiler)) { return context_reset(profiler); }
EXPORT(int, sp_profiler_get_region_stats, (const sp_profiler *profiler, int region, sp_region_stats *stats)) {
    return context_stats(profiler, region, stats);
}
EXPORT(int, sp_profiler_num_regions, (const sp_profiler *profiler)) { return context_num_regions(profiler); }
EXPORT(const char *, sp_profiler_region_name, (const sp_profiler *profiler, int region)) {
    return context_region_name(profiler, region);
}
EXPORT(int, sp_profiler_flush, (sp_profiler * profiler)) { return context_write(profiler, 0); }
EXPORT(int, sp_profiler_finalize, (sp_profiler * profiler)) { return context_write(profiler, 1); }
EXPORT(int, sp_profiler_is_active, (const sp_profiler *profiler)) { return context_is_active(profiler); }
EXPORT(const char *, sp_profiler_output_path, (const sp_profiler *profiler)) { return context_output_path(profiler); }
EXPORT(int, sp_profiler_last_error, (const sp_profiler *profiler)) { return context_last_error(profiler); }
EXPORT(int, sp_profiler_set_output_format, (sp_profiler * profiler, int format)) {
    return context_set_output_format(profiler, format);
}
EXPORT(int, sp_set_output_format, (int format)) {
    return context_set_output_format(markers_default_profiler(), format);
}
EXPORT(int, sp_profiler_output_format, (const sp_profiler *profiler)) {
    (void)profiler;
    return SP_OUTPUT_HDF5;
}
EXPORT(int, sp_default_output_format, (void)) { return SP_OUTPUT_HDF5; }
EXPORT(int, sp_hdf5_available, (void)) { return 1; }
EXPORT(const char *, sp_error_string, (int status)) { return sp_words_(status); }
