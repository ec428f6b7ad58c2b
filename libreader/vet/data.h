/* data.h: the elements of a one-dimensional dataset, read past libhdf5.
 *
 * libhdf5 1.10 copies from a chunk what the dataset says that it holds, however little came out of its filters. Here
 * every chunk is known to lie in the file, and to unpack to its length, before anything is taken from it.
 */
#ifndef SCOPE_READER_VET_DATA_H
#define SCOPE_READER_VET_DATA_H

#include "vet.h"

struct rd_data;

struct rd_data_shape {
    bool one_dimensional;              /* the others are set only then */
    uint64_t length, element, chunk;   /* elements; bytes; elements, 0 unless chunked */
    bool filtered, elsewhere, foreign; /* elsewhere: the values are in other files; foreign: packed in a way that is
                                          not read */
};

/* `header`: the address of a dataset's object header. SPR_DAMAGED: it is none. */
int rd_data_open(struct rd_vet *vet, uint64_t header, struct rd_data **data, struct rd_data_shape *shape,
                 spr_error *error);
void rd_data_close(struct rd_data *data); /* NULL is allowed */
/* It is read from its first element to its last: no more than one unpacked chunk is kept. */
void rd_data_in_order(struct rd_data *data);

/* Elements [first, first+count), as they are stored, into `values`. What was never written is the fill value. */
int rd_data_read(struct rd_data *data, uint64_t first, uint64_t count, void *values, spr_error *error);

#endif
