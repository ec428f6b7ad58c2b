/* ranks.h: times, ends and rank numbers of the processes of a session. */
#ifndef COLLECT_RANKS_H
#define COLLECT_RANKS_H

#include "model.h"

/* Numbers the processes and sorts them by rank. Of one launch (MPI or a launcher's environment; the one with the
 * earliest event first) ranks are as the launch numbered them, of further launches they follow after it; everything
 * else gets the next free numbers in the order of its first event. Sets world_size and `node`. False: no memory. */
bool ranks_assign(struct collection *c);

/* Notes the ranks of the first launch that recorded nothing. */
void ranks_note_missing(struct collection *c);

#endif
