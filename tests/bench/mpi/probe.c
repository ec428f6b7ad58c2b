/* probe [BATCHES]: what MPI_Iprobe(MPI_PROC_NULL) costs, and two bare reads of the processor's counter beside it.
 * Prints minimum and median over the batches in ns: call min, call median, reads min, reads median. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 20000 };

static inline uint64_t counter(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
#endif
}

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double time_probes(void) {
    int flag;
    double begin = now_ns();
    for (int i = 0; i < CALLS; i++) MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return (now_ns() - begin) / CALLS;
}

static double time_reads(void) {
    static volatile uint64_t kept;
    double begin = now_ns();
    for (int i = 0; i < CALLS; i++) {
        uint64_t first = counter();
        __asm__ volatile("" ::: "memory");
        kept = counter() - first;
    }
    return (now_ns() - begin) / CALLS;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    int batches = argc > 1 ? atoi(argv[1]) : 100;
    double *times[2] = {calloc((size_t)batches, sizeof(double)), calloc((size_t)batches, sizeof(double))};
    MPI_Init(&argc, &argv);
    for (int i = 0; i < batches; i++) {
        times[0][i] = time_probes();
        times[1][i] = time_reads();
    }
    for (int k = 0; k < 2; k++) {
        qsort(times[k], (size_t)batches, sizeof(double), ascending);
        printf("%.2f %.2f%c", times[k][0], times[k][batches / 2], k ? '\n' : ' ');
        free(times[k]);
    }
    MPI_Finalize();
    return 0;
}
