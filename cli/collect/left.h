/* left.h: processes of the session that live on and have recorded nothing yet. */
#ifndef COLLECT_LEFT_H
#define COLLECT_LEFT_H

#include "model.h"

/* Notes each copy (by fork) of a process that recorded which is alive, unless its own files said so: a daemon that has
 * not come to its first event. Other programs left in the background are none of the profile's business. */
void left_note(const struct collection *c);

#endif
