#!/bin/sh
# abi.sh mpich|openmpi SOURCE_DIR: builds and runs abi_constants.c with that MPI; 77 where it is not installed.
set -e
command -v "mpicc.$1" >/dev/null || { echo "SKIP: no mpicc.$1 on this machine"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
room=$2/preload/mpi
"mpicc.$1" -std=gnu17 -D_GNU_SOURCE -I"$room" "$2/tests/unit/mpi/abi_constants.c" "$room/abi.c" "$room/next.c" \
    -o "$dir/constants" -ldl
# As an executable that has copies of the library's variables, and as one that reads the library's own.
"mpicc.$1" -no-pie -std=gnu17 -D_GNU_SOURCE -I"$room" "$2/tests/unit/mpi/abi_constants.c" "$room/abi.c" "$room/next.c" \
    -o "$dir/copies" -ldl
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
"$dir/constants" "$1"
"$dir/copies" "$1"
