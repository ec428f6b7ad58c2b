#!/bin/bash
# HPC Challenge: some 160 000 calls of 22 functions, most of them polls.
. "$(dirname "$0")/common.sh"
need hpcc
grep -q "lib$( [ "$mpi" = mpich ] && echo mpich || echo mpi)\.so" <(ldd "$(command -v hpcc)") || skip "hpcc is not of $mpi"
count_with "$(command -v hpcc)"
cp "$programs/hpccinf.txt" .
counted 2 hpcc
equal "status" 0 "$rc"
matches "its own verdict" '^Success=1' hpccoutf.txt
finish
