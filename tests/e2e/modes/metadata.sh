#!/bin/bash
# What a profile says of its origin: nothing that names a user, a host or a directory, unless it is asked for. Places and
# source text of regions.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/common.sh"
need gcc g++ gfortran python3
unset SCOPE_PROFILER_MODE
mkdir -p secretproject/inner elsewhere
top=$PWD
cd secretproject || exit 1

cat >inner/work.c <<'C'
#include "mk.h"
static void work(void)
{
    int r = SP_REGION_AT("in c");
    for (int i = 0; i < 2; i++) { /* a brace: } */
        sp_begin(r);
        sp_end(r);
    }
}
int main(void) { work(); return 0; }
C
cat >inner/work.cpp <<'C'
#include <scope_profiler.hpp>
int main() {
    { SP_PROFILE_SCOPE("in c++");
        const char *text = "}";
        if (!text) return 1;
    }
    return 0;
}
C
cat >inner/work.F90 <<'F'
program work
  use scope_profiler
  integer :: r
  r = sp_region('in fortran', __FILE__, __LINE__)
  call sp_begin(r)
  call sp_end(r)
end program
F
cat >work.py <<'P'
import scope_profiler as sp


@sp.profile("decorated",
            tags=["t"])
def f(
    x=1,
):
    # a comment

    return x


f()
with sp.region("block"):
    y = 1
    y += 1
