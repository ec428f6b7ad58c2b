#!/bin/bash
# Markers in a signal handler that comes every 100 microseconds: the counts of both are exact but for events that are
# counted as lost, and those are few.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >alarm.c <<'C'
#include "mk.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile long handled;
static int in_handler, in_main;
static void handler(int s)
{
    (void)s;
    sp_begin(in_handler);
    sp_end(in_handler);
    handled++;
}
static void *idle(void *a) /* a second thread that handles some of them */
{
    ms(1000);
    return a;
}
int main(void)
{
    pthread_t t;
    in_handler = sp_region("handler");
    in_main = sp_region("main");
    struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &a, 0);
    struct itimerval every = {{0, 100}, {0, 100}}, off = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &every, 0);
    pthread_create(&t, 0, idle, 0);
    for (long i = 0; i < 5000000; i++) { sp_begin(in_main); sp_end(in_main); }
    setitimer(ITIMER_REAL, &off, 0);
    pthread_join(t, 0);
    printf("%ld\n", handled);
    return 0;
}
C
compile -pthread alarm.c -o alarm
run scope-profiler run -q -o a.h5 ./alarm
equal "status" 0 "$rc"
handled=$(cat out.txt)
calls=$(ncalls a.h5 handler)
lost=$(problem a.h5 lost)
echo "handled $handled, recorded $calls, events lost $lost"
between "the handler ran" 200 1e6 "$handled"
between "calls of the interrupted code, less what was counted as lost" $((5000000 - lost)) 5000000 "$(ncalls a.h5 main)"
between "calls of the handler are not more than it ran" 0 "$handled" "$calls"
between "what is missing was counted as lost" 0 "$lost" $((handled - calls))
between "and hardly any was lost" 0 5 "$lost"
between "no more is unbalanced than was lost" 0 "$lost" $(($(problem a.h5 unmatched) + $(problem a.h5 cut) + $(problem a.h5 overlap)))
finish
