/* mk.h: markers for test programs: MB("x") begins a region, ME("x") ends it, ms(n) sleeps n milliseconds. Without
 * HAVE_SCOPE they are nothing, so that the same program runs bare. */
#ifndef MK_H
#define MK_H
#ifdef HAVE_SCOPE
#    include <scope_profiler.h>
#    define MB(n) sp_begin(sp_region(n))
#    define ME(n) sp_end(sp_region(n))
#else
#    define MB(n) ((void)(n))
#    define ME(n) ((void)(n))
#endif
#include <time.h>

static inline void ms(long t) {
    struct timespec left = {t / 1000, t % 1000 * 1000000L};
    while (nanosleep(&left, &left)) {
    }
}
#endif
