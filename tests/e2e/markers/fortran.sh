#!/bin/bash
# The Fortran module: as source, as the installed library, position independent or not, static, with OpenMP threads.
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
. "$here/../lib/lib.sh"
need gfortran
module=$SCOPE_SOURCE/share/fortran/scope_profiler.f90
long=$(printf 'l%.0s' $(seq 299))x

try() {
    rm -f a.h5 a.out
    gfortran "$@" -o a.out 2>build.txt || { fail "build: $*: $(head -5 build.txt)"; return; }
    run ./a.out
    equal "bare: $*" "0 done" "$rc $(cat out.txt err.txt)"
    run scope-profiler run -q -o a.h5 ./a.out
    equal "recorded" "0 done" "$rc $(cat out.txt err.txt)"
    equal "calls" "5 3 3" "$(ncalls a.h5 solve) $(ncalls a.h5 padded) $(ncalls a.h5 "$long")"
    equal "no other region" 3 "$(regions a.h5 | wc -l)"
}
strict="-std=f2008 -Wall -Wextra -pedantic -Werror"
# shellcheck disable=SC2086
for kind in "-fPIE -pie" "-fno-pie -no-pie"; do
    for level in -O0 -O2; do
        for linker in bfd gold lld; do try $strict $kind $level -fuse-ld=$linker "$module" "$here/module.f90"; done
    done
done
built=$SCOPE_BUILD/share/fortran
if [ -e "$built/scope_profiler.mod" ]; then
    try -O2 -I"$built" "$here/module.f90" -L"$built" -lscope-profiler-fortran
fi

ok "static builds" sh -c "gfortran -static '$module' '$here/module.f90' -o static 2>/dev/null"
run ./static
equal "static runs" "0 done" "$rc $(cat out.txt err.txt)"

cat >omp.f90 <<'F'
program omp
   use scope_profiler
   implicit none
   integer :: i
   !$omp parallel do
   do i = 1, 4000
      call sp_begin_name('shared')
      call sp_end_name('shared')
   end do
   !$omp end parallel do
end program omp
F
gfortran -fopenmp "$module" omp.f90 -o omp || fail "build omp"
run env OMP_NUM_THREADS=4 scope-profiler run -q -o omp.h5 ./omp
equal "calls of all threads" 4000 "$(ncalls omp.h5 shared)"
equal "threads" 5 "$(threads omp.h5 | wc -l)" # and the header line

finish
