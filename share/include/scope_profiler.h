/* scope_profiler.h: mark regions of a C or C++ program.
 *
 *     #include <scope_profiler.h>
 *
 *     int solve = sp_region("solve");      // once, outside the hot loop
 *     sp_begin(solve);
 *     ...
 *     sp_end(solve);
 *
 * Link nothing. Run plainly, such a program costs one predictable branch a call; run under `scope-profiler run ./app`
 * (or with libscope-profiler.so preloaded) its regions are recorded. A program that wants to record without being asked
 * links the library (`pkg-config --cflags --libs scope-profiler`) and calls sp_init() and sp_finalize(), which write
 * <prefix>_rank<NNNNN>.h5; under `scope-profiler run` both calls are harmless and everything goes to the run's file.
 *
 * C99 and C++11. Every function may be called from any thread, before sp_init(), after sp_finalize(), without the
 * library, and with a NULL profiler. Handles of regions count from 0; they stay valid across sp_finalize() and a new
 * sp_init(). Where the library is absent, functions that can fail as part of normal work (sp_init, sp_finalize,
 * sp_profiler_flush, sp_profiler_finalize) return 0, handles are SP_INVALID_REGION, pointers NULL, numbers 0 and
 * sp_now_ns() -1.
 *
 * Before including it:
 *   SP_DISABLE_PROFILING   everything here becomes nothing
 *   SP_LINKED              the program is linked with the library (set by pkg-config): the reference is a strong one
 *   SP_NO_ASM              no inline assembly: a weak reference and dlsym() instead (slower at the first call)
 */
#ifndef SCOPE_PROFILER_H
#define SCOPE_PROFILER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#    if defined(__GNUC__) /* C's casts and NULL, whatever the program warns of */
#        pragma GCC diagnostic push
#        pragma GCC diagnostic ignored "-Wold-style-cast"
#        pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#    endif
#endif

#define SP_FORMAT_VERSION 2
#define SP_INVALID_REGION (-1)

typedef struct sp_profiler sp_profiler; /* a context: records into a profile of its own (under `run`: into the run's) */

typedef enum {
    SP_OK = 0,
    SP_ERR_INACTIVE,      /* the profiler is NULL, not active yet, or not any more; or no such region */
    SP_ERR_NO_CLOCK,      /* no monotonic clock */
    SP_ERR_NO_MEMORY,     /* out of memory */
    SP_ERR_IO,            /* the profile could not be written */
    SP_ERR_UNMATCHED_END, /* nothing open to end */
    SP_ERR_OPEN_SCOPES,   /* refused, or incomplete, because a call is still open */
    SP_ERR_UNSUPPORTED    /* this build cannot write that format */
} sp_status;

typedef enum { SP_OUTPUT_HDF5 = 0, SP_OUTPUT_TRACE = 1 } sp_output_format;

typedef struct {
    int64_t calls;    /* how often the region was entered, calls still open included */
    int64_t total_ns; /* of the calls that have ended, as the next two */
    int64_t min_ns;   /* 0 without such a call */
    int64_t max_ns;
} sp_region_stats;

typedef struct {
    sp_profiler *profiler;
    int region;
    int64_t slot; /* -1: nothing left to end */
} sp_scope;

/* What the library exports, as `sp_api_v1`. Members are only ever appended; `size` says how many there are. Regions are
 * handles except in `begin` and `end`, which take a handle + 1. Not for direct use. */
