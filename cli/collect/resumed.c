#include "resumed.h"
#include <stdlib.h>
#include <string.h>

/* What Python's side gives the region of `name` for the stretches after a suspension. */
static const char suffix[] = " [resumed]";
enum { SUFFIX = sizeof suffix - 1 };

struct named {
    const struct name *name;
    size_t length; /* without the suffix */
    uint32_t row;
};

static bool is_resumed(const struct name *name) {
    return name->length > SUFFIX && memcmp(name->text + name->length - SUFFIX, suffix, SUFFIX) == 0;
}

static int by_text(const void *left, const void *right) {
    const struct named *a = left, *b = right;
    const int order = memcmp(a->name->text, b->name->text, a->length < b->length ? a->length : b->length);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* The rows that are resumptions, by the names of what they resume. */
static size_t list_resumed(const struct process *p, struct named *list) {
    size_t count = 0;
    for (size_t i = 0; i < p->num_rows; i++) {
        const struct name *name = p->rows[i].name;
        if (!is_resumed(name)) continue;
        list[count++] = (struct named){name, name->length - SUFFIX, (uint32_t)i};
    }
    if (count) qsort(list, count, sizeof *list, by_text);
    return count;
}

static bool fill(struct process *p, const struct named *list, size_t count) {
    if (!(p->resumed = malloc(p->num_rows * sizeof *p->resumed))) return false;
    for (size_t i = 0; i < p->num_rows; i++) {
        const struct named key = {p->rows[i].name, p->rows[i].name->length, (uint32_t)i};
        const struct named *found = bsearch(&key, list, count, sizeof *list, by_text);
        p->resumed[i] = found ? found->row : is_resumed(key.name) ? (uint32_t)i : NO_ROW;
    }
    return true;
}

bool resumed_find(struct process *p) {
    free(p->resumed);
    p->resumed = NULL;
    struct named *list = malloc((p->num_rows + 1) * sizeof *list);
    if (!list) return false;
    const size_t count = list_resumed(p, list);
    const bool good = !count || fill(p, list, count);
    free(list);
    return good;
}
