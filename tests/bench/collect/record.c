/* record CALLS [REGIONS [DEPTH]]: records CALLS calls of REGIONS regions in turn, DEPTH of them inside each other. */
#include <scope_profiler.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    long calls = argc > 1 ? atol(argv[1]) : 1000, regions = argc > 2 ? atol(argv[2]) : 1;
    long depth = argc > 3 ? atol(argv[3]) : 1;
    if (calls < 1 || regions < 1 || depth < 1) return 2;
    int *region = calloc((size_t)regions, sizeof *region);
    if (!region) return 1;
    for (long i = 0; i < regions; i++) {
        char name[32];
        snprintf(name, sizeof name, "region %ld", i);
        region[i] = sp_region(name);
    }
    for (long i = 0; i < calls; i += depth) {
        for (long k = 0; k < depth; k++) sp_begin(region[(i + k) % regions]);
        for (long k = depth; k-- > 0;) sp_end(region[(i + k) % regions]);
    }
    free(region);
    return 0;
}
