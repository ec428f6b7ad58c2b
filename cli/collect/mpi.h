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

/* beside: where files without a name may go. NULL: no memory. */
struct mpi *mpi_open(struct collection *c, const struct publish *beside);
void mpi_close(struct mpi *mpi); /* NULL is allowed */

/* Everything up to mpi_process_end() is of this process. False: no memory. */
bool mpi_process(struct mpi *mpi, struct process *process);
bool mpi_process_end(struct mpi *mpi);

/* What the process did just before `ns` was not recorded. False: no memory. */
bool mpi_resumed(struct mpi *mpi, int64_t ns);

/* One group: SPOOL_MPI_CALL and those after it. False: no memory. */
bool mpi_take(struct mpi *mpi, const struct mpi_ended *ended, unsigned type, unsigned argument, const uint64_t *payload,
              unsigned count);

int mpi_error(const struct mpi *mpi);      /* errno of the first write that failed; 0 */
uint64_t mpi_bytes(const struct mpi *mpi); /* that mpi_write() needs at the most */
bool mpi_write(struct mpi *mpi, hid_t file, int compress);

#endif
