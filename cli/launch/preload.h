/* preload.h: which library is preloaded, and under which name. */
#ifndef CLI_PRELOAD_H
#define CLI_PRELOAD_H

#include <stdbool.h>

struct preload {
    char *library;   /* absolute path that stands in LD_PRELOAD */
    char *directory; /* of a symbolic link made for it; NULL: none was needed */
};

/* SCOPE_PROFILER_PRELOAD, or the library that belongs to this command: installed or of the same build. A path that
 * the dynamic linker would take apart is reached through a link in a fresh directory. False: *why says so. */
bool preload_find(struct preload *preload, char **why);

/* Removes the link (if there is one) and frees. */
void preload_remove(struct preload *preload);

/* Removes a link directory made by preload_find() in another process. */
void preload_remove_directory(const char *directory);

/* Sets LD_PRELOAD: ours before what the user has there. */
void preload_set(const struct preload *preload);

char *preload_command(void); /* absolute path of this command; free() it */

#endif
