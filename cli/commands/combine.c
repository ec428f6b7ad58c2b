#include "combine.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/say.h"
#include "commands.h"
#include "launch/output.h"
#include "parse.h"
#include "render/summary.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MOST_ROWS = 200 };

struct opened {
    spr_profile **items;
    size_t count;
};

/* Every profile stays open, and a thousand ranks are more than the usual limit. */
static void allow_many_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int combine_take(struct combine *combine, int key, const char *value, const struct command_syntax *syntax) {
    switch (key) {
    case 'o':
        combine->output = value;
        return 0;
    case 'q':
        combine->quiet = true;
        return 0;
    case COMBINE_LABEL:
        combine->options.label = value;
        return 0;
    case COMBINE_COMPRESS:
        if (parse_compress(value, &combine->options.compress)) return 0;
        return options_complain(syntax, "--compress: level '%s' is none of 0 to 9", value);
    default:
        return key;
    }
}

static bool add(struct opened *opened, const char *path, const char *output) {
    spr_profile *profile = profiles_open(path);
    if (!profile) return false;
    const char *left_out = spr_left_out(profile, spr_is_json_name(output));
    if (left_out) say("%s: %s: left out", path, left_out);
    opened->items[opened->count++] = profile;
    return true;
}

static bool open_all(const struct combine *combine, struct opened *opened) {
    opened->items = xalloc(combine->paths.count + 1, sizeof(spr_profile *));
    if (combine->first && !add(opened, combine->first, combine->output)) return false;
    for (size_t i = 0; i < combine->paths.count; i++)
        if (!add(opened, combine->paths.items[i], combine->output)) return false;
    return true;
}

static void close_all(struct opened *opened) {
    for (size_t i = 0; i < opened->count; i++) spr_close(opened->items[i]);
    free(opened->items);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

struct ranked {
    spr_profile *profile;
    uint32_t rank; /* its lowest */
    size_t at;
};

static int by_rank(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static uint32_t lowest_rank(const spr_profile *profile) {
    uint32_t lowest = UINT32_MAX;
    for (size_t i = 0; i < spr_num_rows(profile); i++)
        if (spr_row_at(profile, i)->rank < lowest) lowest = spr_row_at(profile, i)->rank;
    return lowest;
}

/* The file is the same in whatever order its parts were named. */
static void sort_by_rank(spr_profile **profiles, size_t count) {
    struct ranked *ranked = xalloc(count, sizeof *ranked);
    for (size_t i = 0; i < count; i++) ranked[i] = (struct ranked){profiles[i], lowest_rank(profiles[i]), i};
    qsort(ranked, count, sizeof *ranked, by_rank);
    for (size_t i = 0; i < count; i++) profiles[i] = ranked[i].profile;
    free(ranked);
}

/* ---- the result ---------------------------------------------------------------------------------------------------
 */

static int show(const char *path) {
    spr_profile *profile;
    spr_error error;
    struct rows rows;
    struct sink sink = sink_open(stdout);
    if (spr_open(path, &profile, &error) == SPR_OK) {
        if (rows_build(profile, NULL, SPR_SUMMARY, ROWS_TREE_AUTO, &rows, &error) == SPR_OK) {
            struct columns columns = columns_default(&rows);
            summary_table(&sink, &rows, &columns, MOST_ROWS);
            summary_problems(&sink, profile, NULL, &rows);
            summary_notes(&sink, profile, &rows, &columns, command_exists);
            rows_free(&rows);
            spr_close(profile);
            return 0;
        }
        spr_close(profile);
    }
    say("%s", error.message);
    return 1;
}

static int write_output(const struct combine *combine, const struct opened *opened) {
    spr_error error;
    uint64_t calls = 0;
    int status = spr_write(opened->items, opened->count, combine->output, &combine->options, &error);
    if (status) {
        bool conflict = status == SPR_CONFLICT && combine->conflict && strstr(error.message, "holds rank");
        say("%s%s%s", error.message, conflict ? "; " : "", conflict ? combine->conflict : "");
        return 1;
    }
    for (size_t i = 0; i < opened->count; i++) calls += spr_num_calls(opened->items[i]);
    if (combine->quiet) return 0;
    printf("Wrote %s: %zu file%s, %" PRIu64 " call%s\n\n", combine->output, opened->count,
           opened->count == 1 ? "" : "s", calls, calls == 1 ? "" : "s");
    return show(combine->output);
}

int combine_profiles(const struct combine *combine) {
    struct output output;
    struct opened opened = {0};
    char *why = NULL;
    if (!output_judge(combine->output, &output, &why)) {
        say("%s", why);
        free(why);
        return 2;
    }
    output_free(&output);
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error to report */
    allow_many_files();
    int status = !open_all(combine, &opened);
    size_t fixed = combine->first ? 1 : 0;
    if (!status && combine->options.ranks != SPR_RANKS_RENUMBER)
        sort_by_rank(opened.items + fixed, opened.count - fixed);
    if (!status) status = write_output(combine, &opened);
    close_all(&opened);
    return status;
}
