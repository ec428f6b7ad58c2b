#include "names.h"

#include <stdlib.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1 /* a library never exits */
#include <uthash.h>

struct rd_name {
    const char *text;
    size_t number;
    UT_hash_handle hh;
};

bool rd_names_look(const struct rd_names *names, const char *name, size_t *number) {
    struct rd_name *found;
    HASH_FIND_STR(names->table, name, found);
    if (found && number) *number = found->number;
    return found != NULL;
}

static bool make_room(struct rd_names *names) {
    if (names->count & (names->count - 1)) return true; /* room doubles at powers of two */
    const size_t room = names->count ? names->count * 2 : 1;
    const char **grown = realloc(names->items, room * sizeof *grown);
    if (!grown) return false;
    names->items = grown;
    return true;
}

bool rd_names_find(struct rd_names *names, struct rd_arena *arena, const char *name, size_t *number) {
    if (rd_names_look(names, name, number)) return true;
    struct rd_name *added = malloc(sizeof *added);
    const char *copy = rd_arena_copy(arena, name, strlen(name));
    if (!added || !copy || !make_room(names)) {
        free(added);
        return false;
    }
    *added = (struct rd_name){.text = copy, .number = names->count};
    HASH_ADD_KEYPTR(hh, names->table, added->text, strlen(copy), added);
    if (!added->hh.tbl) {
        free(added);
        return false;
    }
    names->items[names->count] = copy;
    *number = names->count++;
    return true;
}

void rd_names_close(struct rd_names *names) {
    struct rd_name *name, *next;
    HASH_ITER(hh, names->table, name, next) {
        HASH_DEL(names->table, name);
        free(name);
    }
}
