/* crew.h: threads that share the pieces of one work, whose result does not depend on how many they are. */
#ifndef COLLECT_CREW_H
#define COLLECT_CREW_H

#include <stddef.h>

#define CREW_MOST 64 /* threads: memory and descriptors are shared out among so many */

struct crew {
    unsigned workers; /* threads at the most, the caller's among them */
    size_t pieces;    /* numbered from 0 */
    /* Each returns 0 or an error number of the caller's choice. */
    int (*first)(void *context, size_t piece); /* NULL: nothing. For one piece at a time, in their order */
    int (*work)(void *context, size_t piece);  /* then, for several at once */
    void *context;
};

/* Does all pieces; after an error no more are begun. Returns the error of the first piece in order that failed, so that
 * it is always the same one, and which it was; 0 none. */
int crew_run(const struct crew *crew, size_t *failed);

/* How many processors this process may use; at least 1, at most CREW_MOST. */
unsigned crew_processors(void);

#endif
