#include "unmatched.h"

#include "base/memory.h"
#include "base/say.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* ---- names, as the recorder looked at them ----------------------------------------------------------------------- */

/* What a Python region's name has behind the function's: see share/doc/python.md. */
static void cut_suffixes(char *name) {
    static const char resumed[] = " [resumed]";
    size_t length = strlen(name);
    if (length >= sizeof resumed && strcmp(name + length - (sizeof resumed - 1), resumed) == 0)
        name[length -= sizeof resumed - 1] = '\0';
    char *place = length && name[length - 1] == ')' ? strrchr(name, '(') : NULL;
    if (place && place > name && place[-1] == ' ') place[-1] = '\0';
}

static bool region_matches(const char *glob, const char *region) {
    if (fnmatch(glob, region, FNM_NOESCAPE) == 0) return true;
    char *name = xcopy(region);
    cut_suffixes(name);
    const bool does = fnmatch(glob, name, FNM_NOESCAPE) == 0;
    free(name);
    return does;
}

/* A function is chosen by its name with or without its module and classes. */
static bool function_matches(const char *glob, const spr_line_record *record) {
    for (const char *name = record->region; name; name = strchr(name, '.') ? strchr(name, '.') + 1 : NULL)
        if (fnmatch(glob, name, 0) == 0) return true;
    return fnmatch(glob, record->function, 0) == 0;
}

/* ---- what was recorded ------------------------------------------------------------------------------------------- */

static bool any_region(const void *profile, const char *glob) {
    for (size_t i = 0; profile && i < spr_num_regions(profile); i++)
        if (region_matches(glob, spr_region_name(profile, i))) return true;
    return false;
}

static bool any_function(const void *lines, const char *glob) {
    const spr_line_profile *all = lines;
    for (size_t i = 0; i < all->count; i++)
        if (function_matches(glob, &all->records[i])) return true;
    return false;
}

/* The globs that `any` finds nothing for, in quotes with commas between; NULL none. */
static char *unmatched(const char *globs, bool (*any)(const void *recorded, const char *glob), const void *recorded) {
    char *copy = xcopy(globs), *rest = copy, *list = NULL;
    for (char *glob; (glob = strsep(&rest, "\n"));) {
        if (!*glob || any(recorded, glob)) continue;
        char *longer = list ? xformat("%s, '%s'", list, glob) : xformat("'%s'", glob);
        free(list);
        list = longer;
    }
    free(copy);
    return list;
}

void unmatched_say(spr_profile *profile, const char *include, const char *line_functions) {
    char *list = include ? unmatched(include, any_region, profile) : NULL;
    if (list) say("no function or region that was recorded matched --include %s", list);
    free(list);
    spr_line_profile lines = {0};
    if (!line_functions || (profile && spr_lines_read(profile, NULL, &lines, NULL))) return;
    list = unmatched(line_functions, any_function, &lines);
    if (list) say("no function that ran matched --line-function %s", list);
    free(list);
    spr_lines_free(&lines);
}
