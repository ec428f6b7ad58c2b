/* options.h: one table a command says its options; it is what getopt_long reads and what the help shows. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

/* Keys of options without a short letter start here. */
#define OPTION_LONG 256

struct option_spec {
    int key;              /* below OPTION_LONG: also the short letter */
    const char *name;     /* the long option, without dashes; NULL ends the table, or only a letter exists (key != 0) */
    const char *argument; /* NULL: takes none; in brackets: only as --name=VALUE */
    const char *help;
};

struct command_syntax {
    const char *name;    /* of the command */
    const char *usage;   /* what follows the name in the usage line */
    const char *summary; /* a sentence or two */
    const struct option_spec *options;
    const char *footer; /* NULL, or text that ends the help */
    bool stop_early;    /* options end at the first word that is none: the rest belongs to a program */
};

enum option_result { OPTIONS_END = -1, OPTIONS_BAD = -2 /* told on stderr: exit 2 */, OPTIONS_HELP = -3 /* shown */ };

/* The next option's key, with *value its argument (NULL: none), or one of enum option_result. After OPTIONS_END the
 * words that are no options are argv[optind] onwards. -h and --help are handled here, and so is --list-options as the
 * only word, which prints the table for the completions of shells. */
int options_next(const struct command_syntax *syntax, int argc, char **argv, const char **value);

void options_help(const struct command_syntax *syntax, FILE *out);

/* The usage line on stderr, after a line that says what is wrong; returns OPTIONS_BAD. */
int options_complain(const struct command_syntax *syntax, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
