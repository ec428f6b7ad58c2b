/* unmatched.h: globs of the user's that met nothing in the profile: a misspelt one would pass for "never called". */
#ifndef CLI_UNMATCHED_H
#define CLI_UNMATCHED_H

#include "scope_reader.h"

/* Says, a line an option, which of its globs (one a line, NULL: the option was not given) matched the name of nothing
 * that was recorded. profile: NULL when nothing was. */
void unmatched_say(spr_profile *profile, const char *include, const char *line_functions);

#endif
