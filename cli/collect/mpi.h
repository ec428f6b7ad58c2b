/* mpi.h: what MPI calls carried, as the recorder told it behind their ends: rows of /mpi/calls, and the sums that
 * summaries are made of. Calls go through a file without a name, so that memory does not grow with their number. */
#ifndef COLLECT_MPI_H
#define COLLECT_MPI_H

#include "model.h"
#include "publish.h"
#include <hdf5.h>

struct mpi;

/* The call that ended last, of the lane that is read. */
struct mpi_ended {
    const struct row *row; /* NULL: one that is not kept */
    uint64_t slot;
    int64_t start, end;
};

/* Once the first pass has counted what will come. beside: where files without a name may go. NULL: no memory, or
 * failed with a message. */
struct mpi *mpi_open(struct collection *c, const struct publish *beside);
void mpi_close(struct mpi *mpi); /* NULL is allowed */

/* For the processes in their order, one at a time: reads the communicators and call sites. False: no memory. */
struct mpi_process;
struct mpi_process *mpi_of(struct mpi *mpi, const struct process *process);
bool mpi_begin(struct mpi *mpi, struct mpi_process *of);

/* Then, of several processes at once: */

/* What the process did just before `ns` was not recorded. False: no memory. */
bool mpi_resumed(struct mpi_process *of, int64_t ns);

/* One group: SPOOL_MPI_CALL and those after it. False: no memory. */
bool mpi_take(struct mpi_process *of, const struct mpi_ended *ended, unsigned type, unsigned argument,
              const uint64_t *payload, unsigned count);

/* A call that was never ended, of whatever region: nothing is known of it but how long it lasted. False: no memory. */
bool mpi_cut_off(struct mpi_process *of, const struct mpi_ended *ended);

/* Nothing more comes. False: no memory. *error: errno of the first write that failed; MPI_CHANGED: more came than the
 * first pass had counted; 0. */
#define MPI_CHANGED (-1)
bool mpi_end(struct mpi_process *of, int *error);

/* When all processes have been read, from one thread: */

uint64_t mpi_bytes(const struct mpi *mpi);                         /* that mpi_write() needs at the most */
bool mpi_write(struct mpi *mpi, hid_t file, int compress, int fd); /* fd: of the same file */

#endif
