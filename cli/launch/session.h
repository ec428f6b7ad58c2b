/* session.h: making a session's spool (the format is preload/recorder/spool.h). */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "output.h"

#include <stdbool.h>
#include <stdint.h>

struct session {
    char *spool;    /* absolute path */
    int descriptor; /* of the directory, close-on-exec */
};

struct session_options {
    const char *label; /* NULL none */
    int compress;      /* gzip level 1-9, 0 none */
    bool full_metadata, capture_source;
};

/* A spool of a name nobody else has: `.<base>.spool-<random>` beside the output. False: *why says so. Making it is also
 * the proof that the directory can be written. */
bool session_make(const struct output *output, const struct session_options *options, struct session *session,
                  char **why);

/* The spool that every rank of a launch computes from `launch`, made by the first. */
bool session_share(const struct output *output, const struct session_options *options, uint64_t launch,
                   struct session *session, char **why);

/* Takes a spool away into which nobody has recorded. */
void session_remove(struct session *session);
void session_close(struct session *session);

/* The value of a key of a spool's session file, decoded; NULL: not there. free() it. */
char *session_value(int spool, const char *key);

#endif
