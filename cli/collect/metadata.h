/* metadata.h: the minimal metadata of a run: nothing in it names a user, a host or a directory. */
#ifndef COLLECT_METADATA_H
#define COLLECT_METADATA_H

#include "model.h"

struct attribute {
    const char *key;
    const char *text; /* NULL: it is a number */
    int64_t integer;
    bool is_real; /* then it is `real` */
    double real;
};
#define ATTRIBUTES_MAX 24

struct metadata {
    struct attribute attributes[ATTRIBUTES_MAX];
    size_t count;
    char timestamp[64], platform[512], chip[256];
    char *label;
};

/* From rank 0's view. False: no memory. */
bool metadata_make(struct metadata *m, const struct collection *c);
void metadata_free(struct metadata *m);

#endif
