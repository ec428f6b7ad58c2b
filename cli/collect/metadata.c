#include "metadata.h"
#include "files.h"
#include "times.h"
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#ifdef __GLIBC__
#    include <gnu/libc-version.h>
#endif

#define TEXT_MAX 60000 /* HDF5 keeps an attribute of up to 64 KiB in its object's header */
#define CUT_MARK "...[truncated]"

/* ---- attributes -------------------------------------------------------------------------------------------------- */

/* A new one; NULL: no memory. */
static struct attribute *add(struct metadata *m, const char *key) {
    if ((m->count & (m->count - 1)) == 0) { /* 0, 1, 2, 4, ...: full */
        struct attribute *attributes = realloc(m->attributes, (m->count ? m->count * 2 : 1) * sizeof *attributes);
        if (!attributes) return NULL;
        m->attributes = attributes;
    }
    m->attributes[m->count] = (struct attribute){.key = strdup(key)};
    return m->attributes[m->count].key ? &m->attributes[m->count++] : NULL;
}

static char *copied(const char *text) {
    const size_t length = strlen(text);
    char *copy = strndup(text, length > TEXT_MAX ? TEXT_MAX : length);
    if (copy && length > TEXT_MAX) memcpy(copy + TEXT_MAX - strlen(CUT_MARK), CUT_MARK, strlen(CUT_MARK));
    return copy;
}

bool metadata_add_copy(struct metadata *m, const char *key, const char *text) {
    struct attribute *a = add(m, key);
    return a && (a->text = copied(text));
}

bool metadata_add_list(struct metadata *m, const char *key, const char *const *texts, size_t count) {
    struct attribute *a = add(m, key);
    if (!a || !(a->texts = calloc(count + 1, sizeof *a->texts))) return false;
    for (; a->num_texts < count; a->num_texts++)
        if (!(a->texts[a->num_texts] = copied(texts[a->num_texts]))) return false;
    return true;
}

static bool add_integer(struct metadata *m, const char *key, int64_t value) {
    struct attribute *a = add(m, key);
    if (a) a->integer = value;
    return a != NULL;
}

static bool add_real(struct metadata *m, const char *key, double value) {
    struct attribute *a = add(m, key);
    if (a) {
        a->is_real = true;
        a->real = value;
    }
    return a != NULL;
}

void metadata_free(struct metadata *m) {
    for (size_t i = 0; i < m->count; i++) {
        struct attribute *a = &m->attributes[i];
        for (size_t k = 0; k < a->num_texts; k++) free(a->texts[k]);
        free(a->texts);
        free(a->text);
        free(a->key);
    }
    free(m->attributes);
    *m = (struct metadata){0};
}

/* ---- minimal ------------------------------------------------------------------------------------------------------
 */

/* As Python's platform.platform() */
static bool add_platform(struct metadata *m) {
    struct utsname u;
    char platform[512];
    if (uname(&u) != 0) return metadata_add_copy(m, "platform", "Linux");
#ifdef __GLIBC__
    snprintf(platform, sizeof platform, "%s-%s-%s-with-glibc%s", u.sysname, u.release, u.machine,
             gnu_get_libc_version());
#else
    snprintf(platform, sizeof platform, "%s-%s-%s", u.sysname, u.release, u.machine);
#endif
    return metadata_add_copy(m, "platform", platform);
}

static bool add_chip(struct metadata *m) {
    struct utsname u;
    char text[8192], *at;
    if (file_text(AT_FDCWD, "/proc/cpuinfo", text, sizeof text) && (at = strstr(text, "model name")) &&
        (at = strchr(at, ':'))) {
        at += 1 + strspn(at + 1, " \t");
        at[strcspn(at, "\n")] = '\0';
        if (*at) return metadata_add_copy(m, "chip_information", at);
    }
    return metadata_add_copy(m, "chip_information", uname(&u) == 0 && u.machine[0] ? u.machine : "unknown");
}

static bool add_timestamp(struct metadata *m, int64_t realtime_ns) {
    time_t seconds = (time_t)(realtime_ns / 1000000000);
    struct tm t;
    char text[40], whole[64];
    if (!gmtime_r(&seconds, &t) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &t)) return true;
    snprintf(whole, sizeof whole, "%s.%06d+00:00", text, (int)(realtime_ns % 1000000000 / 1000));
    return metadata_add_copy(m, "timestamp", whole);
}

static int64_t earliest_start(const struct collection *c) {
    int64_t earliest = INT64_MAX;
    for (size_t i = 0; i < c->num_processes; i++) {
        int64_t start = process_start_ns(&c->processes[i]);
        if (start < earliest) earliest = start;
        if (c->processes[i].first_event_ns < earliest) earliest = c->processes[i].first_event_ns;
    }
    return earliest;
}

