/* profile.h: the HDF5 file: events where they belong, then the index. */
#ifndef COLLECT_PROFILE_H
#define COLLECT_PROFILE_H

#include "model.h"

/* Second pass and writing, to `path`; the first pass is done, ranks are assigned. False with a message; the file at
 * `path` is what it was before. */
bool profile_write(struct collection *c, const char *path, int compress, int umask);

#endif
