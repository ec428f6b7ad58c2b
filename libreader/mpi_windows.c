/* What waits for a call: the call itself, or the one that completes the request that it made. */
#include "mpi.h"

enum { COMPLETED_CALL, COMPLETED_EVENT, COMPLETED_START, COMPLETED_END, COMPLETED_ROW, COMPLETED_WORDS };

enum { /* a completing call and one of its waits; the first three are the key: the longest wait first */
       WAITED_EVENT,
       WAITED_LESS,
       WAITED_KIND_CAUSE,
       WAITED_LASTED,
       WAITED_ROW,
       WAITED_WORDS
};

int rd_windows_open(struct rd_waiting *w) {
    w->windows = (struct rd_windows){
        .completions = rd_order_new(w->profile->path, COMPLETED_WORDS, COMPLETED_EVENT + 1),
        .waits = rd_order_new(w->profile->path, WAITED_WORDS, WAITED_KIND_CAUSE + 1),
    };
    return w->windows.completions && w->windows.waits ? SPR_OK : rd_no_memory(w->profile, w->error);
}

void rd_windows_close(struct rd_waiting *w) {
    rd_order_reader_free(w->windows.reader);
    rd_order_free(w->windows.completions);
    rd_order_free(w->windows.waits);
}

static int add_waited(struct rd_waiting *w, uint64_t event, const struct rd_mpi_wait *wait) {
    const uint64_t record[WAITED_WORDS] = {
        [WAITED_EVENT] = event,
        [WAITED_LESS] = ~(uint64_t)wait->wait_ns,
        [WAITED_KIND_CAUSE] = rd_pack(wait->kind, wait->cause),
        [WAITED_LASTED] = (uint64_t)wait->lasted_ns,
        [WAITED_ROW] = (uint64_t)wait->row,
    };
    return rd_order_add(w->windows.waits, record, w->error);
}

int rd_windows_take(struct rd_waiting *w, const struct rd_mpi_completion *c) {
    const uint64_t completed[COMPLETED_WORDS] = {
        [COMPLETED_CALL] = (uint64_t)c->call,        [COMPLETED_EVENT] = (uint64_t)c->event,
        [COMPLETED_START] = rd_order_word(c->start), [COMPLETED_END] = rd_order_word(c->end),
        [COMPLETED_ROW] = (uint64_t)c->row,
    };
    /* Whatever it waited for, it is a matched call. */
    const struct rd_mpi_wait none = {
        .row = c->row, .cause = w->profile->rows[c->row].rank, .lasted_ns = c->end - c->start};
    const int status = rd_order_add(w->windows.completions, completed, w->error);
    return status == SPR_OK ? add_waited(w, (uint64_t)c->event, &none) : status;
}

static int start_reading(struct rd_waiting *w) {
    struct rd_windows *windows = &w->windows;
    const int status = rd_order_close(windows->completions, w->error);
    if (status != SPR_OK) return status;
    windows->reader = rd_order_read(windows->completions, w->error);
    return windows->reader ? rd_order_next(windows->reader, &windows->next, w->error) : SPR_NO_MEMORY;
}

int rd_window_of(struct rd_waiting *w, const struct rd_mpi_call *call, struct rd_window *window) {
    struct rd_windows *windows = &w->windows;
    const bool itself = !(call->flags & RD_MPI_REQUEST);
    *window = (struct rd_window){.from = rd_order_word(call->start),
                                 .until = rd_order_word(call->end),
                                 .row = (uint64_t)call->row,
                                 .event = itself ? RD_ITSELF : RD_NOTHING};
    if (itself) return SPR_OK;
    int status = windows->reader ? SPR_OK : start_reading(w);
    for (; status == SPR_OK && windows->next && windows->next[COMPLETED_CALL] <= call->number;
         status = rd_order_next(windows->reader, &windows->next, w->error))
        if (windows->next[COMPLETED_CALL] == call->number)
            *window = (struct rd_window){.from = windows->next[COMPLETED_START],
                                         .until = windows->next[COMPLETED_END],
                                         .row = windows->next[COMPLETED_ROW],
                                         .event = windows->next[COMPLETED_EVENT]};
    return status;
}

static int64_t clamp(int64_t value, int64_t most) { return value < 0 ? 0 : value > most ? most : value; }

int rd_window_wait(struct rd_waiting *w, const struct rd_window *window, int64_t until, uint32_t cause,
                   enum spr_mpi_wait_kind kind) {
    if (window->event == RD_NOTHING) return SPR_OK;
    const int64_t from = rd_order_value(window->from), lasted = rd_order_value(window->until) - from;
    const struct rd_mpi_wait wait = {.row = (int64_t)window->row,
                                     .cause = cause,
                                     .kind = kind,
                                     .wait_ns = clamp(until - from, lasted),
                                     .lasted_ns = lasted};
    if (window->event == RD_ITSELF) return rd_waiting_add(w, &wait);
    return wait.wait_ns ? add_waited(w, window->event, &wait) : SPR_OK;
}

static int add_longest(struct rd_waiting *w, struct rd_order_reader *waits) {
    uint64_t before = UINT64_MAX;
    const uint64_t *waited;
    int status;
    while ((status = rd_order_next(waits, &waited, w->error)) == SPR_OK && waited) {
        if (waited[WAITED_EVENT] == before) continue;
        before = waited[WAITED_EVENT];
        const struct rd_mpi_wait wait = {.row = (int64_t)waited[WAITED_ROW],
                                         .cause = rd_low(waited[WAITED_KIND_CAUSE]),
                                         .kind = (enum spr_mpi_wait_kind)rd_high(waited[WAITED_KIND_CAUSE]),
                                         .wait_ns = (int64_t)~waited[WAITED_LESS],
                                         .lasted_ns = (int64_t)waited[WAITED_LASTED]};
        if ((status = rd_waiting_add(w, &wait)) != SPR_OK) break;
    }
    return status;
}

int rd_windows_add(struct rd_waiting *w) {
    int status = rd_order_close(w->windows.waits, w->error);
    if (status != SPR_OK) return status;
    struct rd_order_reader *waits = rd_order_read(w->windows.waits, w->error);
    status = waits ? add_longest(w, waits) : SPR_NO_MEMORY;
    rd_order_reader_free(waits);
    return status;
}
