/* publish.h: a new file takes the place of an old one in one step, or not at all. */
#ifndef COLLECT_PUBLISH_H
#define COLLECT_PUBLISH_H

#include "model.h"

struct publish {
    char *target;    /* what will be replaced: links of the path are followed to their end */
    char *directory; /* of the target */
    char *temporary; /* in the same directory */
    int fd;          /* open on the temporary file */
};

/* Makes an empty temporary file beside what `path` names. False with a message; nothing is left behind. */
bool publish_open(struct publish *p, const char *path, struct report *report);

/* An unnamed file in the same directory, for what will not stay; -1 with a message. */
int publish_scratch(const struct publish *p, struct report *report);

/* Writes everything to the disk, sets the mode 0666 & ~umask (umask -1: this process's) and renames. */
bool publish_commit(struct publish *p, int umask, struct report *report);

/* Removes the temporary file unless it was published, and frees. */
void publish_close(struct publish *p);

#endif
