/* vet.h: the structure of an HDF5 file, checked before libhdf5 sees it.
 *
 * libhdf5 believes much of what a file says of itself: sizes, counts and addresses that are wrong make it read past its
 * buffers. So the file is walked here first, by pread() and within the bounds that the file's size sets, and refused
 * where it is not what the HDF5 File Format Specification says. Work and memory grow with the structure of the file
 * (its headers, groups and heaps), never with its data.
 */
#ifndef SCOPE_READER_VET_H
#define SCOPE_READER_VET_H

#include "scope_reader.h"

struct rd_vet;

/* Checks all that spr_open() and later questions may lead libhdf5 to. `descriptor` stays the caller's and open as long
 * as the vet; `path` too. SPR_DAMAGED: one line that names the file, the structure and its address. */
int rd_vet_open(const char *path, int descriptor, uint64_t file_bytes, struct rd_vet **vet, spr_error *error);
void rd_vet_close(struct rd_vet *vet); /* NULL is allowed */

/* Where the file's addresses count from: the length of its user block. */
uint64_t rd_vet_base(const struct rd_vet *vet);

#endif
