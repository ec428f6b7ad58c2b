#!/bin/bash
# Every command block of README.md works as it stands there. The two that set up a machine are checked to be what the
# continuous integration runs and what exists; the prefix is a directory of this test's.
. "$(dirname "$0")/../lib/lib.sh"
need gcc gfortran meson ninja pkg-config python3
need_mpi openmpi
python3 - "$SCOPE_SOURCE/README.md" <<'P'
import re, sys
blocks = re.findall(r"^```(\w*)\n(.*?)^```", open(sys.argv[1], encoding="utf-8").read(), re.M | re.S)
names = {"c": ["work.c"], "fortran": ["work.f90"], "python": ["script.py", "steps.py"]}
count = 0
for language, text in blocks:
    if language:
        open(names[language].pop(0), "w").write(text)
    else:
        count += 1
        open("block%02d.sh" % count, "w").write(text)
P
mkdir tree usr
tar -C "$SCOPE_SOURCE" --exclude='./build*' --exclude=./.git -cf - . | tar -C tree -xf -

echo '#include <mpi.h>
int main(int c, char **v) { MPI_Init(&c, &v); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }' >program.c
mpi_compile openmpi program.c -o program
cp program solver
mkdir bin
printf '#!/bin/sh\nexec mpirun.openmpi --oversubscribe "$@"\n' >bin/mpirun
chmod +x bin/mpirun
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PATH=$PWD/usr/bin:$PWD/bin:$PATH

set_up=0
for block in block*.sh; do
    echo "-- $(tr '\n' ';' <"$block")"
    case $(cat "$block") in
    "sh share/setup/demo" | "sh tests/run-all")
        ok "it exists: $(cat "$block")" test -f "$SCOPE_SOURCE/$(sed 's/^sh //' "$block")"
        set_up=$((set_up + 1)) ;;
    "meson setup"*)
        sed "s#/usr/local#$PWD/usr -Dbuildtype=debug#" "$block" >installs.sh
        RUN_TIMEOUT=400 run bash -c 'cd tree && bash -e ../installs.sh'
        equal "install" 0 "$rc"
        pc=$(dirname "$(find usr -name scope-profiler.pc)")
        export PKG_CONFIG_PATH=$PWD/$pc ;;
    *"mpirun -n 4"*) mv "$block" later.sh ;; # needs what is installed further down
    *)
        run bash -e "$block"
        equal "block: $(head -n 1 "$block")" 0 "$rc"
        [ "$rc" = 0 ] || e2e_show err.txt ;;
    esac
done
run bash -e later.sh
equal "block: $(head -n 1 later.sh)" 0 "$rc"
contains "its table" MPI_Barrier out.txt
equal "the set-up commands" 2 $set_up
contains "the continuous integration runs the second" "sh tests/run-all" "$SCOPE_SOURCE/.ci/run"
equal "the C program's calls" 100 "$(ncalls work.h5 solve)"
equal "the Fortran program's calls" 1 "$(ncalls work-fortran.h5 solve)"
equal "the Python script's calls" 10 "$(ncalls script.h5 square)"
for how in "env PYTHONPATH=usr/share/scope-profiler/python" "scope-profiler run -q -o steps.h5"; do
    rm -f steps.h5
    # shellcheck disable=SC2086
    run $how /usr/bin/python3 steps.py
    equal "$how: the regions of its own" "10 10" "$(tail -n 1 out.txt) $(ncalls steps.h5 step)"
done
equal "ranks of the MPI program" "0 1" "$(ranks out.h5 MPI_Barrier | sed 's/ 2 3$//')"
ok "the directories it names exist" bash -c "cd '$SCOPE_SOURCE' && ls -d preload cli cli/collect libreader share tests tests/bench/figures share/setup/packages share/doc/format.md libreader/scope_reader.h"
finish
