/* metadata.h: what a profile says of its run. By default nothing in it names a user, a host or a directory. */
#ifndef COLLECT_METADATA_H
#define COLLECT_METADATA_H

#include "model.h"

struct attribute {
    char *key;
    char *text;   /* NULL: it is a list, */
    char **texts; /* or with NULL a number */
    size_t num_texts;
    int64_t integer;
    bool is_real; /* then it is `real` */
    double real;
};

struct metadata {
    struct attribute *attributes;
    size_t count;
};

/* From rank 0's view. False: no memory; metadata_free() it all the same. */
bool metadata_make(struct metadata *m, const struct collection *c);
void metadata_free(struct metadata *m);

/* Adds one; a text longer than a profile can hold is cut, and says so. False: no memory. */
bool metadata_add_copy(struct metadata *m, const char *key, const char *text);
bool metadata_add_list(struct metadata *m, const char *key, const char *const *texts, size_t count);

bool metadata_add_full(struct metadata *m, const struct collection *c); /* metadata_full.c */

#endif
