/* clocks.h: how far the clocks of a world's machines are apart, measured at MPI_Init and MPI_Finalize against rank 0's.
 * Where all ranks have one clock nothing is measured, and no message is sent. */
#ifndef SCOPE_PROFILER_MPI_CLOCKS_H
#define SCOPE_PROFILER_MPI_CLOCKS_H

/* Before MPI_Init: the other ranks are to see that this one takes part. */
void clocks_announce(void);
/* When MPI_Init has succeeded, and before MPI_Finalize. One rank of every machine takes part; the others return at
 * once. */
void clocks_begin(void);
void clocks_end(void);

#endif
