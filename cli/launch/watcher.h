/* watcher.h: collecting after an MPI launch. Every rank's `run` becomes its program, so that the launcher's signals and
 * statuses stay what they are; nobody is left to collect but a process of our own on every machine. */
#ifndef CLI_WATCHER_H
#define CLI_WATCHER_H

#include "finish.h"
#include "launcher.h"
#include "session.h"

/* Registers this process as a rank of the session and starts this machine's watcher if there is none yet. link: a
 * directory that preload_find() made, to be removed at the end, or NULL. 0, or -1 with errno: EEXIST when the rank is
 * registered already, by an earlier program of the same launch, ENOENT when the spool is being collected. */
int watcher_join(const struct session *session, const struct launcher *launcher, const struct finish *finish,
                 const char *link);

#endif
