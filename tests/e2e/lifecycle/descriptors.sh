#!/bin/bash
# Descriptors belong to the program: it may close all of them, count them and reuse their numbers, and nothing of ours
# gets into its files.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >closing.c <<'C'
#include "mk.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int count(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (readdir(d)) n++;
    closedir(d);
    return n;
}
static void events(int n)
{
    while (n--) { MB("event"); ME("event"); }
}
int main(void)
{
    char name[32], line[32];
    int fd[20];
    printf("open at main: %d\n", count());
    events(100000);
    printf("open after events: %d\n", count());
    closefrom(3);
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "own%d.txt", i);
        fd[i] = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        printf("%d ", fd[i]);
    }
    for (int round = 0; round < 50; round++) {
        events(5000);
        for (int i = 0; i < 20; i++) {
            int n = snprintf(line, sizeof line, "file %d round %d\n", i, round);
            if (write(fd[i], line, (size_t)n) != n) return 9;
        }
    }
    closefrom(3);
    events(50000);
    printf("\nopen at the end: %d\n", count());
    return 0;
}
C
compile closing.c -o closing
mkdir bare recorded
(cd bare && ../closing >../bare.txt)
(cd recorded && RUN_TIMEOUT=60 run scope-profiler run -q -o ../c.h5 ../closing; echo "$rc" >../rc.txt; mv out.txt ../recorded.txt; cat err.txt; rm err.txt)
equal "status" 0 "$(cat rc.txt)"
equal "the same descriptors, counted and numbered" "$(cat bare.txt)" "$(cat recorded.txt)"
ok "the same files with the same contents" diff -r bare recorded
equal "every call" 400000 "$(ncalls c.h5 event)"

# A program that closes 0, 1 and 2: ours must not be opened there either.
cat >nostd.c <<'C'
#include "mk.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    close(0); close(1); close(2);
    for (int i = 0; i < 200000; i++) { MB("event"); ME("event"); }
    int fd = open("zero.txt", O_WRONLY | O_CREAT, 0644);
    if (fd != 0) return 8;
    for (int i = 0; i < 200000; i++) { MB("event"); ME("event"); }
    if (write(fd, "mine\n", 5) != 5) return 7;
    return 0;
}
C
compile nostd.c -o nostd
run scope-profiler run -q -o n.h5 ./nostd
equal "without standard streams: status" 0 "$rc"
equal "without standard streams: the program's file" "mine" "$(cat zero.txt)"
equal "without standard streams: every call" 400000 "$(ncalls n.h5 event)"
# One thread closes all descriptors and opens files of its own again and again while others record.
cat >storm.c <<'C'
#define _GNU_SOURCE
#include "mk.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
enum { CALLS = 1000000 };
static int left = 2;
static void *body(void *name)
{
    for (int i = 0; i < CALLS; i++) { MB(name); ME(name); }
    __atomic_fetch_sub(&left, 1, __ATOMIC_SEQ_CST);
    return name;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, body, "first");
    pthread_create(&t[1], 0, body, "second");
    while (__atomic_load_n(&left, __ATOMIC_SEQ_CST) > 0) {
        closefrom(3);
        if (open("/dev/null", O_RDONLY) < 0) return 9;
    }
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return 0;
}
C
compile -pthread storm.c -o storm
run scope-profiler run -q -o storm.h5 ./storm
equal "closing all the time: status and silence" "0 " "$rc $(cat err.txt)"
equal "closing all the time: every call" "1000000 1000000" "$(ncalls storm.h5 first) $(ncalls storm.h5 second)"
finish
