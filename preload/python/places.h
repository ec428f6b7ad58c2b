/* places.h: which region belongs to which function of the source. Functions of one name that are defined in different
 * places get regions of their own; the same function made again (a module reloaded, exec in a loop) keeps its own. */
#ifndef SCOPE_PROFILER_PLACES_H
#define SCOPE_PROFILER_PLACES_H

#include <stdbool.h>
#include <stdint.h>

struct place {
    int region;
    int resumed; /* region of resumptions; 0 not made yet */
    /* private */
    uint64_t hash;
    uint32_t length;
    int line;
    char *label, *file;
    char key[];
};

/* The place of this name, file and line, made at its first use; NULL without memory. The region's name is `name`, for
 * later places of the same name (or always, with `always_say_where`) with " (file.py:12)" behind it. */
struct place *place_of(const char *name, const char *file, int line, bool always_say_where);

/* The place whose calls are recorded as this region; NULL none. */
struct place *place_with(int region);

/* Sets place->resumed; it stays 0 without memory. */
void place_resumed(struct place *place);

/* In the child of a fork: whoever was at work here is not in the child. */
void places_forked(void);

#endif
