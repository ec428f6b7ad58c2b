#include "frame.h"

#include "base/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RULE = 78, CLIP = 96 };

static void print_rule(const struct sink *sink) {
    size_t width = sink->columns && sink->columns < RULE ? sink->columns : RULE;
    while (width--) fputc('=', sink->stream);
    fputc('\n', sink->stream);
}

void frame_heading(const struct sink *sink, spr_profile *profile) {
    spr_run_times run;
    char *path = text_shown(spr_path(profile)), *span = NULL;
    if (spr_run(profile, &run, NULL) == 0 && !isnan(run.span)) span = xformat(", %.6g s wall clock", run.span);
    print_rule(sink);
    sink_line(sink, "%s", path);
    sink_line(sink, "%" PRIu32 " rank(s), %zu region(s), %.2f MiB%s", spr_num_ranks(profile), spr_num_regions(profile),
              (double)spr_file_bytes(profile) / (1024 * 1024), span ? span : "");
    print_rule(sink);
    sink_line(sink, "%s", "");
    free(span);
    free(path);
}

/* ---- metadata ---------------------------------------------------------------------------------------------------- */

char *frame_value_text(const spr_value *value) {
    char *text = NULL;
    size_t length = 0;
    switch (value->kind) {
    case SPR_TEXT:
        return *value->text ? text_shown(value->text) : xcopy("");
    case SPR_INTEGER:
        return xformat("%" PRId64, value->integer);
    case SPR_REAL:
        return xformat("%.15g", value->real);
    case SPR_TEXT_LIST:
        break;
    }
    FILE *out = open_memstream(&text, &length);
    if (!out) return xcopy("");
    for (size_t i = 0; i < value->count; i++) {
        char *item = text_shown(value->items[i]);
        fprintf(out, "%s%s", i ? ", " : "", item);
        free(item);
    }
    fclose(out);
    return text;
}

enum section { RUN, SYSTEM, PARALLELISM, SLURM, ENVIRONMENT, OTHER, NUM_SECTIONS, MODULES };
static const char *const section_names[] = {"Run", "System", "Parallelism", "Slurm", "Environment", "Other"};

/* Keys of a fixed order; the others stand alphabetically in their section. */
static const struct {
    enum section section;
    const char *key;
} known_keys[] = {
    {RUN, "timestamp"},
    {RUN, "start_time_ns"},
    {RUN, "user"},
    {RUN, "hostname"},
    {RUN, "working_directory"},
    {RUN, "scope_profiler_version"},
    {RUN, "python_version"},
    {SYSTEM, "platform"},
    {SYSTEM, "uname"},
    {SYSTEM, "chip_information"},
    {PARALLELISM, "mpi_size"},
    {PARALLELISM, "omp_num_threads"},
    {PARALLELISM, "total_cores"},
};
enum { NUM_KNOWN = sizeof known_keys / sizeof known_keys[0] };

static bool is_upper_case(const char *key) {
    bool letter = false;
    for (; *key; key++) {
        if (islower((unsigned char)*key)) return false;
        letter |= isupper((unsigned char)*key) != 0;
    }
    return letter;
}

static enum section section_of(const spr_value *value, size_t *order) {
    for (*order = 0; *order < NUM_KNOWN; ++*order)
        if (!strcmp(known_keys[*order].key, value->key)) return known_keys[*order].section;
    if (!strcmp(value->key, "modules") && value->kind == SPR_TEXT_LIST) return MODULES;
    if (!strncmp(value->key, "SLURM_", 6) || !strncmp(value->key, "SLURMD_", 7)) return SLURM;
    return is_upper_case(value->key) ? ENVIRONMENT : OTHER;
}

static void print_value(const struct sink *sink, const spr_value *value, int width, bool full) {
    char *key = text_shown(value->key), *text = frame_value_text(value);
    if (!full && text_width(text) > CLIP) {
        char *clipped = text_cut(text, CLIP - 3); /* its ellipsis goes: " […]" is the mark here */
        clipped[strlen(clipped) - strlen("…")] = '\0';
        free(text);
        text = xformat("%s […]", clipped);
        free(clipped);
    }
    char *line = xformat("    %s%*s : %s", key, (int)((size_t)width - text_width(key)), "", text);
    if (full)
        fprintf(sink->stream, "%s\n", line);
    else
        sink_line(sink, "%s", line);
    free(line);
    free(text);
    free(key);
}

static void print_section(const struct sink *sink, const spr_profile *profile, enum section section, int width,
                          bool full) {
    size_t count = spr_metadata_count(profile), printed = 0;
    for (size_t wanted = 0; wanted <= NUM_KNOWN; wanted++) /* NUM_KNOWN: the keys without a place of their own */
        for (size_t i = 0; i < count; i++) {
            const spr_value *value = spr_metadata_at(profile, i);
            size_t order;
            if (section_of(value, &order) != section || order != wanted) continue;
            if (!printed++) sink_line(sink, "  %s", section_names[section]);
            print_value(sink, value, width, full);
        }
}

