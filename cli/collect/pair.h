/* pair.h: which call an end belongs to: the open calls of one lane.
 *
 * An end takes the call on top of the stack when that is of its region. Otherwise it takes the innermost open call of
 * the region, and the calls above that one are jumped over: they leave the stack but stay open, and remember when. A
 * jumped call that is ended after all overlaps; one that never is counts as cut off when it was jumped over.
 *
 * Generators and coroutines are told from one suspension to the next, each stretch with a begin and an end. Where such
 * a stretch ends while calls that were begun in it are open (`with region: await ...`), its call does not end: it is
 * suspended, stays on the stack below them, and goes on with the stretch that resumes it.
 *
 * The usual case, an end that matches the top, is inline; the index by region that finds calls deeper down is made
 * when first needed and dropped when nothing is open. Every operation takes constant time on average, whatever the
 * words are. */
#ifndef COLLECT_PAIR_H
#define COLLECT_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_CALL         UINT32_MAX
#define NOT_JUMPED      INT64_MIN
#define SUSPENDED_DEPTH 64    /* what is further down the stack is not looked at when a stretch begins or ends */
#define JUMPED_KEPT     16384 /* beyond that many the oldest jumped call is given up as cut off */

struct open_call {
    int64_t start;
    uint64_t slot;  /* the owner's */
    int64_t id;     /* the owner's */
    int64_t waited; /* the owner's */
    int64_t jumped;
    int64_t suspended; /* since then; only where it is */
    uint32_t row;
    enum { CALL_PLAIN, CALL_SUSPENDED, CALL_RESUMED } state;
    uint32_t below;                    /* on the stack; free calls and jumped ones use it as a link, too */
    uint32_t after;                    /* jumped calls: the one jumped later */
    uint32_t earlier, later;           /* begun, among the open calls (indexed only) */
    uint32_t same_earlier, same_later; /* likewise, of the same row */
};

enum finish {
    FINISH_ENDED,
    FINISH_OVERLAP,      /* ended after a call around it */
    FINISH_CUT_OFF,      /* never ended */
    FINISH_OPEN_AT_EXIT, /* never ended, and on the stack to the last */
};

/* What the owner does with the outcome. */
struct pair_owner {
    void (*finish)(void *owner, const struct open_call *call, int64_t end, enum finish how);
    /* `call` left the stack, on which it had spent `ns` within `parent`. */
    void (*inside)(void *owner, const struct open_call *call, const struct open_call *parent, int64_t ns);
};

struct pairing {
    struct open_call *calls;
    uint32_t capacity, limit;
    uint32_t free, top;
    uint32_t open;      /* calls on the stack and jumped ones */
    uint64_t overflow;  /* calls begun beyond the limit and not ended */
    bool unusual;       /* indexed, or overflow */
    uint32_t suspended; /* calls */
    bool indexed;
    uint32_t newest; /* begun last of the open calls (indexed only) */
    uint32_t first_jumped, last_jumped, jumped;
    struct pair_slot *table; /* row -> its newest open call */
    uint32_t table_size, table_used;
    const struct pair_owner *owner;
    void *context;
    /* The owner's to set, after pair_init(): */
    const uint32_t *resumed; /* row -> row of its resumptions, NO_CALL none; NULL: none has any */
    bool goes_on_elsewhere;  /* what is open at exit is another recording's, whose stretches begin anew */
};

void pair_init(struct pairing *p, uint32_t limit, const struct pair_owner *owner, void *context);
void pair_free(struct pairing *p);

/* The slow halves; use the functions below. */
struct open_call *pair_begin_unusual(struct pairing *p, uint32_t row);
bool pair_end_unusual(struct pairing *p, uint32_t row, int64_t time);

bool pair_goes_on_unusual(struct pairing *p, uint32_t row);

/* A begin of `row` that is none: a suspended call goes on. To be asked before pair_begin(). */
static inline bool pair_goes_on(struct pairing *p, uint32_t row) {
    return __builtin_expect(p->suspended > 0, 0) && pair_goes_on_unusual(p, row);
}

/* Everything that is open ends: jumped calls when they were jumped, the others at `time`. */
void pair_close(struct pairing *p, int64_t time, bool at_exit);

/* A new call, on the stack; its start, slot and id are the owner's to fill. NULL: too many are open (or no memory): its
 * end will be ignored. */
static inline struct open_call *pair_begin(struct pairing *p, uint32_t row) {
    if (__builtin_expect(p->unusual || p->free == NO_CALL, 0)) return pair_begin_unusual(p, row);
    uint32_t index = p->free;
    struct open_call *call = &p->calls[index];
    p->free = call->below;
    call->row = row;
    call->below = p->top;
    call->jumped = NOT_JUMPED;
    call->state = CALL_PLAIN;
    p->top = index;
    p->open++;
    return call;
}

static inline struct open_call *pair_top(const struct pairing *p) {
    return p->top == NO_CALL ? NULL : &p->calls[p->top];
}

/* The call on top, taken off the stack, when it is of `row` and nothing unusual is going on; it stays readable until
 * the next begin. NULL: call pair_end_unusual(). */
static inline const struct open_call *pair_end_usual(struct pairing *p, uint32_t row) {
    uint32_t index = p->top;
    if (__builtin_expect(p->unusual || index == NO_CALL || p->calls[index].row != row, 0)) return NULL;
    struct open_call *call = &p->calls[index];
    p->top = call->below;
    call->below = p->free;
    p->free = index;
    p->open--;
    return call;
}

#endif
