/* repeat.h: the same program several times, each run with a profile of its own; or two programs in turn. */
#ifndef CLI_REPEAT_H
#define CLI_REPEAT_H

#include <stdbool.h>

enum { REPEAT_MOST = 999 };

struct repeat {
    unsigned times;     /* 0: not asked for */
    bool alternate;     /* another program runs in turn */
    const char *output; /* out.h5 stands for out-1.h5, out-2.h5, ..., those of the other out-other-1.h5, ... */
    bool quiet;         /* says only what goes wrong */
    int (*once)(void *argument, const char *output,
                bool other); /* makes one run, in a process of its own; its status */
    void *argument;
};

/* All runs in their order. Two programs take turns, and take turns at being the first of a round: what drifts from run
 * to run then falls on both alike. Ends with the first run that fails. Returns its status, else 0. */
int repeat_runs(const struct repeat *repeat);

/* The profile of one run; free() it. number: from 1. */
char *repeat_output(const struct repeat *repeat, bool other, unsigned number);

#endif
