#include "open_calls.h"
#include "guard.h"
#include <pthread.h>
#include <string.h>

struct open_call {
    int64_t slot;
    int region;
};

struct open_list { /* of one context */
    uint64_t context;
    size_t depth, capacity;
    int64_t next_slot;
    struct open_call *calls;
};

enum { LISTS = 32 }; /* contexts in use at once by one thread; a further one takes the place of the longest unused */

static __thread struct open_list *lists; /* LISTS of them, the latest used first; NULL before the first call */
static pthread_key_t thread_key;
static pthread_once_t thread_key_once = PTHREAD_ONCE_INIT;
static bool thread_key_known;

/* Destructors of other keys may begin calls after this one: the lists are then made again, and this runs again. */
static void free_lists(void *all) {
    struct open_list *mine = all;
    size_t count = LISTS;
    lists = NULL;
    for (size_t i = 0; i < LISTS; i++) pages_free((void **)&mine[i].calls, &mine[i].capacity, sizeof(struct open_call));
    pages_free(&all, &count, sizeof *mine);
}

static void make_key(void) { thread_key_known = pthread_key_create(&thread_key, free_lists) == 0; }

static void make_lists(void) {
    size_t capacity = 0;
    void *all = NULL;
    pthread_once(&thread_key_once, make_key);
    struct sys_quiet quiet = sys_quiet_begin();
    if (!lists && pages_hold(&all, &capacity, LISTS, sizeof *lists)) {
        lists = all;
        if (thread_key_known) pthread_setspecific(thread_key, lists);
    }
    sys_quiet_end(quiet);
}

/* Moves list i to the front. */
static struct open_list *front(size_t i) {
    if (i == 0) return lists;
    struct sys_quiet quiet = sys_quiet_begin();
    const struct open_list used = lists[i];
    memmove(lists + 1, lists, i * sizeof *lists);
    lists[0] = used;
    sys_quiet_end(quiet);
    return lists;
}

static struct open_list *find(uint64_t context) {
    for (size_t i = 0; lists && i < LISTS; i++)
        if (lists[i].context == context) return front(i);
    return NULL;
}

static struct open_list *find_or_make(uint64_t context) {
    struct open_list *list = find(context);
    if (list) return list;
    if (!lists) make_lists();
    if (!lists) return NULL;
    list = front(LISTS - 1);
    list->depth = 0;
    list->next_slot = 0;
    list->context = context;
    return list;
}

static bool make_room(struct open_list *list) {
    if (list->depth < list->capacity) return true;
    struct sys_quiet quiet = sys_quiet_begin();
    bool room = true;
    if (list->depth >= OPEN_CALLS_MAX) {
        const size_t half = list->depth / 2;
        memmove(list->calls, list->calls + half, (list->depth - half) * sizeof *list->calls);
        list->depth -= half;
    } else {
        room = pages_hold((void **)&list->calls, &list->capacity, list->depth + 1, sizeof *list->calls);
    }
    sys_quiet_end(quiet);
    return room;
}

int64_t open_calls_push(uint64_t context, int region) {
    struct open_list *list = find_or_make(context);
    if (!list || !make_room(list)) return -1;
    /* The place is taken before it is filled: what a signal handler opens and ends in between lies behind it. */
    const size_t place = list->depth;
    *(volatile size_t *)&list->depth = place + 1;
    const int64_t slot = list->next_slot++;
    list->calls[place] = (struct open_call){slot, region};
    return slot;
}

/* Index + 1 of the innermost call of the region, 0 none. */
static size_t innermost_of(const struct open_list *list, int region) {
    size_t i = list->depth;
    while (i > 0 && list->calls[i - 1].region != region) i--;
    return i;
}

static void take_out(struct open_list *list, size_t index) {
    memmove(list->calls + index, list->calls + index + 1, (list->depth - index - 1) * sizeof *list->calls);
    list->depth--;
}

bool open_calls_pop(uint64_t context, int region) {
    struct open_list *list = find(context);
    const size_t i = list ? innermost_of(list, region) : 0;
    if (i == 0) return false;
    take_out(list, i - 1);
    return true;
}

bool open_calls_pop_slot(uint64_t context, int region, int64_t slot) {
    struct open_list *list = find(context);
    const size_t i = list ? innermost_of(list, region) : 0;
    if (i == 0 || list->calls[i - 1].slot != slot) return false;
    take_out(list, i - 1);
    return true;
}

int open_calls_innermost(uint64_t context) {
    const struct open_list *list = find(context);
    return list && list->depth ? list->calls[list->depth - 1].region : 0;
}
