#include "pair.h"
#include <stdlib.h>
#include <string.h>

struct pair_slot {
    uint32_t row, call; /* call NO_CALL: none open; a slot never used has row NO_CALL */
};

void pair_init(struct pairing *p, uint32_t limit, const struct pair_owner *owner, void *context) {
    *p = (struct pairing){.limit = limit, .free = NO_CALL, .top = NO_CALL, .newest = NO_CALL};
    p->first_jumped = p->last_jumped = NO_CALL;
    p->owner = owner;
    p->context = context;
}

void pair_free(struct pairing *p) {
    free(p->calls);
    free(p->table);
    p->calls = NULL;
    p->table = NULL;
}

/* ---- room for calls --------------------------------------------------------------------------------------------- */

static bool grow(struct pairing *p) {
    uint32_t capacity = p->capacity ? p->capacity * 2 : 8;
    if (capacity > p->limit) capacity = p->limit;
    if (capacity <= p->capacity) return false;
    struct open_call *calls = realloc(p->calls, capacity * sizeof *calls);
    if (!calls) return false;
    for (uint32_t i = capacity; i-- > p->capacity;) { /* so that the lowest is taken first */
        calls[i].below = p->free;
        p->free = i;
    }
    p->calls = calls;
    p->capacity = capacity;
    return true;
}

static void release(struct pairing *p, uint32_t index) {
    p->calls[index].below = p->free;
    p->free = index;
    p->open--;
}

/* ---- the index: row -> newest open call of it ------------------------------------------------------------------- */