struct sp_api {
    uint32_t size; /* bytes */
    uint32_t version;
    void (*begin)(int number);
    void (*end)(int number);
    /* length: bytes, or SP_NUL_TERMINATED; file: NULL unknown. The handle, or SP_INVALID_REGION. */
    int (*region)(const char *name, size_t length, const char *file, int line);
    int64_t (*num_calls)(int region);
    int64_t (*now_ns)(void);
    int (*init)(const char *prefix, size_t length, int rank);
    int (*finalize)(void);
    int (*is_active)(void);
    sp_profiler *(*default_profiler)(void);
    sp_profiler *(*create)(const char *prefix, size_t length, int rank);
    void (*destroy)(sp_profiler *profiler);
    int (*profiler_region)(sp_profiler *profiler, const char *name, size_t length, const char *file, int line);
    int64_t (*profiler_begin)(sp_profiler *profiler, int region); /* the call's slot, -1 none */
    int (*profiler_end)(sp_profiler *profiler, int region);
    int (*profiler_end_last)(sp_profiler *profiler);
    int (*profiler_end_slot)(sp_profiler *profiler, int region, int64_t slot);
    int (*profiler_reset)(sp_profiler *profiler);
    int (*profiler_stats)(const sp_profiler *profiler, int region, sp_region_stats *stats);
    int (*profiler_num_regions)(const sp_profiler *profiler);
    const char *(*profiler_region_name)(const sp_profiler *profiler, int region);
    int (*profiler_write)(sp_profiler *profiler, int stop);
    int (*profiler_is_active)(const sp_profiler *profiler);
    const char *(*profiler_output_path)(const sp_profiler *profiler);
    int (*profiler_last_error)(const sp_profiler *profiler);
    int (*profiler_set_output_format)(sp_profiler *profiler, int format);
    void (*pause)(void); /* from here on: check `size` */
    void (*resume)(void);
    int (*configure)(const char *key, size_t length, const char *value, size_t value_length);
    int (*profiler_open_profile)(sp_profiler *profiler);
};

#define SP_NUL_TERMINATED ((size_t)-1)
#define SP_API_VERSION    1

#if defined(__GNUC__) || defined(__clang__)
#    define SP_HELPER_ __attribute__((unused)) static inline
#else
#    define SP_HELPER_ static inline
#endif
#ifndef SP_INLINE_ /* libscope-profiler-c.so exports the functions below instead */
#    define SP_INLINE_ SP_HELPER_
#endif

SP_HELPER_ const char *sp_words_(int status) {
    static const char *const words[] = {"ok",
                                        "profiler is not active",
                                        "no monotonic clock available",
                                        "out of memory",
                                        "profile could not be written",
                                        "no open call to end",
                                        "a region is still open",
                                        "output format not available in this build"};
    return status >= 0 && (size_t)status < sizeof words / sizeof words[0] ? words[status] : "unknown status";
}

#ifndef SP_TYPES_ONLY

/* Finding the table. A plain weak reference would do, were it not that linkers bind it to 0 in executables that are not
 * position independent; an address loaded from the global offset table is left to the loader by all of them. */
#    ifdef SP_LINKED
#        define SP_WEAK_ ""
#    else
#        define SP_WEAK_ ".weak sp_api_v1\n\t"
#    endif

#    if defined(SP_DISABLE_PROFILING) || !defined(__ELF__) || !(defined(__GNUC__) || defined(__clang__))

SP_HELPER_ const struct sp_api *sp_api_(void) { return NULL; }

#    elif defined(__x86_64__) && !defined(__ILP32__) && !defined(SP_NO_ASM)

SP_HELPER_ const struct sp_api *sp_api_(void) {
    const struct sp_api *api;
    __asm__(SP_WEAK_ "{movq sp_api_v1@GOTPCREL(%%rip), %0|mov %0, QWORD PTR sp_api_v1@GOTPCREL[rip]}" : "=r"(api));
    return api;
}

#    elif defined(__aarch64__) && defined(__LP64__) && !defined(SP_NO_ASM)

SP_HELPER_ const struct sp_api *sp_api_(void) {
    const struct sp_api *api;
    __asm__(SP_WEAK_ "adrp %0, :got:sp_api_v1\n\tldr %0, [%0, :got_lo12:sp_api_v1]" : "=r"(api));
    return api;
}

#    else

extern const struct sp_api sp_api_v1 __attribute__((weak));
/* By another name: programs may or may not have dlfcn.h's declaration, and C++ wants both to agree. */
extern void *sp_dlsym_(void *handle, const char *name) __asm__("dlsym") __attribute__((weak));

SP_HELPER_ const struct sp_api *sp_api_(void) {
    static const struct sp_api *found;
    static int looked;
    if (__builtin_expect(!__atomic_load_n(&looked, __ATOMIC_ACQUIRE), 0)) {
        const struct sp_api *api = &sp_api_v1;
        if (!api && sp_dlsym_) api = (const struct sp_api *)sp_dlsym_(NULL, "sp_api_v1");
        __atomic_store_n(&found, api, __ATOMIC_RELAXED);
        __atomic_store_n(&looked, 1, __ATOMIC_RELEASE);
    }
    return __atomic_load_n(&found, __ATOMIC_RELAXED);
}

