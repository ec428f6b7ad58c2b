/* finish.h: what happens when everything that recorded has ended: collect, then tell. */
#ifndef CLI_FINISH_H
#define CLI_FINISH_H

#include <stdbool.h>
#include <sys/types.h>

struct finish {
    const char *const *spools;
    size_t num_spools;
    const char *output; /* absolute; NULL: the session's */
    const char *label;  /* NULL: the session's */
    int compress;       /* -1: the session's */
    unsigned jobs;      /* threads; 0: as many as there are processors and there is work for */
    bool keep, quiet;
    bool silent;  /* no notes either: only what makes the work fail */
    bool passing; /* the profile is only there to be told of, and goes then */
    pid_t child;  /* 0 none */
    int child_status;
    int expected_ranks;      /* 0 unknown */
    const char *named;       /* the output as the user knows it, for messages; NULL: the session's */
    const char *why_nothing; /* why nothing could be recorded, as far as it is known; NULL */
    bool functions;          /* Python functions were asked for */
    /* What the run was limited to, globs, one a line: those that met nothing are said. NULL: no limit */
    const char *include, *line_functions;
};

/* Collects, then prints the summary (unless quiet) and the notes on stderr. Returns 0: written, or nothing was
 * recorded and that was said; 1: it failed and that was said. *nothing (may be NULL): no file was written. Ignores
 * SIGPIPE and SIGXFSZ from then on. */
int finish(const struct finish *finish, bool *nothing);

#endif
