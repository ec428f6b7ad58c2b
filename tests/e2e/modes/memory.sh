#!/bin/bash
# Recordings without a file: --no-output, the environment, and programs that ask for it themselves.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/common.sh"
need gcc gfortran python3
unset SCOPE_PROFILER_MODE
# Others may record in memory at the same time: what is theirs goes in its time, what we left would stay.
left() { ls -A /dev/shm 2>/dev/null | grep -E '^\.scope-profiler' | sort; }
left >before.txt
new() { left | comm -13 before.txt -; ls -A | grep -e 'h5$' -e spool; }
nothing_new() { [ -z "$(new)" ]; }

cat >work.c <<'C'
#include "mk.h"
int main(int c, char **v) { (void)v; MB("work"); for (int i = 0; i < 3; i++) { MB("part"); ms(2); ME("part"); } ME("work"); return c > 1 ? 0 : 4; }
C
compile work.c -o work
run scope-profiler run --no-output ./work
equal "status is the program's" 4 "$rc"
contains "said" "scope-profiler: no file was written (1 rank, 4 calls)" err.txt
matches "the table" '│ └─ part \(3x\) +0\.0[0-9]+ +│' err.txt
lacks "nothing is offered that needs a file" "inspect" err.txt
equal "nothing is left" "" "$(await 20 nothing_new; new)"
SCOPE_PROFILER_NO_OUTPUT=1 run scope-profiler run --aggregation-mode ./work
contains "by the environment, added up" "no file was written (1 rank, 4 calls)" err.txt
equal "nothing is left" "" "$(await 20 nothing_new; new)"
SCOPE_PROFILER_NO_OUTPUT=1 run scope-profiler run -q -o stays.h5 ./work
equal "-o is stronger" 3 "$(ncalls stays.h5 part)"
rm stays.h5
for with in "-o x.h5" "--repeat 2" "--keep-spool"; do
    # shellcheck disable=SC2086
    run scope-profiler run --no-output $with ./work
    equal "--no-output $with" "2 " "$rc $(cat out.txt)"
done
SCOPE_PROFILER_NO_OUTPUT=1 LD_PRELOAD=$SCOPE_PRELOAD run ./work
equal "plain preload: nothing is said" "4 " "$rc $(cat err.txt)"
equal "plain preload: nothing is left" "" "$(await 20 nothing_new; new)"
run scope-profiler run --no-output /bin/true
contains "nothing recorded" "memory: nothing was recorded, no file was written" err.txt

for mpi in mpich openmpi; do
    command -v mpirun.$mpi >/dev/null || continue
    mpi_run $mpi -n 3 scope-profiler run --no-output ./work 0 >out.txt 2>err.txt
    contains "$mpi" "no file was written (3 ranks, 12 calls)" err.txt
    equal "$mpi: nothing is left" "" "$(await 20 nothing_new; new)"
done

# A program that keeps its recording in memory and takes it from there.
cat >own.c <<'C'
#include "mk.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int copy(int from, const char *name)
{
    char buffer[65536];
    int to = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (ssize_t n; (n = read(from, buffer, sizeof buffer)) > 0;)
        if (write(to, buffer, (size_t)n) != n) return 1;
    close(to);
    return close(from);
}
int main(int c, char **v)
{
    sp_region_stats stats;
    printf("%d ", sp_configure("no_output", "1"));
    printf("%d ", sp_configure("mode", v[1]));
    printf("%d ", sp_configure("label", "from memory"));
    printf("%d ", sp_configure("no_such_key", "1"));
    printf("%d ", sp_init("own", 0));
    printf("%d\n", sp_profiler_open_profile(sp_default_profiler()));
    int part = sp_region("part");
    for (int i = 0; i < 5; i++) { sp_begin(part); ms(1); sp_end(part); }
    int fd = sp_profiler_open_profile(sp_default_profiler());
    if (fd < 0 || copy(fd, "first")) return 1;
    for (int i = 0; i < 5; i++) { sp_begin(part); ms(1); sp_end(part); }
    printf("%d\n", sp_finalize());
    fd = sp_profiler_open_profile(sp_default_profiler());
    if (fd < 0 || copy(fd, "second")) return 2;
    sp_profiler_get_region_stats(sp_default_profiler(), part, &stats);
    printf("%ld %d\n", (long)stats.calls, stats.total_ns >= 10000000);
    sp_configure("no_output", NULL);
    if (c > 2) return sp_init("file", 0) || (sp_begin(part), sp_end(part), sp_finalize());
    return 0;
}
C
library=$(dirname "$SCOPE_PRELOAD")
compile -DSP_LINKED own.c -o own -L"$library" -lscope-profiler -Wl,-rpath,"$library"
for mode in trace aggregate; do
    run ./own $mode
    equal "$mode: status, silence" "0 " "$rc $(cat err.txt)"
    equal "$mode: what the program sees" "0 0 0 7 0 -1|0|10 1|" "$(tr '\n' '|' <out.txt)"
    equal "$mode: calls" "5 10" "$(ncalls first part) $(ncalls second part)"
    equal "$mode: label" "from memory" "$(meta second label)"
    equal "$mode: nothing is left" "" "$(await 20 nothing_new; new)"
