#include "metadata.h"
#include "files.h"
#include "times.h"
#include <fcntl.h>
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

static void add_text(struct metadata *m, const char *key, const char *text) {
    m->attributes[m->count++] = (struct attribute){.key = key, .text = text};
}

static void add_integer(struct metadata *m, const char *key, int64_t value) {
    m->attributes[m->count++] = (struct attribute){.key = key, .integer = value};
}

static void add_real(struct metadata *m, const char *key, double value) {
    m->attributes[m->count++] = (struct attribute){.key = key, .is_real = true, .real = value};
}

/* As Python's platform.platform() */
static void read_platform(struct metadata *m) {
    struct utsname u;
    if (uname(&u) != 0) {
        snprintf(m->platform, sizeof m->platform, "Linux");
        return;
    }
#ifdef __GLIBC__
    snprintf(m->platform, sizeof m->platform, "%s-%s-%s-with-glibc%s", u.sysname, u.release, u.machine,
             gnu_get_libc_version());
#else
    snprintf(m->platform, sizeof m->platform, "%s-%s-%s", u.sysname, u.release, u.machine);
#endif
}

static void read_chip(struct metadata *m) {
    struct utsname u;
    char text[8192], *at;
    if (file_text(AT_FDCWD, "/proc/cpuinfo", text, sizeof text) && (at = strstr(text, "model name")) &&
        (at = strchr(at, ':'))) {
        at += 1 + strspn(at + 1, " \t");
        at[strcspn(at, "\n")] = '\0';
        snprintf(m->chip, sizeof m->chip, "%s", at);
    }
    if (!m->chip[0] && uname(&u) == 0) snprintf(m->chip, sizeof m->chip, "%s", u.machine);
    if (!m->chip[0]) snprintf(m->chip, sizeof m->chip, "unknown");
}

static void write_timestamp(struct metadata *m, int64_t realtime_ns) {
    time_t seconds = (time_t)(realtime_ns / 1000000000);
    struct tm t;
    char text[40];
    if (!gmtime_r(&seconds, &t) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &t)) return;
    snprintf(m->timestamp, sizeof m->timestamp, "%s.%06d+00:00", text, (int)(realtime_ns % 1000000000 / 1000));
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

static bool copy_label(struct metadata *m, const char *label) {
    size_t length = strlen(label);
    m->label = strndup(label, length > TEXT_MAX ? TEXT_MAX : length);
    if (!m->label) return false;
    if (length > TEXT_MAX) memcpy(m->label + TEXT_MAX - strlen(CUT_MARK), CUT_MARK, strlen(CUT_MARK));
    add_text(m, "label", m->label);
    return true;
}

static void add_times(struct metadata *m, const struct collection *c) {
    int64_t start = earliest_start(c);
    int64_t realtime = c->processes[0].info.realtime_ns;
    if (c->session.has_start && c->session.start_ns < start) start = c->session.start_ns;
    if (c->session.has_realtime) realtime = c->session.realtime_ns;
    add_integer(m, "start_time_ns", start);
    add_integer(m, "finalize_time_ns", latest_end(c));
    write_timestamp(m, realtime < 0 ? 0 : realtime);
    if (m->timestamp[0]) add_text(m, "timestamp", m->timestamp);
}

/* The first rank that measured a kind speaks for all. */
static void add_costs(struct metadata *m, const struct collection *c) {
    static const char *const keys[][2] = {{"cost_region_ns", "cost_region_inside_ns"},
                                          {"cost_mpi_ns", "cost_mpi_inside_ns"},
                                          {"cost_python_ns", "cost_python_inside_ns"}};
    for (size_t kind = 0; kind < sizeof keys / sizeof *keys; kind++) {
        size_t i = 0;
        while (i < c->num_processes && !c->processes[i].costs[kind].whole) i++;
        if (i == c->num_processes) continue;
        const struct spool_cost *cost = &c->processes[i].costs[kind];
        const double rate = ldexp((double)c->processes[i].clock.segments[0].multiplier, -CLOCK_SHIFT) / 1024;
        add_real(m, keys[kind][0], (double)cost->whole * rate);
        add_real(m, keys[kind][1], (double)cost->inside * rate);
    }
}

bool metadata_make(struct metadata *m, const struct collection *c) {
    const char *label = c->options->label ? c->options->label : c->session.label;
    int32_t threads = c->processes[0].info.omp_num_threads;
    if (threads < 1) threads = 1;
    *m = (struct metadata){0};
    read_platform(m);
    read_chip(m);
    add_text(m, "platform", m->platform);
    add_text(m, "chip_information", m->chip);
    add_text(m, "scope_profiler_version", SCOPE_PROFILER_VERSION);
    add_integer(m, "omp_num_threads", threads);
    add_integer(m, "mpi_size", c->world_size);
    add_integer(m, "total_cores", (int64_t)c->world_size * threads);
    add_integer(m, "num_nodes", c->num_nodes);
    add_times(m, c);
    add_costs(m, c);
    for (size_t i = 0; i < c->num_processes; i++)
        if (c->processes[i].mpi_library) {
            add_text(m, "mpi_library", c->processes[i].mpi_library);
            break;
        }
    return !label || !label[0] || copy_label(m, label);
}

void metadata_free(struct metadata *m) { free(m->label); }
