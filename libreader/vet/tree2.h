/* tree2.h: B-trees of version 2, all of whose nodes have checksums. */
#ifndef SCOPE_READER_VET_TREE2_H
#define SCOPE_READER_VET_TREE2_H

#include "core.h"

/* What is done with each record; false: refused. */
typedef bool vet_record(struct rd_vet *vet, const unsigned char *record, void *owner);

/* Checks the tree at `at`, which must be of that type and size of records, and hands all of them on. */
bool vet_tree2(struct rd_vet *vet, uint64_t at, unsigned type, unsigned record_bytes, vet_record *record, void *owner);

#endif
