/* unseen.h: calls that a frame evaluation function does not see. The first 3.11 releases run a class's __getitem__
 * behind its back once the subscript has been used a few times (their specialised instruction forgets to ask). */
#ifndef SCOPE_PROFILER_UNSEEN_H
#define SCOPE_PROFILER_UNSEEN_H

#include "pyapi.h"

/* Runs a program that makes `*expected` frames, __getitem__ among them; false when it failed. The caller counts. */
bool unseen_try(int *expected);

/* Keeps this Python from ever using that instruction (again); false: it could not. Programs notice nothing: subscripts
 * go the long way round to __getitem__, as they do in 3.10. */
bool unseen_prevent(void);

#endif
