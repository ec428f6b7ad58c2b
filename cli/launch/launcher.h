/* launcher.h: is this process one rank of an MPI launch, and of which? */
#ifndef CLI_LAUNCHER_H
#define CLI_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct launcher {
    int rank;
    int size;        /* 0 unknown */
    int local_size;  /* ranks on this machine; 0 unknown */
    uint64_t launch; /* the same for all ranks of one launch, and for no other */
    pid_t proxy;     /* Hydra's own process on this machine; 0: another launcher */
};

/* False: no launcher started this process. */
bool launcher_detect(struct launcher *launcher);

/* For `run mpirun ...`: has Open MPI 4 hand our variables to ranks on other machines too, unless the user has a list
 * of his own. path: the program's file. */
void launcher_pass_environment(const char *path);

#endif