static uint32_t hash(uint32_t row, uint32_t size) {
    return (uint32_t)(row * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (size - 1);
}

static struct pair_slot *find(const struct pairing *p, uint32_t row) {
    uint32_t at = hash(row, p->table_size);
    while (p->table[at].row != row && p->table[at].row != NO_CALL) at = (at + 1) & (p->table_size - 1);
    return &p->table[at];
}

/* A new table, four times as large as what is in use now: rows without open calls are forgotten. */
static bool renew_table(struct pairing *p) {
    struct pair_slot *old = p->table;
    uint32_t old_size = old ? p->table_size : 0, in_use = 0, size = 64;
    for (uint32_t i = 0; i < old_size; i++) in_use += old[i].call != NO_CALL;
    while (size < in_use * 4) size *= 2;
    struct pair_slot *table = malloc(size * sizeof *table);
    if (!table) return false;
    memset(table, 0xff, size * sizeof *table);
    p->table = table;
    p->table_size = size;
    p->table_used = 0;
    for (uint32_t i = 0; i < old_size; i++) {
        if (old[i].call == NO_CALL) continue;
        *find(p, old[i].row) = old[i];
        p->table_used++;
    }
    free(old);
    return true;
}

static struct pair_slot *slot_for(struct pairing *p, uint32_t row) {
    if ((!p->table || p->table_used >= p->table_size / 2) && !renew_table(p) &&
        (!p->table || p->table_used + 1 >= p->table_size))
        return NULL;
    struct pair_slot *slot = find(p, row);
    if (slot->row == NO_CALL) {
        slot->row = row;
        p->table_used++;
    }
    return slot;
}

static bool index_add(struct pairing *p, uint32_t index) {
    struct open_call *call = &p->calls[index];
    struct pair_slot *slot = slot_for(p, call->row);
    if (!slot) return false;
    call->earlier = p->newest;
    call->later = NO_CALL;
    if (p->newest != NO_CALL) p->calls[p->newest].later = index;
    p->newest = index;
    call->same_earlier = slot->call;
    call->same_later = NO_CALL;
    if (slot->call != NO_CALL) p->calls[slot->call].same_later = index;
    slot->call = index;
    return true;
}

static void index_remove(struct pairing *p, uint32_t index) {
    const struct open_call *call = &p->calls[index];
    if (call->earlier != NO_CALL) p->calls[call->earlier].later = call->later;
    if (call->later != NO_CALL)
        p->calls[call->later].earlier = call->earlier;
    else
        p->newest = call->earlier;
    if (call->same_earlier != NO_CALL) p->calls[call->same_earlier].same_later = call->same_later;
    if (call->same_later != NO_CALL)
        p->calls[call->same_later].same_earlier = call->same_earlier;
    else
        find(p, call->row)->call = call->same_earlier;
}

static void index_drop(struct pairing *p) {
    if (!p->indexed) return;
    if (p->table_size > 4096) { /* a rare large one is not worth clearing again and again */
        free(p->table);
        p->table = NULL;
    } else if (p->table)
        memset(p->table, 0xff, p->table_size * sizeof *p->table);
    p->table_used = 0;
    p->newest = NO_CALL;
    p->indexed = false;
    p->unusual = p->overflow > 0;
}

/* Nothing is jumped before there is an index, so the stack is all that is open. `after` serves as the way back up. */
static bool index_make(struct pairing *p) {
    uint32_t bottom = NO_CALL;
    for (uint32_t i = p->top; i != NO_CALL; i = p->calls[i].below) {
        p->calls[i].after = bottom;
        bottom = i;
    }
    p->indexed = p->unusual = true;
    for (uint32_t i = bottom; i != NO_CALL; i = p->calls[i].after)
        if (!index_add(p, i)) {
            index_drop(p);
            return false;
        }
    return true;
}

/* ---- jumped calls: a queue in the order of jumping -------------------------------------------------------------- */

static void queue_remove(struct pairing *p, uint32_t index) {
    const struct open_call *call = &p->calls[index];
    if (call->below != NO_CALL)
        p->calls[call->below].after = call->after;
    else
        p->first_jumped = call->after;
    if (call->after != NO_CALL)
        p->calls[call->after].below = call->below;
    else
        p->last_jumped = call->below;
    p->jumped--;
}

static void give_up(struct pairing *p, uint32_t index) {
    queue_remove(p, index);
    index_remove(p, index);
    p->owner->finish(p->context, &p->calls[index], p->calls[index].jumped, FINISH_CUT_OFF);
    release(p, index);
}

static void leave_stack(struct pairing *p, int64_t time) {
    const struct open_call *call = &p->calls[p->top];
    p->top = call->below;
    if (p->top != NO_CALL) p->owner->inside(p->context, call, &p->calls[p->top], time - call->start);
}

static void end_top(struct pairing *p, int64_t time) {
    uint32_t index = p->top;
    p->suspended -= p->calls[index].state == CALL_SUSPENDED;
    leave_stack(p, time);
    index_remove(p, index);
    p->owner->finish(p->context, &p->calls[index], time, FINISH_ENDED);
    release(p, index);
}

static void jump_top(struct pairing *p, int64_t time) {
    uint32_t index = p->top;
    struct open_call *call = &p->calls[index];
    if (call->state == CALL_SUSPENDED) { /* it has ended, and what it left open goes on without it */
        end_top(p, time);
        return;
    }
    leave_stack(p, time);
    call->jumped = time;
    call->below = p->last_jumped;
    call->after = NO_CALL;
    if (p->last_jumped != NO_CALL)
        p->calls[p->last_jumped].after = index;
    else
        p->first_jumped = index;
    p->last_jumped = index;
    if (++p->jumped > JUMPED_KEPT) give_up(p, p->first_jumped);
}

/* ---- generators and coroutines ----------------------------------------------------------------------------------- */

static uint32_t resumed_row(const struct pairing *p, const struct open_call *call) { return p->resumed[call->row]; }

/* The row that the end of what runs of the call is told with. */
static uint32_t end_row(const struct pairing *p, const struct open_call *call) {
    return call->state == CALL_RESUMED ? resumed_row(p, call) : call->row;
}

bool pair_goes_on_unusual(struct pairing *p, uint32_t row) {
    uint32_t found = NO_CALL, depth = 0; /* of coroutines that wait for each other the outermost goes on first */
    for (uint32_t i = p->top; i != NO_CALL && depth++ < SUSPENDED_DEPTH; i = p->calls[i].below)
        if (p->calls[i].state == CALL_SUSPENDED && resumed_row(p, &p->calls[i]) == row) found = i;
    if (found == NO_CALL) return false;
    p->calls[found].state = CALL_RESUMED;
    p->suspended--;
    return true;
}

/* A stretch ends below calls that are open: true when it is one of a generator or coroutine, which is now suspended. */
static bool suspend(struct pairing *p, uint32_t row, int64_t time) {
    uint32_t depth = 0;
    if (!p->resumed) return false;
    for (uint32_t i = p->top; i != NO_CALL && depth++ < SUSPENDED_DEPTH; i = p->calls[i].below) {
        struct open_call *call = &p->calls[i];
        if (call->state == CALL_SUSPENDED || end_row(p, call) != row) continue;
        if (resumed_row(p, call) == NO_CALL) return false;
        call->state = CALL_SUSPENDED;
        call->suspended = time;
        p->suspended++;
        return true;
    }
    return false;
}

/* ---- begin, end, close ------------------------------------------------------------------------------------------ */

struct open_call *pair_begin_unusual(struct pairing *p, uint32_t row) {
    if (p->overflow || (p->free == NO_CALL && !grow(p))) {
        if (p->overflow || !p->jumped) {
            p->overflow++;
            p->unusual = true;
            return NULL;
        }
        give_up(p, p->first_jumped);
    }
    uint32_t index = p->free;
    struct open_call *call = &p->calls[index];
    p->free = call->below;
    call->row = row;
    call->below = p->top;
    call->jumped = NOT_JUMPED;
    call->state = CALL_PLAIN;
    if (p->indexed && !index_add(p, index)) {
        call->below = p->free;
        p->free = index;
        p->overflow++;
        return NULL;
    }
    p->top = index;
    p->open++;
    return call;
}

static bool end_found(struct pairing *p, uint32_t index, int64_t time) {
    if (p->calls[index].jumped != NOT_JUMPED) {
        queue_remove(p, index);
        index_remove(p, index);
        p->owner->finish(p->context, &p->calls[index], time, FINISH_OVERLAP);
        release(p, index);
        return true;
    }
    while (p->top != index) jump_top(p, time);
    end_top(p, time);
    return true;
}

bool pair_end_unusual(struct pairing *p, uint32_t row, int64_t time) {
    bool found = false;
    if (p->overflow) {
        p->overflow--;
        p->unusual = p->indexed || p->overflow;
        return true;
    }
    if (!p->open || (!p->indexed && !index_make(p))) return false;
    const struct open_call *top = pair_top(p);
    if (top && top->state != CALL_SUSPENDED && end_row(p, top) == row) {
        end_top(p, time);
        found = true;
    } else if (suspend(p, row, time)) {
        found = true;
    } else {
        const struct pair_slot *slot = find(p, row);
        if (slot->row == row && slot->call != NO_CALL) found = end_found(p, slot->call, time);
    }
    if (!p->open) index_drop(p);
    return found;
}

void pair_close(struct pairing *p, int64_t time, bool at_exit) {
    p->overflow = 0;
    while (p->first_jumped != NO_CALL) give_up(p, p->first_jumped);
    while (p->top != NO_CALL) {
        uint32_t index = p->top;
        const struct open_call *call = &p->calls[index];
        if (at_exit && p->goes_on_elsewhere && call->state == CALL_SUSPENDED) { /* what it left open is not here */
            leave_stack(p, call->suspended);
            p->owner->finish(p->context, call, call->suspended, FINISH_ENDED);
        } else {
            leave_stack(p, time);
            p->owner->finish(p->context, call, time, at_exit ? FINISH_OPEN_AT_EXIT : FINISH_CUT_OFF);
        }
        release(p, index);
    }
    p->suspended = 0;
    index_drop(p);
    p->unusual = false;
}
