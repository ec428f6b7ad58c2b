/* place.h: the file in which something is, as a profile has it. */
#ifndef COLLECT_PLACE_H
#define COLLECT_PLACE_H

#include "model.h"

/* Minimal metadata: what of `path` (*length bytes) names no directory of this machine: the part below the process's
 * working directory, a path that was relative anyway, or else the last part. Points into `path`. */
const char *place_minimal(const struct process *process, const char *path, size_t *length);

/* Full metadata: the path from the root on; NULL: it is that already, or cannot be known (or there is no memory).
 * free() it. */
char *place_full(const struct process *process, const char *path, size_t length);

#endif
