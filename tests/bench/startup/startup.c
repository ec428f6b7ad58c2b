/* startup ROUNDS VARIABLE=VALUE[,VARIABLE=VALUE...] PROGRAM [ARGUMENT...]: starts PROGRAM with and without these
 * variables, taking turns, and prints minimum and median of each in microseconds: bare min, bare median, with min, with
 * median. */
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MAX_VARIABLES = 256 };

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double start(char **argv, char **variables) {
    pid_t pid;
    int status;
    double begin = now_us();
    if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, variables) != 0) {
        perror(argv[0]);
        exit(1);
    }
    if (waitpid(pid, &status, 0) != pid || status != 0) {
        fprintf(stderr, "%s: ended with status %x\n", argv[0], (unsigned)status);
        exit(1);
    }
    return now_us() - begin;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: startup ROUNDS VARIABLE=VALUE,... PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    size_t rounds = strtoul(argv[1], NULL, 10), count = 0;
    char *with[MAX_VARIABLES + 1];
    for (char *word = strtok(argv[2], ","); word && count < MAX_VARIABLES / 2; word = strtok(NULL, ","))
        with[count++] = word;
    for (char **variable = environ; *variable && count < MAX_VARIABLES; variable++) with[count++] = *variable;
    with[count] = NULL;

    double *times[2] = {calloc(rounds, sizeof(double)), calloc(rounds, sizeof(double))};
    if (rounds == 0 || !times[0] || !times[1]) return 1;
    for (size_t i = 0; i < rounds; i++) {
        times[0][i] = start(argv + 3, environ);
        times[1][i] = start(argv + 3, with);
    }
    for (int k = 0; k < 2; k++) {
        qsort(times[k], rounds, sizeof(double), ascending);
        printf("%.1f %.1f%c", times[k][0], times[k][rounds / 2], k ? '\n' : ' ');
        free(times[k]);
    }
    return 0;
}
