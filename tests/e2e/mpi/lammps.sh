#!/bin/bash
# LAMMPS: 864 atoms of a Lennard-Jones liquid, 100 steps. The physics does not depend on us.
. "$(dirname "$0")/common.sh"
need lmp
grep -q "lib$( [ "$mpi" = mpich ] && echo mpich || echo mpi)\.so" <(ldd "$(command -v lmp)") || skip "lmp is not of $mpi"
count_with "$(command -v lmp)"
# What is timed, the process's name, and how much of the memory it measured.
UNSTABLE='/time|Loop|Performance|CPU|Pair +\||Neigh +\||Comm +\||Output +\||Modify +\||Other +\||LAMMPS|OMP_NUM/d'
export OMP_NUM_THREADS=1
counted 2 lmp -in "$programs/lj.in" -log none
equal "status" 0 "$rc"
contains "it ran" "100 " out.txt
finish