static void print_modules(const struct sink *sink, const spr_value *modules) {
    if (!modules || modules->kind != SPR_TEXT_LIST) return;
    sink_line(sink, "  Modules (%zu)", modules->count);
    if (!modules->count) sink_line(sink, "    none loaded");
    for (size_t i = 0; i < modules->count; i++) {
        char *module = text_shown(modules->items[i]);
        sink_line(sink, "    %s", module);
        free(module);
    }
}

void frame_metadata(const struct sink *sink, const spr_profile *profile, bool full) {
    size_t count = spr_metadata_count(profile), width = 0;
    sink_line(sink, "Metadata");
    if (!count) sink_line(sink, "  No metadata was recorded.");
    for (size_t i = 0; i < count; i++) {
        char *key = text_shown(spr_metadata_at(profile, i)->key);
        if (text_width(key) > width) width = text_width(key);
        free(key);
    }
    for (int section = 0; section < NUM_SECTIONS; section++)
        print_section(sink, profile, (enum section)section, (int)width, full);
    print_modules(sink, spr_metadata(profile, "modules"));
    sink_line(sink, "%s", "");
}

/* ---- sources ----------------------------------------------------------------------------------------------------- */

static void print_source_text(const struct sink *sink, const char *text) {
    char *copy = xcopy(text), *rest = copy;
    for (char *line; (line = strsep(&rest, "\n"));) {
        line[strcspn(line, "\r")] = '\0';
        if (!*line && !rest) break; /* the end of the last line begins no further one */
        char *shown = *line ? text_shown(line) : xcopy("");
        fprintf(sink->stream, *shown ? "    %s\n" : "%s\n", shown);
        free(shown);
    }
    free(copy);
}

static const spr_row *row_with_source(const spr_profile *profile, size_t region) {
    const spr_row *found = NULL;
    size_t first, count;
    spr_region_rows(profile, region, &first, &count);
    for (size_t i = 0; i < count; i++) {
        const spr_row *row = spr_row_at(profile, first + i);
        if (row->source_text) return row;
        if (!found && row->source_file) found = row;
    }
    return found;
}

void frame_sources(const struct sink *sink, const spr_profile *profile, const size_t *regions, size_t count) {
    fprintf(sink->stream, "Source (%zu)\n", count);
    for (size_t i = 0; i < count; i++) {
        const spr_row *row = row_with_source(profile, regions[i]);
        char *name = text_shown(spr_region_name(profile, regions[i]));
        char *file = row && row->source_file ? text_shown(row->source_file) : NULL;
        if (file && row->source_line >= 0)
            fprintf(sink->stream, "  %s  (%s:%" PRId64 ")\n", name, file, row->source_line);
        else
            fprintf(sink->stream, "  %s  (%s)\n", name, file ? file : "unknown place");
        if (row && row->source_text)
            print_source_text(sink, row->source_text);
        else
            fputs("    no source text was captured\n", sink->stream);
        free(file);
        free(name);
    }
    fputc('\n', sink->stream);
}

/* ---- threads and processes --------------------------------------------------------------------------------------- */

static char *integer_or_dash(int64_t value) { return value < 0 ? xcopy("-") : xformat("%" PRId64, value); }

static char *seconds_or_dash(int64_t ns) { return ns < 0 ? xcopy("-") : xformat("%.6f", (double)ns / 1e9); }

static int64_t between(int64_t start_ns, int64_t end_ns) {
    return start_ns < 0 || end_ns < start_ns ? -1 : end_ns - start_ns;
}

struct table frame_threads(const spr_profile *profile, const spr_selection *selection) {
    static const char *const headers[] = {"rank", "thread", "name", "id", "wall [s]", "cpu [s]"};
    struct table table = table_make(headers, 6);
    for (size_t i = 0; i < spr_num_threads(profile); i++) {
        const spr_thread *thread = spr_thread_at(profile, i);
        if (selection && !spr_selects_rank(selection, thread->rank)) continue;
        char *cells[] = {xformat("%" PRIu32, thread->rank),
                         integer_or_dash(thread->index),
                         thread->name && *thread->name ? text_shown(thread->name) : xcopy("-"),
                         integer_or_dash(thread->native_id),
                         seconds_or_dash(between(thread->start_ns, thread->end_ns)),
                         seconds_or_dash(thread->cpu_ns)};
        table_row(&table, cells);
    }
    return table;
}

struct table frame_processes(const spr_profile *profile, const spr_selection *selection) {
    static const char *const headers[] = {"rank",     "MPI rank", "process", "parent", "node",
                                          "wall [s]", "ended",    "data",    "command"};
    struct table table = table_make(headers, 9);
    for (size_t i = 0; i < spr_num_processes(profile); i++) {
        const spr_process *process = spr_process_at(profile, i);
        if (selection && !spr_selects_rank(selection, process->rank)) continue;
        char *cells[] = {
            xformat("%" PRIu32, process->rank), integer_or_dash(process->mpi_rank),
            integer_or_dash(process->pid),      integer_or_dash(process->parent_pid),
            integer_or_dash(process->node),     seconds_or_dash(between(process->start_ns, process->end_ns)),
            text_shown(process->ended),         xcopy(process->complete ? "complete" : "cut off"),
            text_shown(process->command)};
        table_row(&table, cells);
    }
    return table;
}
