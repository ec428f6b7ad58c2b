/* context.h: the contexts behind scope_profiler.h, and the functions of its table. */
#ifndef SCOPE_PROFILER_MARKERS_CONTEXT_H
#define SCOPE_PROFILER_MARKERS_CONTEXT_H

#define SP_TYPES_ONLY
#include "scope_profiler.h"

/* As the members of struct sp_api of the same names. */
int markers_region(const char *name, size_t length, const char *file, int line);
int64_t markers_num_calls(int region);
int markers_init(const char *prefix, size_t length, int rank);
int markers_finalize(void);
int markers_is_active(void);
sp_profiler *markers_default_profiler(void);

sp_profiler *context_create(const char *prefix, size_t length, int rank);
void context_destroy(sp_profiler *profiler);
int context_region(sp_profiler *profiler, const char *name, size_t length, const char *file, int line);
int64_t context_begin(sp_profiler *profiler, int region);
int context_end(sp_profiler *profiler, int region);
int context_end_last(sp_profiler *profiler);
int context_end_slot(sp_profiler *profiler, int region, int64_t slot);
int context_reset(sp_profiler *profiler);
int context_stats(const sp_profiler *profiler, int region, sp_region_stats *stats);
int context_num_regions(const sp_profiler *profiler);
const char *context_region_name(const sp_profiler *profiler, int region);
int context_write(sp_profiler *profiler, int stop);
int context_is_active(const sp_profiler *profiler);
const char *context_output_path(const sp_profiler *profiler);
int context_last_error(const sp_profiler *profiler);
int context_open_profile(sp_profiler *profiler);
int markers_configure(const char *key, size_t length, const char *value, size_t value_length);
int context_set_output_format(sp_profiler *profiler, int format);

#endif
