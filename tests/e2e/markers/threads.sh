#!/bin/bash
# One region in several threads, threads that come and go, one that ends inside a region.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >a.c <<'C'
#include "mk.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static void *body(void *a) {
    for (int i = 0; i < 1000; i++) { MB("shared"); ME("shared"); }
    MB("sleep"); ms(50 * (1 + (long)a)); ME("sleep");
    char own[16] = "own0"; own[3] = (char)(own[3] + (char)(long)a);
    MB(own); ms(1); ME(own);
    if ((long)a == 3) { MB("exit_inside"); ms(5); pthread_exit(0); }
    return 0;
}
int main(void) {
    pthread_t t[4];
    MB("all");
    for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, body, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    ME("all");
    for (int r = 0; r < 300; r++) { pthread_create(&t[0], 0, body, (void *)-1L); pthread_join(t[0], 0); }
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status)) if (strncmp(line, "VmRSS", 5) == 0) fputs(line, stdout);
    return 0;
}
C
compile -pthread a.c -o a
run scope-profiler run -o a.h5 ./a
equal "status" 0 "$rc"
equal "shared" 304000 "$(ncalls a.h5 shared)"
equal "sleep" 304 "$(ncalls a.h5 sleep)"
between "sleep: seconds" 0.50 0.80 "$(sum a.h5 sleep)"
equal "all" 1 "$(ncalls a.h5 all)"
between "all: seconds" 0.20 0.35 "$(total a.h5 all)"
for region in own0 own1 own2 own3; do equal "$region" 1 "$(ncalls a.h5 $region)"; done
equal "own/" 300 "$(ncalls a.h5 own/)"
equal "exit_inside" 1 "$(ncalls a.h5 exit_inside)"
between "exit_inside ends with its thread" 0.005 0.05 "$(total a.h5 exit_inside)"
contains "and is told of" "exit_inside" err.txt
between "memory in KiB: no window a thread" 100 10000 "$(awk '{print $2}' out.txt)"
finish
