#include "names.h"
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES_MAX ((size_t)512 << 20) /* of all names of a session */

struct name *names_add(struct names *names, const char *text, size_t length) {
    struct name *name = NULL;
    length = strnlen(text, length);
    HASH_FIND(hh, names->table, text, length, name);
    if (name) return name;
    if (names->bytes + length > NAME_BYTES_MAX) return NULL;
    name = calloc(1, sizeof *name + length + 1);
    if (!name) return NULL;
    name->text = memcpy(name + 1, text, length);
    name->length = length;
    HASH_ADD_KEYPTR(hh, names->table, name->text, length, name);
    if (!name->hh.tbl) {
        free(name);
        return NULL;
    }
    if (names->last)
        names->last->next = name;
    else
        names->first = name;
    names->last = name;
    names->bytes += length;
    return name;
}

void names_free(struct names *names) {
    HASH_CLEAR(hh, names->table);
    for (struct name *name = names->first, *next; name; name = next) {
        next = name->next;
        free(name);
    }
    *names = (struct names){0};
}
