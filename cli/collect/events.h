/* events.h: the event columns: one slot a call, reserved when the call begins, in the order of beginnings of its row;
 * they go straight to their final place in a file, through a window of slots in memory per row. */
#ifndef COLLECT_EVENTS_H
#define COLLECT_EVENTS_H

#include "model.h"

struct events {
    int fd;
    uint64_t at[EVENT_COLUMNS]; /* where the columns begin in the file */
    bool has[EVENT_COLUMNS];
    int error;  /* errno of the first write that failed; 0 */
    bool moved; /* there were more calls than had been counted */
};

/* The windows of a process's rows; false: no memory. */
bool events_open(struct events *events, struct process *process);
/* Writes and frees them. `process->rows[].next` then tells how many calls came. */
void events_close(struct events *events, struct process *process);

/* Writes the window; the next one begins behind it. False: no call more was counted. */
bool events_flush(struct events *events, struct row *row);
void events_patch(struct events *events, const struct row *row, int column, uint64_t slot, int64_t value);

#define SLOT_NONE UINT64_MAX

/* The slot of a call that begins now; its start and a duration of 0 are in it. SLOT_NONE: see `moved`. */
static inline uint64_t events_begin(struct events *events, struct row *row, int64_t time) {
    uint64_t slot = row->next, at = slot - row->flushed;
    if (__builtin_expect(at >= row->capacity, 0)) {
        if (!events_flush(events, row)) return SLOT_NONE;
        at = 0;
    }
    row->values[START_DELTAS][at] = time - row->previous_start;
    row->values[DURATIONS][at] = 0;
    row->previous_start = time;
    row->next = slot + 1;
    return slot;
}

/* The value of a call that has its slot. */
static inline void events_set(struct events *events, const struct row *row, int column, uint64_t slot, int64_t value) {
    uint64_t at = slot - row->flushed; /* huge where the slot is in the file already */
    if (__builtin_expect(at < row->capacity, 1))
        row->values[column][at] = value;
    else
        events_patch(events, row, column, slot, value);
}

static inline void events_end(struct events *events, struct row *row, uint64_t slot, int64_t start, int64_t end) {
    int64_t duration = end - start;
    events_set(events, row, DURATIONS, slot, duration);
    row->total += duration;
    row->squares += (u128)(uint64_t)duration * (uint64_t)duration;
    row->exclusive += duration;
    if (duration < row->minimum) row->minimum = duration;
    if (duration > row->maximum) row->maximum = duration;
    if (start < row->first_start) row->first_start = start;
    if (end > row->last_end) row->last_end = end;
    if (slot == 0) row->first = duration;
    if (slot + 1 == row->calls) row->last = duration;
}

#endif