#    endif

/* ---- regions ---------------------------------------------------------------------------------------------------- */

/* The handle of the region of this name, made at its first use; SP_INVALID_REGION when nothing records. The name is
 * copied; any bytes, any length. */
SP_INLINE_ int sp_region(const char *name) {
    const struct sp_api *api = sp_api_();
    return api ? api->region(name, SP_NUL_TERMINATED, NULL, -1) : SP_INVALID_REGION;
}

/* The same with the place where it is defined. The first place that a region is given stays. */
SP_INLINE_ int sp_region_at(const char *name, const char *source_file, int source_line) {
    const struct sp_api *api = sp_api_();
    return api ? api->region(name, SP_NUL_TERMINATED, source_file, source_line) : SP_INVALID_REGION;
}
#    define SP_REGION_AT(name) sp_region_at((name), __FILE__, __LINE__)

/* Enter and leave a region. SP_INVALID_REGION is ignored. */
SP_INLINE_ void sp_begin(int region) {
    const struct sp_api *api = sp_api_();
    if (api) api->begin((int)((unsigned)region + 1u));
}
SP_INLINE_ void sp_end(int region) {
    const struct sp_api *api = sp_api_();
    if (api) api->end((int)((unsigned)region + 1u));
}

/* How often this process entered the region, on all threads; readable after sp_finalize(), too. */
SP_INLINE_ int64_t sp_num_calls(int region) {
    const struct sp_api *api = sp_api_();
    return api ? api->num_calls(region) : 0;
}

/* Nanoseconds of CLOCK_MONOTONIC. */
SP_INLINE_ int64_t sp_now_ns(void) {
    const struct sp_api *api = sp_api_();
    return api ? api->now_ns() : -1;
}

/* ---- how it is recorded ----------------------------------------------------------------------------------------- */

#    define SP_HAS_(api, member) ((api) && (api)->size >= offsetof(struct sp_api, member) + sizeof(api)->member)

/* What the next sp_init() and sp_create() record, and how; under `run` its options say that, and this does nothing.
 * Keys and values are those of the environment, which holds where nothing else is said (a NULL value: again):
 *   mode            trace (every call), aggregate (sums of calls), off
 *   no_output       1: no file. Numbers can be asked for, and sp_profiler_open_profile() has the whole
 *   throttle        CALLS:NANOSECONDS: a region with so many calls, shorter on average, is added up from then on
 *   max_size        bytes of calls to keep
 *   buffer_limit    calls that a thread keeps before it writes them
 *   sample_every    N[:START][:REGION]: one phase in N
 *   label           a name for the run
 *   metadata        minimal, full
 *   capture_source  1: the profile holds the source text of regions
 * 0, or SP_ERR_UNSUPPORTED: there is no such key. A value that makes no sense is told by the next sp_init(). */
SP_INLINE_ int sp_configure(const char *key, const char *value) {
    const struct sp_api *api = sp_api_();
    if (!SP_HAS_(api, configure)) return api ? (int)SP_ERR_UNSUPPORTED : 0;
    return api->configure(key, SP_NUL_TERMINATED, value, SP_NUL_TERMINATED);
}

/* ---- the default context ---------------------------------------------------------------------------------------- */

/* Starts recording into <prefix>_rank<NNNNN>.h5. 0, or an sp_status. A second call replaces what the first began: what
 * that recorded and sp_finalize() did not write is dropped. */
SP_INLINE_ int sp_init(const char *prefix, int rank) {
    const struct sp_api *api = sp_api_();
    return api ? api->init(prefix, SP_NUL_TERMINATED, rank) : 0;
}

/* Writes the profile and stops recording. 0, or an sp_status. */
SP_INLINE_ int sp_finalize(void) {
    const struct sp_api *api = sp_api_();
    return api ? api->finalize() : 0;
}

/* 1 while sp_begin() and sp_end() record. */
SP_INLINE_ int sp_is_active(void) {
    const struct sp_api *api = sp_api_();
    return api ? api->is_active() : 0;
}

/* The context behind the functions above; NULL before the first sp_init(), unless `run` records. */
SP_INLINE_ sp_profiler *sp_default_profiler(void) {
    const struct sp_api *api = sp_api_();
    return api ? api->default_profiler() : NULL;
}

