/* profiles.h: from the words of a command line to open profiles. */
#ifndef CLI_PROFILES_H
#define CLI_PROFILES_H

#include "scope_reader.h"

#include <stddef.h>

struct paths {
    char **items;
    size_t count;
};

/* Words that name no file are taken as wild cards. False: one matches nothing, and that was said. */
bool profiles_expand(char *const *words, size_t count, struct paths *paths);
void profiles_free(struct paths *paths);

/* Opens a profile. If a run's recording for this very file waits beside it, it is collected first (a collector at work
 * is waited for); if its program still runs that is said and the older file is read. NULL: told on stderr. */
spr_profile *profiles_open(const char *path);

#endif
