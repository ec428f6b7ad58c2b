#!/bin/bash
# Threads: many at once, one after the other, cancelled, jumping out of regions, and markers in the destructors of
# thread-specific data. Counts are exact.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >many.c <<'C'
#include "mk.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_barrier_t all;
static int together;
static void *work(void *a)
{
    if (together) pthread_barrier_wait(&all);
    for (int i = 0; i < 1000; i++) { MB("outer"); MB("inner"); ME("inner"); ME("outer"); }
    return a;
}
int main(int c, char **v)
{
    (void)c;
    enum { N = 300 };
    pthread_t t[N];
    together = atoi(v[1]);
    pthread_barrier_init(&all, 0, N);
    MB("main");
    for (int i = 0; i < N; i++) {
        if (pthread_create(&t[i], 0, work, 0)) return 9;
        if (!together) pthread_join(t[i], 0);
    }
    if (together)
        for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    ME("main");
    puts("done");
    return 0;
}
C
compile -pthread many.c -o many
for together in 1 0; do
    run scope-profiler run -q -o m.h5 ./many $together
    equal "together $together: result" "0 done" "$rc $(cat out.txt)"
    equal "together $together: calls" "300000 300000 1" "$(ncalls m.h5 outer) $(ncalls m.h5 inner) $(ncalls m.h5 main)"
    equal "together $together: threads" 301 "$(column m.h5 thread_table index | sort -un | wc -l)"
    equal "together $together: nothing unbalanced" "0 0 0 0" \
        "$(problem m.h5 unmatched) $(problem m.h5 cut) $(problem m.h5 overlap) $(problem m.h5 lost)"
    between "together $together: inner lies within outer, seconds" 0 1e9 "$(own m.h5 outer)"
done

cat >odd.c <<'C'
#include "mk.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
static pthread_key_t key;
static void destroy(void *a) { (void)a; MB("destructor"); ME("destructor"); }
static void *with_key(void *a)
{
    pthread_setspecific(key, &key);
    MB("keyed"); ME("keyed");
    return a;
}
static void *only_key(void *a) /* its first event comes from the destructor */
{
    pthread_setspecific(key, &key);
    return a;
}
static void *cancelled(void *a)
{
    MB("cancelled");
    for (;;) ms(1000);
    return a;
}
static jmp_buf back;
static void jump(void)
{
    MB("jumped");
    longjmp(back, 1);
}
int main(void)
{
    pthread_t t;
    pthread_key_create(&key, destroy);
    for (int i = 0; i < 40; i++) {
        pthread_create(&t, 0, i % 2 ? with_key : only_key, 0);
        pthread_join(t, 0);
    }
    for (int i = 0; i < 10; i++) {
        pthread_create(&t, 0, cancelled, 0);
        ms(5);
        pthread_cancel(t);
        pthread_join(t, 0);
    }
    for (int i = 0; i < 10; i++) {
        MB("around");
        if (!setjmp(back)) jump();
        ME("around");
    }
    ms(100);
    puts("done");
    return 0;
}
C
compile -pthread odd.c -o odd
run scope-profiler run -q -o o.h5 ./odd
equal "odd: result" "0 done" "$rc $(cat out.txt)"
equal "markers in destructors" "40 20" "$(ncalls o.h5 destructor) $(ncalls o.h5 keyed)"
equal "cancelled threads: calls, cut off" "10 10" "$(ncalls o.h5 cancelled) $(problem o.h5 cut cancelled)"
between "cancelled threads: their calls end with them, seconds" 0.02 0.5 "$(sum o.h5 cancelled)"
equal "longjmp: calls of the region around" "10 0" "$(ncalls o.h5 around) $(problem o.h5 cut around)"
equal "longjmp: calls jumped out of" "10 10" "$(ncalls o.h5 jumped) $(problem o.h5 cut jumped)"
between "longjmp: they end with the one around, seconds" 0 0.05 "$(sum o.h5 jumped)"
equal "nothing of it was open at exit" 0 "$(column o.h5 problem_table at_exit | sort -n | tail -1)"
finish
