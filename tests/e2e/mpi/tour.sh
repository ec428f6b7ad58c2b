#!/bin/bash
# Most functions of MPI once or more: nothing is missed, nothing counted twice (files and collectives call MPI from
# within MPI), nothing broken by arguments that do not matter on a rank.
. "$(dirname "$0")/common.sh"
"mpicc.$mpi" -w "$programs/tour.c" -o tour || fail "compile tour"
count_with ./tour
counted 2 ./tour "$PWD/scratch"
equal "status" 0 "$rc"
contains "nothing wrong on rank 0" "rank 0 of 2: 0 wrong" out.txt
contains "nothing wrong on rank 1" "rank 1 of 2: 0 wrong" out.txt
equal "functions recorded" yes "$([ "$(regions counted.h5 | wc -l)" -gt 140 ] && echo yes)"
finish
