/* output.h: is a path one that a profile can be written to? Answered before the program runs, so that a day's work is
 * not lost over a misspelt directory. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>

struct output {
    char *path;      /* absolute, its directory without symbolic links; the file's own link is followed */
    char *directory; /* of path */
    char *base;      /* last part of path */
};

/* True, or false and *why (as below) for "-" and for names that promise another format (x.html, x.csv), which would
 * hold HDF5 all the same. */
bool output_judge_name(const char *given, char **why);
/* The name and all else. True, and *output filled (output_free() it); or false and *why is one line with path and cause
 * (free() it). Nothing is opened: a FIFO would hang, a device would be written to. */
bool output_judge(const char *given, struct output *output, char **why);
/* A name that nobody else has, where files are memory (/dev/shm, else $TMPDIR or /tmp): for a profile that will not
 * stay. `key`: the same for all who shall have the same. False as above. */
bool output_in_memory(unsigned long long key, struct output *output, char **why);
void output_free(struct output *output);

#endif
