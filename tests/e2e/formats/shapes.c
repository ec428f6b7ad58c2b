/* shapes: records regions of every kind that a profile tells apart: nested, recursive, with a source location, with odd
 * names, on several threads, never ended, ended without a begin. */
#include "mk.h"
#include <pthread.h>

static void recurse(int depth) {
    MB("recursive");
    if (depth) recurse(depth - 1);
    ME("recursive");
}

static void *on_thread(void *argument) {
    for (int i = 0; i < 50; i++) {
        MB("threaded");
        MB("inner");
        ME("inner");
        ME("threaded");
    }
    return argument;
}

int main(void) {
    pthread_t threads[2];
    MB("whole");
    for (int i = 0; i < 400; i++) {
        MB("outer");
        MB("inner");
        if (i % 100 == 0) ms(1);
        ME("inner");
        MB("inner");
        ME("inner");
        ME("outer");
    }
    recurse(20);
    int here = sp_region_at("located", "/some/where/located.c", 42);
    sp_begin(here);
    sp_end(here);
    MB("with/slash.and dot");
    ME("with/slash.and dot");
    MB("\xc3\xbc\xe2\x82\xac");
    ME("\xc3\xbc\xe2\x82\xac");
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, on_thread, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    ME("never begun");
    MB("never ended");
    return 0;
}
