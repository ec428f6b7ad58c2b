#include "repeat.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/say.h"
#include "child.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The length of a path without its extension; ".json.gz" is one: it says how the profile is written. */
static int stem_length(const char *path) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    if (!dot || dot == base) return (int)strlen(path);
    const size_t stem = (size_t)(dot - path);
    const bool packed = dot - base >= 5 && !strcasecmp(dot, ".gz") && !strncasecmp(dot - 5, ".json", 5);
    if (packed && dot - base == 5) return (int)strlen(path); /* as other names that begin with their only dot */
    return (int)(packed ? stem - 5 : stem);
}

char *repeat_output(const struct repeat *repeat, bool other, unsigned number) {
    const int stem = stem_length(repeat->output);
    int digits = 1;
    for (unsigned rest = repeat->times; rest >= 10; rest /= 10) digits++; /* so that names sort as the runs came */
    return xformat("%.*s%s-%0*u%s", stem, repeat->output, other ? "-other" : "", digits, number, repeat->output + stem);
}

struct turn {
    const struct repeat *repeat;
    const char *output;
    bool other;
};

static int take_turn(void *argument) {
    const struct turn *turn = argument;
    return turn->repeat->once(turn->repeat->argument, turn->output, turn->other);
}

/* One run. In a process of its own, since making a profile leaves its traces in the one that did it. */
static int run_once(const struct repeat *repeat, bool other, unsigned number) {
    char *output = repeat_output(repeat, other, number);
    struct turn turn = {repeat, output, other};
    struct child child;
    int status = 1;
    if (!repeat->quiet) say("run %u of %u: %s", number, repeat->times, output);
    if (child_call(take_turn, &turn, &child))
        status = child_exit_status(child.status);
    else
        say("%s", strerror(errno));
    if (status)
        say("run %u of %u%s ended with status %d: no further runs are made", number, repeat->times,
            other ? " (--alternate)" : "", status);
    free(output);
    return status;
}

static void print_outputs(FILE *out, const struct repeat *repeat, bool other) {
    for (unsigned number = 1; number <= repeat->times; number++) {
        char *output = repeat_output(repeat, other, number), *quoted = path_quoted(output);
        fprintf(out, " %s", quoted);
        free(quoted);
        free(output);
    }
}

static void tell_next(const struct repeat *repeat) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return;
    fputs("to compare: scope-profiler check --base", out);
    if (repeat->alternate) {
        print_outputs(out, repeat, true);
        fputs(" --candidate", out);
    }
    print_outputs(out, repeat, false);
    if (!repeat->alternate) fputs(" --candidate ...", out);
    fclose(out);
    say("%s", text);
    free(text);
}

int repeat_runs(const struct repeat *repeat) {
    int status = 0;
    for (unsigned number = 1; !status && number <= repeat->times; number++) {
        const bool other_first = repeat->alternate && number % 2 == 1;
        if (other_first) status = run_once(repeat, true, number);
        if (!status) status = run_once(repeat, false, number);
        if (!status && repeat->alternate && !other_first) status = run_once(repeat, true, number);
    }
    if (!status && !repeat->quiet) tell_next(repeat);
    return status;
}
