/* combine.h: several profiles become one file: what import-native and merge share. */
#ifndef CLI_COMBINE_H
#define CLI_COMBINE_H

#include "base/options.h"
#include "profiles.h"

struct combine {
    struct paths paths;   /* what is read */
    const char *first;    /* NULL, or a profile that is put before them, whose ranks they may share */
    const char *output;   /* as given */
    const char *conflict; /* what to do about ranks that two profiles hold; a clause */
    spr_write_options options;
    bool quiet;
};

/* Keys of options that both have, beside -o and -q. */
enum { COMBINE_LABEL = OPTION_LONG, COMBINE_COMPRESS, COMBINE_OPTIONS /* the first free key */ };
/* Takes one of these four. 0, or for any other key the key itself, or what options_complain() returns. */
int combine_take(struct combine *combine, int key, const char *value, const struct command_syntax *syntax);

/* Reads, writes, and shows the result on stdout. Returns the exit status; what went wrong has been said. */
int combine_profiles(const struct combine *combine);

#endif
