/* merge: the files of single ranks or processes become one profile. */
#include "base/options.h"
#include "combine.h"
#include "commands.h"
#include "parse.h"

#include <getopt.h>
#include <stdlib.h>

enum { RENUMBER = COMBINE_OPTIONS, INDENT };

static const struct option_spec options[] = {
    {'o', "output", "FILE", "the profile to write; JSON if it ends in .json or .json.gz"},
    {RENUMBER, "renumber", NULL,
     "number the ranks of each file after those of the files\nbefore it, instead of keeping them"},
    {COMBINE_LABEL, "label", "TEXT", "a name for the run, kept in the profile"},
    {COMBINE_COMPRESS, "compress", "[LEVEL]",
     "compress the profile: 1 (fast) to 9, or 0 for none;\nwithout a level: 4"},
    {INDENT, "indent", "N", "indent JSON by N blanks a level"},
    {'q', "quiet", NULL, "no summary"},
    {0},
};

static const struct command_syntax syntax = {
    .name = "merge",
    .usage = "FILE... -o FILE [options]",
    .summary = "Makes one profile of several: of single ranks, of single processes, or of any other\n"
               "ranks. Reads HDF5, JSON and native traces; one file alone is converted.",
    .options = options,
    .footer = "Quoted wild cards are expanded. The metadata are those of the lowest rank. Exit status:\n"
              "0 written; 1 a file cannot be read, two hold the same rank, or it cannot be written;\n"
              "2 bad usage.",
};

static int parse(int argc, char **argv, struct combine *combine) {
    const char *value;
    int status = 0;
    for (int key; !status && (key = options_next(&syntax, argc, argv, &value)) != OPTIONS_END;) switch (key) {
        case RENUMBER:
            combine->options.ranks = SPR_RANKS_RENUMBER;
            break;
        case INDENT:
            if (parse_indent(value, &combine->options.indent)) break;
            return options_complain(&syntax, "--indent: '%s' is none of 0 to 16", value);
        default:
            status = combine_take(combine, key, value, &syntax);
        }
    if (status) return status;
    if (optind >= argc) return options_complain(&syntax, "which profiles?");
    if (!combine->output) return options_complain(&syntax, "-o FILE must say where to write");
    return 0;
}

int command_merge(int argc, char **argv) {
    struct combine combine = {.conflict = "--renumber gives every file ranks of its own"};
    int parsed = parse(argc, argv, &combine);
    if (parsed) return parsed == OPTIONS_HELP ? 0 : 2;
    if (!profiles_expand(argv + optind, (size_t)(argc - optind), &combine.paths)) return 2;
    int status = combine_profiles(&combine);
    profiles_free(&combine.paths);
    return status;
}
