/* resumed.h: which rows are of generators and coroutines: those whose resumptions are another row's calls. */
#ifndef COLLECT_RESUMED_H
#define COLLECT_RESUMED_H

#include "model.h"

/* Sets p->resumed for the rows as they are now. False: no memory. */
bool resumed_find(struct process *p);

#endif
