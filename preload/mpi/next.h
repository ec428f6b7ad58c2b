/* next.h: finding the MPI that the program uses, behind our own symbols of the same names. */
#ifndef SCOPE_PROFILER_MPI_NEXT_H
#define SCOPE_PROFILER_MPI_NEXT_H

#include <stdint.h>

typedef void (*mpi_any)(void); /* a function of any type; cast before the call */
typedef long mpi_word;         /* an argument of any type: registers and stack slots are 8 bytes wide */

/* A symbol of the next object, found once and kept. All zero: not looked for yet. */
struct mpi_link {
    mpi_any symbol;
    uint64_t
        objects_at_miss; /* how many objects had been loaded when it was not there: no use to look before more are */
};

/* The next definition of `name` behind this object: in the global scope, or in an object that was loaded with
 * RTLD_LOCAL. NULL: there is none (yet). Any thread may call it at any time but from a constructor; errno is lost. */
mpi_any mpi_next(struct mpi_link *link, const char *name);

/* The address of a variable, in the program first: an executable has copies of the variables of its libraries, and the
 * library itself uses the copy. object: the path of a library to look in otherwise. NULL if not found. */
void *mpi_variable(const char *object, const char *name);

#endif