/* Between the two, sp_begin() and sp_end() record nothing, on any thread; nor do MPI calls and Python functions. Calls
 * that were begun before a pause end as always, calls begun in it stay unrecorded. Pauses do not nest. */
SP_INLINE_ void sp_pause(void) {
    const struct sp_api *api = sp_api_();
    if (SP_HAS_(api, pause)) api->pause();
}
SP_INLINE_ void sp_resume(void) {
    const struct sp_api *api = sp_api_();
    if (SP_HAS_(api, resume)) api->resume();
}

/* ---- explicit contexts ------------------------------------------------------------------------------------------ */

/* A context that records into <prefix>_rank<NNNNN>.h5. Where it cannot (the directory is not writable, too many are
 * open) it is there, but not active, and sp_profiler_last_error() says why. */
SP_INLINE_ sp_profiler *sp_create(const char *prefix, int rank) {
    const struct sp_api *api = sp_api_();
    return api ? api->create(prefix, SP_NUL_TERMINATED, rank) : NULL;
}

/* Gives a context back. Writes nothing: sp_profiler_finalize() does. No thread may use it any more. */
SP_INLINE_ void sp_destroy(sp_profiler *profiler) {
    const struct sp_api *api = sp_api_();
    if (api) api->destroy(profiler);
}

SP_INLINE_ int sp_profiler_region(sp_profiler *profiler, const char *name) {
    const struct sp_api *api = sp_api_();
    return api ? api->profiler_region(profiler, name, SP_NUL_TERMINATED, NULL, -1) : SP_INVALID_REGION;
}

SP_INLINE_ int sp_profiler_region_at(sp_profiler *profiler, const char *name, const char *source_file,
                                     int source_line) {
    const struct sp_api *api = sp_api_();
    return api ? api->profiler_region(profiler, name, SP_NUL_TERMINATED, source_file, source_line) : SP_INVALID_REGION;
}
#    define SP_PROFILER_REGION_AT(profiler, name) sp_profiler_region_at((profiler), (name), __FILE__, __LINE__)

SP_INLINE_ void sp_profiler_begin(sp_profiler *profiler, int region) {
    const struct sp_api *api = sp_api_();
    if (api) (void)api->profiler_begin(profiler, region);
}

SP_INLINE_ void sp_profiler_end(sp_profiler *profiler, int region) {
    const struct sp_api *api = sp_api_();
    if (api) (void)api->profiler_end(profiler, region);
}

/* Ends the call that this thread opened last, of whichever region. */
SP_INLINE_ int sp_profiler_end_last(sp_profiler *profiler) {
    const struct sp_api *api = sp_api_();
    return api ? api->profiler_end_last(profiler) : (int)SP_ERR_INACTIVE;
}

/* Enters a region and returns a token for this very call. */
SP_INLINE_ sp_scope sp_profiler_scope_begin(sp_profiler *profiler, int region) {
    const struct sp_api *api = sp_api_();
    sp_scope scope;
    scope.profiler = profiler;
    scope.region = region;
    scope.slot = api ? api->profiler_begin(profiler, region) : -1;
    return scope;
}

/* Ends the call of the token, on the thread that began it. Refused (SP_ERR_UNMATCHED_END) while a later call of the
 * same region, begun through the context on this thread, is open: the token stays good for another try. A second end
 * of a token that has ended is refused, too, and does nothing. */
SP_INLINE_ int sp_scope_end(sp_scope *scope) {
    const struct sp_api *api = sp_api_();
    int status;
    if (!api || !scope || !scope->profiler) return (int)SP_ERR_INACTIVE;
    if (scope->slot < 0) return (int)SP_ERR_UNMATCHED_END;
    status = api->profiler_end_slot(scope->profiler, scope->region, scope->slot);
    if (status == (int)SP_OK) scope->slot = -1;
    return status;
}

/* Drops all calls, keeps the regions. Refused (SP_ERR_OPEN_SCOPES) while a call is open. Under `run` the run's profile
 * keeps the calls, and this context's numbers count from 0 again. */
SP_INLINE_ int sp_profiler_reset(sp_profiler *profiler) {
    const struct sp_api *api = sp_api_();
    return api ? api->profiler_reset(profiler) : (int)SP_ERR_INACTIVE;
}

