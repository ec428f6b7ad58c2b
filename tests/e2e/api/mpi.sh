#!/bin/bash
# Ranks of an MPI program that records itself: one file, made by rank 0.
. "$(dirname "$0")/../lib/lib.sh"
. "$e2e_lib/../api/common.sh"
need_mpi openmpi
/usr/bin/python3 -c 'import mpi4py' 2>/dev/null || skip "no mpi4py"
mkdir one two
run env PYTHONPATH="$api_path" PYTHONDONTWRITEBYTECODE=1 RUN_TIMEOUT=60 mpirun.openmpi --allow-run-as-root --oversubscribe \
    -n 3 /usr/bin/python3 "$api_here/mpi.py" "$PWD/one" "$PWD/two"
equal "status" 0 "$rc"
equal "every rank is told of a problem" 3 "$(grep -o 'told [0-9]' out.txt | sort -u | wc -l)"
contains "to its end" done out.txt
equal "the second file" "1 1" "$(ncalls one/mpi.h5 work) $(ranks one/mpi.h5 work)"
equal "its ranks" 3 "$(meta one/mpi.h5 mpi_size)"
equal "no file of the others" "" "$(ls -A two)"
equal "nothing is left" "" "$(left | grep -v gone)"
finish
