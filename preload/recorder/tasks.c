#include "internal.h"
#include <string.h>

/* What takes turns in a thread: groups among the words of its lane. Sums tell no tasks apart. */

/* `now`: its place in the payload gets the time; NULL: none does. */
static void write_group(enum spool_group type, const uint64_t *payload, unsigned count, uint64_t *now) {
    struct sys_quiet q = sys_quiet_begin();
    struct recorder *r = recorder_default && recorder_default->mode == REC_TRACE ? recorder_default : NULL;
    if (r && !r->clock) { /* the first that is recorded */
        r->clock = clock_choose();
        mode_choose();
    }
    struct lane *lane = r ? lane_of(r) : NULL;
    if (now && lane) *now = clock_ticks(r->clock);
    if (lane) lane_group(lane, type, 0, payload, count);
    sys_quiet_end(q);
}

/* At most `most` bytes, and no part of a character. */
static size_t cut(const char *text, size_t most) {
    size_t length = text ? strnlen(text, most + 1) : 0;
    if (length <= most) return length;
    length = most;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) length--;
    return length;
}

void rec_task(uint64_t serial, int kind, const char *name, const char *coro) {
    const size_t name_bytes = cut(name, SPOOL_TASK_NAME_MOST), coro_bytes = cut(coro, SPOOL_TASK_CORO_MOST);
    uint64_t payload[SPOOL_TASK_WORDS] = {serial, SPOOL_TASK_TEXTS(kind, name_bytes, coro_bytes)};
    char *texts = (char *)(payload + 2);
    if (name) memcpy(texts, name, name_bytes);
    if (coro) memcpy(texts + name_bytes, coro, coro_bytes);
    write_group(SPOOL_TASK, payload, 2 + (unsigned)(name_bytes + coro_bytes + 7) / 8, NULL);
}

void rec_task_switch(uint64_t serial, int step) {
    uint64_t payload[] = {serial, 0, (uint64_t)step};
    write_group(SPOOL_TASK_SWITCH, payload, 3, &payload[1]);
}

void rec_task_done(uint64_t serial) { write_group(SPOOL_TASK_DONE, &serial, 1, NULL); }
