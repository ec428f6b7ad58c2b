#!/bin/bash
# What is loaded into other people's programs: it needs the C library alone, and exports what it interposes and its
# markers alone.
. "$(dirname "$0")/../lib/lib.sh"
need readelf nm
readelf -d "$SCOPE_PRELOAD" >dynamic.txt
equal "libraries it needs" "" "$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' dynamic.txt |
    grep -vxE 'libc\.so\.6|libdl\.so\.2|libpthread\.so\.0|ld-linux-[a-z0-9-]*\.so\.[0-9]+')"
lacks "no path for libraries" RUNPATH dynamic.txt
lacks "no RPATH" RPATH dynamic.txt
lacks "no relocations in code" TEXTREL dynamic.txt
nm -D --defined-only "$SCOPE_PRELOAD" | awk '{ print $NF }' >exports.txt
# By name: what is interposed so that Python is entered, and its threads are, before they run any Python code.
for_python="PyGILState_Ensure|pthread_create|setlocale"
# The same code is a module that a running Python loads; here it is of no use, and does no harm.
for_python="$for_python|PyInit__scope_profiler"
equal "names it exports besides MPI_*, PMPI_* and the markers' table" "" \
    "$(grep -vE "^(P?MPI_[A-Z][A-Za-z0-9_]*|sp_api_v1|$for_python)(@.*)?\$" exports.txt)"
equal "every MPI name has its PMPI name" "" "$(diff <(sed -n 's/^MPI_//p' exports.txt | sort) <(sed -n 's/^PMPI_//p' exports.txt | sort))"
for name in MPI_Send MPI_Init MPI_Finalize PMPI_Allreduce sp_api_v1; do
    ok "exports $name" grep -qx "$name" exports.txt
done
between "MPI functions" 300 1000 "$(grep -c ^MPI_ exports.txt)"
equal "executable stack" 0 "$(readelf -lW "$SCOPE_PRELOAD" | grep GNU_STACK | grep -c E)"
# Names that it takes from the C library must exist in old ones: nothing newer than glibc 2.34 (where libdl and
# libpthread joined it).
nm -D --undefined-only "$SCOPE_PRELOAD" | sed -n 's/.*@GLIBC_\(2\.[0-9]*\).*/\1/p' | sort -uV >versions.txt
equal "newest version of the C library's names" "$(printf '%s\n2.34\n' "$(tail -n 1 versions.txt)" | sort -V | tail -n 1)" 2.34

# As that module it takes no room of threads' variables at fixed places: there is next to none left in a running Python.
module=$(dirname "$SCOPE_PRELOAD")/_scope_profiler.so
ok "the Python module" test -f "$module"
readelf -d "$module" >dynamic.txt
lacks "the Python module needs no static room" STATIC_TLS dynamic.txt
equal "libraries that it needs" "" "$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' dynamic.txt |
    grep -vxE 'libc\.so\.6|libdl\.so\.2|libpthread\.so\.0|ld-linux-[a-z0-9-]*\.so\.[0-9]+')"

# Its cost in memory to a program that records nothing.
size=0
for bytes in $(readelf -lW "$SCOPE_PRELOAD" | awk '$1 == "LOAD" { print $6 }'); do size=$((size + bytes)); done
between "bytes it maps" 1 2000000 $size
finish
