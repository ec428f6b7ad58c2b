/* All of a file. */
#include "core.h"

#include <stdlib.h>

/* As far as nothing is wrong; vet->status says whether something was. */
static void walk(struct rd_vet *vet, uint64_t file_bytes) {
    uint64_t root;
    if (vet_superblock(vet, file_bytes, &root) && vet_queue(vet, root) && vet_objects(vet)) vet_check_overlap(vet);
}

static void forget_walk(struct rd_vet *vet) {
    vet_forget_objects(vet);
    free(vet->extents);
    vet->extents = NULL;
    vet->num_extents = vet->extents_room = 0;
    vet->walked = true;
}

int rd_vet_open(const char *path, int descriptor, uint64_t file_bytes, struct rd_vet **vet, spr_error *error) {
    struct rd_vet *opened = malloc(sizeof *opened);
    *vet = NULL;
    if (!opened) return rd_fail(error, SPR_NO_MEMORY, path, "not enough memory");
    memset(opened, 0, offsetof(struct rd_vet, windows));
    for (size_t i = 0; i < VET_WINDOWS; i++) opened->windows[i].at = VET_NOWHERE;
    opened->path = path;
    opened->descriptor = descriptor;
    opened->error = error;
    opened->leaf_k = 4; /* of files that do not say otherwise */
    opened->group_k = 16;
    opened->chunk_k = 32;
    walk(opened, file_bytes);
    forget_walk(opened);
    const int status = opened->status;
    if (status == SPR_OK)
        *vet = opened;
    else
        rd_vet_close(opened);
    return status;
}

void rd_vet_close(struct rd_vet *vet) { free(vet); }

uint64_t rd_vet_base(const struct rd_vet *vet) { return vet->base; }
