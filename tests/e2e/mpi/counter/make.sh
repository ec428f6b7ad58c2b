#!/bin/sh
# make.sh LIBRARY DIR: builds DIR/counter.so, which counts calls of every MPI_ and PMPI_ function that LIBRARY exports,
# and DIR/names, the names in the order of its counters.
set -e
here=$(cd "$(dirname "$0")" && pwd)
nm -D --defined-only "$1" | awk '$2 ~ /^[TWi]$/ && $3 ~ /^P?MPI_[A-Z][A-Za-z_0-9]*$/ { print $3 }' |
    grep -v -e '_f08' -e '_cdesc' | sort -u >"$2/names"
sed 's/.*/NAME(&)/' "$2/names" >"$2/names.h"
awk '{ printf "__asm__(\".globl %s\\n.type %s,@function\\n%s: pushq $%d\\n jmp counter_enter\\n\");\n", $1, $1, $1, NR - 1 }' \
    "$2/names" >"$2/stubs.h"
cc -shared -fPIC -O1 -Wl,-Bsymbolic -I"$2" "$here/counter.c" -o "$2/counter.so" -ldl
