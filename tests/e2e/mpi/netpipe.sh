#!/bin/bash
# NetPIPE, a program that was compiled before this one existed: thousands of short messages.
. "$(dirname "$0")/common.sh"
program=$(echo "$mpi" | sed 's/mpich/NPmpich2/; s/openmpi/NPopenmpi/')
need "$program"
count_with "$(command -v "$program")"
UNSTABLE='s/-->.*//'
counted 2 "$program" -u 4096 -n 10 -o np.out
equal "status" 0 "$rc"
equal "sends and receives balance" "$(ncalls counted.h5 MPI_Send)" "$(ncalls counted.h5 MPI_Recv)"
finish
