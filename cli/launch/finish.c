#include "finish.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/say.h"
#include "collect/collect.h"
#include "commands/commands.h"
#include "render/summary.h"
#include "unmatched.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ROWS = 200 }; /* a summary at the end of a run is to be read at once */

/* In one piece: on stderr every line would be a write of its own, between which others could come. */
static void print_rows(spr_profile *profile, const struct rows *rows, bool stays) {
    char *text = NULL;
    size_t length = 0;
    struct sink sink = sink_open(stderr);
    sink.stream = open_memstream(&text, &length);
    if (!sink.stream) return;
    struct columns columns = columns_default(rows);
    summary_table(&sink, rows, &columns, MOST_ROWS);
    if (stays) summary_notes(&sink, profile, rows, &columns, command_exists);
    if (fclose(sink.stream) == 0) fwrite(text, 1, length, stderr);
    free(text);
}

static void print_summary(const char *path, bool stays) {
    spr_profile *profile;
    spr_error error;
    struct rows rows;
    if (spr_open(path, &profile, &error)) {
        say("%s", error.message);
        return;
    }
    if (rows_build(profile, NULL, SPR_SUMMARY, ROWS_TREE_AUTO, &rows, &error)) {
        say("%s", error.message);
    } else {
        print_rows(profile, &rows, stays);
        rows_free(&rows);
    }
    spr_close(profile);
}

/* The collector writes HDF5, whatever the name; a name that asks for JSON gets it, in one step, from that. */
static bool convert(const char *path) {
    spr_profile *profile;
    spr_error error;
    if (!spr_is_json_name(path)) return true;
    int status = spr_open(path, &profile, &error);
    if (!status) {
        const char *left_out = spr_left_out(profile, true);
        if (left_out) say("%s: JSON has no place for %s", path, left_out);
        status = spr_write(&profile, 1, path, NULL, &error);
        spr_close(profile);
    }
    if (status) say("%s; it stays HDF5", error.message);
    return !status;
}

/* result NULL: no file was written. */
static void tell_unmatched(const struct finish *finish, const struct collect_result *result) {
    spr_profile *profile = NULL;
    if (finish->silent || (!finish->include && !finish->line_functions)) return;
    if (result && spr_open(result->output, &profile, NULL)) return;
    unmatched_say(profile, finish->include, finish->line_functions);
    spr_close(profile);
}

static void tell_written(const struct finish *finish, const struct collect_result *result) {
    char *relative = path_relative(result->output);
    if (!finish->quiet) {
        say("%s%s (%" PRIu32 " rank%s, %" PRIu64 " call%s)", finish->passing ? "no file was written" : "wrote ",
            finish->passing ? "" : relative, result->ranks, result->ranks == 1 ? "" : "s", result->calls,
            result->calls == 1 ? "" : "s");
        print_summary(result->output, !finish->passing);
    }
    for (size_t i = 0; i < result->num_notes && !finish->silent; i++) say("%s", result->notes[i]);
    free(relative);
}

static void tell_nothing(const struct finish *finish, const char *named) {
    const char *kept = finish->output && access(finish->output, F_OK) == 0 ? "the file that is there was left alone"
                                                                           : "no file was written";
    const char *why = finish->why_nothing ? finish->why_nothing
                      : finish->functions
                          ? "no Python function, region or MPI call ran in a program that can be entered "
                            "(statically linked and set-user-ID programs cannot be)"
                          : "no region or MPI call ran in a program that can be entered "
                            "(statically linked and set-user-ID programs cannot be)";
    say("%s: nothing was recorded, %s: %s", named, kept, why);
}

/* A closed stderr or a limit on file sizes is an error of ours to report, and must not cost the program's status. */
static void ignore_write_signals(void) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

int finish(const struct finish *finish, bool *nothing) {
    ignore_write_signals();
    struct collect_options options = {.spools = finish->spools,
                                      .num_spools = finish->num_spools,
                                      .output = finish->output,
                                      .label = finish->label,
                                      .compress = finish->compress,
                                      .keep = finish->keep,
                                      .jobs = finish->jobs,
                                      .child = finish->child,
                                      .child_status = finish->child_status,
                                      .expected_ranks = finish->expected_ranks};
    struct collect_result *result = xalloc(1, sizeof *result);
    enum collect_status status = collect(&options, result);
    const char *named = finish->named ? finish->named : finish->output ? finish->output : finish->spools[0];
    if (nothing) *nothing = status == COLLECT_NOTHING;
    switch (status) {
    case COLLECT_OK:
        if (!convert(result->output)) status = COLLECT_FAILED;
        tell_written(finish, result);
        tell_unmatched(finish, result);
        if (finish->passing) unlink(result->output);
        break;
    case COLLECT_NOTHING:
        tell_nothing(finish, named);
        if (!finish->why_nothing) tell_unmatched(finish, NULL);
        break;
    case COLLECT_FAILED:
        if (access(finish->spools[0], F_OK) == 0)
            say("%s; what was recorded is kept in %s", result->message, finish->spools[0]);
        else
            say("%s; what was recorded was taken away", result->message);
        break;
    case COLLECT_BUSY:
        say("%s: another process makes the profile of this recording now", named);
        break;
    }
    collect_result_free(result);
    free(result);
    return status == COLLECT_FAILED;
}