static int64_t latest_end(const struct collection *c) {
    int64_t latest = 0;
    for (size_t i = 0; i < c->num_processes; i++) {
        int64_t end = process_end_ns(c, &c->processes[i]);
        if (end > latest) latest = end;
    }
    return latest;
}

static bool add_times(struct metadata *m, const struct collection *c) {
    int64_t start = earliest_start(c);
    int64_t realtime = c->processes[0].info.realtime_ns;
    if (c->session.has_start && c->session.start_ns < start) start = c->session.start_ns;
    if (c->session.has_realtime) realtime = c->session.realtime_ns;
    return add_integer(m, "start_time_ns", start) && add_integer(m, "finalize_time_ns", latest_end(c)) &&
           add_timestamp(m, realtime < 0 ? 0 : realtime);
}

/* The first rank that measured a kind speaks for all. */
static bool add_costs(struct metadata *m, const struct collection *c) {
    static const char *const keys[][2] = {{"cost_region_ns", "cost_region_inside_ns"},
                                          {"cost_mpi_ns", "cost_mpi_inside_ns"},
                                          {"cost_python_ns", "cost_python_inside_ns"}};
    for (size_t kind = 0; kind < sizeof keys / sizeof *keys; kind++) {
        size_t i = 0;
        while (i < c->num_processes && !c->processes[i].costs[kind].whole) i++;
        if (i == c->num_processes) continue;
        const struct spool_cost *cost = &c->processes[i].costs[kind];
        const double rate = ldexp((double)c->processes[i].clock.segments[0].multiplier, -CLOCK_SHIFT) / 1024;
        if (!add_real(m, keys[kind][0], (double)cost->whole * rate) ||
            !add_real(m, keys[kind][1], (double)cost->inside * rate))
            return false;
    }
    return true;
}

/* The first process that knows MPI speaks for all. */
static bool add_mpi_library(struct metadata *m, const struct collection *c) {
    for (size_t i = 0; i < c->num_processes; i++)
        if (c->processes[i].mpi_library) return metadata_add_copy(m, "mpi_library", c->processes[i].mpi_library);
    return true;
}

static bool add_python(struct metadata *m, const struct collection *c) {
    for (size_t i = 0; i < c->num_processes; i++)
        if (c->processes[i].python) return metadata_add_copy(m, "python_version", c->processes[i].python);
    return true;
}

/* N:START:REGION as far as it was asked for, and how many phases that left out. */
static bool add_sampling(struct metadata *m, const struct collection *c) {
    const struct spool_process *first = &c->processes[0].info;
    char text[SPOOL_SAMPLED_MAX + 64];
    uint64_t skipped = 0;
    if (!first->sample_every) return true;
    for (size_t i = 0; i < c->num_processes; i++) skipped += c->processes[i].info.skipped_phases;
    snprintf(text, sizeof text, "%" PRIu64 ":%" PRIu64 "%s%s", first->sample_every, first->sample_start,
             first->sampled[0] ? ":" : "", first->sampled);
    return metadata_add_copy(m, "sample_every", text) && add_integer(m, "phases_not_recorded", (int64_t)skipped);
}

static bool add_label(struct metadata *m, const struct collection *c) {
    const char *label = c->options->label ? c->options->label : c->session.label;
    return !label || !label[0] || metadata_add_copy(m, "label", label);
}

static bool add_clock_error(struct metadata *m, const struct collection *c) {
    return c->clock_error_ns < 0 || add_integer(m, "clock_error_ns", c->clock_error_ns);
}

bool metadata_make(struct metadata *m, const struct collection *c) {
    int32_t threads = c->processes[0].info.omp_num_threads;
    if (threads < 1) threads = 1;
    *m = (struct metadata){0};
    return add_platform(m) && add_chip(m) && metadata_add_copy(m, "scope_profiler_version", SCOPE_PROFILER_VERSION) &&
           add_integer(m, "omp_num_threads", threads) && add_integer(m, "mpi_size", c->world_size) &&
           add_integer(m, "total_cores", (int64_t)c->world_size * threads) &&
           add_integer(m, "num_nodes", c->num_nodes) && add_times(m, c) && add_costs(m, c) && add_clock_error(m, c) &&
           add_sampling(m, c) && add_mpi_library(m, c) && add_python(m, c) && add_label(m, c) &&
           (!c->session.full_metadata || metadata_add_full(m, c));
}
