#include "guard.h"
#include <sched.h>

struct sys_quiet guard_enter(struct guard *guard) {
    struct sys_quiet quiet = sys_quiet_begin();
    const int me = (int)getpid();
    int seen = 0;
    while (!atomic_compare_exchange_weak(&guard->holder, &seen, me)) {
        if (seen == me) { /* another thread */
            seen = 0;
            sched_yield();
        } /* else of the parent before a fork: the next try takes it over */
    }
    return quiet;
}

void guard_leave(struct guard *guard, struct sys_quiet quiet) {
    atomic_store(&guard->holder, 0);
    sys_quiet_end(quiet);
}

static size_t page_bytes(size_t count, size_t size) { return (count * size + 4095) & ~(size_t)4095; }

bool pages_hold(void **items, size_t *capacity, size_t need, size_t size) {
    if (need <= *capacity) return true;
    size_t count = *capacity ? *capacity : size < 4096 ? 4096 / size : 1;
    while (count < need) count *= 2;
    const size_t bytes = page_bytes(count, size);
    void *grown = *items ? mremap(*items, page_bytes(*capacity, size), bytes, MREMAP_MAYMOVE) : sys_pages(bytes);
    if (!grown || grown == MAP_FAILED) return false;
    *items = grown;
    *capacity = count;
    return true;
}

void pages_free(void **items, size_t *capacity, size_t size) {
    if (*items) munmap(*items, page_bytes(*capacity, size));
    *items = NULL;
    *capacity = 0;
}
