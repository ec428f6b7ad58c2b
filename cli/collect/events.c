#include "events.h"
#include "files.h"
#include <errno.h>
#include <stdlib.h>

#define WINDOWS_BYTES   (32u << 20) /* of all rows of the processes that are read at once */
#define WINDOWS_LEAST   (2u << 20)  /* of a process, even so */
#define WINDOW_SMALLEST 64          /* slots */
#define WINDOW_LARGEST  32768

/* A row's share of the memory follows its share of the calls. */
static uint64_t window_slots(const struct process *p, const struct row *row, unsigned columns) {
    const unsigned mine = WINDOWS_BYTES / p->at_once, bytes = mine > WINDOWS_LEAST ? mine : WINDOWS_LEAST;
    uint64_t slots = bytes / (columns * sizeof(int64_t));
    uint64_t share = (uint64_t)((u128)slots * row->calls / p->calls);
    if (share < WINDOW_SMALLEST) share = WINDOW_SMALLEST;
    if (share > WINDOW_LARGEST) share = WINDOW_LARGEST;
    return share < row->calls ? share : row->calls;
}

bool events_open(struct events *events, struct process *process) {
    unsigned columns = 0;
    for (int c = 0; c < EVENT_COLUMNS; c++) columns += events->has[c];
    for (size_t i = 0; i < process->num_rows; i++) {
        struct row *row = &process->rows[i];
        row->minimum = row->first_start = INT64_MAX;
        row->window = row->calls ? window_slots(process, row, columns) : 0;
        row->capacity = row->window;
        row->next = row->flushed = 0;
        if (!row->window) continue;
        int64_t *values = malloc(row->window * columns * sizeof *values);
        if (!values) return false;
        row->memory = values;
        for (int c = 0; c < EVENT_COLUMNS; c++, values += events->has[c - 1] ? row->window : 0)
            row->values[c] = events->has[c] ? values : NULL;
    }
    return true;
}

static void write_values(struct events *events, int column, uint64_t index, const int64_t *values, uint64_t count) {
    if (events->error || !count) return;
    if (!file_write(events->fd, values, count * sizeof *values, events->at[column] + index * sizeof *values))
        events->error = errno ? errno : EIO;
}

bool events_flush(struct events *events, struct row *row) {
    uint64_t count = row->next - row->flushed, left = row->calls - row->next;
    for (int c = 0; c < EVENT_COLUMNS; c++)
        if (row->values[c]) write_values(events, c, row->offset + row->flushed, row->values[c], count);
    row->flushed = row->next;
    row->capacity = left < row->window ? left : row->window;
    if (!left) events->moved = true;
    return left > 0;
}

void events_patch(struct events *events, const struct row *row, int column, uint64_t slot, int64_t value) {
    write_values(events, column, row->offset + slot, &value, 1);
}

void events_close(struct events *events, struct process *process) {
    for (size_t i = 0; i < process->num_rows; i++) {
        struct row *row = &process->rows[i];
        uint64_t count = row->next - row->flushed;
        for (int c = 0; c < EVENT_COLUMNS; c++)
            if (row->memory && row->values[c])
                write_values(events, c, row->offset + row->flushed, row->values[c], count);
        free(row->memory);
        row->memory = NULL;
    }
}
