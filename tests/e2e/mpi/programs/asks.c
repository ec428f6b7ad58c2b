/* asks.c: a program that works with and without MPI, and asks in all the ways in which such programs ask. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

extern int MPI_Initialized(int *) __attribute__((weak));
extern int MPI_Finalized(int *) __attribute__((weak));
extern int MPI_Barrier(long) __attribute__((weak));

int main(void) {
    int flag = 7, there = 0, result = 0;
    for (int i = 0; i < 1000; i++) {
        if (MPI_Initialized) result |= MPI_Initialized(&flag) || flag;
        if (MPI_Finalized) result |= MPI_Finalized(&flag) || flag;
    }
    int (*initialized)(int *) = (int (*)(int *))dlsym(RTLD_DEFAULT, "MPI_Initialized");
    if (initialized) result |= initialized(&flag) || flag;
    int (*init)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_DEFAULT, "PMPI_Init");
    if (init) there = init(NULL, NULL); /* nobody should, but nothing may break */
    if (MPI_Barrier && MPI_Barrier(0) != there) result = 1;
    printf("%s %s\n", result ? "wrong" : "no MPI", there == 0 || there == 16 ? "fine" : "wrong");
    return result;
}
