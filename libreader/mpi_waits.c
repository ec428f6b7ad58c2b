/* Who waits for whom: instances of collective calls and messages, matched after the run. What began with a request is
 * waited for in the call that completes it. Where calls of a rank were left out (a pause), calls are matched only if
 * all sides have equally many. Memory is bounded: what is matched lies sorted on the disk. */
#include "mpi.h"

#include <stdlib.h>

bool rd_waiting_has_gaps(const struct rd_waiting *w, uint32_t rank) {
    for (size_t i = 0; w->gaps && i < w->num_parts; i++)
        if (w->parts[i].rank == rank && w->parts[i].gaps) return true;
    return false;
}

int rd_waiting_add(struct rd_waiting *w, const struct rd_mpi_wait *wait) {
    return rd_wait_sums_add(&w->sums, w->profile, wait) ? SPR_OK : rd_no_memory(w->profile, w->error);
}

static int take_completions(struct rd_waiting *w, struct rd_mpi_stream *stream) {
    struct rd_mpi_completion completion;
    bool more;
    int status;
    while ((status = rd_mpi_next_completion(stream, &completion, &more, w->error)) == SPR_OK && more)
        if ((status = rd_windows_take(w, &completion)) != SPR_OK) break;
    return status;
}

static int take_call(struct rd_waiting *w, const struct rd_mpi_call *call, struct rd_messages *messages,
                     struct rd_order *collectives) {
    struct rd_window window;
    int status = rd_window_of(w, call, &window);
    if (status == SPR_OK) status = rd_collectives_take(w, collectives, call, &window);
    return status == SPR_OK ? rd_messages_take(w, messages, call, &window) : status;
}

static int take_calls(struct rd_waiting *w, struct rd_mpi_stream *stream, struct rd_messages *messages,
                      struct rd_order *collectives) {
    struct rd_mpi_call call;
    bool more;
    int status;
    while ((status = rd_mpi_next_call(stream, &call, &more, w->error)) == SPR_OK && more)
        if ((status = take_call(w, &call, messages, collectives)) != SPR_OK) break;
    return status;
}

static int read_all(struct rd_waiting *w, struct rd_messages *messages, struct rd_order *collectives) {
    struct rd_mpi_stream *stream;
    int status = rd_mpi_stream_open(w->profile, &stream, w->error);
    if (status == SPR_OK) status = take_completions(w, stream);
    if (status == SPR_OK) status = take_calls(w, stream, messages, collectives);
    rd_mpi_stream_close(stream);
    return status;
}

static int read_parts(struct rd_waiting *w) {
    const int status = rd_mpi_parts_read(w->profile, &w->parts, &w->num_parts, w->error);
    for (size_t i = 0; i < w->num_parts; i++) w->gaps = w->gaps || w->parts[i].gaps;
    return status;
}

static int match(struct rd_waiting *w) {
    struct rd_messages messages;
    struct rd_order *collectives = rd_collectives_new(w);
    int status = rd_messages_open(w, &messages);
    if (status == SPR_OK) status = collectives ? rd_windows_open(w) : rd_no_memory(w->profile, w->error);
    if (status == SPR_OK) status = read_all(w, &messages, collectives);
    if (status == SPR_OK) status = rd_collectives_match(w, collectives);
    rd_order_free(collectives);
    if (status == SPR_OK) status = rd_messages_match(w, &messages);
    rd_messages_close(&messages);
    if (status == SPR_OK) status = rd_windows_add(w);
    rd_windows_close(w);
    return status;
}

int spr_mpi_waits_read(spr_profile *profile, const spr_mpi *mpi, spr_mpi_waits *waits, spr_error *error) {
    struct rd_waiting w = {.profile = profile, .mpi = mpi, .error = error};
    struct rd_quiet quiet;
    *waits = (spr_mpi_waits){0};
    rd_quiet_begin(&quiet);
    int status = read_parts(&w);
    if (status == SPR_OK) status = match(&w);
    rd_quiet_end(&quiet);
    if (status == SPR_OK && !rd_wait_sums_list(&w.sums, waits)) status = rd_no_memory(profile, error);
    waits->unmatched = w.unmatched;
    rd_wait_sums_free(&w.sums);
    free(w.parts);
    if (status != SPR_OK) spr_mpi_waits_free(waits);
    return status;
}

void spr_mpi_waits_free(spr_mpi_waits *waits) {
    free(waits->rows);
    free(waits->causes);
    *waits = (spr_mpi_waits){0};
}