/* Fills `stats`, of all threads. SP_ERR_INACTIVE (and zeros) when there is no such region. */
SP_INLINE_ int sp_profiler_get_region_stats(const sp_profiler *profiler, int region, sp_region_stats *stats) {
    const struct sp_api *api = sp_api_();
    if (api) return api->profiler_stats(profiler, region, stats);
    if (stats) stats->calls = stats->total_ns = stats->min_ns = stats->max_ns = 0;
    return (int)SP_ERR_INACTIVE;
}

/* Regions are 0 .. sp_profiler_num_regions() - 1; under `run` these are all regions of the process. */
SP_INLINE_ int sp_profiler_num_regions(const sp_profiler *profiler) {
    const struct sp_api *api = sp_api_();
    return api ? api->profiler_num_regions(profiler) : 0;
}

/* The region's name, the context's; NULL when there is no such region. */
SP_INLINE_ const char *sp_profiler_region_name(const sp_profiler *profiler, int region) {
    const struct sp_api *api = sp_api_();
    return api ? api->profiler_region_name(profiler, region) : NULL;
}

/* Write what has been recorded: and go on; and stop. 0, or SP_ERR_IO. Numbers and names stay readable. Calls that are
 * open when recording stops are reported on stderr, and last_error is SP_ERR_OPEN_SCOPES. */
SP_INLINE_ int sp_profiler_flush(sp_profiler *profiler) {
    const struct sp_api *api = sp_api_();
    return api ? api->profiler_write(profiler, 0) : 0;
}
SP_INLINE_ int sp_profiler_finalize(sp_profiler *profiler) {
    const struct sp_api *api = sp_api_();
    return api ? api->profiler_write(profiler, 1) : 0;
}

/* A descriptor of the profile of what has been recorded so far: an HDF5 file without a name, which /proc/self/fd/<n>
 * opens. Close it. Also after sp_profiler_finalize() where no_output was configured. -1: nothing was recorded, or `run`
 * has the recording (SP_ERR_UNSUPPORTED), or sp_profiler_last_error(). */
SP_INLINE_ int sp_profiler_open_profile(sp_profiler *profiler) {
    const struct sp_api *api = sp_api_();
    return SP_HAS_(api, profiler_open_profile) ? api->profiler_open_profile(profiler) : -1;
}

SP_INLINE_ int sp_profiler_is_active(const sp_profiler *profiler) {
    const struct sp_api *api = sp_api_();
    return api ? api->profiler_is_active(profiler) : 0;
}

/* The profile that is (or was) written; NULL for a NULL profiler. */
SP_INLINE_ const char *sp_profiler_output_path(const sp_profiler *profiler) {
    const struct sp_api *api = sp_api_();
    return api ? api->profiler_output_path(profiler) : NULL;
}
SP_INLINE_ const char *sp_output_path(void) { return sp_profiler_output_path(sp_default_profiler()); }

/* How the latest call against this profiler went; SP_OK for a NULL profiler. */
SP_INLINE_ sp_status sp_profiler_last_error(const sp_profiler *profiler) {
    const struct sp_api *api = sp_api_();
    return api ? (sp_status)api->profiler_last_error(profiler) : SP_OK;
}

/* HDF5 is the one format that is written; asking for another one is refused with SP_ERR_UNSUPPORTED. */
SP_INLINE_ int sp_profiler_set_output_format(sp_profiler *profiler, sp_output_format format) {
    const struct sp_api *api = sp_api_();
    return api ? api->profiler_set_output_format(profiler, (int)format) : (int)SP_ERR_INACTIVE;
}
SP_INLINE_ int sp_set_output_format(sp_output_format format) {
    return sp_profiler_set_output_format(sp_default_profiler(), format);
}
SP_INLINE_ sp_output_format sp_profiler_output_format(const sp_profiler *profiler) {
    (void)profiler;
    return SP_OUTPUT_HDF5;
}
SP_INLINE_ sp_output_format sp_default_output_format(void) { return SP_OUTPUT_HDF5; }
SP_INLINE_ int sp_hdf5_available(void) { return 1; }

/* In words; never NULL. */
SP_INLINE_ const char *sp_error_string(sp_status status) { return sp_words_((int)status); }

#endif /* SP_TYPES_ONLY */

#ifdef __cplusplus
#    if defined(__GNUC__)
#        pragma GCC diagnostic pop
#    endif
}
#endif
#endif
