/* collect: make a profile of a spool that nobody collected. */
#include "base/memory.h"
#include "base/options.h"
#include "base/say.h"
#include "commands.h"
#include "launch/finish.h"
#include "launch/output.h"
#include "launch/session.h"
#include "parse.h"
#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LABEL = OPTION_LONG, COMPRESS, JOBS, KEEP };

static const struct option_spec options[] = {
    {'o', "outfile", "FILE", "the profile to write (default: the one that the run named)"},
    {'q', "quiet", NULL, "no summary, only problems; twice: only errors"},
    {LABEL, "label", "TEXT", "a name for the run, kept in the profile"},
    {COMPRESS, "compress", "[LEVEL]", "compress the profile: 1 (fast) to 9, or 0 for none;\nwithout a level: 4"},
    {JOBS, "jobs", "N", "threads to work with (default: one a processor, where there is enough to do)"},
    {KEEP, "keep", NULL, "leave the directories where they are"},
    {0},
};

static const struct command_syntax syntax = {
    .name = "collect",
    .usage = "DIRECTORY... [options]",
    .summary = "Makes a profile of the raw recording that a run left behind: a directory named\n"
               ".<profile>.spool-<digits> beside the profile. Several directories of one launch\n"
               "(one a machine) become one profile.",
    .options = options,
    .footer = "Exit status: 0 the profile was written, 1 it was not (nothing recorded, or an error),\n"
              "2 bad usage.",
};

/* Says what is wrong with a directory before the work begins. */
static bool is_spool(const char *path, bool output_given) {
    int spool = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (spool < 0) {
        say("%s: %s", path, strerror(errno));
        return false;
    }
    char *output = session_value(spool, SPOOL_SESSION_OUTPUT);
    close(spool);
    if (!output && !output_given) say("%s: no recording of a run (it holds no session file); -o FILE tries it", path);
    bool good = output || output_given;
    free(output);
    return good;
}

int command_collect(int argc, char **argv) {
    struct finish what = {.compress = -1};
    struct output output = {0};
    const char *given = NULL, *value;
    char *why = NULL;
    for (int key; (key = options_next(&syntax, argc, argv, &value)) != OPTIONS_END;) switch (key) {
        case 'o':
            given = value;
            break;
        case 'q':
            what.silent = what.quiet;
            what.quiet = true;
            break;
        case LABEL:
            what.label = value;
            break;
        case KEEP:
            what.keep = true;
            break;
        case COMPRESS:
            if (parse_compress(value, &what.compress)) break;
            options_complain(&syntax, "--compress: level '%s' is none of 0 to 9", value);
            return 2;
        case JOBS:
            if (parse_jobs(value, &what.jobs)) break;
            options_complain(&syntax, "--jobs: '%s' is no number of threads", value);
            return 2;
        default:
            return key == OPTIONS_HELP ? 0 : 2;
        }
    if (optind >= argc) {
        options_complain(&syntax, "which directory?");
        return 2;
    }
    for (int i = optind; i < argc; i++)
        if (!is_spool(argv[i], given != NULL)) return 1;
    if (given && !output_judge(given, &output, &why)) {
        say("%s", why);
        free(why);
        return 2;
    }
    what.spools = (const char *const *)argv + optind;
    what.num_spools = (size_t)(argc - optind);
    what.output = output.path;
    what.why_nothing = "no process of the run recorded anything";
    bool nothing;
    int failed = finish(&what, &nothing);
    output_free(&output);
    return failed || nothing;
}