done
run ./own trace file
equal "a file again" "0 1" "$rc $(ncalls file_rank00000.h5 part)"
rm -f file_rank00000.h5
run ./own off
equal "off: there is no profile" 1 "$rc"
run scope-profiler run -q -o run.h5 ./own trace
equal "under run the run has the recording" 1 "$rc"
equal "under run: calls" 5 "$(ncalls run.h5 part)"

rm -f run.h5
# A forked child records into the same memory, and does not take it along when it ends.
cat >fork.c <<'C'
#include "mk.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    char command[100];
    sp_configure("no_output", "1");
    sp_init("fork", 0);
    int r = sp_region("r");
    sp_begin(r); sp_end(r);
    if (fork() == 0) { sp_begin(r); sp_end(r); exit(0); }
    wait(0);
    sp_begin(r); sp_end(r);
    int fd = sp_profiler_open_profile(sp_default_profiler());
    snprintf(command, sizeof command, "cat /proc/%d/fd/%d >fork.profile", (int)getpid(), fd);
    return fd < 0 || system(command) != 0;
}
C
compile -DSP_LINKED fork.c -o forks -L"$library" -lscope-profiler -Wl,-rpath,"$library"
run ./forks
equal "a child: status, silence, calls" "0  3" "$rc $(cat err.txt) $(ncalls fork.profile r)"
equal "a child: nothing is left" "" "$(await 20 nothing_new; new)"

cat >own.F90 <<'F'
program own
  use scope_profiler
  integer :: stat
  call sp_configure('mode', 'aggregate', stat); print '(i0)', stat
  call sp_configure('nonsense', '1', stat); print '(i0)', stat
  call sp_init('fortran'); call sp_begin_name('x'); call sp_end_name('x'); call sp_finalize()
end program
F
compile_fortran own.F90 -o own-fortran -L"$library" -Wl,--no-as-needed -lscope-profiler -Wl,-rpath,"$library"
run ./own-fortran
equal "Fortran" "0 7 1" "$(tr '\n' ' ' <out.txt)$(ncalls fortran_rank00000.h5 x)"
equal "Fortran: added up" aggregate "$(python3 -c 'import h5py; v = h5py.File("fortran_rank00000.h5").attrs["storage_layout"]; print(v.decode() if isinstance(v, bytes) else v)')"

# How many calls a thread keeps before it writes them.
cat >many.c <<'C'
#include "mk.h"
#include <stdlib.h>
int main(int c, char **v)
{
    int r = sp_region("r");
    for (int i = 0; i < atoi(v[1]); i++) { sp_begin(r); sp_end(r); }
    return system(v[2]) != 0 || c < 0;
}
C
compile many.c -o many
size() { cat size.txt; }
for limit in 1 100 100000 3000000; do
    run scope-profiler run -q -o b.h5 --buffer-limit $limit ./many 1000 'stat -c %s .b.h5.spool-*/*.lane >size.txt'
    equal "--buffer-limit $limit: calls" 1000 "$(ncalls b.h5 r)"
    between "--buffer-limit $limit: bytes of a lane" $((limit * 16)) $((limit * 16 + 4096 + 512 + 4096 + (limit < 1000 ? 16000 : 0))) "$(size)"
done
for bad in 0 -1 x 1k; do
    run scope-profiler run --buffer-limit=$bad ./work
    equal "--buffer-limit=$bad" "2 " "$rc $(cat out.txt)"
done
finish
