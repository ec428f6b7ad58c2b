/* path.h: how paths are shown and made */
#ifndef CLI_PATH_H
#define CLI_PATH_H

#include <stdbool.h>
#include <stdint.h>

/* All results are to be free()d. */
char *path_relative(const char *absolute); /* from the current directory; as it is where that is not known */
char *path_quoted(const char *path);       /* as a word of the shell */
char *path_absolute(const char *path);     /* NULL with errno when the current directory is gone */

bool path_is_stdout(const char *path); /* "-", where a text can be written; NULL is none */

/* A 64-bit hash (FNV-1a) continued over `text` and its final NUL. Begin with HASH_START. */
#define HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t hash_text(uint64_t hash, const char *text);

#endif
