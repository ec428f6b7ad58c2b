#!/bin/bash
# What is asked about a new communicator is asked of functions that were looked up before: a search for a symbol takes longer
# than most MPI calls. Programs that make thousands of communicators were ten times slower.
. "$(dirname "$0")/common.sh"
cat >many.c <<'C'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < atoi(argv[1]); i++) {
        MPI_Comm copy, ring;
        int size, periodic = 1;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Comm_size(copy, &size);
        MPI_Cart_create(copy, 1, &size, &periodic, 0, &ring);
        MPI_Barrier(ring);
        MPI_Comm_free(&ring);
        MPI_Comm_free(&copy);
    }
    MPI_Finalize();
    return 0;
}
C
# Each search that finds a function asks dladdr whose it is.
cat >searches.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
static long searches;
int dladdr(const void *address, Dl_info *info) {
    static int (*next)(const void *, Dl_info *);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "dladdr");
    searches++;
    return next(address, info);
}
__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("SEARCHES");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", searches);
    fclose(file);
}
C
mpi_compile "$mpi" many.c -o many && gcc -shared -fPIC searches.c -o searches.so -ldl || fail "compile"
printf '#!/bin/sh\nexport LD_PRELOAD=%s/searches.so:$LD_PRELOAD\nexec "$@"\n' "$PWD" >with-searches
chmod +x with-searches
for number in 10 300; do
    SEARCHES=$PWD/searches.$number profiled 1 "many.$number.h5" ./with-searches ./many "$number"
    equal "$number of each: status" 0 "$rc"
    equal "$number of each: calls" "$number $number $((2 * number))" \
        "$(calls "many.$number.h5" MPI_Comm_dup 0) $(calls "many.$number.h5" MPI_Barrier 0) $(calls "many.$number.h5" MPI_Comm_free 0)"
done
between "searches for symbols" 1 100000 "$(cat searches.10)"
equal "300 of each take as many searches as 10" "$(cat searches.10)" "$(cat searches.300)"
finish