P
(cd "$top/elsewhere" && compile "$PWD/../secretproject/inner/work.c" -o ../secretproject/work-c)
compile "$PWD/inner/work.c" -o work-abs
CC=g++ compile inner/work.cpp -o work-c++
compile_fortran inner/work.F90 -o work-fortran
place() { python3 - "$1" "$2" <<'P'
import sys, h5py
f = h5py.File(sys.argv[1]); i = f["rank_region_index"]
text = lambda v: v.decode() if isinstance(v, bytes) else v
names = [text(n) for n in f["region_table/names"][()]]
k = [names[r] for r in i["region_ids"][()]].index(sys.argv[2])
print("%s:%d" % (text(i["source_files"][k]), i["source_lines"][k]))
print(text(i["source_texts"][k]), end="")
P
}
for case in "work-abs|in c|inner/work.c:4" "work-c++|in c++|inner/work.cpp:3" "work-fortran|in fortran|inner/work.F90:4" \
    "work.py|decorated|work.py:4" "work.py|block|work.py:15"; do
    IFS='|' read -r program region want <<<"$case"
    [ "${program%.py}" = "$program" ] && program=./$program
    run scope-profiler run -q -o "p.h5" "$program"
    equal "$program: place" "$want" "$(place p.h5 "$region")"
    run scope-profiler run -q --metadata full -o f.h5 "$program"
    equal "$program: place, full" "$PWD/$want" "$(place f.h5 "$region")"
    run scope-profiler run -q --capture-source -o "s-${program##*[./]}-${region// /_}.h5" "$program"
    SCOPE_PROFILER_MODE=aggregate run scope-profiler run -q --capture-source -o a.h5 "$program"
    equal "$program: text, added up" "$(place "s-${program##*[./]}-${region// /_}.h5" "$region")" "$(place a.h5 "$region")"
done
run scope-profiler run -q -o p.h5 ./work-c
equal "a place outside of the working directory" "work.c:4" "$(place p.h5 "in c")"
(cd / && scope-profiler run -q -o "$OLDPWD/root.h5" "$OLDPWD/work-abs")
equal "everything is below /: that is no working directory" "work.c:4" "$(place root.h5 "in c")"
cat >want.txt <<'W'
inner/work.c:4
    int r = SP_REGION_AT("in c");
    for (int i = 0; i < 2; i++) { /* a brace: } */
        sp_begin(r);
        sp_end(r);
    }
W
place s-*abs-in_c.h5 "in c" >got.txt
equal "C: text" "$(cat want.txt)" "$(cat got.txt)"
printf '%s\n' 'inner/work.cpp:3' '    { SP_PROFILE_SCOPE("in c++");' '        const char *text = "}";' '        if (!text) return 1;' '    }' '    return 0;' >want.txt
place s-*++-in_c++.h5 "in c++" >got.txt
equal "C++: text" "$(cat want.txt)" "$(cat got.txt)"
place s-*fortran-in_fortran.h5 "in fortran" >got.txt
equal "Fortran: text" "inner/work.F90:4|  r = sp_region('in fortran', __FILE__, __LINE__)|" "$(tr '\n' '|' <got.txt)"
place s-*py-decorated.h5 decorated | tail -n +2 >got.txt
equal "Python, a function: text" "$(sed -n 4,11p work.py)" "$(cat got.txt)"
place s-*py-block.h5 block | tail -n +2 >got.txt
equal "Python, a block: text" "$(sed -n 15,17p work.py)" "$(cat got.txt)"
run scope-profiler inspect s-*py-block.h5 --regions-only --source block
contains "inspect --source" "with sp.region(\"block\"):" out.txt
rm -f inner/work.c
run scope-profiler run -q --capture-source -o gone.h5 ./work-abs
equal "a file that is gone: no text" "0 inner/work.c:4" "$rc $(place gone.h5 "in c")"

# The bytes of a profile.
export USER=secretuser LOGNAME=secretuser SLURM_JOB_NAME=secretjob LOADEDMODULES=secretmodule/1:secretother
cat >mpi.c <<'C'
#include "mk.h"
#include <mpi.h>
int main(int c, char **v) { MPI_Init(&c, &v); MB("x"); MPI_Barrier(MPI_COMM_WORLD); ME("x"); MPI_Finalize(); return 0; }
C
files=
for how in "" --aggregation-mode --capture-source; do
    # shellcheck disable=SC2086
    run scope-profiler run -q $how --recursive --line-profile -o "q$how.h5" "$PWD/work.py"
    run scope-profiler run -q $how -o "c$how.h5" "$PWD/work-c++"
    files="$files q$how.h5 c$how.h5"
done
if command -v mpicc.mpich >/dev/null; then
    mpi_compile mpich -g mpi.c -o mpi
    mpi_run mpich -n 2 scope-profiler run -q -o m.h5 "$PWD/mpi" || fail mpirun
    files="$files m.h5"
fi
for file in $files; do
    for word in secret "$(hostname)" "$(id -un)" "$top" "$PWD" /usr/ /tmp/; do
        equal "$file: no $word" 0 "$(grep -c -a -F -e "$word" "$file")"
    done
done
keys() { python3 -c 'import sys, h5py; print(" ".join(sorted(h5py.File(sys.argv[1])["metadata"].attrs)))' "$1"; }
equal "minimal keys" "chip_information cost_region_inside_ns cost_region_ns finalize_time_ns mpi_size num_nodes omp_num_threads platform scope_profiler_version start_time_ns timestamp total_cores" "$(keys c.h5)"
equal "the version of Python" "$(python3 -c 'import platform; print(platform.python_version())')" "$(meta q.h5 python_version)"

# All of it.
run scope-profiler run -q --metadata full --line-profile -o l.h5 work.py
equal "full: files of lines" "$PWD/work.py" "$(python3 -c 'import h5py; v = h5py.File("l.h5")["rank0/line_profile/0"].attrs["filename"]; print(v.decode() if isinstance(v, bytes) else v)')"
long=$(printf 'x%.0s' $(seq 70000))
env -u LD_LIBRARY_PATH MODULEPATH="$long" scope-profiler run -q --metadata full --label "a label" -o f.h5 ./work-c++ || fail "full"
equal "full: further keys" "LOADEDMODULES MODULEPATH PATH SLURM_JOB_NAME hostname label modules uname user working_directory" "$(keys f.h5 | tr ' ' '\n' | grep -v -x -F -f <(keys c.h5 | tr ' ' '\n') | tr '\n' ' ' | sed 's/ $//')"
equal "full: values" "secretuser $(hostname) $PWD secretjob a label" "$(for key in user hostname working_directory SLURM_JOB_NAME label; do meta f.h5 $key; done | tr '\n' ' ' | sed 's/ $//')"
equal "a long value is cut, and says so" "60000 ...[truncated]" "$(meta f.h5 MODULEPATH | python3 -c 't = input(); print(len(t), t[-14:])')"
equal "a list" "['secretmodule/1', 'secretother']" "$(python3 -c 'import h5py; print([v.decode() if isinstance(v, bytes) else v for v in h5py.File("f.h5")["metadata"].attrs["modules"]])')"
env -u LOADEDMODULES scope-profiler run -q --metadata full -o e.h5 ./work-c++ || fail "full"
equal "an empty list" "(0,)" "$(python3 -c 'import h5py; print(h5py.File("e.h5")["metadata"].attrs["modules"].shape)')"
run scope-profiler inspect f.h5 --metadata-only
contains "inspect shows it" "secretother" out.txt
SCOPE_PROFILER_METADATA=full SCOPE_PROFILER_LABEL=env SCOPE_PROFILER_CAPTURE_SOURCE=1 run scope-profiler run -q -o v.h5 ./work-c++
equal "by variables, under run" "secretuser env 1" "$(meta v.h5 user) $(meta v.h5 label) $(place v.h5 'in c++' | grep -c const)"
SCOPE_PROFILER_METADATA=full SCOPE_PROFILER_LABEL=env SCOPE_PROFILER_CAPTURE_SOURCE=1 SCOPE_PROFILER_OUTPUT=w.h5 LD_PRELOAD=$SCOPE_PRELOAD run ./work-c++
equal "by variables, plain preload" "secretuser env 1" "$(meta w.h5 user) $(meta w.h5 label) $(place w.h5 'in c++' | grep -c const)"
SCOPE_PROFILER_METADATA=full run scope-profiler run -q --metadata minimal --label option -o o.h5 ./work-c++
equal "options are stronger" "0 option" "$(keys o.h5 | grep -c user) $(meta o.h5 label)"
for bad in all ''; do
    run scope-profiler run "--metadata=$bad" ./work-c++
    equal "--metadata=$bad" "2 " "$rc $(cat out.txt)"
done
SCOPE_PROFILER_METADATA=all run scope-profiler run ./work-c++
equal "a wrong variable" "2 scope-profiler: SCOPE_PROFILER_METADATA: 'all' is none of minimal, full" "$rc $(cat err.txt)"
finish
